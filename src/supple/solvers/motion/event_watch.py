"""Looking for events between steps, and going on from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import answer
from supple.errors import ConvergenceError, ModelError, ShapeError, SimulationError, StateError
from supple.solvers.integrators.run import EVERY, NEXT, TIME, TIME_BEFORE
from supple.solvers.integrators.tape import ROWS_GIVEN
from supple.solvers.motion.events import Event, Switch
from supple.solvers.motion.tape import Moment

if TYPE_CHECKING:
    from supple.solvers.motion.simulation import Simulation

Array = np.ndarray

#: Part of the largest value of an event's function that is zero but for rounding.
ON_EVENT = 1e-11
#: Part of a step by which rows beside an event are looked at.
LOOK_ASIDE = 0.005
#: Differences of fourth order: places in `LOOK_ASIDE`, twelve times the weights; to both sides, ahead, and back.
DIFFERENCES = (
    ((-2, -1, 1, 2), np.array([1.0, -8.0, 8.0, -1.0])),
    ((0, 1, 2, 3, 4), np.array([-25.0, 48.0, -36.0, 16.0, -3.0])),
    ((0, -1, -2, -3, -4), np.array([25.0, -48.0, 36.0, -16.0, 3.0])),
)
#: An entry of a rotation vector that differs by more than this between neighbouring rows [rad] has jumped.
JUMP = 1.0
#: How closely moments are found, s, up to a second of time, and beyond it relative to time.
FOUND = 1e-12


class EventWatch:
    """The events of a simulation.

    Attributes
    ----------
    values : list of float
        Of the events' functions, at the end of the last step.
    largest : (k,)
        Their largest sizes so far.
    """

    def __init__(self, run: Simulation, events: tuple[Event, ...]) -> None:
        self.run, self.events = run, events
        self.values = [0.0] * len(events)
        self.largest = np.zeros(len(events))

    def note_values(self, t: float, q: Array, v: Array) -> None:
        """Values of the events' functions at the end of a step; what is rounding, beside their largest, is zero.

        A motion that stays where a switch has put it then does not cross zero again and again.
        """
        values = np.array([self._value(event, t, q, v) for event in self.events])
        self.largest = np.maximum(self.largest, np.abs(values))
        values[np.abs(values) <= ON_EVENT * self.largest] = 0.0
        self.values = [float(x) for x in values]

    def _value(self, event: Event, t: float, q: Array, v: Array) -> float:
        try:
            value = event.function(t, q, v)
        except Exception as error:
            self.run.fail(f"the function of event {event.name!r} failed: {error}", error)
        try:
            return float(answer(value, 1, f"the function of event {event.name!r}", t)[0])
        except StateError as error:
            self.run.fail(str(error), error)

    def _state(self, t: float) -> tuple[Array, Array]:
        """q and v at a time of the last step."""
        row, n = self.run.integrator.look_back(t), self.run.model.n
        return row[:n], row[n : 2 * n]

    def look(self) -> bool:
        """Look for events in the pending step, and do what they say.  Returns whether to stop."""
        run, integrator, before = self.run, self.run.integrator, self.values
        t_before, t = float(integrator.reals[TIME_BEFORE]), float(integrator.reals[TIME])
        self.note_values(t, *self._state(t))
        crossings = [
            (_crossing(lambda x, e=event: self._value(e, x, *self._state(x)), t_before, t, a, b), event)
            for event, a, b in zip(self.events, before, self.values, strict=True)
            if event.crossed(a, b)
        ]
        acting = [pair for pair in crossings if pair[1].action != "note"]
        moment, event = min(acting, key=lambda pair: pair[0], default=(np.inf, None))
        same = 2.0 * FOUND * max(1.0, abs(t))
        notes = [pair for pair in crossings if pair[1].action == "note" and pair[0] <= moment + same]
        for x, note in sorted(notes, key=lambda pair: pair[0]):
            run.record.noted[note.name].append(min(x, moment))
        if event is None:
            return False
        run.record.noted[event.name].append(moment)
        row = integrator.look_back(moment)
        self._record_until(moment)
        if event.action == "stop":
            if run.record.last is None or run.record.last < moment:
                self._keep(event, moment, row, True)
            return True
        self._switch(event, moment, row)
        self._leave([event, *(note for x, note in notes if x >= moment - same)], moment, row)
        return False

    def _switch(self, event: Event, moment: float, row: Array) -> None:
        """Go on from the row of an event as its action says."""
        run = self.run
        noted = self._keep(event, moment, row, bool(run.integrator.ints[EVERY]))
        change = self._ask(event, moment, row)
        try:
            run.switch(change, moment, row, noted)
        except SimulationError:
            raise
        except (ModelError, ShapeError, StateError, ConvergenceError) as error:
            run.fail(f"event {event.name!r} switches to what cannot be: {error}", error)

    def _leave(self, events: list[Event], moment: float, row: Array) -> None:
        """Events that were met are over: what the search for the moment left of their functions is zero, like rounding.

        A motion that goes on from there does not cross zero once more, at the same moment, again and again.
        """
        n = self.run.model.n
        for event in events:
            i = self.events.index(event)
            left = abs(self._value(event, moment, row[:n], row[n : 2 * n])) + ON_EVENT * float(self.largest[i])
            if abs(self.values[i]) <= left:
                self.values[i] = 0.0

    def _keep(self, event: Event, moment: float, row: Array, result: bool) -> Moment | None:
        """Record the row of an event, if it is a ``result``, and what derivatives need to know of it."""
        run, noted = self.run, None
        if run.tape is not None:
            number = int(run.integrator.run.tape_counts[ROWS_GIVEN]) if result else -1
            noted = Moment(event, moment, row, self._rate(moment), number)
            run.tape.moments.append(noted)
            if result:
                run.integrator.look_back(moment, note=1)
            run.integrator.look_back(moment, note=2)
        if result:
            run.record.keep_one(moment, row)
        return noted

    def _rate(self, t: float) -> Array:
        """The rate of a row along the last step, by differences over times at which no joint turns over."""
        reals, look_back = self.run.integrator.reals, self.run.integrator.look_back
        h = LOOK_ASIDE * float(reals[TIME] - reals[TIME_BEFORE])
        rate = np.zeros(self.run.integrator.size)
        for places, weights in DIFFERENCES:
            rows = np.array([look_back(t + k * h) for k in places])
            rate = weights @ rows / (12.0 * h)
            if not self._turns_over(rows):
                break
        return rate

    def _turns_over(self, rows: Array) -> bool:
        """Whether the rotation vector of a joint jumps between rows, from half a turn to half a turn the other way."""
        turning = [rows[:, start : start + count] for _, start, count, *_ in self.run.workspace.problem.charts]
        return any(float(np.ptp(w, axis=0).max()) > JUMP for w in turning)

    def _record_until(self, moment: float) -> None:
        """Wanted times of the pending step before an event."""
        integrator = self.run.integrator
        while integrator.ints[NEXT] < len(integrator.wanted) and integrator.wanted[integrator.ints[NEXT]] <= moment:
            t = float(integrator.wanted[integrator.ints[NEXT]])
            self.run.record.keep_one(t, integrator.look_back(t, note=1 if self.run.tape is not None else 0))
            integrator.ints[NEXT] += 1

    def _ask(self, event: Event, moment: float, row: Array) -> Switch:
        """What an event's action says."""
        n = self.run.model.n
        try:
            change = event.action(moment, row[:n].copy(), row[n : 2 * n].copy())
        except Exception as error:
            self.run.fail(f"the action of event {event.name!r} failed: {error}", error)
        change = Switch() if change is None else change
        if not isinstance(change, Switch):
            self.run.fail(
                f"the action of event {event.name!r} returned {change!r}, must return a supple.Switch or None"
            )
        return change


def _crossing(function: Any, a: float, b: float, before: float, after: float) -> float:
    """Where a function crosses zero between a and b."""
    from scipy.optimize import brentq  # type: ignore[import-untyped]

    if after == 0.0:
        return b
    first = function(a)
    if first * after > 0.0:  # the start of the step lies on the event itself
        return a
    return float(brentq(function, a, b, xtol=FOUND * max(1.0, abs(b)), rtol=1e-14))
