"""Derivatives of a step against differences of the step itself."""

import numpy as np
import pytest

import supple as sp
from load_kinds import KINDS, add_kinds, host
from step_cases import METHODS, RADAU, consistent
from supple.cli.exercises import arm, ring
from supple.solvers.integrators.explicit import Explicit

pytestmark = pytest.mark.filterwarnings("ignore::supple.ModelWarning")  # laws without tangents, rows that are dropped


def differences(model, q, v, u, dt, method, t=0.0, step=1e-4):
    """[A, B] of fourth order."""
    n, nz = model.n, model.nz
    z = np.concatenate([states.state0 for states in model.demand.states] or [np.zeros(0)])
    x = np.concatenate([q, v, z, u])

    def end(x):
        parts = np.split(x, [n, 2 * n, 2 * n + nz])
        found = model.step(parts[0], parts[1], parts[3], dt, method, t, parts[2] if nz else None)
        return np.concatenate([found.q, found.v, found.z])

    columns = []
    for j in range(len(x)):
        e = np.zeros(len(x))
        e[j] = step * max(1.0, abs(x[j]))
        near, far = end(x + e) - end(x - e), end(x + 2 * e) - end(x - 2 * e)
        columns.append((8.0 * near - far) / (12.0 * e[j]))
    return np.array(columns).T


def error(model, found, expected, dt):
    """Largest difference, velocities measured in units of q per step."""
    n, ours = model.n, np.hstack([found.A, found.B])
    rows, columns = np.ones(len(ours)), np.ones(ours.shape[1])
    rows[n : 2 * n], columns[n : 2 * n] = dt, 1.0 / dt
    scale = rows[:, None] * columns
    return np.abs(scale * (ours - expected)).max() / np.abs(scale * expected).max()


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_every_method(method):
    rng = np.random.default_rng(1)
    model = arm()
    q, v = consistent(model, rng, 0.3)
    explicit = isinstance(method, Explicit)
    dt, u = 1e-4 if explicit else 1e-3, np.array([5.0])
    found = model.step_derivatives(q, v, u, dt, method)
    assert error(model, found, differences(model, q, v, u, dt, method), dt) < 1e-7
    made = model.step(q, v, u, dt, method)
    assert np.array_equal(made.q, found.q)
    assert np.array_equal(made.v, found.v)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_loops(method):
    """Off the manifold, too; of stabilised loops the directions of corrections are held, which differences do not."""
    model = ring()
    q, v = consistent(model, np.random.default_rng(2))
    found = model.step_derivatives(q, v, None, 5e-3, method)
    held = getattr(method, "loops", "stabilised") == "stabilised" and not isinstance(method, Explicit)
    limit = 1e-4 if held else 2e-7
    assert error(model, found, differences(model, q, v, np.zeros(0), 5e-3, method), 5e-3) < limit


@pytest.mark.parametrize("angle", [0.8, 2.0])
@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_free_bodies(angle, method):
    """At 2 rad the step is made in another chart, which is held: differences move it."""
    robot = sp.Robot("top")
    robot.add_link("top", sp.Rigid(1.0, (0.1, 0.2, 0.25), com=(0.1, 0.05, 0.0)), joint=sp.Free())
    robot.add(sp.JointDrive("motor", "top"))
    model = robot.compile()
    q, v = np.array([angle, 0.3, -0.2, 0.1, 0.2, 0.3]), np.array([1.0, -2.0, 0.5, 0.3, 0.1, -1.0])
    u = np.random.default_rng(0).standard_normal(6)
    found = model.step_derivatives(q, v, u, 1e-2, method)
    limit = 1e-7 if angle < 1.5 else 1e-4
    assert error(model, found, differences(model, q, v, u, 1e-2, method), 1e-2) < limit


def test_prescribed_joints_have_zero_rows_and_columns():
    rng = np.random.default_rng(0)
    model = add_kinds(rng, host(), ["prescribed", "joint_drive"]).compile()
    q, v, u = 0.1 * rng.standard_normal(model.n), rng.standard_normal(model.n), np.ones(model.nu)
    for method in (None, sp.RK45(), RADAU):
        found = model.step_derivatives(q, v, u, 1e-4, method, t=0.3)
        fixed = np.concatenate([model.fixed_coordinates, model.n + model.fixed_coordinates])
        assert len(fixed) > 0
        for part in (found.A[fixed], found.A[:, fixed], found.B[fixed]):
            assert not part.any()
        assert error(model, found, differences(model, q, v, u, 1e-4, method, t=0.3), 1e-4) < 1e-7


#: Kinds whose forces have kinks within the steps of differences, and loops, whose directions are held.
ROUGH = {"loop", "contact_of_rod", "contact_of_rods", "contact_of_solids", "cable"}


#: What bearings carry feels accelerations, dt^-2 times what Newton's method leaves of positions.
STRICT = sp.GeneralizedAlpha(dt=1e-4, newton_rtol=1e-13, newton_atol=1e-14)


@pytest.mark.parametrize("method", [STRICT, RADAU], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("seed", range(6))
def test_random_loads(seed, method):
    rng = np.random.default_rng(seed)
    kinds = rng.permutation(sorted(set(KINDS) - ROUGH))[:6]
    model = add_kinds(rng, host(), kinds).compile()
    q, v = 0.05 * rng.standard_normal(model.n), 0.3 * rng.standard_normal(model.n)
    u = rng.uniform(0.5, 1.0, model.nu)
    found = model.step_derivatives(q, v, u, 1e-4, method, t=0.1)
    limit = 1e-6 if method is STRICT else 2e-5
    assert error(model, found, differences(model, q, v, u, 1e-4, method, t=0.1), 1e-4) < limit


@pytest.mark.parametrize("method", [None, sp.ImplicitEuler(dt=1.0), sp.RK45()], ids=lambda m: type(m).__name__)
def test_states_of_loads(method):
    rng = np.random.default_rng(5)
    model = add_kinds(rng, host(), ["point_law_with_states", "pair_law_with_states", "tendon"]).compile()
    assert model.nz > 0
    q, v, u = 0.05 * rng.standard_normal(model.n), 0.3 * rng.standard_normal(model.n), np.ones(model.nu)
    dt = 1e-5 if isinstance(method, sp.RK45) else 1e-3
    found = model.step_derivatives(q, v, u, dt, method)
    assert found.A.shape == (2 * model.n + model.nz,) * 2
    assert error(model, found, differences(model, q, v, u, dt, method), dt) < 1e-6


def test_agrees_with_the_linear_system():
    """A short step is 1 + dt times the linearised motion."""
    model = arm()
    q, v = 0.3 * np.random.default_rng(0).standard_normal((2, model.n))
    h = 1e-7
    found, system = model.step_derivatives(q, v, [5.0], h, sp.RK45()), model.linearize(q, v, [5.0])
    assert pytest.approx(np.eye(2 * model.n) + h * system.A, abs=1e-3 * h * np.abs(system.A).max()) == found.A
    assert pytest.approx(h * system.B, abs=1e-3 * h * np.abs(system.B).max()) == found.B
