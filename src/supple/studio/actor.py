"""A robot in the studio: what it begins with, its stage, its window, its panel and the engine that moves it."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array, choice, finite_float, flag, positive_float
from supple.errors import ModelError, PictureError
from supple.model.model import Model
from supple.studio.engine import RATE, Engine, Shot
from supple.studio.extras import Extras
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS, STEP, Act
from supple.studio.pace import Pace
from supple.studio.panel import Panel
from supple.studio.preparing import Plan, film_stage, make_plan
from supple.studio.pull import grip_near
from supple.studio.ranges import coordinate_reaches
from supple.studio.stage import Stage
from supple.studio.window import Window
from supple.viz.motion import model_of, watched
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
    """A robot in the studio: its stage, its window and the engine that moves it.

    It enters as soon as its links can be drawn, to be posed by hand or to play its motion; it is *settled* when its
    plan is made (`preparing`), which takes a minute where kernels must be compiled first.

    Attributes
    ----------
    plan : Plan or None
        How it begins, once that is known.
    failure : Exception or None
        Why there is no plan.
    settled : bool
    """

    def __init__(self, what: Model | Trajectory, name: str, options: Options) -> None:
        self.trajectory = None if isinstance(what, Model) else what
        self.model = what if isinstance(what, Model) else model_of(what)
        self.name, self.options = name, options
        self.act, self.span = _act(self.model, self.trajectory, options)
        if options.mode == MOTION and self.trajectory is None:
            raise PictureError("view: mode is 'Motion', but a model is given: simulate it, and view the motion")
        self.model.poses(self.act.q, self.model.scene.stations)  # kernels of pictures, before any others are asked for
        self.plan: Plan | None = None
        self.failure: Exception | None = None
        self.settled = False
        self.panel: Panel | None = None
        self.past: deque[State] = deque(maxlen=PAST)  #: what was played, for films
        self._draggable = False
        self._scene = threading.RLock()  # nodes are changed by one thread at a time

    def make_plan(self) -> None:
        """Find out how it begins, and compile what it needs; what goes wrong is told when it enters, or on the page."""
        try:
            self.plan = make_plan(self.act, self.trajectory, self.options.mode, self.span)
        except Exception as error:  # laws of users may raise anything
            self.failure = error

    def enter(self, server: Any, at: Array, planned: bool, pace: Pace) -> None:
        """Appear in browsers, as planned, or as it stands."""
        self.server, self.pace = server, pace
        if planned and self.plan is not None:
            self.stage, state = self.plan.stage, self.plan.act.state
        else:
            self.act.blind, state = True, State(self.act.q)
            film = None if self.trajectory is None else film_stage(self.act, self.trajectory, readings=False)
            self.stage = film or Stage(self.model, [state], readings=False)
        mode = POSE if self.trajectory is None else MOTION
        self.window = Window(server, self.stage, self.name, at)
        self.window.raise_curtain(self.stage.at(state))
        self.extras = Extras(self.window, watched(self.model, None))
        playing = mode == MOTION and self.options.playing is not False
        self.engine = Engine(self.act, self.show, mode, self.trajectory, playing, self._follow, lambda: pace.ready)

    def add_panel(self) -> None:
        """Buttons, and sliders as far as they are known."""
        self.panel = Panel(
            self.server.gui, self.engine, coordinate_reaches(self.model, self.stage.size), watched(self.model, None)
        )

    def settle(self) -> None:
        """Begin as planned; what goes wrong is told on the page."""
        assert self.panel is not None
        if self.plan is not None:
            try:
                self._begin(self.plan, self.panel)
            except Exception as error:  # laws of users may raise anything, also now and then
                self.failure = error
        if not self.settled:
            self.panel.fail(str(self.failure))

    def _begin(self, plan: Plan, panel: Panel) -> None:
        """Sliders, stage and state of a plan."""
        mode, playing = plan.mode, self.options.playing
        if playing is None:
            playing = mode in (DYNAMICS, MOTION)
        with self._scene, self.server.atomic():
            if plan.stage is not self.stage:
                self.stage, self._draggable = plan.stage, False
                self.window.change(plan.stage, plan.stage.at(plan.act.state))
            panel.open(mode, plan.inputs, plan.act.state.u)
        self.act.blind, self.settled = False, True
        wishes = {} if mode == MOTION else {"begin": plan.act}  # a motion may be playing already
        if not self.engine.alive:
            self.engine.mode, self.engine.playing = mode, playing
        self.engine.wish(mode=mode, playing=playing, **wishes)

    def show(self, shot: Shot) -> None:
        """Bring a state into all browsers."""
        with self._scene:
            places = self.stage.at(shot.state)
            with self.server.atomic():
                self.window.show(places)
                self.window.show_pull(shot.pull)
                self.extras.show(shot, self.settled)
                if self.panel is not None:
                    self.panel.tell(shot)
            self._let_drag(shot.mode == DYNAMICS)
        self.server.flush()
        self.pace.count()

    def show_all(self) -> None:
        """Show the present state once more, every piece of it, changed or not."""
        with self._scene:
            self.window.forget()
        self.engine.refresh()

    def draw(self, state: State) -> None:
        """Bring a state of the past into all browsers, without a word."""
        with self._scene, self.server.atomic():
            self.window.show(self.stage.at(state))
            self.window.show_pull(None)
        self.server.flush()

    def _follow(self, shot: Shot) -> None:
        """Remember what is played, for films, plots and trails; what does not go on in time begins anew."""
        if self.panel is not None:
            self.panel.remember(shot)
        self.extras.follow(shot.state)
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
            target = np.asarray(event.end_position, dtype=float) - self.window.at
            if target.shape != (3,) or not np.all(np.isfinite(target)):
                return
            if event.phase == "start":
                at = np.nan_to_num(np.asarray(event.start_position, dtype=float)) - self.window.at
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
