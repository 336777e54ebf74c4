"""Random robots with all kinds of links, joints and loads: derivatives, products, poisoned calls, pickles.

Of every robot, in some states:

* derivatives of the residual against central differences along random directions, by q, v, a, u and lambda;
* the fused tangent against the separate derivatives, products with it against the matrix, plain and transposed;
* forward dynamics: forces are in balance at the accelerations;
* after calls in poisoned states (NaN, infinite, huge) every function gives what a fresh model gives, bit for bit;
* a pickled model gives the same numbers;
* nothing that is returned is not finite, and nothing is raised but the library's own errors.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable

import numpy as np

import supple as sp
from helpers import STATES, random_coordinates, random_robot, rebuilt
from load_kinds import KINDS, add_controller, add_kinds, pick, with_loads
from supple.errors import SingularError, StateError, SuppleError
from supple.model.changes import changed_model

from .report import Refused, Report, run

#: Time at which laws are looked at.
TIME = 0.37

#: Derivatives along a direction, relative to the sum of the sizes of their terms.  Differences of sixth order leave
#: about 1e-11 where R is smooth; laws without a tangent of their own are right to some 1e-9; where the slope of a soft
#: limit or of a contact begins within a step, the best of several steps is right to that step times the jump.  The last
#: one is asked where a force jumps within the others, as that of a point deep in a box between two faces.
STEPS, DIFFERENCED = (3e-3, 3e-4, 3e-5, 3e-6, 3e-8), 1e-6

#: Ways to compute the same numbers, relative to the sum of the sizes of their terms.
SAME = 1e-11

#: Forces out of balance at the accelerations, likewise.
BALANCED = 1e-9

POISONS = (np.nan, np.inf, -np.inf, 1e308, 1e200, -1e160, 1e7)


def make_robot(seed):
    """A random robot of a seed: its description, and its model."""
    rng = np.random.default_rng([10, seed])
    robot = grafted(rng, random_robot(rng, soft=0.5 if seed % 4 == 3 else 0.0, laws=0.7 if seed % 4 == 1 else 0.0))
    kinds = rng.permutation(list(KINDS))[: rng.integers(0, 7)]
    robot = add_kinds(rng, robot, kinds)
    model = robot.compile()
    if model.nu and rng.random() < 0.3:
        robot = with_loads(robot, robot.items)
        add_controller(robot, model.nu)
        model = robot.compile()
    return robot, model


def grafted(rng, robot):
    """Half of the robots hold some of their links along rods and soft bodies, at nodes and between, not at tips."""
    if rng.random() < 0.5:
        return robot
    rods = {link.name for link in robot.links if not link.body.ends}
    stations = {
        link.name: pick(rng, (0.0, 0.5, rng.uniform(0.02, 0.98), 1.0)) if link.parent in rods else link.station
        for link in robot.links
    }
    return rebuilt(robot, station=lambda link: stations[link.name])


def random_state(rng, robot, model, kind):
    """q, v, a, u, lam, z by name."""
    u = rng.uniform(0.5, 3.0, model.nu)
    for i, name in enumerate(model.input_names):
        u[i] *= 100.0 if name.startswith("chamber") else 0.05 if name.startswith("elastic") else 1.0
    begin = np.concatenate([states.state0 for states in model.demand.states] or [np.zeros(0)])
    return {
        "q": random_coordinates(rng, robot, kind),
        "v": rng.standard_normal(model.n),
        "a": rng.standard_normal(model.n),
        "u": u,
        "lam": rng.standard_normal(model.nc),
        "z": begin + 0.1 * rng.standard_normal(len(begin)),
    }


def functions(model, state, x) -> dict[str, Callable]:
    """Every function of a model that computes at a state, by name; each gives a tuple of arrays."""
    q, v, a, u, lam, z = (state[key] for key in ("q", "v", "a", "u", "lam", "z"))
    link = model.link_names[-1]
    found: dict[str, Callable] = {
        "points": lambda: (model.points(q),),
        "poses": lambda: (model.poses(q, ((link, 1.0), ("world", 0.0))),),
        "station": lambda: tuple(model.station(q, v, link)),
        "inverse_dynamics": lambda: (model.inverse_dynamics(q, v, a, TIME, z),),
        "inverse_dynamics_derivatives": lambda: tuple(model.inverse_dynamics_derivatives(q, v, a, TIME, z)),
        "mass_matrix": lambda: (model.mass_matrix(q),),
        "actuation": lambda: (model.actuation(q, TIME),),
        "lines": lambda: tuple(np.append(s[:3], s.gradient) for s in model.lines(q, v, u, TIME).values()),
        "internal_force": lambda: (model.internal_force(q, v, u, TIME),),
        "internal_force_derivatives": lambda: tuple(model.internal_force_derivatives(q, v, u, TIME)),
        "residual": lambda: (model.residual(q, v, a, u, lam, TIME, z),),
        "residual_tangent": lambda: model.residual_tangent(q, v, a, u, lam, TIME, 3.0, 40.0, z),
        "residual_derivatives": lambda: tuple(model.residual_derivatives(q, v, a, u, lam, TIME, z)),
        "state_rates": lambda: (model.state_rates(q, v, a, z, TIME),),
        "tangent_product": lambda: (product(model, state, x, False),),
        "transposed_product": lambda: (product(model, state, x, True),),
        "energy": lambda: (np.array(model.energy(q, v, u, TIME)),),
        "momentum": lambda: (model.momentum(q, v),),
        "forward_dynamics": lambda: accelerations(model, state),
        "forward_dynamics_derivatives": lambda: tuple(model.forward_dynamics_derivatives(q, v, u, TIME, z=z)),
    }
    if model.nc:
        found["loop_error"] = lambda: (model.loop_error(q), model.loop_error_derivative(q))
        found["loop_rate"] = lambda: (model.loop_jacobian(q), model.loop_rate(q, v))
    return found


def product(model, state, x, transposed):
    q, v, a, u, lam, z = (state[key] for key in ("q", "v", "a", "u", "lam", "z"))
    return model.tangent_product(q, v, a, x, 3.0, 40.0, transposed, u, TIME, lam, z)


def accelerations(model, state):
    found = model.forward_dynamics(state["q"], state["v"], state["u"], TIME, z=state["z"])
    return found.a, found.efforts, np.asarray(found.multipliers)


def fresh(model):
    """The same model with scratch of its own, never used."""
    return changed_model(model)


# ---------------------------------------------------------------------- checks


def outcome(call):
    """What a function gives: arrays, or the type of the library's error."""
    try:
        result = call()
    except SuppleError as error:
        return type(error)
    for part in result:
        assert np.isfinite(part).all(), "not finite, and not refused"
    return result


