"""Motions along directions of parameters: forward against backward, and both against replays of what was recorded."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supple as sp
from coupled_cases import hand
from gradients.parameter_cases import DESIGNS, arm, cotangents, direction_of, recorded, replayed_slope, variation_terms
from motion_cases import METHODS, tendon_arm
from supple.errors import DesignError, ShapeError, StateError


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is differenced is told
        yield


def dot_products(motion, weights, change):
    """Forward, backward, and the sum of what forward is summed from."""
    terms = variation_terms(motion, motion.jvp(p=change), weights)
    forward, size = (sum(f(x).sum() for x in terms.values()) for f in (np.asarray, np.abs))
    p = motion.vjp(**weights).p
    return forward, sum(float(np.sum(p[name] * change[name])) for name in change), size


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DESIGNS)
def test_forward_is_the_transpose_of_backward(name, method):
    design, motion, *_ = recorded(name, method)
    if name == "flyer":
        assert motion.stats["recentred"] > 0
    forward, backward, size = dot_products(motion, cotangents(motion), direction_of(design))
    assert np.isfinite(forward)
    assert size > 0.0
    assert abs(forward - backward) < 1e-10 * size, (forward, backward)


FEW = ("alpha", "rk45")


@pytest.mark.parametrize("method", [m if m in FEW else pytest.param(m, marks=pytest.mark.slow) for m in METHODS])
@pytest.mark.parametrize("name", DESIGNS)
def test_against_differences_along_recorded_steps(name, method):
    design, motion, q0, v0 = recorded(name, method)
    weights, change = cotangents(motion), direction_of(design)
    if motion.tape.sampled:
        weights.pop("u")
        weights["energy"][:] = 0.0  # an elastic tendon's depends on what was pulled
    found = sum(float(np.sum(x * change[key])) for key, x in motion.vjp(**weights).p.items())
    errors = []
    for expected in replayed_slope(design, motion, q0, v0, weights, change):
        errors.append(abs(found - expected) / max(abs(expected), 1e-3))
        if errors[-1] < 1e-6:
            return
    raise AssertionError(f"{found} is off by {errors}")


@pytest.mark.parametrize("name", DESIGNS)
def test_each_parameter_alone(name):
    design, motion, *_ = recorded(name, "alpha")
    weights, p = cotangents(motion), {}
    for key, x in direction_of(design).items():
        terms = variation_terms(motion, motion.jvp(p={key: x}), weights)
        p[key] = sum(term.sum() for term in terms.values()), sum(np.abs(term).sum() for term in terms.values())
    found, largest = motion.vjp(**weights).p, max(size for _, size in p.values())
    for key, x in direction_of(design).items():
        forward, size = p[key]  # cotangents are rounded on the scale of what moves the motion most
        assert size > 0.0
        assert abs(forward - np.sum(found[key] * x)) <= 1e-10 * max(size, 3e-2 * largest)


def test_directions_add_up():
    """Initial states, inputs and parameters at once are the sum of each alone."""
    design, motion, q0, v0 = recorded("states", "ndf")
    rng = np.random.default_rng(5)
    parts = {"q0": rng.normal(size=len(q0)), "v0": rng.normal(size=len(v0)), "p": direction_of(design)}
    parts["u"], parts["z0"] = rng.normal(size=motion.model.nu), rng.normal(size=motion.z.shape[1])
    both = motion.jvp(**parts)
    alone = [motion.jvp(**{name: x}) for name, x in parts.items()]
    for name in ("q", "v", "a", "u", "z"):
        total = sum(getattr(x, name) for x in alone)
        assert np.allclose(getattr(both, name), total, rtol=1e-9, atol=1e-9 * np.abs(total).max(initial=0.0))


def crossing(t, q, v):
    return t - 0.017 + 0.05 * q[0] - 1e-3 * v[1]


def reflect(t, q, v):
    inputs = np.array([1.0 + q[0] ** 2, 0.08 + 0.01 * np.sin(v[1])])
    return sp.Switch(q=q + 0.01 * np.sin(v), v=-0.6 * v + 0.1 * q + t, u=inputs)


@pytest.mark.parametrize("action", ["stop", reflect], ids=["stops", "switches"])
@pytest.mark.parametrize("method", ["alpha", "ndf", "rk45"])
def test_events_move_with_parameters(method, action):
    event = sp.Event(crossing, action, direction=1, name="cross")
    design, motion, q0, v0 = recorded("tendon", method, events=[event])
    assert motion.stats["events"]["cross"]
    weights, change = cotangents(motion), direction_of(design)
    forward, backward, size = dot_products(motion, weights, change)
    assert abs(forward - backward) < 1e-10 * size
    weights.pop("u")  # switched inputs are results as well: replays keep those that were recorded
    weights["energy"][:] = 0.0
    found = sum(float(np.sum(x * change[key])) for key, x in motion.vjp(**weights).p.items())
    errors = [abs(found - x) / abs(x) for x in replayed_slope(design, motion, q0, v0, weights, change)]
    assert min(errors) < 1e-6, errors


def test_charts_of_several_pieces():
    """A spinning body whose motion is restarted by an event: places of charts are those of each piece."""
    event = sp.Event(lambda t, q, v: t - 0.031, lambda t, q, v: sp.Switch(v=0.9 * v), name="kick")
    design, motion, q0, v0 = recorded("flyer", "alpha", events=[event], t=np.linspace(0.0, 0.062, 4))
    assert len(motion.tape.pieces) == 2
    assert motion.stats["recentred"] > 1
    weights, change = cotangents(motion), direction_of(design)
    forward, backward, size = dot_products(motion, weights, change)
    assert abs(forward - backward) < 1e-10 * size
    errors = [abs(backward - x) / abs(x) for x in replayed_slope(design, motion, q0, v0, weights, change)]
    assert min(errors) < 1e-6, errors


def test_bad_directions_are_named_and_leave_nothing_behind():
    design, motion, *_ = recorded("tendon", "alpha")
    change = direction_of(design)
    expected = motion.jvp(p=change)
    with pytest.raises(DesignError, match="there is no parameter 'stiffness'; parameters are: young"):
        motion.jvp(p={"stiffness": 1.0})
    with pytest.raises(ShapeError, match=r"p\['young'\] has shape \(2,\)"):
        motion.jvp(p={"young": [1.0, 2.0]})
    with pytest.raises(DesignError, match="must be finite"):
        motion.jvp(p={"young": np.nan})
    for given in (3.0, 0.0, np.zeros(5), [], "young"):
        with pytest.raises(DesignError, match="must be a dict"):
            motion.jvp(p=given)
    with pytest.raises(DesignError, match=r"has no parameters; make it by the model\(\) of a Design"):
        tendon_arm().simulate(0.01, record=True).jvp(p={"young": 1.0})
    assert np.array_equal(motion.jvp(p=change).q, expected.q)
    assert not motion.jvp(p={}).q.any()


def test_functions_that_fail_at_other_parameters_are_named():
    calls = []

    def build(gain=1.0):
        def output(t, q, v, z):
            calls.append(gain)
            if gain > 1.0:
                raise ZeroDivisionError("too much gain")
            return np.array([2.0, 0.1])

        return arm([sp.Controller((), lambda t, q, v, z: np.zeros(0), output)])

    motion = sp.Design(build, gain=1.0).model().simulate(0.01, method=METHODS["alpha"], record=True)
    for ask in (lambda: motion.vjp(q=np.ones_like(motion.q)), lambda: motion.jvp(p={"gain": 1.0})):
        with pytest.raises(StateError, match=r"Controller .*: output raised ZeroDivisionError: too much gain"):
            ask()
    assert calls


def test_threads_share_a_motion():
    design, motion, *_ = recorded("states", "alpha")
    weights, change = cotangents(motion), direction_of(design)
    alone = motion.jvp(p=change).q, motion.vjp(**weights).p["length"]
    with ThreadPoolExecutor(3) as pool:
        forward = [pool.submit(lambda: motion.jvp(p=change).q) for _ in range(3)]
        backward = [pool.submit(lambda: motion.vjp(**weights).p["length"]) for _ in range(3)]
    assert all(np.array_equal(job.result(), alone[0]) for job in forward)
    assert all(job.result() == alone[1] for job in backward)


def test_rest_moves_with_its_parameter():
    """A motion without q0 begins at rest; the same motion with that q0 given does not follow it."""
    _, motion, _, v0 = recorded("rest", "bdf2")
    same = motion.model.simulate(motion.t, motion.model.rest, v0, None, METHODS["bdf2"], record=True)
    w = np.ones_like(motion.q)
    free, given = motion.vjp(q=w), same.vjp(q=w)
    assert np.array_equal(free.q0, given.q0)
    assert free.p["rest"] - given.p["rest"] == pytest.approx(free.q0 @ motion.model.design.rest_slopes[:, 0], rel=1e-12)
    assert abs(free.q0 @ motion.model.design.rest_slopes[:, 0]) > 1e-3


@pytest.mark.parametrize("loop", [False, True])
def test_joints_that_follow_others(loop):
    design = sp.Design(lambda young=1e5: hand("linear", loop=loop, young=young), young=1e5)
    model = design.model()
    x = 0.2 * np.random.default_rng(0).standard_normal(model.n)
    x, u = model.assemble(x) if loop else x, np.array([0.1, 0.5])
    motion = model.simulate(0.02, q0=x, u=u, method=sp.GeneralizedAlpha(dt=5e-3), record=True)
    weights, change = cotangents(motion), {"young": 1e4}
    forward, backward, size = dot_products(motion, weights, change)
    assert size > 0.0
    assert abs(forward - backward) < 1e-10 * size
