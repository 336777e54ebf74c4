"""The thread that brings a robot from state to state while somebody watches.

What browsers ask for (sliders, buttons, drags) becomes *wishes*: the newest of every kind is kept, all others are
forgotten, so ten thousand events cost no more memory than one. The thread takes all wishes at once, thirty times per
second at most, computes one state and shows it. Without wishes and without anything that plays, it sleeps. While
browsers are still busy with earlier pictures (`pace`) the robot moves on, and the newest state is shown when they can
take it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Array
from supple.errors import SuppleError
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS, Act, move, pose, replay, rest
from supple.studio.pull import Grip
from supple.viz.view import State

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: Pictures per second.
RATE = 30.0

#: What is left to others (the server's thread) of the time of a picture, s. When that and showing leave too little for
#: the steps of a picture, the robot's time goes slower: pictures come first.
SPARE = 0.004

#: How long an equilibrium is sought when a slider moves, s; while there is none, only for `BUDGET`. When sliders have
#: not moved for so long, it is sought thoroughly, for so long at most.
PATIENT, BUDGET, CALM, THOROUGH = 0.1, 0.016, 0.25, 1.0

#: How late pictures may be, s, to be made good by those that follow, which come in quick succession then, no more than
#: may be under way to a page. Beyond, they come as they can.
LATE = 3.0 / RATE

#: How quickly the measured pace follows, per second.
FOLLOW = 3.0


class Shot(NamedTuple):
    """What is to be shown.

    Attributes
    ----------
    state : State
    mode : str
    playing : bool
    pace : float
        Seconds of the robot's time per second of the clock, as measured.
    message : str
        What went wrong; empty if nothing did.
    pull : (2, 3) or None
        From the point that is dragged to the hand.
    multipliers : Multipliers or None
        Of the equilibrium that is shown; None if it is none.
    """

    state: State
    mode: str
    playing: bool
    pace: float
    message: str
    pull: Array | None = None
    multipliers: Any = None


class Engine:
    """Runs an act in a thread of its own.

    Parameters
    ----------
    act : Act
    show : callable
        Gets a `Shot`, in the engine's thread, at most `RATE` times per second.
    mode : str
        One of `modes()`.
    trajectory : Trajectory, optional
        A motion to play.
    playing : bool
        Whether it begins by itself.
    follow : callable, optional
        Gets every `Shot`, also those that are not shown because browsers are busy.
    ready : callable, optional
        Whether browsers can take another picture; `nudge` tells that this may have changed.
    """

    def __init__(
        self,
        act: Act,
        show: Callable[[Shot], Any],
        mode: str,
        trajectory: Trajectory | None = None,
        playing: bool = False,
        follow: Callable[[Shot], Any] = lambda shot: None,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self.act, self.show, self.trajectory, self.follow, self.ready = act, show, trajectory, follow, ready
        self.mode, self.playing, self.speed, self.looping = mode, playing, 1.0, True
        self.pace = 0.0
        self.shots = 0  #: pictures shown so far
        self._wishes: dict[str, Any] = {}
        self._held: Shot | None = None  # not shown yet
        self._showing = 0.0  # how long that took last, s
        self._hurried: float | None = None  # when an equilibrium was sought in haste, and in vain
        self._wake = threading.Condition()
        self._pauses: set[str] = set()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name=f"supple studio, {act.model.name}", daemon=True)

    @property
    def modes(self) -> tuple[str, ...]:
        """What can be done with this robot."""
        return (STATICS, DYNAMICS, POSE) if self.trajectory is None else (MOTION, STATICS, DYNAMICS, POSE)

    # ------------------------------------------------------------------ from any thread

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """End the thread and wait for it."""
        with self._wake:
            self._ended = True
            self._wake.notify_all()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def pause(self, paused: bool, why: str = "nobody watches") -> None:
        """Sleep, for a reason; it goes on when there is none left."""
        with self._wake:
            (self._pauses.add if paused else self._pauses.discard)(why)
            self._wake.notify_all()

    def nudge(self) -> None:
        """Look again whether browsers can take a picture."""
        with self._wake:
            self._wake.notify_all()

    def refresh(self) -> None:
        """Show the present state once more."""
        self.wish(again=True)

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def wish(self, **changes: Any) -> None:
        """Ask for something; a later wish of the same kind replaces an earlier one.

        mode, playing, speed, looping, time : as the attributes are called; ``time`` in s
        inputs, coordinates : {number: value}, merged with those that wait already
        reset, step, release : True
        grip : Grip or None;  target : (3,)
        begin : Act, whose state and equilibrium are taken over
        """
        with self._wake:
            for kind, value in changes.items():
                if kind in ("inputs", "coordinates"):
                    self._wishes.setdefault(kind, {}).update(value)
                else:
                    self._wishes[kind] = value
            self._wake.notify_all()

    # ------------------------------------------------------------------ in the thread

    def _run(self) -> None:
        before = due = time.perf_counter()
        while True:
            with self._wake:
                while not self._ended and (self._pauses or not (self._wishes or self._moving or self._due)):
                    self._doze()
                    before = time.perf_counter()
                    due = due if before - due < LATE else before  # after a long sleep nothing is to be made good
                if self._ended:
                    return
                wishes, self._wishes = self._wishes, {}
            # from when it was due, not from when it came: what one picture is late, the next one makes good
            due = max(due + 1.0 / RATE, time.perf_counter() - LATE)
            try:
                shot = self._held
                if shot is None or wishes or self._moving:
                    shot = self._next(wishes)
                    self.follow(shot)
                if self._ended:  # meanwhile
                    return
                self._present(shot)
                self._present_late(due)
            except Exception as error:  # laws of users may raise anything, and the thread must live on
                self._tell(error)
            time.sleep(max(0.0, due - time.perf_counter()))
            now = time.perf_counter()
            self._measure(now - before)
            before = now

    def _doze(self) -> None:
        """Wait for news, or until what was sought in haste may be sought thoroughly."""
        left = None if self._pauses or self._hurried is None else self._hurried + CALM - time.perf_counter()
        if left is None or left > 0.0:
            self._wake.wait(left)
        else:
            self._wishes["again"] = True

    def _tell(self, error: Exception) -> None:
        """Stand still, and show why."""
        words = str(error) if isinstance(error, SuppleError) else f"{type(error).__name__}: {error}"
        act = self.act
        act.message, self.playing, self._held = words, False, None
        with suppress(Exception):  # the picture itself may be what failed
            self.show(Shot(State(act.q.copy(), act.v.copy(), None, act.t), self.mode, False, 0.0, words))
            self.shots += 1

    @property
    def _due(self) -> bool:
        """Whether a state waits that browsers can take now."""
        return self._held is not None and self.ready()

    def _present(self, shot: Shot) -> None:
        """Show a state, or keep it until it can be shown."""
        if not self.ready():
            self._held = shot
            return
        self._held, began = None, time.perf_counter()
        self.show(shot)
        self._showing = time.perf_counter() - began
        self.shots += 1

    def _present_late(self, until: float) -> None:
        """Show a state that browsers could not take as soon as they can, if that is before another one is due."""
        if self._held is None:
            return
        with self._wake:
            while not self._ended and not self._due and (left := until - time.perf_counter()) > 0.0:
                self._wake.wait(left)
            wanted = not self._ended and not self._pauses
        if wanted:
            self._present(self._held)

    @property
    def _moving(self) -> bool:
        return self.playing and self.mode in (DYNAMICS, MOTION)

    def _measure(self, passed: float) -> None:
        """How fast the robot's time goes."""
        gone, self._advanced = self._advanced, 0.0
        if passed > 0.0:  # by how long it took: pictures that make good what others were late count little
            self.pace += min(1.0, FOLLOW * passed) * (gone / passed - self.pace)

    _advanced = 0.0

    def _next(self, wishes: dict[str, Any]) -> Shot:
        """Grant wishes, and bring the robot on."""
        act, self._hurried = self.act, None
        for kind in ("mode", "playing", "speed", "looping"):
            if kind in wishes:
                setattr(self, kind, wishes[kind])
        for i, value in wishes.get("inputs", {}).items():
            act.driver.held[i] = float(value)
        if "release" in wishes:
            act.driver.release()
        if "begin" in wishes:
            act.take_over(wishes["begin"])
        if "reset" in wishes:
            act.reset()
            self.pace = 0.0
        self._drag(wishes)
        if self.mode == MOTION and self.trajectory is not None:
            state = self._play(wishes)
        else:
            if "time" in wishes:
                act.t = float(wishes["time"])
            self._live(wishes)
            state = act.state
        pull = None
        if act.grip is not None and act.target is not None and self.mode == DYNAMICS:
            pull = np.array([act.grip.point(act.model, act.q), act.target])
        multipliers = act.multipliers if self.mode == STATICS and not act.message else None
        return Shot(state, self.mode, self.playing, self.pace, act.message, pull, multipliers)

    def _drag(self, wishes: dict[str, Any]) -> None:
        grip: Grip | None = wishes.get("grip", self.act.grip)
        self.act.grip = grip
        if "target" in wishes:
            self.act.target = np.asarray(wishes["target"], dtype=float)
        if grip is None:
            self.act.target = None

    def _live(self, wishes: dict[str, Any]) -> None:
        """One picture of statics, dynamics or posing."""
        act = self.act
        if self.mode == STATICS:
            self._rest(set(wishes) - {"again"} != set())
        elif self.mode == POSE:
            pose(act, wishes.get("coordinates", {}))
        elif self.playing or "step" in wishes:
            span, before = self.speed / RATE if self.playing else act.step, act.t
            if not move(act, span, 1.0 / RATE - self._showing - SPARE):
                self.playing = False
            self._advanced = act.t - before

    def _rest(self, asked: bool) -> None:
        """An equilibrium; what was sought in haste, because something was ``asked`` for, is sought again later."""
        in_haste = BUDGET if self.act.message else PATIENT
        rest(self.act, seconds=in_haste if asked else THOROUGH)
        self._hurried = time.perf_counter() if asked and self.act.message else None

    def _play(self, wishes: dict[str, Any]) -> State:
        """One picture of a motion."""
        trajectory = self.trajectory
        assert trajectory is not None
        first, last = float(trajectory.t[0]), float(trajectory.t[-1])
        t = float(wishes.get("time", self.act.t))
        if "reset" in wishes:
            t = first
        elif (self.playing and "time" not in wishes) or "step" in wishes:
            t += self.speed / RATE
            self._advanced = self.speed / RATE
        if t > last + 1e-9 and self.playing:
            if self.looping and last > first:
                t = first + (t - last) % (last - first)
            else:
                self.playing = False
        return replay(self.act, trajectory, float(np.clip(t, first, last)))