def equal(x, y):
    if isinstance(x, type) or isinstance(y, type):
        return x is y
    return len(x) == len(y) and all(np.array_equal(a, b) for a, b in zip(x, y, strict=True))


def check_poison(model, state, rng):
    """Calls in poisoned states change no later result."""
    x = rng.standard_normal(model.n)
    pristine = {name: outcome(call) for name, call in functions(fresh(model), state, x).items()}
    for poison in POISONS:
        for name, call in functions(model, poisoned(state, poison, rng), x).items():
            try:
                outcome(call)
            except AssertionError as error:
                raise AssertionError(f"{name} at {poison:g}: {error}") from None
        for name, call in functions(model, state, x).items():
            assert equal(outcome(call), pristine[name]), f"{name} differs after calls at {poison:g}"


def poisoned(state, poison, rng):
    """The state with one or all entries of some of its vectors replaced."""
    bad = {key: value.copy() for key, value in state.items()}
    chosen = [key for key in bad if rng.random() < 0.4 and bad[key].size] or ["q"]
    for key in chosen:
        if not np.isfinite(poison) and key in ("u", "lam", "z"):
            continue  # refused by the checks of arguments
        if rng.random() < 0.5:
            bad[key][:] = poison
        else:
            bad[key][rng.integers(bad[key].size)] = poison
    return bad


def along(function, step):
    """Derivative at 0 along a line, of sixth order."""
    f = [np.asarray(function(k * step)) for k in (-3, -2, -1, 1, 2, 3)]
    return (0.75 * (f[3] - f[2]) - 0.15 * (f[4] - f[1]) + (f[5] - f[0]) / 60.0) / step


