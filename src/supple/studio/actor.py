"""A robot in the studio: what it begins with, its stage, its window, its panel and the engine that moves it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array, choice, finite_float, flag, positive_float
from supple.errors import ModelError, PictureError
from supple.model.model import Model
from supple.studio.drive import Driver
from supple.studio.engine import RATE, Engine, Shot
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS, STEP, Act, move, rest
from supple.studio.panel import Panel
from supple.studio.pull import grip_near
from supple.studio.ranges import coordinate_reaches, input_reaches
from supple.studio.stage import Stage
from supple.studio.window import Window
from supple.viz.motion import FRAMING, even_times, model_of, states_at, watched
from supple.viz.view import State

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory


#: States that are kept for films: a minute of them.
PAST = int(60 * RATE)


@dataclass(frozen=True)
class Options:
    """How robots begin in the studio; `view` describes them."""

    q0: Any = None
    v0: Any = None
    u: Any = None
    mode: str | None = None
    playing: bool | None = None
    step: float = STEP
    span: float = 10.0
    spacing: float | None = None
    dark: bool = False

    def __post_init__(self) -> None:
        try:
            positive_float(self.step, "step", "s")
            positive_float(self.span, "span", "s")
            flag(self.dark, "dark")
            if self.playing is not None:
                flag(self.playing, "playing")
            if self.spacing is not None:
                finite_float(self.spacing, "spacing")
            if self.mode is not None:
                choice(self.mode, (STATICS, DYNAMICS, POSE, MOTION), "mode")
        except ModelError as error:
            raise PictureError(f"view: {error}") from None


class Actor:
    """A robot in the studio: its stage, its window and the engine that moves it."""

    def __init__(self, what: Model | Trajectory, server: Any, name: str, at: Array, options: Options) -> None:
        trajectory = None if isinstance(what, Model) else what
        model = what if isinstance(what, Model) else model_of(what)
        act, self.span = _act(model, trajectory, options)
        mode = options.mode or (MOTION if trajectory is not None else _fitting_mode(act))
        if mode == MOTION and trajectory is None:
            raise PictureError("view: mode is 'Motion', but a model is given: simulate it, and view the motion")
        _warm(act)
        beyond: list[State] = []
        if trajectory is None:
            states, beyond = _foreseen(act)
        else:
            states = states_at(trajectory, even_times(trajectory, FRAMING))
            act.q, act.t = states[0].q, states[0].t
        self.model, self.name = model, name
        self.stage = Stage(model, states, beyond)
        self.window = Window(server, self.stage, name, at)
        self.window.raise_curtain(self.stage.at(states[0]))
        playing = mode in (DYNAMICS, MOTION) if options.playing is None else options.playing
        self.engine = Engine(act, self.show, mode, trajectory, playing)
        self.server = server
        self.panel: Panel | None = None
        self._draggable = False
        self.past: deque[State] = deque(maxlen=PAST)  #: what was played, for films

    def add_panel(self) -> None:
        """Sliders and buttons."""
        act, state = self.engine.act, self.engine.act.state
        inputs = input_reaches(self.model, state, self.stage.size, act.driver, self.span)
        pulls = [reach.high for reach in inputs if reach.name in self.model.tension_inputs]
        if pulls:  # colours reach as far as the shortest slider, and further when they must
            self.stage.most["tension"] = max(self.stage.most["tension"], min(pulls))
        coordinates = coordinate_reaches(self.model, self.stage.size)
        self.panel = Panel(self.server.gui, self.engine, inputs, coordinates, watched(self.model, None))

    def show(self, shot: Shot) -> None:
        """Bring a state into all browsers."""
        self._keep(shot)
        places = self.stage.at(shot.state)
        with self.server.atomic():
            self.window.show(places)
            self.window.show_pull(shot.pull)
            if self.panel is not None:
                self.panel.tell(shot)
        self._let_drag(shot.mode == DYNAMICS)

    def _keep(self, shot: Shot) -> None:
        """Remember what is played; what does not go on in time begins anew."""
        if shot.mode not in (DYNAMICS, MOTION):
            return
        if self.past and shot.state.t <= self.past[-1].t:
            if shot.state.t == self.past[-1].t:
                return
            self.past.clear()
        self.past.append(shot.state)

    def _let_drag(self, wanted: bool) -> None:
        """Links can be dragged while the robot moves; else the mouse turns the view there, too."""
        if wanted == self._draggable:
            return
        self._draggable = wanted
        for piece, node in zip(self.stage.pieces, self.window.nodes, strict=True):
            if piece.link and wanted:
                node.on_drag("left")(self._dragger(piece.link))
            elif piece.link:
                node.remove_drag_callback("all")

    def _dragger(self, link: str) -> Any:
        async def drag(event: Any) -> None:  # as a coroutine: events stay in order
            if event.phase == "end":
                self.engine.wish(grip=None)
                return
            target = np.asarray(event.end_position) - self.window.at
            if event.phase == "start":
                at = np.asarray(event.start_position) - self.window.at
                grip = grip_near(self.model, self.engine.act.q, link, at)
                self.engine.wish(grip=grip, target=target, playing=True)
            else:
                self.engine.wish(target=target)

        return drag


def _act(model: Model, trajectory: Trajectory | None, options: Options) -> tuple[Act, float]:
    """The robot where it begins, and over what span of time its laws matter, s."""
    if trajectory is not None:
        q0, v0 = trajectory.q[0], trajectory.v[0]
        return Act.of(model, q0, v0, None, float(trajectory.t[0]), options.step), float(np.ptp(trajectory.t))
    return Act.of(model, options.q0, options.v0, options.u, 0.0, options.step), options.span


def _warm(act: Act) -> None:
    """Load or compile what live dynamics need, before a page is opened."""
    move(Act(act.model, Driver(act.model), act.q.copy(), act.v.copy(), act.z.copy(), act.t), 1e-4)


def _foreseen(act: Act) -> tuple[list[State], list[State]]:
    """States for which a picture needs room: the first one and the equilibrium, and how far it may swing beyond."""
    first = act.state
    still = Act(act.model, act.driver, act.q.copy(), act.v.copy(), act.z.copy(), act.t)
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
