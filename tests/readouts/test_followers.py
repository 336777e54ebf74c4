"""Read-outs of robots in which joints follow others: motions and equilibria say what the model says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from coupled_cases import hand

KINDS = pytest.mark.parametrize("kind", ["linear", "bent"])


@pytest.fixture(scope="module", params=["linear", "bent"])
def motion(request):
    model = hand(request.param, prescribed=True).compile()
    return model.simulate(np.linspace(0.0, 0.2, 4), u=[0.1, 0.5])


def at_every_time(motion, read):
    rows = zip(motion.q, motion.v, motion.a, motion.u, motion.t, strict=True)
    return [read(motion.model, q, v, a, u, t) for q, v, a, u, t in rows]


@pytest.mark.parametrize("link", ["world", "b", "rod"])
def test_a_motion_tells_the_reactions_of_its_model(motion, link):
    expected = at_every_time(motion, lambda model, q, v, a, u, t: model.reaction(q, link, v, a, u, t=t))
    assert_allclose(motion.reaction(link), expected, rtol=0, atol=0)


def test_a_motion_tells_the_forces_along_rods(motion):
    s = [0.0, 0.4]
    expected = at_every_time(motion, lambda model, q, v, a, u, t: model.inner_forces(q, "rod", s, v, a, u, t=t))
    assert_allclose(motion.inner_forces("rod", s), expected, rtol=0, atol=0)
    expected = at_every_time(motion, lambda model, q, v, a, u, t: model.stress(q, "rod", s, v, u).total)
    assert_allclose(motion.stress("rod", s).total, expected, rtol=0, atol=0)


def test_a_motion_tells_its_centre_of_mass_and_contacts(motion):
    centres = at_every_time(motion, lambda model, q, v, a, u, t: model.center_of_mass(q, v))
    found = motion.center_of_mass()
    for name in ("position", "velocity", "jacobian"):
        assert_allclose(getattr(found, name), [getattr(row, name) for row in centres], rtol=0, atol=0)
    forces = at_every_time(motion, lambda model, q, v, a, u, t: model.contact(q, "floor", v, t=t, every_pair=True))
    assert_allclose(motion.contact("floor", every_pair=True).force, [row.force for row in forces], rtol=0, atol=0)


def test_a_motion_tells_the_powers_of_its_model(motion):
    found = motion.power()
    expected = at_every_time(motion, lambda model, q, v, a, u, t: model.power(q, v, a, u, t=t))
    assert_allclose(found.balance, [row.balance for row in expected], rtol=0, atol=0)
    assert_allclose(found.efforts["a"], [row.efforts["a"] for row in expected], rtol=0, atol=0)
    assert set(found.joints) == set(expected[0].joints)


@KINDS
def test_a_rod_at_rest_carries_at_its_base_what_its_joint_transmits(kind):
    model = hand(kind).compile()
    rest = model.statics(u=[0.1, 0.5])
    assert rest.converged
    R = model.pose(rest.q, "rod", 0.0)[:3, :3]
    assert_allclose(R @ rest.inner_forces("rod", 0.0)[3:], -rest.reaction("rod")[3:], atol=1e-9)
