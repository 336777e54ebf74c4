"""Gradients along a path of equilibria."""

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import differences
from supple.errors import ShapeError, StateError


def arm(young=2e5, radius=0.012, offset=0.008):
    rubber = sp.Material(young=young, poisson=0.45, density=1100.0)
    robot = sp.Robot("arm", gravity=(0.0, 0.0, -9.81))
    robot.add_link("arm", sp.Rod(0.3, sp.Circle(radius), rubber, sp.Legendre(bend_y=2, bend_z=1), points=4))
    robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, offset)}))
    return robot


def test_gradients_of_points_are_added():
    design, rng = sp.Design(arm, young=2e5, radius=0.012, offset=0.008), np.random.default_rng(2)
    model = design.model()
    path = model.equilibrium_path(lambda s: [2.0 * s], (0.0, 1.0))
    cotangents, wrenches = rng.standard_normal(path.q.shape), np.zeros((len(path), 6))
    wrenches[-1] = rng.standard_normal(6)
    cotangents[1] = 0.0
    gradient = path.vjp(cotangents, pose={("arm", 1.0): wrenches})
    assert gradient.u.shape == (len(path), 1)
    assert not gradient.u[1].any()
    place = model.pose(path.q[-1], "arm")

    def loss(other):
        found = [other.statics([2.0 * s], q0=q).q for s, q in zip(path.s, path.q, strict=True)]
        g = np.linalg.solve(place, other.pose(found[-1], "arm")) - np.eye(4)
        turn = np.array([g[2, 1], g[0, 2], g[1, 0], *g[:3, 3]])
        return (cotangents * np.array(found)).sum() + wrenches[-1] @ turn

    assert np.allclose(design.pack(gradient.p), differences(design, loss), rtol=1e-7)
    assert path.vjp().p == {"young": 0.0, "radius": 0.0, "offset": 0.0}


def test_wrong_cotangents_are_refused():
    path = arm().compile().equilibrium_path(lambda s: [s], (0.0, 1.0))
    with pytest.raises(ShapeError, match=r"q has shape \(2, 2\), must be"):
        path.vjp(np.zeros((2, 2)))
    with pytest.raises(ShapeError, match="q is 'left'"):
        path.vjp("left")
    with pytest.raises(StateError, match="q holds values that are not finite"):
        path.vjp(np.full(path.q.shape, np.nan))
