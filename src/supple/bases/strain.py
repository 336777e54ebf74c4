"""Mixing families: a basis of its own for each strain component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

from supple.bases.protocol import COMPONENTS, Family, Functions, StrainBasis, check_options, no_coordinates
from supple.checks import shown
from supple.errors import ModelError, naming


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class Strain(StrainBasis):
    """A basis with its own family for each strain component; None keeps a strain at rest.

    Examples
    --------
    >>> from supple.bases import Hat, Legendre
    >>> basis = Strain(torsion=Legendre(1), bend_y=Hat(2))
    >>> basis.labels
    ['torsion_0', 'torsion_1', 'bend_y_0', 'bend_y_1', 'bend_y_2']
    """

    torsion: Family[Any] | None = None
    bend_y: Family[Any] | None = None
    bend_z: Family[Any] | None = None
    stretch: Family[Any] | None = None
    shear_y: Family[Any] | None = None
    shear_z: Family[Any] | None = None

    def __new__(cls, **families: Any) -> Self:
        """Refuse unknown names before the interpreter does, which would not say which there are."""
        check_options(cls, families)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        if not self.parts():
            raise no_coordinates("Strain")

    def parts(self) -> tuple[tuple[int, Functions], ...]:
        """Free strain components with their functions."""
        parts = []
        for index, (name, family) in enumerate(self._families()):
            if family is None:
                continue
            with naming(f"Strain: {name}"):
                if not isinstance(family, Family):
                    raise ModelError(f"{shown(family)} must be a family with one order, such as Legendre(2)")
                parts.append((index, family.scalar()))
        return tuple(parts)

    def _families(self) -> list[tuple[str, Family[Any] | None]]:
        return [(name, getattr(self, name)) for name in COMPONENTS]

    def __repr__(self) -> str:
        given = (f"{name}={family!r}" for name, family in self._families() if family is not None)
        return f"Strain({', '.join(given)})"
