"""A joint that follows a law: its motion, and laws that give no motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.compilation.prescribed_joint import PrescribedJoint


def joint(law, size=1):
    return PrescribedJoint("hip", range(3, 3 + size), law)


def test_a_law_knows_its_rates():
    q, qd, qdd = joint(sp.laws.Sine(0.5, 2.0)).motion(0.1)
    w = 4.0 * np.pi
    sine, cosine = 0.5 * np.sin(0.1 * w), 0.5 * np.cos(0.1 * w)
    assert_allclose([q[0], qd[0], qdd[0]], [sine, w * cosine, -w * w * sine])


@pytest.mark.parametrize("law", [sp.laws.Sine(0.5, 2.0), lambda t: (t**3, 3.0 * t**2, 6.0 * t)])
def test_accelerations_alone_are_those_of_the_motion(law):
    assert joint(law).acceleration(0.3).tolist() == joint(law).motion(0.3)[2].tolist()


def test_a_function_gives_all_three():
    q, qd, qdd = joint(lambda t: ([t, 1.0], [1.0, 0.0], [0.0, 0.0]), 2).motion(0.25)
    assert q.tolist() == [0.25, 1.0]
    assert qd.tolist() == [1.0, 0.0]
    assert qdd.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lambda t: t, r"Prescribed 'hip': the law returned 0\.5 at t = 0\.5, not \(q, qd, qdd\)"),
        (lambda t: 1 / 0, r"Prescribed 'hip': the law at t = 0\.5"),
        (lambda t: ([0.0, 0.0], 0.0, 0.0), r"Prescribed 'hip': the law, of \(q, qd, qdd\),"),
    ],
)
def test_laws_that_give_no_motion_are_named(law, message):
    for ask in (joint(law).motion, joint(law).acceleration):
        with pytest.raises(sp.StateError, match=message):
            ask(0.5)
