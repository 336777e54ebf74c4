"""Gradients of motions without Jacobians, by transposed products and factors over the tree: those of dense matrices."""

import warnings

import numpy as np
import pytest

import supple as sp
from gradients.parameter_cases import DESIGNS, cotangents, recorded
from motion_cases import METHODS
from supple.gradients import piece_sweep
from supple.solvers.sensitivity.arrays import PRODUCTS_AT
from tree_entry import choose_factors

#: What asks for Jacobians entry by entry: loops, feedback and controllers; and Radau, whose stages are solved together.
ENTRIES = ("loop", "index3", "held loop", "held open", "feedback", "controller")


def watched(monkeypatch):
    """Whether each sweep that is made from now on takes products."""
    made, make = [], piece_sweep.make_sweep

    def watch(*arguments, **more):
        arrays = make(*arguments, **more)
        made.append(arrays.calls[PRODUCTS_AT] != 0)
        return arrays

    monkeypatch.setattr(piece_sweep, "make_sweep", watch)
    return made


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DESIGNS)
def test_products_are_those_of_matrices(name, method, monkeypatch):
    """Gradients of one motion by all that there is."""
    made, found = watched(monkeypatch), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is differenced is told
        _, motion, *_ = recorded(name, method)
        for tree in (False, True):
            choose_factors(monkeypatch, tree)
            made.clear()
            gradient = motion.vjp(**cotangents(motion))
            assert any(made) == (tree and name not in ENTRIES and method != "radau")
            found.append([gradient.q0, gradient.v0, gradient.u, gradient.z0, *gradient.p.values()])
    for dense, products in zip(*found, strict=True):
        if isinstance(dense, np.ndarray) and dense.size:
            assert np.abs(products - dense).max() <= 1e-9 * np.abs(dense).max() + 1e-12


def chain(rods=40, order=1, **more):
    robot = sp.Robot("chain", gravity=(0.0, 0.0, -9.81))
    material = sp.Material(young=1e7, poisson=0.4, density=1000.0, viscosity=1e5)
    strain = sp.Legendre(torsion=order, bend_y=order, bend_z=order)
    for k in range(rods):
        rod = sp.Rod(0.1, sp.Circle(0.02), material, strain, points=order + 2)
        robot.add_link(f"rod{k}", rod, parent=f"rod{k - 1}" if k else "world")
    robot.add(sp.Tendon("pull", {f"rod{k}": lambda X: (0.0, 0.01) for k in range(rods // 2)}))
    return robot


def test_a_long_chain_against_differences(monkeypatch):
    """Large enough that factors over the tree are chosen by themselves."""
    made = watched(monkeypatch)
    model, rng = chain().compile(), np.random.default_rng(2)
    weights = rng.standard_normal((3, model.n))
    v0, direction = 0.1 * rng.standard_normal((2, model.n))
    scheme, t = sp.GeneralizedAlpha(dt=2e-3), np.linspace(0.0, 0.02, 3)

    def loss(e):
        return float(np.sum(weights * model.simulate(t, np.zeros(model.n), v0 + e * direction, [2.0 + e], scheme).q))

    gradient = model.simulate(t, np.zeros(model.n), v0, [2.0], scheme, record=True).vjp(q=weights)
    assert made == [True]
    h = 1e-4
    slope = (8 * (loss(h) - loss(-h)) - loss(2 * h) + loss(-2 * h)) / (12 * h)
    assert float(gradient.v0 @ direction + gradient.u[0]) == pytest.approx(slope, rel=1e-6)


def drag(t, g, eta, etadot, xi):
    return -0.5 * eta


def drag_tangent(t, g, eta, etadot, xi):
    """Of no use once the motion is over: explicit methods never look at it."""
    T = np.zeros((6, 12))
    T[:, 6:] = np.nan
    return T


def test_slopes_that_are_not_finite_are_told(monkeypatch):
    choose_factors(monkeypatch, True)
    robot = chain(rods=2)
    robot.add(sp.PointLaw("drag", "rod1", drag, s=1.0, tangent=drag_tangent, uses=("pose", "twist")))
    model = robot.compile()
    motion = model.simulate(1e-4, method=sp.RK45(), record=True)
    with pytest.raises(sp.SuppleError, match="finite"):
        motion.vjp(q=np.ones_like(motion.q))
