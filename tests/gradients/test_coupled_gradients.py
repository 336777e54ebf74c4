"""Derivatives of steps, equilibria and motions of robots whose joints follow others."""

import numpy as np
import pytest

import supple as sp
from coupled_cases import hand
from helpers import difference_jacobian, relative_error

KINDS = pytest.mark.parametrize("kind", ["linear", "bent"])
U = np.array([0.1, 0.5])


def start(model, seed=0):
    return 0.2 * np.random.default_rng(seed).standard_normal(model.n)


@KINDS
@pytest.mark.parametrize("method", [None, sp.RK45()])
def test_steps(kind, method):
    model = hand(kind).compile()
    x, v = start(model), start(model, 1)
    found = model.step_derivatives(x, v, U, 1e-3, method)

    def step(y):
        q, w = model.step(y[: model.n], y[model.n :], U, 1e-3, method)[:2]
        return np.concatenate([q, w])

    numbers = difference_jacobian(step, np.concatenate([x, v]), 1e-4)
    assert relative_error(found[2], numbers) < 1e-6


@KINDS
def test_linear_systems(kind):
    model = hand(kind).compile()
    x, v = start(model), start(model, 1)
    A = model.linearize(x, v, U).A
    numbers = difference_jacobian(lambda y: model.forward_dynamics(y, v, U).a, x, 1e-3)
    assert relative_error(A[model.n :, : model.n], numbers) < 1e-6


@KINDS
@pytest.mark.parametrize("loop", [False, True])
def test_motions_forward_and_backward(kind, loop):
    model = hand(kind, loop=loop).compile()
    x = model.assemble(start(model)) if loop else start(model)
    method = sp.GeneralizedAlpha(dt=5e-3)
    motion = model.simulate(0.02, q0=x, u=U, method=method, record=True)
    bar = np.random.default_rng(2).standard_normal(motion.q.shape)
    gradient, change = motion.vjp(q=bar), np.array([0.3, -0.2])
    forward = motion.jvp(u=change)
    assert np.sum(forward.q * bar) == pytest.approx(gradient.u @ change, rel=1e-8)

    def loss(e):
        return np.sum(model.simulate(0.02, q0=x, u=U + e * change, method=method).q * bar)

    assert (loss(1e-4) - loss(-1e-4)) / 2e-4 == pytest.approx(gradient.u @ change, rel=1e-4)


@KINDS
def test_equilibria_and_designs(kind):
    design = sp.Design(lambda young=1e5: hand(kind, young=young), young=1e5)
    model = design.model()
    found = model.statics(U)
    wrench = np.arange(1.0, 7.0)
    gradient = found.vjp(pose={("rod", 0.7): wrench}, q=np.ones(model.n))

    def loss(young, u):
        other = design.model(young=young).statics(u, q0=found.q)
        twist = other.q - found.q
        J = model.jacobian(found.q, "rod", 0.7)
        g = np.linalg.inv(model.pose(found.q, "rod", 0.7)) @ other.model.pose(other.q, "rod", 0.7)
        moved = np.array([g[2, 1], g[0, 2], g[1, 0], *g[:3, 3]])
        assert J.shape == (6, model.n)
        return np.sum(twist) + wrench @ moved

    h = 1e2
    numbers = (loss(1e5 + h, U) - loss(1e5 - h, U)) / (2 * h)
    assert float(gradient.p["young"]) == pytest.approx(numbers, rel=1e-4)
    e = 1e-4 * np.array([1.0, 0.5])
    assert gradient.u @ e == pytest.approx(0.5 * (loss(1e5, U + e) - loss(1e5, U - e)), rel=1e-4)


def test_a_ratio_is_no_parameter():
    design = sp.Design(lambda ratio=0.7: hand(ratio=ratio), ratio=0.7)
    with pytest.raises(sp.DesignError, match="how joints follow others"):
        design.model().statics(U).vjp(q=np.ones(5))
