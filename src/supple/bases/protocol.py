"""The contract of strain bases, and the recipe to add a family.

A rod's strain is xi(s) = rest_strain(s) + Phi(s) q. Each coordinate belongs to one of six strain components
and multiplies one scalar function of s in [0, 1]; compilation divides the angular rows by the rod's length.

**To add a family** (see `polynomial.py`):

1. Subclass `Family[int]` and write one method, ``functions(order)``: check the order, return `Functions`.
   The user's ``MyFamily(torsion=2, bend_y=3)`` and ``Strain(torsion=MyFamily(2))`` both work from then on.
   If ``evaluate`` takes an array of stations as well as one, say ``broadcasts=True``: compilation is faster.
2. Functions must be linearly independent when sampled at ``min_points`` Gauss nodes per piece, where pieces
   are what ``breaks`` cuts [0, 1] into, and smooth inside a piece: the stiffness is summed at these nodes.
3. Scale them to O(1): all coordinates of a rod share one tolerance.
4. Options beyond the orders are keyword-only dataclass fields (see `radial.py`).
5. Export it in `bases/__init__.py` and add it to the list in `tests/bases/test_basis_contract.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from supple.checks import Array, shown
from supple.errors import ModelError, naming

#: Strain components in the order of their index 0..5.
COMPONENTS = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")

#: Most functions of one strain component, and most elements of a local basis: far more than any rod needs.
MOST_FUNCTIONS = 1000

#: Breaks closer than this are one.
SAME_BREAK = 1e-12

Order = TypeVar("Order")


@dataclass(frozen=True)
class Functions:
    """A set of scalar functions on [0, 1]."""

    count: int
    """How many."""
    evaluate: Callable[[Any], Array]
    """Their values at s, (count,); with ``broadcasts`` also at stations (M,), (M, count)."""
    min_points: int
    """Gauss nodes per piece below which sampled functions may be linearly dependent."""
    breaks: tuple[float, ...] = ()
    """Sorted interior points where a function is not smooth."""
    broadcasts: bool = False
    """Whether ``evaluate`` takes arrays of s; else it is called for one s after the other."""

    def table(self, s: Array) -> Array:
        """Values at the stations s (M,), (M, count)."""
        if self.broadcasts:
            return self.evaluate(s)
        return np.array([self.evaluate(x) for x in s.tolist()]).reshape(len(s), self.count)


class StrainBasis(ABC):
    """Basis of all strain components of a rod: what ``Rod(strain=...)`` takes.

    Coordinates run component by component (torsion first), with all functions of a component together.
    """

    @abstractmethod
    def parts(self) -> tuple[tuple[int, Functions], ...]:
        """Free strain components in increasing order, with their functions."""

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return sum(part.count for _, part in self._parts)

    @property
    def components(self) -> NDArray[np.int64]:
        """Strain component 0..5 of each coordinate, (size,)."""
        parts = self._parts
        return np.repeat([index for index, _ in parts], [part.count for _, part in parts]).astype(np.int64)

    def values(self, s: float | Array) -> Array:
        """Value at s in [0, 1] of each coordinate's function, (size,); not divided by the length.

        At stations s (M,): (M, size), all at once where the family can.
        """
        if np.ndim(s) == 0:
            return np.concatenate([part.evaluate(s) for _, part in self._parts])
        stations = np.asarray(s, dtype=np.float64)
        return np.concatenate([part.table(stations) for _, part in self._parts], axis=1)

    @cached_property
    def _parts(self) -> tuple[tuple[int, Functions], ...]:
        """`parts`, made once: checking the orders takes longer than using them."""
        return self.parts()

    def __getstate__(self) -> dict[str, Any]:
        # the functions are made again where they are needed: functions inside functions cannot be pickled
        return {key: value for key, value in self.__dict__.items() if key != "_parts"}

    @property
    def labels(self) -> list[str]:
        """Names of the coordinates, such as ``bend_y_3``."""
        return [f"{COMPONENTS[index]}_{k}" for index, part in self._parts for k in range(part.count)]

    @property
    def breaks(self) -> tuple[float, ...]:
        """Sorted points in (0, 1) where some function is not smooth; quadrature nodes are aligned to them."""
        merged: list[float] = []
        for point in sorted(point for _, part in self._parts for point in part.breaks):
            if not merged or point - merged[-1] > SAME_BREAK:
                merged.append(point)
        return tuple(merged)

    @property
    def min_points(self) -> int:
        """Smallest number of Gauss nodes per piece for which the stiffness is not singular.

        A function without breaks sees the nodes of all pieces, so it asks for its share only.
        """
        pieces = len(self.breaks) + 1
        return max(part.min_points if part.breaks else -(-part.min_points // pieces) for _, part in self._parts)


@dataclass(frozen=True, repr=False)
class Family(StrainBasis, Generic[Order]):
    """One family of functions, with an order per strain component.

    Parameters
    ----------
    order : optional
        A single order, for use inside `Strain`: ``Strain(torsion=Legendre(2), bend_y=Hat(4))``.
    torsion, bend_y, bend_z, stretch, shear_y, shear_z : optional
        Order of each strain component; None keeps that strain at rest.
    """

    order: Order | None = None
    torsion: Order | None = field(default=None, kw_only=True)
    bend_y: Order | None = field(default=None, kw_only=True)
    bend_z: Order | None = field(default=None, kw_only=True)
    stretch: Order | None = field(default=None, kw_only=True)
    shear_y: Order | None = field(default=None, kw_only=True)
    shear_z: Order | None = field(default=None, kw_only=True)

    def __new__(cls, *orders: Any, **options: Any) -> Self:
        """Refuse unknown names before the interpreter does, which would not say which there are."""
        check_options(cls, options)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        given = self._given()
        if self.order is not None and given:
            raise ModelError(
                f"{shown(self)}: give either one order (for use inside Strain) or orders by component, not both"
            )
        if self.order is not None:
            self.scalar()
        elif not given:
            raise no_coordinates(type(self).__name__)
        else:
            self._parts  # noqa: B018  (checks the orders)

    @abstractmethod
    def functions(self, order: Order) -> Functions:
        """The functions of that order, after checking it."""

    def parts(self) -> tuple[tuple[int, Functions], ...]:
        """Free strain components with their functions."""
        if self.order is not None:
            raise ModelError(
                f"{self!r} does not say which strains are free: name them, as in "
                f"{replace(self, order=None, bend_y=self.order)!r}, or use it inside Strain(bend_y={self!r})"
            )
        parts = []
        for name, order in self._given().items():
            with naming(f"{type(self).__name__}: {name}"):
                parts.append((COMPONENTS.index(name), self.functions(order)))
        return tuple(parts)

    def scalar(self) -> Functions:
        """The functions of the single ``order``, for use inside `Strain`."""
        if self.order is None:
            raise ModelError(f"{self!r} names components, but one order is needed: {type(self).__name__}(2)")
        with naming(type(self).__name__):
            return self.functions(self.order)

    def _given(self) -> dict[str, Order]:
        """Orders by component, without the locked ones."""
        orders = ((name, getattr(self, name)) for name in COMPONENTS)
        return {name: order for name, order in orders if order is not None}

    def __repr__(self) -> str:
        single = [] if self.order is None else [_short(self.order)]
        named = [f"{name}={_short(order)}" for name, order in self._given().items()]
        return f"{type(self).__name__}({', '.join(single + named)})"


def check_options(kind: type, options: Iterable[str]) -> None:
    """Refuse names that a basis does not have, and say which it has."""
    known = [entry.name for entry in fields(kind)]
    for option in options:
        if option not in known:
            close = get_close_matches(option, known, n=1)
            raise ModelError(
                f"{kind.__name__}: there is no {option!r}{f', did you mean {close[0]!r}?' if close else ''} "
                f"(names are: {', '.join(known)})"
            )


def no_coordinates(kind: str) -> ModelError:
    """The error of a basis in which every strain is locked."""
    return ModelError(
        f"{kind}: a basis without coordinates cannot move; use Rigid for a rigid link or give an order, "
        f"such as bend_y=2"
    )


def _short(order: Any) -> str:
    """Orders as they are, functions by their name."""
    return str(getattr(order, "__name__", shown(order)))
