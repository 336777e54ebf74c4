"""What all feedback laws share: inputs that they drive, references that they follow, gains, limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, answer, ask, finite_array, finite_float, floats, real_array, shown, whole_number
from supple.errors import ModelError, SingularError, StateError
from supple.laws import Law

if TYPE_CHECKING:
    from supple.model.model import Model

#: A matrix, scaled to a unit diagonal, that has a smaller pivot is taken for singular.
SINGULAR = 1e-11
#: How far from rest it is tried what inputs do.
NEARER = (0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
#: Forces that differ by less than this part of the largest are the same.
SAME = 1e-10


class Motion(NamedTuple):
    """What a reference asks for at a time."""

    value: Array  #: (m,)
    rate: Array  #: (m,)
    acceleration: Array  #: (m,)


class Reference:
    """What is to be followed: numbers, a law of `supple.laws`, or a function t -> (y, y', y'').

    Parameters
    ----------
    given : array_like, Law or callable
        Of ``size`` numbers in any shape.
    size : int
    what : str
        For messages.
    """

    def __init__(self, given: Any, size: int, what: str) -> None:
        self.given, self.size, self.what = given, size, what
        if callable(given):
            self(0.0)
            return
        numbers = real_array(given, what)
        if numbers.size != size or not np.isfinite(numbers).all():
            raise ModelError(f"{what} is {shown(given)}, must be {size} finite numbers, a law, or t -> (y, y', y'')")
        zero = np.zeros(size)
        self.constant = Motion(numbers.ravel(), zero, zero)

    @property
    def moves(self) -> bool:
        """Whether it may change with time."""
        return callable(self.given)

    def __call__(self, t: float) -> Motion:
        """Value, rate and acceleration at time t."""
        law = self.given
        if not callable(law):
            return self.constant
        asked = (lambda t: (law(t), law.rate(t), law.acceleration(t))) if isinstance(law, Law) else law
        parts = ask(asked, (t,), f"{self.what} at t = {t:g}", StateError)
        if not isinstance(parts, (tuple, list)) or len(parts) != 3:
            raise StateError(f"{self.what} returned {shown(parts)} at t = {t:g}, not (y, y', y'')")
        # a law of one number for all is the same for each
        y, rate, acceleration = (self._part(part, t) for part in parts)
        return Motion(y, rate, acceleration)

    def _part(self, value: Any, t: float) -> Array:
        try:
            numbers = floats(value)
        except ValueError:
            return answer(value, self.size, self.what, t)  # says what is wrong with it
        return answer(np.full(self.size, numbers) if numbers.ndim == 0 else numbers.ravel(), self.size, self.what, t)


class Feedback(ABC):
    """A law u(t, q, v) for `Model.simulate`, continuous or sampled (``control_rate=``).

    Parameters
    ----------
    model : Model
        Exact model of the robot that it drives, or of what it knows of it.
    inputs : sequence of str, optional
        Names of the inputs that it drives; all if omitted. All others are zero.
    limits : (lower, upper), optional
        Numbers or arrays, one per input that it drives: what it asks for is cut off there. Tendons do not push:
        ``limits=(0.0, np.inf)``.

    Notes
    -----
    It knows nothing of internal states of loads: they count as they are at the beginning.
    """

    def __init__(self, model: Model, inputs: Sequence[str] | None, limits: Any, what: str) -> None:
        self.model, self.what = model, what
        self.columns = chosen(inputs, model.input_names, "input", what)
        if not len(self.columns):
            raise ModelError(f"{what}: model {model.name!r} has no inputs; give it a JointDrive, a Tendon, ...")
        self.limits = None if limits is None else _limits(limits, len(self.columns), what)
        self.inputs = tuple(model.input_names[i] for i in self.columns)  #: names of the inputs that it drives
        check_linear(model, self.columns, what)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None) -> Array:
        """All inputs (nu,); ``u`` (nu,) are those that others drive, zero if omitted."""
        check = self.model.arguments  # one state: functions of the model would take leading axes of it
        q, v, given = check.state("q", q), check.state("v", v), np.array(check.inputs("u", u, self.model.nu))
        given[self.columns] = 0.0
        wanted = self.drive(finite_float(t, "t", StateError), q, v, given)
        given[self.columns] = wanted if self.limits is None else np.clip(wanted, *self.limits)
        return given

    def slopes(
        self, t: float, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, others: Array | None = None
    ) -> Array | None:
        """Derivatives (nu, 2 n) of all inputs by q and v; None if the law does not know them and is differenced.

        Parameters
        ----------
        u : (nu,), optional
            Those that others drive, as in a call.
        others : (nu, 2 n), optional
            Their derivatives.
        """
        check = self.model.arguments
        q, v, given = check.state("q", q), check.state("v", v), np.array(check.inputs("u", u, self.model.nu))
        given[self.columns] = 0.0
        found = np.zeros((self.model.nu, 2 * self.model.n)) if others is None else np.array(others)
        found[self.columns] = 0.0
        wanted = self.drive(finite_float(t, "t", StateError), q, v, given)
        own = self.drive_slopes(t, q, v, given, wanted, found)
        if own is None:
            return None
        if self.limits is not None:
            own = np.where(((wanted > self.limits[0]) & (wanted < self.limits[1]))[:, None], own, 0.0)
        found[self.columns] = own
        return found

    def drive_slopes(self, t: float, q: Array, v: Array, u: Array, found: Array, others: Array) -> Array | None:
        """Derivatives (m, 2 n) of `drive` by q and v; None if they are not known.

        ``found`` (m,) is what it drives, ``u`` (nu,) what others do, and ``others`` (nu, 2 n) derivatives of that.
        """
        return None

    @abstractmethod
    def drive(self, t: float, q: Array, v: Array, u: Array) -> Array:
        """The inputs (m,) that it drives, before they are limited; ``u`` (nu,) holds those of others."""


def chosen(given: Any, names: Sequence[str], noun: str, what: str) -> np.ndarray:
    """Numbers of some of the ``names`` (all if None), given by name or by number, in the order given."""
    if given is None:
        return np.arange(len(names))
    if isinstance(given, str) or not isinstance(given, (Sequence, np.ndarray, range)):
        raise ModelError(f"{what}: {noun}s is {shown(given)}, must be a list of names")
    found = []
    for x in given:
        if isinstance(x, str) and x not in names:
            raise ModelError(f"{what}: there is no {noun} {x!r}; {noun}s are: {', '.join(names) or 'none'}")
        found.append(names.index(x) if isinstance(x, str) else whole_number(x, f"{what}: {noun}s", 0, len(names) - 1))
    if len(set(found)) < len(found):
        raise ModelError(f"{what}: {noun}s are {shown(given)}, must be different")
    return np.array(found, dtype=np.int64)


def gain(value: Any, size: int, what: str) -> Array:
    """A gain as a matrix (size, size): a number, the diagonal, or all of it."""
    given = real_array(value, what)
    if given.ndim == 0:
        given = np.full(size, float(given))
    matrix = finite_array(given, (size,) if given.ndim == 1 else (size, size), what)
    return np.diag(matrix) if matrix.ndim == 1 else np.array(matrix)


def _limits(given: Any, size: int, what: str) -> tuple[Array, Array]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ModelError(f"{what}: limits is {shown(given)}, must be (lower, upper)")
    lower, upper = (real_array(end, f"{what}: limits") for end in given)
    if any(end.shape not in ((), (size,)) for end in (lower, upper)) or not (lower <= upper).all():
        raise ModelError(f"{what}: limits is {shown(given)}, must be (lower, upper), numbers or {size} of them each")
    return np.broadcast_to(lower, size), np.broadcast_to(upper, size)


def nearby(model: Model, seed: int = 0) -> Array:
    """A state near rest where nothing is zero by chance, and where inputs act, (n,).

    Coordinates have units of their own: maps of soft bodies may end long before 0.1.
    """
    away = np.random.default_rng(seed).standard_normal(model.n)
    if _acts(model, model.rest + NEARER[0] * away):
        return np.asarray(model.rest + NEARER[0] * away)
    alone = np.diag(away)  # one coordinate moved
    sizes = [next((size for size in NEARER if _acts(model, model.rest + size * x)), 0.0) for x in alone]
    states = [model.rest + share * np.array(sizes) * away for share in (1.0, *NEARER)]
    return np.asarray(next((q for q in states if _acts(model, q)), model.rest))


def _acts(model: Model, q: Array) -> bool:
    """Whether what inputs do at q is finite."""
    try:
        model.actuation(q)
    except StateError:
        return False
    return True


def check_linear(model: Model, columns: Array, what: str) -> None:
    """Refuse inputs whose force does not grow in proportion to them."""
    q, v = nearby(model), np.zeros(model.n)
    more, less = (model.input_forces(q, v, np.full(model.nu, u))[:, columns] for u in (1.0, -1.0))
    off = np.abs(more - less).max(axis=0, initial=0.0) > SAME * max(float(np.abs(more).max(initial=0.0)), 1e-300)
    if off.any():
        name = model.input_names[columns[int(np.argmax(off))]]
        raise ModelError(
            f"{what}: the force of input {name!r} is not linear in it (an elastic tendon, say); leave it out of inputs"
        )


def input_response(
    model: Model, q: Array, v: Array, u: Array, t: float, columns: Array, B: Array | None = None
) -> tuple[Array, Array]:
    """Accelerations with inputs u, (n,), and what one unit of every input of ``columns`` adds to them, (n, m).

    With loops and prescribed joints these are the accelerations that they allow.  ``B`` (n, m) is what these inputs do,
    if that is known.
    """
    a = model.forward_dynamics(q, v, u, t).a
    if model.constrained:
        return a, model.forward_dynamics_derivatives(q, v, u, t).du[:, columns]
    return a, model.solve_mass(q, model.actuation(q, t)[:, columns] if B is None else B)


def solve_definite(matrix: Array, right: Array, problem: Callable[[], str]) -> Array:
    """Solution with a symmetric positive definite matrix; `SingularError` with ``problem()`` if it is none."""
    size = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled = 0.5 * (matrix + matrix.T) / np.outer(size, size)
    try:
        pivots = np.diag(np.linalg.cholesky(scaled))
    except np.linalg.LinAlgError:
        raise SingularError(problem()) from None
    if not pivots.min() ** 2 > SINGULAR:
        raise SingularError(problem())
    return np.asarray(np.linalg.solve(scaled, right / size) / size)
