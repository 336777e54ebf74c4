"""Designs: robots as functions of parameters, and models that know how their numbers follow these."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import failure, floats, shown, why
from supple.errors import DesignError, ShapeError, unwarned, warn
from supple.robot.robot import Robot

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot
    from supple.gradients.array_slopes import ArraySlopes, Ends
    from supple.gradients.feedback_slopes import FeedbackSlopes
    from supple.gradients.law_slopes import LawSlopes
    from supple.gradients.probe_plans import Entries
    from supple.gradients.slope_memory import Numbers, Recall, SlopeMemory
    from supple.model.model import Model

Array = np.ndarray

#: Step of differences, relative to a parameter's size: errors by the step (step^2) and by rounding (eps / step) meet.
STEP = 6e-6
#: Step where a parameter is zero and no other entry of it tells its size: small for anything in SI units that is built.
SMALL = 1e-6


class Design:
    """A robot as a function of named parameters.

    Parameters
    ----------
    build : callable
        Any function that returns a `Robot`.
    **parameters : float or array
        Those of its arguments by which models are to be differentiated, with their values; all others keep their
        defaults.

    Attributes
    ----------
    names : tuple of str
    size : int
        How many numbers the parameters are.
    labels : tuple of str
        A name for each of them: ``"young"``, ``"radii[0]"``.
    values : dict
        Numbers and arrays, as given.
    bounds : dict of str to (low, high)
        For whoever optimises; None where there is none.
    scale : dict of str to "linear" or "log"
        Likewise.

    Examples
    --------
    >>> import supple as sp
    >>> def finger(young=1e6, radius=(0.02, 0.01)):
    ...     rubber = sp.Material(young=young, poisson=0.45, density=1100.0)
    ...     robot = sp.Robot("finger", gravity=(0.0, 0.0, -9.81))
    ...     robot.add_link("finger", sp.Rod(0.2, sp.Circle(radius), rubber, sp.Legendre(bend_y=2)))
    ...     return robot
    >>> design = sp.Design(finger, young=1e6, radius=(0.02, 0.01))
    >>> design.labels
    ('young', 'radius[0]', 'radius[1]')
    >>> equilibrium = design.model(young=5e5).statics()
    """

    def __init__(self, build: Callable[..., Robot], /, **parameters: Any) -> None:
        if not callable(build):
            raise DesignError(f"build is {shown(build)}, must be a function that returns a Robot")
        if not parameters:
            raise DesignError("a design needs parameters: name arguments of build, such as Design(build, young=1e6)")
        _check_arguments(build, parameters)
        self.build = build
        self._values = {name: _value(given, name) for name, given in parameters.items()}
        self.names = tuple(self._values)
        self.labels = tuple(label for name, value in self._values.items() for label in _labels(name, value))
        self.size = len(self.labels)
        self._bounds: dict[str, tuple[float, float]] = {}
        self._scale: dict[str, str] = {}
        self._first: dict[int, CompiledRobot] = {}
        self._memory: dict[int, SlopeMemory] = {}

    @property
    def values(self) -> dict[str, Any]:
        """Numbers and arrays by name."""
        return {name: _given(value) for name, value in self._values.items()}

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """(low, high) by name."""
        return dict(self._bounds)

    @bounds.setter
    def bounds(self, given: Mapping[str, Any]) -> None:
        checked = {}
        for name, pair in self._named(given, "bounds").items():
            ends = _numbers(pair, f"bounds of {name!r}")
            if ends.shape != (2,) or not ends[0] < ends[1]:
                raise DesignError(f"bounds of {name!r} are {shown(pair)}, must be (low, high)")
            checked[name] = (float(ends[0]), float(ends[1]))
        self._bounds = checked

    @property
    def scale(self) -> dict[str, str]:
        """"linear" or "log" by name."""
        return dict(self._scale)

    @scale.setter
    def scale(self, given: Mapping[str, Any]) -> None:
        for name, word in self._named(given, "scale").items():
            if word not in ("linear", "log"):
                raise DesignError(f'scale of {name!r} is {shown(word)}, must be "linear" or "log"')
            if word == "log" and not np.all(self._values[name] > 0.0):
                raise DesignError(f"scale of {name!r} is log, but its value {shown(self.values[name])} is not positive")
        self._scale = dict(given)

    def robot(self, **changes: Any) -> Robot:
        """The robot for these parameters; those omitted have the values of the design."""
        return _build(self.build, self._changed(changes))

    def model(self, **changes: Any) -> Model:
        """The model for these parameters, which knows their derivatives (`Model.design`).

        The first one is validated in full; others must have the same structure, and are made faster.
        """
        # Imported late, so that describing a design does not load the compiled kernels.
        from supple.gradients.array_slopes import structure_change
        from supple.gradients.folded_constants import like, unfolded
        from supple.model.model import make_model, model_of

        values, first = self._changed(changes), self._first.get(0)
        if first is None:
            model = make_model(_build(self.build, values))
            built = unfolded(values, model.compiled, lambda p: _compiled(self.build, p, model.compiled))
            if built is not values:
                model = make_model(_build(self.build, built))
            first = self._first.setdefault(0, model.compiled)  # of two threads at once, one is the first
        else:
            reference = first
            robot = _compiled(self.build, values, first)
            built, robot = like(values, first, robot, lambda p: _compiled(self.build, p, reference))
            model = model_of(robot)
        if model.compiled is not first:
            changed = structure_change(first, model.compiled)
            if changed:
                told = f"parameter {_listed(changes)} changes {changed}"
                raise DesignError(f"{told}; parameters must not change the structure of a robot")
        model.design = DesignPoint(self, values, model.compiled, built)
        return model

    def pack(self, given: Mapping[str, Any] | None, what: str = "p") -> Array:
        """Numbers by name, (size,) in the order of `labels`; zero for what is omitted."""
        found = {name: np.zeros_like(value) for name, value in self._values.items()}
        for name, value in self._named({} if given is None else given, what).items():
            found[name] = _shaped(value, self._values[name], f"{what}[{name!r}]")
        return np.concatenate([np.ravel(value) for value in found.values()])

    def unpack(self, numbers: Array) -> dict[str, Any]:
        """Numbers (size,) by name, shaped as the parameters are."""
        found, first = {}, 0
        for name, value in self._values.items():
            found[name] = _given(numbers[first : first + value.size].reshape(value.shape))
            first += value.size
        return found

    @property
    def blocks(self) -> tuple[slice, ...]:
        """Where the entries of each parameter are among all numbers."""
        stops = np.cumsum([value.size for value in self._values.values()]).tolist()
        return tuple(slice(first, stop) for first, stop in zip([0, *stops[:-1]], stops, strict=True))

    @property
    def memory(self) -> SlopeMemory:
        """What is remembered of how numbers of its models follow the parameters."""
        from supple.gradients.slope_memory import SlopeMemory

        return self._memory.setdefault(0, SlopeMemory())

    def _changed(self, changes: Mapping[str, Any]) -> dict[str, Array]:
        checked = self._named(changes, "parameters")
        return self._values | {name: _shaped(x, self._values[name], name) for name, x in checked.items()}

    def _named(self, given: Mapping[str, Any], what: str) -> Mapping[str, Any]:
        if not isinstance(given, Mapping):
            raise DesignError(f"{what} is {shown(given)}, must be a dict by names of parameters")
        for name in given:
            if name not in self._values:
                known = ", ".join(self.names)
                raise DesignError(f"{what}: there is no parameter {shown(name)}; parameters are: {known}")
        return given

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_first": {}, "_memory": {}}  # the next model is looked at in full again

    def __repr__(self) -> str:
        what = getattr(self.build, "__name__", type(self.build).__name__)
        return f"<Design {what}: {', '.join(self.names)} ({self.size} numbers)>"


class DesignPoint:
    """A design at certain values of its parameters: what `Model.design` is.

    Attributes
    ----------
    design : Design
    values : dict
        Numbers and arrays by name.
    compiled : CompiledRobot
        The robot there.
    """

    def __init__(
        self, design: Design, values: dict[str, Array], compiled: CompiledRobot, built: dict[str, Array] | None = None
    ) -> None:
        self.design, self._values, self.compiled = design, values, compiled
        self._built = values if built is None else built  # what the robot was built with (`folded_constants`)

    @property
    def values(self) -> dict[str, Any]:
        """Numbers and arrays by name."""
        return {name: _given(value) for name, value in self._values.items()}

    @cached_property
    def slopes(self) -> ArraySlopes:
        """How all numbers of the model follow the parameters: differences, made when they are first asked for.

        By each parameter; or, where the design knows from another model what numbers follow it and how, along few
        directions (`gradients.probe_plans`).
        """
        from supple.gradients.array_slopes import array_slopes, joined

        found = array_slopes(self.compiled, self._own_ends, self.design.labels)
        if self._recalled is not None:
            found = joined(found, self._recalled[1])
        else:
            self.design.memory.learn(self, found)
        _tell(found, self, self.design.labels)
        return found

    def entries(self, key: Hashable, numbers: Numbers) -> Entries:
        """How other numbers of its robot follow the parameters; the design remembers them by ``key``."""
        from supple.gradients.array_slopes import differences, joined_entries

        known = self._recalled[0].entries(key, numbers) if self._recalled is not None else None
        if known is not None:
            return joined_entries(differences(self._own_ends, numbers), known)
        found = differences(self.ends, numbers)
        self.design.memory.add(key, self, numbers, found)
        return found

    @cached_property
    def _recalled(self) -> tuple[Recall, Entries] | None:
        """What the design remembers, if it is of use here."""
        from supple.gradients.slope_memory import recall

        return recall(self, self.design.memory)

    @cached_property
    def _own_ends(self) -> tuple[Ends, ...]:
        """Those of parameters whose slopes are not remembered; the others stand still."""
        from supple.gradients.array_slopes import Ends

        if self._recalled is None:
            return self.ends
        found = [Ends(self.compiled, self.compiled, 1.0)] * self.design.size
        for j in self._recalled[0].plan.apart:
            found[j] = self.end(int(j))
        return tuple(found)

    @cached_property
    def laws(self) -> LawSlopes:
        """How laws of time of loads and prescribed joints follow the parameters."""
        from supple.gradients.law_slopes import law_slopes

        return law_slopes(self.compiled, self._own_ends)

    @cached_property
    def feedback(self) -> FeedbackSlopes:
        """How controllers and internal states follow the parameters."""
        from supple.gradients.feedback_slopes import feedback_slopes
        from supple.gradients.law_slopes import differ

        return feedback_slopes(self.compiled, self._own_ends, lambda: self.models, differ)

    @cached_property
    def rest_slopes(self) -> Array:
        """d(coordinates at rest)/d(parameters), (n, count)."""
        from supple.model.model import model_of

        def numbers(robot: CompiledRobot) -> list[Array]:
            return [robot.parameters.rest if robot.followers is None else model_of(robot).rest]

        found = self.entries("rest", numbers)
        dense = np.zeros((len(numbers(self.compiled)[0]), self.design.size))
        dense[found.rows, found.columns] = found.values
        return dense

    @cached_property
    def steps(self) -> Array:
        """Of differences by each parameter, (size,)."""
        found = []
        for value in self._values.values():
            size = np.abs(value)
            largest = float(size.max(initial=0.0))
            whole = STEP * largest if largest > 0.0 else SMALL
            found.append(np.where(size > 1e-3 * largest, STEP * size, whole).reshape(-1))
        return np.concatenate(found)

    @cached_property
    def ends(self) -> tuple[Ends, ...]:
        """The robot a little beyond and before each parameter."""
        return tuple(self.end(j) for j in range(self.design.size))

    def end(self, j: int) -> Ends:
        """The robot beyond and before parameter j."""
        step = np.zeros(self.design.size)
        step[j] = self.steps[j]
        found, moves = self.moved(step)
        return found._replace(scale=1.0 / float(moves[j]))

    @cached_property
    def models(self) -> tuple[tuple[Model, Model], ...]:
        """Models of both ends of every parameter."""
        from supple.model.model import model_of

        return tuple((model_of(end.plus), model_of(end.minus)) for end in self.ends)

    def moved(self, change: Array) -> tuple[Ends, Array]:
        """The robot beyond and before a change (size,) of all parameters, and how far these are apart."""
        from supple.gradients.array_slopes import Ends

        here = np.concatenate([value.reshape(-1) for value in self._built.values()])
        places = [here + change, here - change]
        robots = []
        for place in places:
            values = self._built | {
                name: place[own].reshape(self._values[name].shape)
                for name, own in zip(self.design.names, self.design.blocks, strict=True)
                if change[own].any()
            }
            robots.append(_compiled(self.design.build, values, self.compiled))
        return Ends(robots[0], robots[1], 1.0), places[0] - places[1]

    def __getstate__(self) -> dict[str, Any]:
        return {"design": self.design, "_values": self._values, "compiled": self.compiled, "_built": self._built}

    def __repr__(self) -> str:
        return f"<DesignPoint: {', '.join(f'{name} = {shown(x)}' for name, x in self.values.items())}>"


def _tell(slopes: ArraySlopes, point: DesignPoint, labels: tuple[str, ...]) -> None:
    """Warn of parameters that change nothing, and of loads and controllers that are differenced."""
    compiled, feedback = point.compiled, point.feedback
    idle = set(range(len(labels))) - set(slopes.columns.tolist()) - {end.parameter for end in slopes.differenced}
    idle -= set(point.laws.parameters) | feedback.parameters
    if idle:
        warn(f"{_listed([labels[j] for j in sorted(idle)])} changes nothing of the robot: all gradients by it are zero")
    differenced = sorted({end.load for end in slopes.loads if compiled.loads[end.load].gradient is None})
    users = [compiled.loads[i].owner for i in differenced if compiled.loads[i].guard is not None]
    users += [f"rates of the states of {states.owner}" for states in compiled.demand.states]
    steering = {end.number for end in feedback.controllers}
    users += [f"Controller {c.name!r}" for i, c in enumerate(compiled.controllers) if i in steering]
    if users:
        warn(f"{_listed(users)}: how parameters change what it does is not known; it is differenced, which is slower")


def _compiled(build: Callable[..., Robot], values: Mapping[str, Array], like: CompiledRobot) -> CompiledRobot:
    """The robot for some values, compiled as a sibling of one of the same structure."""
    from supple.model.model import compile_like

    with unwarned():  # the first one has said it already
        return compile_like(_build(build, values), like)


def _build(build: Callable[..., Robot], values: Mapping[str, Array]) -> Robot:
    """What ``build`` returns, if it is a robot."""
    given = {name: _given(value) for name, value in values.items()}
    try:
        robot = build(**given)
    except Exception as cause:
        told = ", ".join(f"{name} = {shown(x)}" for name, x in given.items())
        raise DesignError(failure(cause, f"build for {told}")) from cause
    if not isinstance(robot, Robot):
        raise DesignError(f"build returned {shown(robot)}, must return a Robot")
    return robot


def _check_arguments(build: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
    """Whether ``build`` takes these arguments, and needs no others."""
    try:
        signature = inspect.signature(build)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return
    try:
        signature.bind(**parameters)
    except TypeError as reason:
        raise DesignError(f"build{signature} does not fit the parameters {', '.join(parameters)}: {reason}") from None


def _numbers(given: Any, what: str) -> Array:
    """Finite numbers of any shape, a copy."""
    try:
        array = np.array(floats(given))
    except ValueError as reason:
        raise DesignError(f"{what} is {shown(given)}, must be a number or an array of numbers{why(reason)}") from None
    if not np.isfinite(array).all():
        raise DesignError(f"{what} is {shown(given)}, must be finite")
    return array


def _value(given: Any, name: str) -> Array:
    array = _numbers(given, f"parameter {name!r}")
    if not array.size:
        raise DesignError(f"parameter {name!r} has no entries")
    return array


def _shaped(given: ArrayLike, like: Array, what: str) -> Array:
    array = _numbers(given, what)
    if array.shape != like.shape:
        raise ShapeError(f"{what} has shape {array.shape}, must have {like.shape}")
    return array


def _given(value: Array) -> Any:
    """A number or an array, as the user gave it."""
    return float(value) if value.ndim == 0 else np.array(value)


def _labels(name: str, value: Array) -> list[str]:
    if value.ndim == 0:
        return [name]
    return [f"{name}[{', '.join(str(k) for k in i)}]" for i in np.ndindex(value.shape)]


def _listed(names: Any) -> str:
    return ", ".join(repr(name) if not str(name).endswith("'") else str(name) for name in names)




def how_to_have(model: Model) -> str:
    """How a model without parameters would have some, for messages."""
    return model.lost_design or "make it by the model() of a Design"