def check_derivatives(model, state, rng):
    """dR/dq, dR/dv, dR/da, dR/du, dR/dlam along random directions; the tangent and products with it."""
    exact = model.residual_derivatives(*(state[k] for k in ("q", "v", "a", "u", "lam")), TIME, state["z"])
    R = residual(model, state)
    parts = dict(zip(("q", "v", "a", "u", "lam"), exact, strict=True))
    for key, matrix in parts.items():
        if matrix.shape[1] == 0:
            continue
        x = rng.standard_normal(matrix.shape[1])
        scale = (np.abs(matrix) @ np.abs(x)).max() + np.abs(R).max()
        errors = []
        for step in STEPS:
            moved = along(lambda e, k=key, d=x: residual(model, state | {k: state[k] + e * d}), step)
            errors.append(float(np.abs(moved - matrix @ x).max() / scale))
            if errors[-1] < DIFFERENCED:
                break
        assert min(errors) < DIFFERENCED, f"dR/d{key} is off by {min(errors):.1e}"
    q, v, a, u, lam, z = (state[k] for k in ("q", "v", "a", "u", "lam", "z"))
    _, tangent = model.residual_tangent(q, v, a, u, lam, TIME, 3.0, 40.0, z)
    terms = np.abs(exact.dq) + 3.0 * np.abs(exact.dv) + 40.0 * np.abs(exact.da)
    error = np.abs(tangent - exact.dq - 3.0 * exact.dv - 40.0 * exact.da).max()
    assert error <= SAME * terms.max(), f"the fused tangent is off by {error / terms.max():.1e}"
    x = rng.standard_normal(model.n)
    for transposed, matrix in ((False, tangent), (True, tangent.T)):
        error = np.abs(product(model, state, x, transposed) - matrix @ x).max()
        size = (np.abs(matrix) @ np.abs(x)).max()
        assert error <= SAME * size, f"a product (transposed: {transposed}) is off by {error / size:.1e}"


def residual(model, state):
    return model.residual(*(state[k] for k in ("q", "v", "a", "u", "lam")), TIME, state["z"])


def check_balance(model, state):
    """Forces are in balance at the accelerations, in all coordinates that move freely; efforts do the rest."""
    q, v, u, z = (state[k] for k in ("q", "v", "u", "z"))
    try:
        found = model.forward_dynamics(q, v, u, TIME, z=z)
    except SingularError:
        return
    lam = np.asarray(found.multipliers)
    exact = model.residual_derivatives(q, v, found.a, u, lam, TIME, z)
    # with accelerations of one: where nothing acts, what is left is rounding of terms that cancel
    terms = np.abs(exact.da) @ (1.0 + np.abs(found.a)) + np.abs(exact.dq) @ (1.0 + np.abs(q))
    terms += np.abs(exact.dlam) @ np.abs(lam)
    free = model.free_coordinates
    left = np.abs(model.residual(q, v, found.a, u, lam, TIME, z))[free]
    assert (left <= BALANCED * terms[free].max(initial=1e-300)).all(), f"{left.max():.1e} N out of balance"


def check_pickle(model, state, rng):
    """The pickled model gives the same numbers."""
    other, x = pickle.loads(pickle.dumps(model)), rng.standard_normal(model.n)
    for name, call in functions(model, state, x).items():
        assert equal(outcome(call), outcome(functions(other, state, x)[name])), f"{name} differs after pickling"


def check_robot(seed):
    """All checks of one robot; raises what is wrong."""
    rng = np.random.default_rng([11, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)
        robot, model = make_robot(seed)
        state = random_state(rng, robot, model, STATES[seed % len(STATES)])
        try:
            residual(model, state)
        except StateError as error:
            raise Refused from error
        check_derivatives(model, state, rng)
        check_balance(model, state)
        check_poison(model, state, rng)
        if seed % 4 == 0:
            check_pickle(model, state, rng)


def campaign(count: int, seed: int, say: Callable[[str], object] = lambda text: None) -> Report:
    """``count`` robots from ``seed`` on."""
    return run("robots", check_robot, count, seed, say)
