"""Operations of the bridges: values of the model, Jacobians against differences, gradients against Jacobians."""

import numpy as np
import pytest

import supple as sp
from bridge_cases import TENSIONS, arm, bow, check, pendulum
from helpers import random_coordinates, random_robot, relative_error
from load_kinds import KINDS, add_kinds
from supple.bridges.dynamics import ForwardDynamicsOperation, InverseDynamicsOperation, PoseOperation, TipOperation
from supple.bridges.equilibria import EquilibriumOperation
from supple.bridges.subject import Subject

pytestmark = pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")  # laws without tangents


@pytest.mark.parametrize(("model", "u"), [(arm, TENSIONS), (bow, np.array([0.5, 0.02]))])
def test_equilibria(model, u):
    subject = Subject(model())
    operation = EquilibriumOperation(subject, None, 0.0, 1e-13, 60)
    assert np.array_equal(operation.evaluate([u], False)[0][0], subject.nominal.statics(u, tolerance=1e-13).q)
    check(operation, [u], 1e-7, 1e-4)


def test_equilibria_from_a_start_and_without_inputs():
    robot = sp.Robot("rod")
    robot.add_link("rod", sp.Rod(0.4, sp.Circle(0.01), sp.Material(2e5, density=1000.0), sp.Legendre(bend_y=2)))
    model = robot.compile()
    operation = EquilibriumOperation(Subject(model), [0.1, 0.2, 0.3], 0.0, 1e-12, 60)
    (q,), memory = operation.evaluate([np.zeros(0)], True)
    assert relative_error(q, model.statics().q) < 1e-9
    assert operation.pull(memory, [q])[0].shape == (0,)
    assert operation.jacobian(memory)[0][0].shape == (3, 0)
    with pytest.raises(sp.ShapeError, match="q"):
        EquilibriumOperation(Subject(model), [0.1], 0.0, 1e-12, 60)


@pytest.mark.parametrize("seed", range(6))
def test_dynamics_and_places_of_random_robots_with_any_loads(seed):
    rng = np.random.default_rng(seed)
    kinds = list(rng.permutation([kind for kind in KINDS if "contact" not in kind.lower()]))[:4]
    robot = add_kinds(rng, random_robot(rng, links=3), kinds)
    model = robot.compile()
    q = random_coordinates(rng, robot, "moderate")
    v, a, u = rng.standard_normal(model.n), rng.standard_normal(model.n), rng.uniform(0.1, 0.5, model.nu)
    subject, (link, s) = Subject(model), model.point_table[-1]
    inverse = InverseDynamicsOperation(subject, 0.3)
    assert np.array_equal(inverse.evaluate([q, v, a], False)[0][0], model.inverse_dynamics(q, v, a, 0.3))
    check(inverse, [q, v, a], 1e-5)
    for operation, expected in (
        (PoseOperation(subject, link, s), model.pose(q, link, s)),
        (TipOperation(subject, link, s), model.tip(q, link, s)),
    ):
        assert np.array_equal(operation.evaluate([q], False)[0][0], expected)
        check(operation, [q], 1e-8)
    forward = ForwardDynamicsOperation(subject, 0.3)
    (found,), memory = forward.evaluate([q, v, u], True)
    assert np.array_equal(found, model.forward_dynamics(q, v, u, 0.3).a)
    exact = model.forward_dynamics_derivatives(q, v, u, 0.3)
    assert all(np.array_equal(x, y) for x, y in zip(forward.jacobian(memory)[0], exact, strict=True))


def test_forward_dynamics_against_differences():
    model = pendulum()
    rng = np.random.default_rng(0)
    check(ForwardDynamicsOperation(Subject(model), 0.0), list(0.5 * rng.standard_normal((3, model.n))), 1e-7)


def test_places_that_are_not_there_are_refused():
    subject = Subject(arm())
    with pytest.raises(sp.SuppleError, match="leg"):
        PoseOperation(subject, "leg", 1.0)
    with pytest.raises(sp.SuppleError, match="s"):
        TipOperation(subject, "arm", 2.0)
