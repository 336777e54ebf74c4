"""What the studio can do with a robot: let it rest, let it move, pose it by hand, or play a motion.

A mode brings the state of an `Act` on; it knows nothing of threads or of browsers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array
from supple.errors import ConvergenceError, ModelError, StateError, SuppleError
from supple.model.model import Model
from supple.solvers.motion.start import initial_state
from supple.solvers.statics.search import find
from supple.studio.drive import Driver
from supple.studio.pull import Grip, impulse
from supple.viz.motion import states_at
from supple.viz.view import State

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

STATICS, DYNAMICS, POSE, MOTION = "Statics", "Dynamics", "Pose", "Motion"

#: Longest step of live dynamics, s, and how often it is halved before it is given up.
STEP, HALVINGS = 1.0 / 240.0, 8


@dataclass(eq=False)
class Act:
    """A robot and where it is.

    Attributes
    ----------
    model : Model
    driver : Driver
        Inputs.
    q, v : (n,)
        State.
    z : (nz,)
        Internal states of loads.
    t : float
        Time of laws, s.
    multipliers : Multipliers or None
        Of the last equilibrium, for a warm start and for reactions.
    grip, target : Grip, (3,)
        What is dragged, and where to; None if nothing is.
    step : float
        Longest step of live dynamics, s.
    message : str
        What went wrong; empty if nothing did.
    blind : bool
        Whether inputs are not to be asked for yet.
    """

    model: Model
    driver: Driver
    q: Array
    v: Array
    z: Array
    t: float = 0.0
    multipliers: Any = None
    grip: Grip | None = None
    target: Array | None = None
    step: float = STEP
    message: str = ""
    blind: bool = False
    start: tuple[Array, Array, float] = field(init=False)

    def __post_init__(self) -> None:
        self.start = self.q.copy(), self.v.copy(), self.t

    @staticmethod
    def of(model: Model, q0: Any = None, v0: Any = None, u: Any = None, t: float = 0.0, step: float = STEP) -> Act:
        """A robot at the state that a simulation from q0 and v0 would begin with."""
        q, v = initial_state(model, q0, v0, t)
        return Act(model, Driver(model, u), q, v, _first_states(model), t, step=step)

    @property
    def state(self) -> State:
        """As pictures take it."""
        u = self.driver.at(self.t, self.q, self.v) if self.model.nu and not self.blind else None
        return State(self.q.copy(), self.v.copy(), u, self.t)

    def draft(self) -> Act:
        """A copy to try things on, with the same driver."""
        act = Act(self.model, self.driver, self.q.copy(), self.v.copy(), self.z.copy(), self.t, step=self.step)
        act.start = self.start
        return act

    def take_over(self, other: Act) -> None:
        """Go where another is."""
        self.q, self.v, self.z, self.t = other.q.copy(), other.v.copy(), other.z.copy(), other.t
        self.multipliers, self.message = other.multipliers, other.message

    def reset(self) -> None:
        """Back to the beginning."""
        self.q, self.v, self.t = self.start[0].copy(), self.start[1].copy(), self.start[2]
        self.z, self.multipliers, self.message = _first_states(self.model), None, ""
        self.driver.reset()


def rest(act: Act, globalise: bool = True, seconds: float = np.inf) -> None:
    """The equilibrium under the inputs, sought from where the robot is; it stays where it is if there is none.

    Without ``globalise`` by Newton's method alone. If that fails, other ways may take so many ``seconds``, and what is
    left of them is for a search from where the robot began.
    """
    model, began = act.model, time.perf_counter()
    inputs = act.driver.at(act.t, act.q, np.zeros(model.n)) if model.nu else None
    try:
        found = find(model, inputs, act.q, act.t, _warm_start(act), globalise=globalise, seconds=seconds)
        left = seconds - (time.perf_counter() - began)
        if not found.converged and globalise and left > 0.0:
            again = find(model, inputs, act.start[0], act.t, seconds=left)
            found = again if again.converged else found
    except SuppleError as error:
        act.message = str(error)
        return
    if found.converged:
        act.q, act.v, act.message = found.q, np.zeros(model.n), ""
        act.multipliers = found.multipliers
    else:
        act.message = found.message


def _warm_start(act: Act) -> Array | None:
    return np.asarray(act.multipliers) if act.multipliers is not None and act.model.nc else None


def move(act: Act, span: float, budget: float = np.inf) -> bool:
    """Bring a robot on by a span of time [s] in even steps; False if it cannot go on, `Act.message` says why.

    No further step begins that would last beyond a ``budget`` [s of the clock], as long as those before: the robot is
    slower then, its motion the same.
    """
    count = max(1, int(np.ceil(span / act.step - 1e-9)))
    act.message = ""
    began = time.perf_counter()
    for done in range(1, count + 1):
        if not _one_step(act, span / count, HALVINGS):
            return False
        if (time.perf_counter() - began) * (done + 1) / done > budget:
            break
    return True


def _one_step(act: Act, h: float, halvings: int) -> bool:
    """A step, or two of half its length if it fails, and so on."""
    model = act.model
    u = act.driver.at(act.t, act.q, act.v) if model.nu else None
    state = State(act.q, act.v, u, act.t)
    try:
        v = act.v
        if act.grip is not None and act.target is not None:
            v = v + impulse(model, state, act.grip, act.target, h)
        found = model.step(act.q, v, u, h, None, act.t, act.z if model.nz else None)
    except (ConvergenceError, StateError) as error:
        if halvings and isinstance(error, ConvergenceError):
            return _one_step(act, 0.5 * h, halvings - 1) and _one_step(act, 0.5 * h, halvings - 1)
        act.message = str(error)
        return False
    act.driver.advance(act.t, act.q, act.v, h)
    act.q, act.v = model.rewrap(found.q, found.v)
    act.z, act.t = found.z, act.t + h
    return True


def pose(act: Act, changes: dict[int, float]) -> None:
    """Set coordinates by number; loops are closed near there."""
    q = act.q.copy()
    for i, value in changes.items():
        q[i] = value
    try:
        act.q = act.model.assemble(q) if act.model.loops else q
        act.v, act.message = np.zeros(act.model.n), ""
    except (ConvergenceError, ModelError, StateError) as error:
        act.message = str(error)


def replay(act: Act, trajectory: Trajectory, t: float) -> State:
    """The state of a motion at a time."""
    state = states_at(trajectory, np.array([t]))[0]
    act.q, act.t = state.q, state.t
    act.v = np.zeros(act.model.n) if state.v is None else state.v
    return state


def _first_states(model: Model) -> Array:
    return np.concatenate([states.state0 for states in model.demand.states] or [np.zeros(0)])
