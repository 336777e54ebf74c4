"""What a method of integration is, to users, to the driver and to the command line; the register of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import ModelError
from supple.jit import AddressedKernel
from supple.solvers.problem import Problem

Array = np.ndarray

#: Group of entry points by which installed packages offer methods: ``name = "package.module"``.
ENTRY_POINTS = "supple.methods"


class Kernels(NamedTuple):
    """What is compiled for a family of schemes (`solvers.integrators.driver.composed`)."""

    parts: AddressedKernel  #: how it begins, makes steps and looks back: the driver calls it by its address
    stages: bool = True  #: whether it solves stages one by one (`solvers.stage.calls`)


class SingleStep(NamedTuple):
    """One step from one state, without a run around it (`solvers.motion.step`)."""

    kernel: Callable[[Array, Array, Array, Array, Array], int]  #: (problem, run, own, rows, directions): a status
    stages: int  #: rows behind the beginning by which a step is told
    family: int  #: how it is differentiated, see `solvers.integrators.tape`


class Control(NamedTuple):
    """How the driver treats a method."""

    rtol: float = 1e-4
    atol: ArrayLike = 1e-6  #: a number, (n,) or (2 n,)
    max_step: float | None = None  #: s
    first_step: float | None = None  #: s; found if None
    fixed_step: float | None = None  #: s; None if steps adapt
    newton: float = 1.0  #: size of Newton's last step, in units of the weights
    orders: tuple[int, int] = (0, 0)  #: least and largest order that a run may have reached, if that varies
    start_order: int = 1  #: order for which a first step is chosen
    stabilised: bool = False  #: whether loops hold in position and velocity, or as the scheme has it
    differenced: bool = False  #: whether tangents of the residual are differences of it
    apart: bool = False  #: whether derivatives of the residual by q, v and a are needed one by one
    explicit: bool = False  #: whether accelerations are asked for at every stage
    baumgarte: float = 0.0  #: time constant that pulls loops back which hold in acceleration only, s; 0: none
    restarts: bool = True  #: whether inputs that jump at a sample need a new start; else error control sees them


class Method(ABC):
    """How to integrate: what users pass as ``method`` to `Model.simulate`.

    A scheme is a frozen dataclass that derives from the family it belongs to, in one file with everything that is its
    own; its name for the command line stands in its first line::

        @dataclass(frozen=True)
        class BDF2(FixedStep, name="bdf2"):

    Most schemes are data of a family, and nothing is compiled for them: `solvers.integrators.implicit` integrates
    whatever gives a `Formula` (one-step and multistep formulas, diagonally implicit Runge-Kutta),
    `solvers.integrators.explicit` whatever gives a `Pair`.  A scheme that fits no family (`NDF`) derives from this
    class and gives

    - `control`: tolerances and steps,
    - `own_arrays`: a named tuple of all arrays that it works on; ``saved`` names those that a checkpoint needs,
    - `kernels`: how it begins, makes steps and looks back, by `solvers.integrators.driver.composed`,
    - `newest`: its newest row [q, v, a, lambda, z, R],
    - `taped_scheme`: how its steps are differentiated, if derivatives of motions are wanted,
    - `from_one_state`, `over` and `single_step`: how it makes one step, if it can be asked to by `Model.step`.
    """

    #: What it is called on the command line; "" for bases of schemes.
    name: ClassVar[str] = ""
    #: Fields of its own arrays that say how far a run has come.
    saved: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, name: str = "", **options: Any) -> None:
        """Enter the scheme into the register."""
        super().__init_subclass__(**options)
        cls.name = name
        if name:
            register(name, cls)

    @property
    @abstractmethod
    def control(self) -> Control:
        """Tolerances and steps."""

    @abstractmethod
    def own_arrays(self, problem: Problem, size: int) -> Any:
        """A named tuple of arrays of the scheme, for rows of ``size`` entries."""

    @property
    @abstractmethod
    def kernels(self) -> Kernels:
        """What is compiled."""

    @abstractmethod
    def newest(self, own: Any, pending: bool) -> Array:
        """The newest row, of which a copy is made; ``pending``: a step was made that is not yet recorded."""

    def past(self, own: Any) -> tuple[float, ...]:
        """For which places of the points behind the coefficients are, if the scheme has any that change."""
        return ()

    def taped_scheme(self, problem: Problem, pasts: list[tuple[float, ...]]) -> tuple[int, dict[str, Array]]:
        """How steps that were written down are differentiated: the family (`solvers.integrators.tape`), coefficients.

        Parameters
        ----------
        pasts : list
            What `past` was for each table of coefficients that a run has used.
        """
        raise ModelError(
            f"{type(self).__name__} does not say how its steps are differentiated; derivatives of motions are there "
            "for formulas, explicit pairs, NDF and Radau"
        )

    def from_one_state(self) -> Method | None:
        """This scheme for a step from one state, its length told later; None if it goes on from several points."""
        return None

    def over(self, dt: float) -> Method:
        """The scheme by which a motion over dt [s] is one step, that of `single_step`."""
        raise ModelError(f"{type(self).__name__} goes on from several points")

    def single_step(self, own: Any) -> SingleStep:
        """How such a step is made; ``own`` are the scheme's arrays."""
        raise ModelError(f"{type(self).__name__} goes on from several points")

    def renew(self, own: Any) -> None:
        """Fill in the coefficients that the compiled loop has asked for, if the scheme has any that change."""
        raise ModelError(f"{type(self).__name__} has no coefficients that change")


_register: dict[str, type[Method]] = {}


def register(name: str, kind: type[Method]) -> None:
    """Give a scheme its name; a second one of the same name is refused, unless it is the same class once more."""
    known = _register.get(_spelling(name))
    if known is not None and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise ModelError(
            f"{kind.__qualname__} of {kind.__module__}: the name {name!r} belongs to {known.__qualname__} of "
            f"{known.__module__}; take another one"
        )
    _register[_spelling(name)] = kind


def methods() -> Mapping[str, type[Method]]:
    """All schemes that were imported, by name, in alphabetical order."""
    kinds = sorted(_register.values(), key=lambda kind: kind.name)
    return MappingProxyType({kind.name: kind for kind in kinds})


def names() -> list[str]:
    """Names of all schemes that were imported or are offered by installed packages, in alphabetical order."""
    return sorted({*methods(), *(point.name for point in entry_points(group=ENTRY_POINTS))})


def find_method(name: str) -> type[Method] | None:
    """The scheme of a name, None if there is none; case, hyphens, underscores and spaces do not matter.

    Installed packages are asked for it (entry points of the group ``supple.methods``) if it is not known yet.
    """
    key = _spelling(name)
    if key not in _register:
        for point in entry_points(group=ENTRY_POINTS):
            if _spelling(point.name) == key:
                point.load()
    return _register.get(key)


def _spelling(name: str) -> str:
    """A name as it is looked up: without hyphens, with the American spelling."""
    plain = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    return plain.replace("generalised", "generalized")
