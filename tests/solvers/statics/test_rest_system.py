"""The linear system at rest against the functions of a model, with and without loops and prescribed joints."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.solvers.statics.rest_system import rest_system
from supple.systems import SYSTEMS


def held_arm():
    """A joint that is held, a soft link on it."""
    robot = sp.Robot("arm")
    robot.add_link("base", sp.Rigid(1.0, np.ones(3)), sp.Revolute("y"))
    rod = sp.Rod(0.3, sp.Circle(0.01), sp.Material(1e6, density=1000.0), sp.Legendre(bend_y=2), points=5)
    robot.add_link("arm", rod, parent="base")
    robot.add(sp.Prescribed("base", lambda t: (0.3, 0.0, 0.0)))
    return robot.compile().statics()


@pytest.mark.parametrize("rest", [held_arm, lambda: SYSTEMS["parallel-robot"]().compile().statics(t=1.5)])
def test_blocks_are_those_of_the_model(rest):
    rest = rest()
    model, q, zero, free = rest.model, rest.q, np.zeros(rest.model.n), rest.model.free_coordinates
    found, lam = rest_system(rest), np.asarray(rest.multipliers)
    assert relative_error(found.K, model.residual_derivatives(q, zero, zero, rest.u, lam, rest.t).dq) < 1e-14
    assert np.array_equal(found.A, model.loop_jacobian(q))
    assert np.array_equal(found.E, model.loop_error_derivative(q))
    A, E = found.A[:, free], found.E[:, free]
    plain = np.block([[found.K[np.ix_(free, free)], -A.T], [E, np.zeros((model.nc, model.nc))]])
    assert relative_error(found.matrix, found.scale[:, None] * plain * found.scale) < 1e-14
    assert found.norm == pytest.approx(np.abs(found.matrix).sum(axis=1).max(), rel=1e-14)
    assert found.stable
