"""A system: a described robot with what drives it, as one of the papers shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import ModelError
from supple.robot.robot import Robot
from supple.solvers.integrators import Method

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.motion.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class System:
    """A robot, its inputs, its initial state and how long to simulate it.

    Attributes
    ----------
    name : str
    robot : Robot
    t_end : float
        Time that the source simulates, s.
    u : any
        Inputs, as `Model.simulate` takes them.
    control : callable, optional
        In place of inputs: a function of the model that makes them, such as a feedback law that knows it.
    breaks : tuple of float
        Times at which feedback jumps, s.
    q0, v0 : optional
        Initial state, or a function of the model that finds it (an equilibrium, say); at rest if None.
    dt : float
        Step of the source's fixed-step method, s.
    method : Method
        What suits it best.
    watch : tuple of (str, float)
        Stations (link, s) whose paths are shown and compared.
    source : str
        Key of docs/references.md, and where.
    note : str
        What the source leaves open, and how it was chosen.
    """

    name: str
    robot: Robot
    t_end: float
    u: Any = None
    q0: Any = None
    v0: Any = None
    dt: float = 1e-2
    method: Method | None = None
    watch: tuple[tuple[str, float], ...] = ()
    source: str = ""
    note: str = ""
    events: tuple[Any, ...] = field(default=())
    control: Callable[[Model], Any] | None = None
    breaks: tuple[float, ...] = ()

    def compile(self) -> Model:
        """The robot's model."""
        return self.robot.compile()

    def start(self, model: Model) -> tuple[Any, Any]:
        """Initial q and v of a model, as `Model.simulate` takes them."""
        q0, v0 = (given(model) if callable(given) else given for given in (self.q0, self.v0))
        return q0, v0

    def inputs(self, model: Model) -> Any:
        """Inputs of a model, as `Model.simulate` takes them."""
        return self.u if self.control is None else self.control(model)

    def simulate(
        self, model: Model | None = None, t: Any = None, method: Method | None = None, **options: Any
    ) -> Trajectory:
        """Simulate as the source does; times, method and other options of `Model.simulate` can be changed."""
        model = self.compile() if model is None else model
        times = self.t_end if t is None else t
        chosen = self.method if method is None else method
        options.setdefault("events", self.events)
        options.setdefault("breaks", self.breaks)
        return model.simulate(times, *self.start(model), self.inputs(model), chosen, **options)

    def paths(self, trajectory: Trajectory) -> np.ndarray:
        """Positions (T, stations, 3) of the watched stations."""
        return np.stack([trajectory.tip(link, s) for link, s in self.watch], axis=1)


def of_kind(what: str, kinds: Mapping[str, Callable[..., System]], kind: str) -> Callable[..., System]:
    """The variant of a system that a user asks for by its ``kind``."""
    if kind not in kinds:
        raise ModelError(f"{what}: kind is {kind!r}, must be one of: {', '.join(kinds)}")
    return kinds[kind]
