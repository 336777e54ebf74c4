"""Sliders, buttons and plots of one robot, beside its picture."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array
from supple.robot.summary import counted
from supple.studio.engine import Engine, Shot
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS
from supple.studio.ranges import Reach
from supple.viz.motion import station_name
from supple.viz.style import PALETTE

if TYPE_CHECKING:
    from viser import GuiApi

#: Points of a plot, and how often it is drawn, and numbers are told, per second.
POINTS, DRAWN = 450, 6.0

#: Most curves of a plot.
CURVES = 6

#: What `Model.energy` tells, and what is said while a robot is not settled.
ENERGIES = ("kinetic", "elastic", "gravitational", "loads")
WAITING = (
    "⏳ getting statics and dynamics ready; the first time on a machine they are compiled, which takes about a minute. "
    "Pose the robot by hand meanwhile."
)


class Panel:
    """Controls of one robot.

    Parameters
    ----------
    gui : GuiApi
        Of viser.
    engine : Engine
    coordinates : list of Reach
        Sliders; those of inputs come when the robot is settled (`open`).
    watch : tuple of (str, float)
        Stations whose positions are plotted.
    """

    def __init__(
        self,
        gui: GuiApi,
        engine: Engine,
        coordinates: list[Reach],
        watch: tuple[tuple[str, float], ...],
    ) -> None:
        self.gui, self.engine, self.model = gui, engine, engine.act.model
        self.watch = watch[:2]
        self._past: deque[tuple[float, Array, Array, Array]] = deque(maxlen=POINTS)
        self._told, self._worded = "", 0.0
        self._drawn, self._time = 0.0, 0.0
        self._kept = self._plotted = 0  # states that plots have got, and had when they were drawn
        self._waiting = WAITING  # said until the robot is settled
        model = self.model
        count = f"{counted(len(model.link_names), 'link')}, {counted(model.n, 'coordinate')}"
        gui.add_markdown(f"### {_plain(model.name)}\n{count}, {counted(model.nu, 'input')}")
        self._add_run()
        self.inputs: dict[int, Any] = {}
        self.input_folder = gui.add_folder("Inputs", visible=False) if model.nu else None
        self._add_coordinates(coordinates)
        self._add_plots()
        self._mode_changed(engine.mode)

    # ------------------------------------------------------------------ parts

    def _add_run(self) -> None:
        gui, engine = self.gui, self.engine
        self.mode = gui.add_dropdown(
            "Mode", (engine.mode,), initial_value=engine.mode, hint="Equilibria, motion, posing by hand", disabled=True
        )
        self.mode.on_update(self._from_browser(self._choose_mode))
        self.run = gui.add_button_group("Run", ("Play", "Pause", "Step", "Reset"))
        self.run.on_click(lambda event: self._run(str(event.target.value)))
        trajectory = engine.trajectory
        first, last = (0.0, 10.0) if trajectory is None else (float(trajectory.t[0]), float(trajectory.t[-1]))
        self.clock = gui.add_slider(
            "Time [s]", min=first, max=max(last, first + 1e-6), step=max(last - first, 1e-6) / 1000.0,
            initial_value=first, hint="Of the motion; of laws of loads, for equilibria",
        )  # fmt: skip
        self.clock.on_update(self._from_browser(lambda value: engine.wish(time=value)))
        self.speed = gui.add_slider(
            "Speed", min=0.02, max=2.0, step=0.01, initial_value=1.0, hint="1 is real time; less is slow motion"
        )
        self.speed.on_update(self._from_browser(lambda value: engine.wish(speed=value)))
        self.status = gui.add_markdown(self._waiting)

    def open(self, mode: str, inputs: list[Reach], now: Array | None) -> None:
        """Let all modes be chosen, and add sliders of inputs, which have the values ``now`` (nu,)."""
        gui, engine = self.gui, self.engine
        self._waiting = ""
        self.mode.options, self.mode.value, self.mode.disabled = engine.modes, mode, False
        if self.input_folder is not None:
            with self.input_folder:
                for reach in inputs:
                    value = 0.0 if now is None else float(np.clip(now[reach.number], reach.low, reach.high))
                    slider = self._slider(reach, value)
                    slider.on_update(self._from_browser(lambda x, i=reach.number: engine.wish(inputs={i: x})))
                    self.inputs[reach.number] = slider
                if engine.act.driver.moves:
                    release = gui.add_button(
                        "Let laws drive", color="gray", hint="Inputs follow their laws and controllers again"
                    )
                    release.on_click(lambda _: engine.wish(release=True))
                zero = gui.add_button("All to zero", color="gray")
                zero.on_click(lambda _: self._all_to_zero(inputs))
        self._mode_changed(mode)

    def fail(self, message: str) -> None:
        """Tell why nothing but posing is possible."""
        self._waiting = self.status.content = f"⚠ {_plain(message)}"

    def _add_coordinates(self, coordinates: list[Reach]) -> None:
        gui, engine, q = self.gui, self.engine, self.engine.act.q
        self.coordinates: dict[int, Any] = {}
        self.pose_folder = gui.add_folder("Joints")
        with self.pose_folder:
            for reach in coordinates:
                value = float(np.clip(q[reach.number], reach.low, reach.high))
                slider = self._slider(reach, value)
                slider.on_update(self._from_browser(lambda x, i=reach.number: engine.wish(coordinates={i: x})))
                self.coordinates[reach.number] = slider

    def _slider(self, reach: Reach, value: float) -> Any:
        return self.gui.add_slider(reach.name, min=reach.low, max=reach.high, step=reach.step, initial_value=value)

    def _add_plots(self) -> None:
        from viser import uplot

        def plot(title: str, names: list[str], strokes: tuple[str, ...]) -> Any:
            series = [uplot.Series(label="t")]
            series += [
                uplot.Series(label=name, stroke=strokes[k % len(strokes)], width=2) for k, name in enumerate(names)
            ]
            data = tuple(np.zeros(2) for _ in series)
            return self.gui.add_uplot(data, tuple(series), title=title, aspect=2.1,
                                      scales={"x": uplot.Scale(time=False, auto=True)})  # fmt: skip

        with self.gui.add_folder("Plots", expand_by_default=False):
            tips = [f"{station_name(station)} {axis}" for station in self.watch for axis in "xyz"]
            self.tip_plot = plot("position [m]", tips, PALETTE)
            names = list(self.model.input_names[:CURVES])
            self.input_plot = plot("inputs", names, PALETTE) if names else None
            self.energy_plot = plot("energy [J]", [*ENERGIES, "sum"], PALETTE)

    # ------------------------------------------------------------------ from browsers

    @staticmethod
    def _from_browser(act: Any) -> Any:
        """A callback that ignores changes made here, and takes back whatever no page of ours would send."""
        good: list[Any] = []  # the last value of the right kind

        def changed(event: Any) -> None:
            handle, value = event.target, event.target.value
            if event.client is None:
                return
            if hasattr(handle, "min"):
                if not isinstance(value, float) or not math.isfinite(value):
                    _put_back(handle, good[-1] if good else float(handle.min))
                    return
                value = min(max(value, float(handle.min)), float(handle.max))
            elif not isinstance(value, str):
                _put_back(handle, good[-1] if good else handle.options[0])
                return
            good[:] = [value]
            act(value)

        return changed

    def _choose_mode(self, mode: str) -> None:
        if mode not in self.engine.modes or self._waiting:
            return
        self._mode_changed(mode)
        self.engine.wish(mode=mode, playing=mode in (DYNAMICS, MOTION))

    def _mode_changed(self, mode: str) -> None:
        """Show what a mode needs."""
        self.run.visible = self.speed.visible = mode in (DYNAMICS, MOTION)
        laws = bool(self.model.demand.laws or self.model.prescribed or self.engine.act.driver.moves)
        self.clock.visible = mode == MOTION or (mode == STATICS and laws)
        self.pose_folder.visible = mode == POSE
        if self.input_folder is not None:
            self.input_folder.visible = mode in (STATICS, DYNAMICS)

    def _run(self, button: str) -> None:
        wishes = {"Play": {"playing": True}, "Pause": {"playing": False}, "Step": {"playing": False, "step": True}}
        self.engine.wish(**wishes.get(button, {"reset": True}))

    def _all_to_zero(self, inputs: list[Reach]) -> None:
        for reach in inputs:
            self.inputs[reach.number].value = min(max(0.0, reach.low), reach.high)
        self.engine.wish(inputs={reach.number: 0.0 for reach in inputs})

    # ------------------------------------------------------------------ from the engine

    def remember(self, shot: Shot) -> None:
        """Keep what plots show of a state."""
        if shot.state.t < self._time:
            self._past.clear()
        if not self._waiting and (shot.mode != STATICS or shot.state.t != self._time):
            points = self.model.poses(shot.state.q, self.watch)[:, :3, 3].ravel() if self.watch else np.zeros(0)
            u = np.full(self.model.nu, np.nan) if shot.state.u is None else shot.state.u
            self._past.append((shot.state.t, points, u, self._energies(shot)))
            self._kept += 1
        self._time = shot.state.t

    def tell(self, shot: Shot) -> None:
        """Follow a new state."""
        now = time.perf_counter()
        text, going_on = self._waiting or _status(shot), shot.playing or shot.message
        # pages take longer for a line of text than for a robot: numbers in it may wait, other words may not
        same = _without_numbers(text) == _without_numbers(self._told)
        if text != self._told and not (same and going_on and now - self._worded < 1.0 / DRAWN):
            self._told, self._worded = text, now
            self.status.content = text
        if now - self._drawn >= 1.0 / DRAWN or not shot.playing:
            self._drawn = now
            self._follow(shot)

    def _energies(self, shot: Shot) -> Array:
        """Kinetic, elastic, gravitational, of loads, and their sum, J."""
        state = shot.state
        v = np.zeros(self.model.n) if state.v is None or shot.mode not in (DYNAMICS, MOTION) else state.v
        found = np.array(self.model.energy(state.q, v, state.u, state.t)[: len(ENERGIES)])
        return np.append(found, found.sum())

    def _follow(self, shot: Shot) -> None:
        """Sliders and plots."""
        driven = self.engine.act.driver
        if shot.mode == MOTION:
            self.clock.value = float(np.clip(shot.state.t, self.clock.min, self.clock.max))
        if shot.state.u is not None and (driven.moves or shot.mode == MOTION):
            for i, slider in self.inputs.items():
                if i not in driven.held:
                    slider.value = float(np.clip(shot.state.u[i], slider.min, slider.max))
        if len(self._past) > 1 and self._plotted != self._kept:
            self._plotted = self._kept
            times = np.array([row[0] for row in self._past])
            self.tip_plot.data = (times, *np.array([row[1] for row in self._past]).T)
            self.energy_plot.data = (times, *np.array([row[3] for row in self._past]).T)
            if self.input_plot is not None:
                self.input_plot.data = (times, *np.array([row[2] for row in self._past]).T[:CURVES])


def _put_back(handle: Any, value: Any) -> None:
    """Give a slider a value of its own kind again; viser would make it one of the kind that it has got."""
    handle._impl.value = value
    handle.value = value


def _status(shot: Shot) -> str:
    """The line below the buttons."""
    if shot.message:
        return f"⚠ {_plain(shot.message)}"
    if shot.mode == STATICS:
        return "in equilibrium"
    if shot.mode == POSE:
        return "posed by hand"
    pace = "" if not shot.playing else f", {_rounded(shot.pace)} times real time"
    hint = "" if shot.mode == MOTION else "; drag the robot to pull it"
    return f"t = {shot.state.t:.2f} s{pace}{hint}"


def _rounded(pace: float) -> str:
    return f"{math.floor(10.0 * pace + 0.5) / 10.0:.1f}" if pace >= 0.1 else f"{pace:.2f}"


def _without_numbers(text: str) -> str:
    return "".join(c for c in text if c not in "0123456789.+-")


def _plain(text: str) -> str:
    """A text without what Markdown would take for its own."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|!" else c for c in text)
