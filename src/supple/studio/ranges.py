"""How far sliders reach: inputs that bend a robot visibly, and joints that turn within their limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.model.model import Model
from supple.studio.drive import Driver
from supple.studio.tangents import tangents_at
from supple.viz.view import State

#: How far an input at its limit moves the robot, relative to its size, by the stiffness where it stands.
REACH = 0.35

#: Acceleration by an input at its limit of robots that nothing holds, m/s^2.
THRUST = 10.0

#: A stiffness whose smallest singular value is below this, relative to its largest, does not hold the robot.
LOOSE = 1e-9

#: Steps of a slider from end to end, and most sliders of coordinates.
STEPS, MOST_SLIDERS = 200, 32

#: Times at which laws of inputs are looked at.
LOOKS = 60


class Reach(NamedTuple):
    """A slider: its name, from where to where, and the number of what it moves."""

    name: str
    low: float
    high: float
    number: int

    @property
    def step(self) -> float:
        """From one place of the slider to the next."""
        return (self.high - self.low) / STEPS


def input_reaches(model: Model, state: State, size: float, driver: Driver, span: float) -> list[Reach]:
    """Sliders of all inputs.

    Where laws drive an input over a ``span`` of time [s], the slider reaches beyond what they ask; else it reaches as
    far as moves the robot by about a third of its ``size`` [m]: by the stiffness at a state, or, where nothing holds
    it, by an acceleration like that of gravity.
    """
    if not model.nu:
        return []
    asked = _asked(model, driver, span)
    # what nobody asks for is not compiled either, the first time on a machine
    moves = asked if np.all(asked > 0.0) else _moves(model, state, size)
    reaches = []
    for i, name in enumerate(model.input_names):
        most = asked[i] * 1.25 if asked[i] > 0.0 else moves[i]
        high = round_up(most)
        low = 0.0 if name in model.tension_inputs else -high
        reaches.append(Reach(name, low, high, i))
    return reaches


def coordinate_reaches(model: Model, size: float) -> list[Reach]:
    """Sliders of joints, or, if there are none, of the first coordinates of bodies."""
    own = {joint.link: joint for joint in model.scene.joints}
    limits = np.asarray(model.parameters.limits)
    joints, bodies = [], []
    fixed = set(model.fixed_coordinates.tolist())
    for layout in model.layouts:
        for k, i in enumerate(layout.coordinates):
            if i >= model.n or i in fixed:
                continue
            name, rest = model.coordinate_names[i], float(model.rest[i])
            if k < layout.joint_dof:
                shifts = own[layout.name].shifts
                slides = k < shifts.shape[1] and np.linalg.norm(shifts[:, k]) > 0.5
                most = size if slides else np.pi
                joints.append(Reach(name, *_within(rest - most, rest + most, limits[i]), i))
            else:
                most = np.pi / (layout.rod.length if layout.rod is not None else 1.0)
                bodies.append(Reach(name, *_within(rest - most, rest + most, limits[i]), i))
    return (joints or bodies)[:MOST_SLIDERS]


def round_up(value: float) -> float:
    """The smallest of 1, 2, 5, 10, ... (times a power of ten) that is not below a value; 1 for what is none."""
    if not (np.isfinite(value) and value > 0.0):
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(min(step for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1.0 - 1e-9)) * power)


def _within(low: float, high: float, limits: Array) -> tuple[float, float]:
    """An interval, cut to the limits of a joint (their first two columns), if these leave anything of it."""
    first, last = max(low, float(limits[0])), min(high, float(limits[1]))
    return (first, last) if last > first else (low, high)


def _asked(model: Model, driver: Driver, span: float) -> Array:
    """Largest inputs (nu,) that laws ask for; zero where nothing does, or feedback that follows the state."""
    if not driver.moves or driver.excitation.follows_state:
        return np.zeros(model.nu)
    times = np.linspace(0.0, max(span, 1.0), LOOKS)
    zeros = np.zeros((LOOKS, model.n))
    values = driver.excitation.inputs_along(times, zeros, zeros, np.zeros((LOOKS, len(driver.excitation.first_states))))
    return np.asarray(np.abs(values).max(axis=0))


def _moves(model: Model, state: State, size: float) -> Array:
    """Inputs (nu,) that move some tip by `REACH` of the size, or accelerate it by `THRUST`."""
    slopes = tangents_at(model, state._replace(u=None), moving=False)
    by_inputs = model.input_forces(state.q, np.zeros(model.n), None, state.t)
    free = model.free_coordinates
    loops = model.loop_jacobian(state.q)[:, free]
    stations = [model.station(state.q, None, link, 1.0) for link in model.link_names]
    tips = np.array([one.jacobian[3:, free] for one in stations]).reshape(-1, len(free))
    result = np.full(model.nu, np.inf)
    for matrix, wanted in ((slopes.stiffness, REACH * size), (slopes.mass, THRUST)):
        n, c = len(free), len(loops)
        bordered = np.zeros((n + c, n + c))
        bordered[:n, :n], bordered[n:, :n], bordered[:n, n:] = matrix[np.ix_(free, free)], loops, loops.T
        value = np.linalg.svd(bordered, compute_uv=False)
        if value.size == 0 or value[-1] <= LOOSE * value[0]:
            continue
        right = np.vstack([by_inputs[free], np.zeros((c, model.nu))])
        moved = tips @ np.linalg.solve(bordered, right)[:n]
        most = np.linalg.norm(moved.reshape(len(stations), 3, -1), axis=1).max(axis=0)
        result = np.minimum(result, np.divide(wanted, most, out=np.full(model.nu, np.inf), where=most > 0.0))
        break
    return np.where(np.isfinite(result), result, 1.0)
