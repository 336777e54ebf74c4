"""Accelerations with loops, prescribed joints and given accelerations: one balance of forces for all."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, relative_error, size
from load_kinds import add_kinds, host
from supple.model.balance import allowed_columns
from supple.model.constraints import loop_terms, solve_constrained

pytestmark = pytest.mark.filterwarnings("ignore::supple.ModelWarning")  # laws without tangents, rows that are dropped


def robots_with(*kinds, seeds=range(6)):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        model = add_kinds(rng, host(), kinds).compile()
        q = 0.1 * rng.standard_normal(model.n)
        if model.nc:
            q = model.assemble(q)
        yield model, q, rng.standard_normal(model.n), rng


def test_columns_by_schur_complement_as_by_the_whole_system():
    for model, q, _, rng in robots_with("loop", "prescribed", "tendon"):
        M, A = model.mass_matrix(q), loop_terms(model, q, 0 * q, 0 * q, model.loops).jacobian
        force, rate = rng.standard_normal((model.n, 4)), rng.standard_normal((model.nc, 4))
        free = model.workspace.free
        x, lam = allowed_columns(model, q, None, A, force, rate, free)
        fixed = model.fixed_coordinates
        y, mu = solve_constrained(M, A, force, rate, model.free_coordinates, fixed, np.zeros((len(fixed), 4)))
        scale = np.sqrt(np.diag(M))[:, None]
        assert relative_error(scale * x, scale * y) < 1e-8
        assert (x[fixed] == 0.0).all()
        balance = (M @ x - A.T @ lam - force)[model.free_coordinates]
        assert size(balance) < 1e-11 * (size(M) * size(x) + size(force))
        assert size(A @ x - rate) < 1e-10 * (size(A) * size(x) + size(rate))
        assert lam.shape == mu.shape


@pytest.mark.parametrize("seed", range(0, ROBOTS, 2))
def test_hybrid_dynamics(seed):
    """Forces that given accelerations take, and accelerations that those forces give, are each other's inverse."""
    _, model, q, v, a = case(seed)
    rng = np.random.default_rng(seed)
    given = np.flatnonzero(rng.random(model.n) < 0.5)
    found = model.hybrid_dynamics(q, v, a, given)
    assert np.array_equal(found.a[given], a[given])
    others = np.setdiff1d(np.arange(model.n), given)
    assert (found.force[others] == 0.0).all()
    terms = size(model.residual(q, v, 0 * q)) + size(model.mass_matrix(q)) * size(found.a)
    assert size(model.residual(q, v, found.a) - found.force) < 1e-11 * terms


def test_none_given_and_all_given():
    _, model, q, v, a = case(3)
    assert relative_error(model.hybrid_dynamics(q, v, a, []).a, model.forward_dynamics(q, v).a) < 1e-12
    everything = model.hybrid_dynamics(q, v, a, np.ones(model.n, bool))
    assert np.array_equal(everything.a, a)
    assert relative_error(everything.force, model.residual(q, v, a)) < 1e-13


def test_hybrid_dynamics_with_loops_and_prescribed_joints():
    for model, q, v, rng in robots_with("loop", "prescribed", "joint_drive"):
        a = rng.standard_normal(model.n)
        name = model.coordinate_names[int(model.free_coordinates[-1])]
        found = model.hybrid_dynamics(q, v, a, [name], t=0.3)
        i = model.coordinate_names.index(name)
        assert found.a[i] == a[i]
        plain = model.forward_dynamics(q, v, t=0.3)
        fixed = model.fixed_coordinates
        assert np.array_equal(found.a[fixed], plain.a[fixed])
        terms = loop_terms(model, q, v, found.a, model.loops)
        assert size(terms.rate) < 1e-8 * (1.0 + size(terms.jacobian) * size(found.a))
        rest = model.residual(q, v, found.a, None, np.asarray(found.multipliers), 0.3) - found.force
        scale = size(model.mass_matrix(q)) * size(found.a) + size(model.residual(q, v, 0 * q, t=0.3))
        assert size(rest) < 1e-9 * scale


def test_what_hybrid_dynamics_refuses():
    _, model, q, v, a = case(3)
    with pytest.raises(sp.ModelError, match="there is no coordinate 'elbow'; coordinates are: "):
        model.hybrid_dynamics(q, v, a, ["elbow"])
    with pytest.raises(sp.ModelError, match="given is 'elbow', must be a list of coordinates"):
        model.hybrid_dynamics(q, v, a, "elbow")
    with pytest.raises(sp.SuppleError, match="given: a coordinate"):
        model.hybrid_dynamics(q, v, a, [model.n])
    with pytest.raises(sp.StateError, match=r"a\[0\]"):
        model.hybrid_dynamics(q, v, np.where(np.arange(model.n) == 0, np.nan, a), [0])


def test_products_that_overflow_warn_of_nothing():
    """Callers refuse what is not finite, and know the state that it comes from; here warnings are errors."""
    for model, q, v, rng in robots_with("loop", seeds=range(2)):
        A = loop_terms(model, q, v, 0 * q, model.loops).jacobian
        force, rate = 1e200 * rng.standard_normal((model.n, 1)), np.zeros((model.nc, 1))
        try:
            columns = allowed_columns(model, q, None, 1e120 * A, force, rate, model.workspace.free)
        except sp.SingularError:
            continue
        assert not all(np.isfinite(part).all() for part in columns)
