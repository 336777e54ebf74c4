"""Springs, dampers, rest positions and limits of joints."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from supple.errors import ModelError
from supple.joints import Cylindrical, Free, Revolute, Spherical, Translational

COUPLED = np.array([[2.0, 1.0], [1.0, 3.0]])


def test_stiffness_by_number_diagonal_or_matrix():
    assert_array_equal(Cylindrical("x", stiffness=2).stiffness_matrix, 2 * np.eye(2))
    assert_array_equal(Cylindrical("x", stiffness=(1, 2)).stiffness_matrix, np.diag([1.0, 2.0]))
    assert_array_equal(Cylindrical("x", damping=COUPLED).damping_matrix, COUPLED)


def test_rest_by_number_or_vector():
    assert_array_equal(Cylindrical("x", rest=(1, 2)).rest_vector, [1.0, 2.0])
    assert_array_equal(Revolute(rest=0.3).rest_vector, [0.3])


def test_limits_in_every_form():
    free = [-np.inf, np.inf]
    assert_array_equal(Revolute(limits=(-1, 2)).limit_bounds, [[-1.0, 2.0]])
    assert_array_equal(Revolute(limits=[(-1, 2)]).limit_bounds, [[-1.0, 2.0]])
    assert_array_equal(Revolute(limits=np.array([-1.0, 2.0])).limit_bounds, [[-1.0, 2.0]])
    assert_array_equal(Cylindrical("x", limits=((-1, 2), None)).limit_bounds, [[-1.0, 2.0], free])
    assert_array_equal(Revolute(limits=(-np.inf, 2)).limit_bounds, [[-np.inf, 2.0]])


def test_limit_law_by_number_or_vector():
    joint = Cylindrical("x", limit_stiffness=(1, 2), limit_width=0.5)
    assert_array_equal(joint.limit_stiffnesses, [1.0, 2.0])
    assert_array_equal(joint.limit_widths, [0.5, 0.5])


def test_options_cannot_change_behind_our_back():
    stiffness = COUPLED.copy()
    joint = Cylindrical("x", stiffness=stiffness)
    stiffness[0, 0] = -1.0
    assert_array_equal(joint.stiffness_matrix, COUPLED)


@pytest.mark.parametrize(
    "options",
    [{"stiffness": 1.0}, {"damping": 1.0}, {"rest": (0.1, 0, 0)}, {"limits": (None, None, (-1, np.inf))}],
)
def test_own_forces_pin_the_chart(options):
    assert Spherical(**options).keeps_chart
    assert not Spherical(limit_stiffness=5.0).keeps_chart


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Revolute(stiffness=-1), "Revolute: stiffness has a negative diagonal entry, -1"),
        (lambda: Revolute(stiffness=np.nan), "Revolute: stiffness is .* must be finite"),
        (lambda: Revolute(damping="soft"), "Revolute: damping is .* must be an array of real numbers"),
        (lambda: Translational(stiffness=(1, 2)), r"stiffness has shape \(2,\), must have shape \(3, 3\)"),
        (lambda: Cylindrical("x", stiffness=[[1, 0.5], [0, 1]]), "Cylindrical: stiffness is not symmetric"),
        (
            lambda: Cylindrical("x", damping=[[1, 2], [2, 1]]),
            "Cylindrical: damping is not positive semi-definite",
        ),
        (lambda: Free(rest=(0, 0, 0)), r"Free: rest has shape \(3,\), must have shape \(6,\)"),
        (lambda: Revolute(limits=1.0), r"Revolute: limits is 1\.0, must be \(lo, hi\) or a sequence"),
        (lambda: Revolute(limits=(1, 1)), r"Revolute: limits is \(1, 1\), must have lo < hi"),
        (lambda: Revolute(limits=(2, -1)), r"Revolute: limits is \(2, -1\), must have lo < hi"),
        (lambda: Revolute(limits=(np.nan, 1)), "Revolute: limits is .* must have lo < hi"),
        (lambda: Revolute(limits=("a", 1)), "Revolute: limits is .* must be an array of real numbers"),
        (lambda: Cylindrical("x", limits=(-1, 1)), r"Cylindrical: limits holds -1, must be \(lo, hi\)"),
        (
            lambda: Translational(limits=((-1, 1), None)),
            r"Translational: limits has 2 entries, must have a pair for each of \('x', 'y', 'z'\)",
        ),
        (lambda: Revolute(limit_stiffness=0), "Revolute: limit_stiffness is 0, must be positive"),
        (lambda: Revolute(limit_width=-1), "Revolute: limit_width is -1, must be positive"),
    ],
)
def test_options_are_checked_when_made(make, message):
    with pytest.raises(ModelError, match=message):
        make()
