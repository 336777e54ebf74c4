"""The chain of planar arcs: the paper's kinematics, and the same robot as rods."""

import numpy as np
import pytest

import supple as sp
from supple.systems import pcc_chain
from supple.systems.pcc_chain import PlanarArc
from supple.tracing.program import evaluate, trace


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.7, -3.0])
def test_kinematics_are_those_of_the_paper(angle):
    """p = (L sin(q s)/q + y sin(q s), L (cos(q s) - 1)/q + y cos(q s), z), s = x/L."""
    x, y, z, L = 0.13, 0.02, -0.01, 0.3
    place = trace(PlanarArc(L), 1, 3, (3,), "arc")
    found = evaluate(place, np.array([[x, y, z]]), np.array([angle]))[0]
    q = angle if angle else 1e-12
    t = q * x / L
    expected = [L * np.sin(t) / q + y * np.sin(t), -2.0 * L * np.sin(0.5 * t) ** 2 / q + y * np.cos(t), z]
    np.testing.assert_allclose(found, expected, atol=1e-11)


def test_it_equals_a_chain_of_rods():
    """Constant bending about z, towards the other side; rods sum over as many sections."""
    chain = pcc_chain(bodies=3, points=(8, 4, 8)).compile()
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0, damping_time=0.1)
    rod = sp.Rod(0.3, sp.Circle(0.03), material, sp.Legendre(bend_z=0), points=8)
    robot, parent, at = sp.Robot("rods"), "world", sp.pose(rpy=(0.0, np.pi / 2.0, 0.0))
    for k in range(3):
        robot.add_link(f"r{k}", rod, parent=parent, at=at)
        parent, at = f"r{k}", sp.pose()
    rods, rng = robot.compile(), np.random.default_rng(0)
    q, v, a = (rng.standard_normal(3) for _ in range(3))
    np.testing.assert_allclose(chain.pose(q, "body3")[:3, 3], rods.pose(-q, "r2")[:3, 3], atol=1e-12)
    np.testing.assert_allclose(chain.residual(q, v, a), -rods.residual(-q, -v, -a), rtol=1e-7, atol=1e-9)


def test_it_comes_to_hang():
    motion = pcc_chain(bodies=2, damping_time=0.5).simulate(t=[0.0, 5.0], progress=False)
    np.testing.assert_allclose(motion.q[-1], 0.0, atol=2e-2)
