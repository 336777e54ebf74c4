"""One step: that of a simulation, in the model's charts, whatever was called before, in any thread."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import supple as sp
from load_kinds import KINDS, add_kinds, host
from step_cases import METHODS, consistent
from supple.cli.exercises import arm, ring
from supple.solvers.motion.step import single_step

pytestmark = pytest.mark.filterwarnings("ignore::supple.ModelWarning")  # laws without tangents, rows that are dropped


def first_step(model, q, v, u, dt, method, t=0.0):
    """q and v after the first step of a simulation, without error control."""
    method = sp.GeneralizedAlpha() if method is None else method
    if hasattr(method, "dt"):
        method = replace(method, dt=dt)
    elif isinstance(method, sp.Radau):
        method = single_step(method, dt)
    else:
        method = replace(method, first_step=dt, rtol=0.9, atol=1e9)
    motion = model.simulate([t, t + dt], q, v, u, method, progress=False)
    assert motion.stats["steps"] == 1
    return motion.q[-1], motion.v[-1]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_is_the_first_step_of_a_simulation(method):
    rng = np.random.default_rng(0)
    for model, u, dt in ((arm(), np.array([5.0]), 1e-4), (ring(), np.zeros(0), 5e-3)):
        q, v = consistent(model, rng)
        q1, v1 = model.step(q, v, u, dt, method, t=0.2)
        expected = first_step(model, q, v, u, dt, method, t=0.2)
        assert q1 == pytest.approx(expected[0], rel=1e-12, abs=1e-14)
        assert v1 == pytest.approx(expected[1], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("loops", ["stabilised", "index3"])
@pytest.mark.parametrize("build", [arm, ring])
def test_a_step_of_radau_is_that_of_an_adaptive_run(build, loops):
    """Where error control accepts it."""
    model, method = build(), sp.Radau(rtol=1e-5, atol=1e-5, first_step=2e-4, loops=loops)
    q, v = consistent(model, np.random.default_rng(3))
    u = np.full(model.nu, 2.0)
    motion = model.simulate([0.1, 0.1002], q, v, u, method, progress=False)
    assert motion.stats["steps"] == 1
    found = model.step(q, v, u, motion.t[-1] - 0.1, method, t=0.1)
    np.testing.assert_allclose(found.q, motion.q[-1], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.v, motion.v[-1], rtol=1e-12, atol=1e-11)


def test_steps_of_radau_are_of_fifth_order():
    """Many steps of one length, against many more."""
    model, method = arm(), sp.Radau(rtol=1e-11, atol=1e-13)

    def end(steps):
        q, v = np.full(4, 0.2), np.zeros(4)
        for _ in range(steps):
            q, v = model.step(q, v, [2.0], 0.02 / steps, method)
        return q

    exact = end(64)
    errors = [np.abs(end(steps) - exact).max() for steps in (4, 8, 16)]
    assert np.log2(errors[0] / errors[1]) > 4.0
    assert np.log2(errors[1] / errors[2]) > 4.3


def test_free_bodies_in_their_own_chart():
    """Beyond 1.5 rad a run re-centres; what comes back is in the chart of the model."""
    robot = sp.Robot("top")
    robot.add_link("top", sp.Rigid(1.0, (0.1, 0.2, 0.25), com=(0.1, 0.05, 0.0)), joint=sp.Free())
    model = robot.compile()
    q, v = np.array([2.0, 0.3, -0.2, 0.1, 0.2, 0.3]), np.array([1.0, -2.0, 0.5, 0.3, 0.1, -1.0])
    for method in METHODS:
        q1, v1 = model.step(q, v, None, 1e-2, method)
        expected = first_step(model, q, v, None, 1e-2, method)
        assert q1 == pytest.approx(expected[0], abs=1e-13)
        assert v1 == pytest.approx(expected[1], abs=1e-12)
        assert np.abs(q1 - q).max() < 0.1


@pytest.mark.parametrize("seed", range(8))
def test_random_loads(seed):
    """All kinds together: prescribed joints, loops, water, contact, states of loads."""
    rng = np.random.default_rng(seed)
    kinds = rng.permutation(list(KINDS))[:9]
    model = add_kinds(rng, host(), kinds).compile()
    q, v = consistent(model, rng, 0.02)
    u = rng.uniform(0.5, 1.0, model.nu)
    for joint in model.prescribed:
        own = slice(joint.coordinates.start, joint.coordinates.stop)
        q[own], v[own], _ = joint.motion(0.1)
    if model.nc:
        q = model.assemble(q)
        A = model.loop_jacobian(q)[:, model.free_coordinates]
        v[model.free_coordinates] -= np.linalg.pinv(A) @ (model.loop_jacobian(q) @ v)
    for method in (None, sp.Radau(rtol=1e-6, atol=1e-8)):
        found = model.step(q, v, u, 1e-5, method, t=0.1)
        expected = first_step(model, q, v, u, 1e-5, method, t=0.1)
        assert found.q == pytest.approx(expected[0], rel=1e-9, abs=1e-11)
        assert found.v == pytest.approx(expected[1], rel=1e-6, abs=1e-6)
        assert found.z.shape == (model.nz,)


def test_a_good_step_after_a_bad_one():
    model = ring()
    rng = np.random.default_rng(0)
    q, v = consistent(model, rng)
    good = model.step(q, v, None, 1e-3)
    with pytest.raises(sp.ConvergenceError, match=r"'ring', one step of 50 s from t = 0 s: .*shorter step"):
        model.step(q, 1e3 * v, None, 50.0)
    again = model.step(q, v, None, 1e-3)
    assert np.array_equal(again.q, good.q)
    assert np.array_equal(again.v, good.v)


def test_threads_have_arrays_of_their_own():
    model = arm()
    states = 0.3 * np.random.default_rng(0).standard_normal((40, 2, model.n))
    alone = [model.step(q, v, [5.0], 1e-3) for q, v in states]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda x: model.step(*x, [5.0], 1e-3), states))
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one.q, other.q)
        assert np.array_equal(one.v, other.v)


def test_what_is_refused():
    model = arm()
    q = np.zeros(model.n)
    with pytest.raises(sp.ModelError, match=r"NDF goes on from several points, .*GeneralizedAlpha\(\), ImplicitEuler"):
        model.step(q, q, [0.0], 1e-3, sp.NDF())
    with pytest.raises(sp.ModelError, match="method is the class RK45, must be a method object"):
        model.step(q, q, [0.0], 1e-3, sp.RK45)
    with pytest.raises(sp.ModelError, match="dt is 0"):
        model.step(q, q, [0.0], 0.0)
    with pytest.raises(sp.StateError, match=r"q\[0\]"):
        model.step(q + np.nan, q, [0.0], 1e-3)
    with pytest.raises(sp.StateError, match=r"tendon.*cannot push"):
        model.step(q, q, [-1.0], 1e-3)
    with pytest.raises(sp.ShapeError, match="u"):
        model.step(q, q, [1.0, 2.0], 1e-3)


def test_unpacks_and_pickles():
    model = arm()
    found = model.step(np.zeros(model.n), np.zeros(model.n), [1.0], 1e-3)
    q1, v1 = pickle.loads(pickle.dumps(found))
    assert np.array_equal(q1, found.q)
    assert np.array_equal(v1, found.v)
