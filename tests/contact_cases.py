"""What tests of contact share: a law, states in which something touches, tangents against differences."""

from __future__ import annotations

import numpy as np

import supple as sp

LAW = {"stiffness": 300.0, "exponent": 1.5, "damping": 0.3, "friction": 0.4, "slip_velocity": 0.2}


def soft_rod(length=0.6, radius=(0.04, 0.03), order=2, **strains):
    """A slender cone."""
    strain = sp.Legendre(**(strains or {"torsion": 0, "bend_y": order, "bend_z": order, "stretch": 0}))
    return sp.Rod(
        length,
        sp.Circle(radius),
        sp.Material(young=2e5, poisson=0.45, density=1000.0, viscosity=100.0),
        strain,
        points=5,
    )


def two_rods(*loads):
    """Two free rods, compiled."""
    robot = sp.Robot("two", gravity=(0.0, 0.0, 0.0))
    robot.add_link("one", soft_rod(), joint=sp.Free())
    robot.add_link("two", soft_rod(), joint=sp.Free(), at=sp.pose((0.1, -0.2, 0.05), rpy=(0.0, 0.0, 1.2)))
    for load in loads:
        robot.add(load)
    return robot.compile()


def force(model, free, q, v):
    """Generalised force of the contact: minus what it adds to the inverse dynamics."""
    a = np.zeros(model.n)
    return free.inverse_dynamics(q, v, a) - model.inverse_dynamics(q, v, a)


def touching_states(model, free, seed, count=3, spread=0.12, tries=4000):
    """Random states in which something touches."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(tries):
        q = spread * rng.standard_normal(model.n)
        v = rng.standard_normal(model.n)
        if np.abs(force(model, free, q, v)).max() > 0.05:
            found.append((q, v, rng.standard_normal(model.n)))
            if len(found) == count:
                return found
    raise AssertionError("nothing ever touches")


def difference(function, x, h=1e-5):
    """Fourth-order central differences, one column per entry of x."""
    columns = []
    for e in h * np.eye(len(x)):
        columns.append(
            (8.0 * (function(x + e) - function(x - e)) - function(x + 2 * e) + function(x - 2 * e)) / (12 * h)
        )
    return np.stack(columns, axis=-1)


def check_tangents(model, free, states, tolerance=1e-6):
    for q, v, a in states:
        derivatives = model.residual_derivatives(q, v, a)
        bare = free.residual_derivatives(q, v, a)
        R, T = model.residual_tangent(q, v, a, cv=1.3, ca=0.7)
        dq = -difference(lambda x, v=v: force(model, free, x, v), q)
        dv = -difference(lambda x, q=q: force(model, free, q, x), v)
        scale = np.abs(dq).max()
        assert scale > 0.0
        assert np.abs(R - model.residual(q, v, a)).max() <= 1e-10 * max(1.0, np.abs(R).max())
        assert np.abs(derivatives.dq - bare.dq - dq).max() < tolerance * scale
        assert np.abs(derivatives.dv - bare.dv - dv).max() < tolerance * max(scale, np.abs(dv).max())
        fused = bare.dq + dq + 1.3 * (bare.dv + dv) + 0.7 * bare.da
        assert np.abs(T - fused).max() < tolerance * np.abs(T).max()
        x = np.random.default_rng(1).standard_normal(model.n)
        for transposed, matrix in ((False, T), (True, T.T)):
            product = model.tangent_product(q, v, a, x, cv=1.3, ca=0.7, transposed=transposed)
            assert np.abs(product - matrix @ x).max() < 1e-9 * np.abs(T).max()
