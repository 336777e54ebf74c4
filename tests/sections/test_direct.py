"""Sections given by their matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.errors import ModelError
from supple.sections import Ellipse, Section

ONES = np.ones(6)


def test_diagonal_matrix_and_callable_agree():
    diagonal = np.array([1.0, 2.0, 3.0, 4.0, 4.0, 4.0])
    for given in (diagonal, np.diag(diagonal), lambda s: diagonal, lambda s: np.diag(diagonal)):
        section = Section(stiffness=given, inertia=given, damping=given)
        for at in (section.stiffness_at, section.inertia_at, section.damping_at):
            assert_array_equal(at(0.3), np.diag(diagonal))


def test_no_damping_unless_given():
    assert_array_equal(Section(ONES, ONES).damping_at(0.5), np.zeros((6, 6)))


def test_coupled_stiffness_is_kept():
    stiffness = np.eye(6)
    stiffness[0, 3] = stiffness[3, 0] = 0.5
    assert_array_equal(Section(stiffness, ONES).stiffness_at(0.0), stiffness)


def test_engineering_constants_land_in_their_places():
    section = Section.from_stiffness(
        EA=4,
        EI_y=2,
        EI_z=3,
        GJ=1,
        GA_y=5,
        GA_z=6,
        mass_per_length=9,
        rotary_inertia=(0.1, 0.2, 0.3),
        damping_time=0.5,
    )
    assert_array_equal(section.stiffness_at(0.5), np.diag([1, 2, 3, 4, 5, 6]))
    assert_array_equal(section.inertia_at(0.5), np.diag([0.1, 0.2, 0.3, 9, 9, 9]))
    assert_array_equal(section.damping_at(0.5), 0.5 * np.diag([1, 2, 3, 4, 5, 6]))


def test_engineering_constants_may_vary_and_dampings_add_up():
    section = Section.from_stiffness(
        EA=(2, 4), EI_y=lambda s: s, EI_z=1, GJ=1, mass_per_length=(1, 3), damping=ONES, damping_time=2.0
    )
    assert_allclose(section.stiffness_at(0.5), np.diag([1, 0.5, 1, 3, 0, 0]))
    assert_allclose(section.inertia_at(0.5), np.diag([0, 0, 0, 2, 2, 2]))
    assert_allclose(section.damping_at(0.5), np.diag([3, 2, 3, 7, 1, 1]))


def test_outline_is_the_centreline_without_a_radius():
    assert Section(ONES, ONES).half_extents(0.5) == (0.0, 0.0)
    assert not Section(ONES, ONES).has_outline
    sized = Section(ONES, ONES, radius=(0.2, 0.4))
    assert sized.half_extents(0.5) == (pytest.approx(0.3), pytest.approx(0.3))
    assert sized.outline_radius(1.0) == pytest.approx(0.4)
    assert sized.has_outline


ASYMMETRIC = np.eye(6) + 0.1 * np.eye(6, k=1)
CONSTANTS = {"EA": 1, "EI_y": 1, "EI_z": 1, "GJ": 1, "mass_per_length": 1}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Section(-ONES, ONES), "Section: stiffness has a negative diagonal entry, -1"),
        (lambda: Section(ASYMMETRIC, ONES), "Section: stiffness is not symmetric"),
        (lambda: Section(ONES, ASYMMETRIC), "Section: inertia is not symmetric"),
        (lambda: Section(ONES, ONES, -ONES), "Section: damping has a negative diagonal entry"),
        (lambda: Section(np.ones(5), ONES), r"stiffness has shape \(5,\), must have shape \(6, 6\)"),
        (lambda: Section(ONES, np.zeros(6)), r"inertia at s = 0\.00 has no mass .*a rod needs mass"),
        (
            lambda: Section(ONES, lambda s: ONES * (s < 0.5)).inertia_at(0.75),
            r"inertia at s = 0\.75 has no mass",
        ),
        (lambda: Section(lambda s: -ONES, ONES).stiffness_at(0.25), r"stiffness at s = 0\.25 has a negative"),
        (lambda: Section(ONES, ONES, radius=-1.0), "Section: radius is -1 m, must be positive"),
        (lambda: Section.from_stiffness(**CONSTANTS | {"EA": -1}), "Section: EA is -1 N, must be positive"),
        (
            lambda: Section.from_stiffness(**CONSTANTS | {"mass_per_length": 0}),
            "mass_per_length is 0 kg/m, must be pos",
        ),
        (
            lambda: Section.from_stiffness(**CONSTANTS, damping_time=-1),
            "damping_time is -1 s, must not be negative",
        ),
        (
            lambda: Section.from_stiffness(**CONSTANTS | {"GJ": (1, -1)}).stiffness_at(1.0),
            r"GJ at s = 1\.00 is -1 N m\^2, must not be negative",
        ),
    ],
)
def test_section_refuses(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_mass_that_depends_on_the_direction_is_refused():
    section = Section(stiffness=np.ones(6), inertia=np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 1.0]))
    assert section.inertia_at(0.5)[3, 3] == 1.0
    with pytest.raises(ModelError, match=r"inertia at s = 0\.00 is not that of a body"):
        Section(stiffness=np.ones(6), inertia=np.diag([1.0, 1.0, 1.0, 1.0, 2.0, 3.0]))


def test_a_shape_is_what_others_see():
    matrices = {"stiffness": np.ones(6), "inertia": np.ones(6)}
    section, ellipse = Section(**matrices, shape=Ellipse((0.02, 0.01), 0.03)), Ellipse((0.02, 0.01), 0.03)
    assert section.has_outline
    assert section.half_extents(1.0) == (0.01, 0.03)
    assert section.outline_radius(0.0) == 0.03
    np.testing.assert_array_equal(section.outline(0.5), ellipse.outline(0.5))
    assert section.hole(0.0) is None
    with pytest.raises(ModelError, match="radius and shape are both given"):
        Section(**matrices, radius=0.01, shape=ellipse)
    with pytest.raises(ModelError, match="shape is 3, must be a shape"):
        Section(**matrices, shape=3)
