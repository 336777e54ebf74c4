"""What runs are asked for, apart from where they begin and what drives them: checked once, shared by many."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from supple.checks import file_path, shown
from supple.errors import ModelError
from supple.solvers.integrators import Method
from supple.solvers.motion.choice import Choice, choose_method
from supple.solvers.motion.events import Event
from supple.solvers.motion.start import output_times
from supple.solvers.options import run_options

if TYPE_CHECKING:
    from supple.model.model import Model


class Plan:
    """Times, method and options of a run, or of many; see `Model.simulate`.

    Attributes
    ----------
    t0, t_end : float
        Begin and end, s.
    wanted : (T,) or None
        Output times; None for every step.
    method, reason : Method, str
        What integrates, and why it was chosen.
    control : Control
        How the driver treats the method.
    said : str
        The method in words.
    sampled : bool
        Whether feedback is sampled.
    """

    def __init__(
        self,
        model: Model,
        t: ArrayLike,
        method: Method | None,
        *,
        breaks: Sequence[float] = (),
        hold: bool = False,
        control_rate: float | None = None,
        events: Sequence[Event] = (),
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 30.0,
        resume: bool | str = False,
        max_steps: int | None = None,
        record: bool = False,
    ) -> None:
        self.model = model
        self.t0, self.t_end, self.wanted = output_times(t)
        choice = choose_method(model) if method is None else Choice(checked_method(method), "given")
        self.method, self.reason = choice
        self.control, self.said = self.method.control, repr(self.method)
        options = run_options(breaks, hold, control_rate, events, checkpoint_every, resume, max_steps)
        self.events, self.max_steps, self.hold = options.events, options.max_steps, options.hold
        self.names = tuple(event.name for event in self.events)
        self.checkpoint = None if checkpoint is None else file_path(checkpoint, "checkpoint")
        self.checkpoint_every, self.resume = options.checkpoint_every, options.resume
        self.rate, self.breaks = options.control_rate, options.breaks
        self.sampled = self.rate is not None
        self.record = bool(record)
        if record and (self.checkpoint is not None or self.resume):
            raise ModelError("record=True keeps what derivatives need in memory, which a checkpoint does not hold: "
                             "omit checkpoint= and resume=, or record=True")
        if self.checkpoint is not None and any(callable(event.action) for event in self.events):
            raise ModelError(
                "a checkpoint cannot hold what an event switches to: omit checkpoint=, or events "
                "whose action is a function"
            )


def checked_method(method: Any) -> Method:
    """A method, not its class or its name."""
    if isinstance(method, type):
        raise ModelError(f"method is the class {method.__name__}; pass an object, as in {method.__name__}()")
    if not isinstance(method, Method):
        raise ModelError(f"method is {shown(method)}, must be one of supple, such as NDF()")
    return method
