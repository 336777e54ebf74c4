"""What must be known of a robot before its sliders make sense: where it rests, how it begins, how far inputs reach.

All of it asks for kernels, which a first use on a machine compiles: about a minute. So it is found in a thread of its
own, while the robot can be seen already, and posed by hand (`actor`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.studio.drive import Driver
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS, Act, move, rest
from supple.studio.ranges import Reach, input_reaches
from supple.studio.stage import Stage
from supple.studio.tangents import tangents_at
from supple.viz.motion import FRAMING, even_times, states_at
from supple.viz.view import State

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Plan:
    """How a robot begins.

    Attributes
    ----------
    act : Act
        Where it is at first.
    mode : str
    stage : Stage
        With room for the states that are foreseen.
    inputs : list of Reach
        Sliders.
    """

    act: Act
    mode: str
    stage: Stage
    inputs: list[Reach]


def make_plan(act: Act, trajectory: Trajectory | None, mode: str | None, span: float) -> Plan:
    """A plan for a robot as it stands, of the given mode or of what suits it; laws of inputs are looked at over a span.

    The act itself stays as it is.
    """
    act = act.draft()
    chosen = mode
    if mode is None:
        mode = MOTION if trajectory is not None else _fitting_mode(act)
    if not _warm(act) and chosen is None and mode == DYNAMICS:
        mode = POSE  # it has no accelerations
    stage = film_stage(act, trajectory) if trajectory is not None else Stage(act.model, *_foreseen(act))
    inputs = input_reaches(act.model, act.state, stage.size, act.driver, span)
    pulls = [reach.high for reach in inputs if reach.name in act.model.tension_inputs]
    if pulls:  # colours reach as far as the shortest slider, and further when they must
        stage.most["tension"] = max(stage.most["tension"], min(pulls))
    stage.at(act.state)
    return Plan(act, mode, stage, inputs)


def film_stage(act: Act, trajectory: Trajectory, readings: bool = True) -> Stage:
    """A stage with room for a motion."""
    states = states_at(trajectory, even_times(trajectory, FRAMING))
    if not readings:
        states = [State(state.q, t=state.t) for state in states]
    return Stage(act.model, states, readings=readings)


def _warm(act: Act) -> bool:
    """Load or compile what live dynamics, dragging, plots and arrows need; returns whether the robot can move."""
    trial, model = act.draft(), act.model
    trial.driver = Driver(model)
    moves = move(trial, 1e-4)
    model.station(act.q, act.v, model.link_names[0], 1.0)
    tangents_at(model, act.state)
    model.energy(act.q, act.v, act.state.u, act.t)
    for name in model.contact_names:
        model.contact(act.q, name, act.v, t=act.t)
    return moves


def _foreseen(act: Act) -> tuple[list[State], list[State]]:
    """States for which a picture needs room: the first one and the equilibrium, and how far it may swing beyond."""
    first, still = act.state, act.draft()
    if np.any(np.asarray(act.model.parameters.gravity)):
        rest(still, globalise=False)
    sag = still.q - first.q
    if still.message or np.linalg.norm(sag) < 1e-9:
        return [first], []
    return [first, first._replace(q=still.q)], [first._replace(q=first.q + 2.0 * sag)]


def _fitting_mode(act: Act) -> str:
    """Equilibria for a robot that has inputs and comes to rest; else motion."""
    if not act.model.nu or act.driver.moves:
        return DYNAMICS
    rest(act)
    settled = not act.message
    act.message = ""
    return STATICS if settled else DYNAMICS
