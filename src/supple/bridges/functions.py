"""The functions that every bridge offers, with their options: described once, made by each framework in its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from numpy.typing import ArrayLike

from supple.bridges.dynamics import ForwardDynamicsOperation, InverseDynamicsOperation, PoseOperation, TipOperation
from supple.bridges.equilibria import EquilibriumOperation
from supple.bridges.motions import DesignStepOperation, RolloutOperation, StepOperation
from supple.bridges.operation import Operation
from supple.bridges.rows import Rows
from supple.bridges.subject import Subject
from supple.solvers.options import thread_count

if TYPE_CHECKING:
    from supple.gradients.design import Design
    from supple.model.model import Model
    from supple.solvers.integrators import Method

F = TypeVar("F")


class Value:
    """What the functions of all frameworks are: values that nothing changes, shared by copies, rebuilt from pickles.

    So a network with one of them inside can be copied, saved and sent to other processes.
    """

    def __init__(self, operation: Operation, threads: int | None) -> None:
        self.operation, self.threads = operation, threads
        self._rows = Rows(operation, threads)

    def __repr__(self) -> str:
        return f"<{type(self).__module__} function {self.operation!r}>"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.operation, self.threads)


class Functions(Generic[F]):
    """Functions of a framework's arrays, of a model's or a design's.

    All take ``threads``, on which rows (leading axes) are computed: as many as there are processors if omitted.
    """

    def __init__(self, make: Callable[[Operation, int | None], F]) -> None:
        self._make = make

    def equilibrium(
        self,
        model: Model | Design,
        *,
        q0: ArrayLike | None = None,
        t: float = 0.0,
        tolerance: float = 1e-10,
        max_iterations: int = 60,
        threads: int | None = None,
    ) -> F:
        """A function (u, p) -> q: coordinates (..., n) at rest under inputs (..., nu), as `Model.statics` finds them.

        Parameters
        ----------
        model : Model or Design
            Of a design, parameters p (a dict by name; those omitted keep the design's values) are inputs, too.
        q0 : (n,), optional
            Where every search begins; rest if omitted.
        t : float
            Time at which laws of loads and prescribed joints are taken, s.
        tolerance, max_iterations
            As of `Model.statics`.

        Raises
        ------
        ConvergenceError
            When called, if a row does not come to rest.
        SingularError
            From derivatives at limit points, and where something moves freely.
        """
        operation = EquilibriumOperation(Subject(model), q0, t, tolerance, max_iterations)
        return self._make(operation, thread_count(threads))

    def step(
        self,
        model: Model | Design,
        dt: float,
        *,
        method: Method | None = None,
        t: float = 0.0,
        threads: int | None = None,
    ) -> F:
        """A function (q, v, u, p) -> (q, v) after one step of dt [s] of a one-step method (`Model.step`)."""
        subject = Subject(model)
        kind = DesignStepOperation if subject.parameters else StepOperation
        return self._make(kind(subject, dt, method, t), thread_count(threads))

    def rollout(
        self,
        model: Model | Design,
        t: ArrayLike,
        *,
        method: Method | None = None,
        inputs: str = "constant",
        breaks: Sequence[float] = (),
        max_steps: int | None = None,
        threads: int | None = None,
    ) -> F:
        """A function (q0, v0, u, p) -> (q, v): states (..., T, n) at the output times, by `Model.simulate`.

        Parameters
        ----------
        model : Model or Design
            Of a design, parameters p (a dict by name; those omitted keep the design's values) are inputs, too.
        t : (T,)
            Output times, the first being the start, s.
        method : Method, optional
            As of `Model.simulate`.  Derivatives are those of the steps that it took.
        inputs : "constant", "linear" or "held"
            What u is: (..., nu); or samples (..., T, nu) at the output times, joined by lines or held until the next.
        breaks, max_steps
            As of `Model.simulate`.

        Raises
        ------
        SimulationError
            When called, if a row cannot go on.
        """
        operation = RolloutOperation(Subject(model), t, method, inputs, {"breaks": breaks, "max_steps": max_steps})
        return self._make(operation, thread_count(threads))

    def inverse_dynamics(self, model: Model | Design, *, t: float = 0.0, threads: int | None = None) -> F:
        """A function (q, v, a, p) -> ID (..., n): `Model.inverse_dynamics` of states (..., n), at time t."""
        return self._make(InverseDynamicsOperation(Subject(model), t), thread_count(threads))

    def forward_dynamics(self, model: Model | Design, *, t: float = 0.0, threads: int | None = None) -> F:
        """A function (q, v, u, p) -> a (..., n): `Model.forward_dynamics` of states (..., n), at time t."""
        return self._make(ForwardDynamicsOperation(Subject(model), t), thread_count(threads))

    def pose(self, model: Model | Design, link: str, s: float = 1.0, *, threads: int | None = None) -> F:
        """A function (q, p) -> world pose (..., 4, 4) of a place of a link, s from 0 to 1 along it."""
        return self._make(PoseOperation(Subject(model), link, s), thread_count(threads))

    def tip(self, model: Model | Design, link: str, s: float = 1.0, *, threads: int | None = None) -> F:
        """A function (q, p) -> world position (..., 3) of a place of a link, s from 0 to 1 along it: for losses."""
        return self._make(TipOperation(Subject(model), link, s), thread_count(threads))
