"""Read-outs at states that know themselves: of an equilibrium, and along a motion or a path of equilibria."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import StateError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model.model import Model
    from supple.readouts.parts import State
    from supple.readouts.results import CenterOfMass, ContactForces, Power, Stress

Array = np.ndarray


def stacked(rows: list[Any]) -> Any:
    """Results at many states as one: numbers and arrays get a leading axis, names stay."""
    first = rows[0]
    if isinstance(first, dict):
        return {key: stacked([row[key] for row in rows]) for key in first}
    if hasattr(first, "_fields"):
        return type(first)(*(stacked(list(column)) for column in zip(*rows, strict=True)))
    if isinstance(first, (str, tuple)):
        return first
    return np.array(rows)


class Readings:
    """Read-outs of something with states; those of many states have a leading axis of times."""

    q: Array

    def _need_model(self) -> Model:
        raise NotImplementedError

    def _states(self) -> list[State]:
        """All states."""
        raise NotImplementedError

    #: Whether there is one state only, and results have no axis of times.
    _single = False

    def _read(self, function: Callable[..., Any], *arguments: Any) -> Any:
        model, states = self._need_model(), self._states()
        if not states:
            raise StateError("the motion is empty: there is nothing to read out")
        if self._single:
            return function(model, states[0], *arguments)
        return stacked([function(model, state, *arguments) for state in states])

    def _clock(self) -> tuple[Array, str]:
        """What its states follow (T,), and what to write on an axis of it."""
        raise NotImplementedError

    def pose(self, link: str, s: float = 1.0) -> Array:
        """World pose (..., 4, 4) of a station of a link."""
        return self._need_model().pose(self.q, link, s)

    def tip(self, link: str, s: float = 1.0) -> Array:
        """World position (..., 3) of a station of a link, its tip if not said otherwise."""
        return self._need_model().tip(self.q, link, s)

    def points(self) -> Array:
        """World poses (..., P, 4, 4) of all points, see `Model.points`."""
        return self._need_model().points(self.q)

    def contact(self, name: str, every_pair: bool = False) -> ContactForces:
        """Forces of a contact, see `Model.contact`; along a motion, of the pairs that touch at least once."""
        from supple.readouts.contact import contact, contact_along

        if self._single:
            return self._read(contact, name, every_pair)  # type: ignore[no-any-return]
        model, states = self._need_model(), self._states()
        if not states:
            raise StateError("the motion is empty: there is nothing to read out")
        return stacked(contact_along(model, states, name, every_pair))  # type: ignore[no-any-return]

    def reaction(self, link: str = "world", frame: str = "world") -> Array:
        """Wrench (..., 6) that a link receives through its joint, see `Model.reaction`; "world" is the base."""
        from supple.readouts.reaction import reaction

        return np.asarray(self._read(reaction, link, frame))

    def strain(self, link: str, s: ArrayLike) -> Array:
        """Strain (..., 6) at station s of a rod, or (..., K, 6), see `Model.strain`."""
        from supple.readouts.rods import strain

        return np.asarray(self._read(strain, link, s))

    def strain_rate(self, link: str, s: ArrayLike) -> Array:
        """Rate of the `strain`."""
        from supple.readouts.rods import strain_rate

        return np.asarray(self._read(strain_rate, link, s))

    def stress(self, link: str, s: ArrayLike) -> Stress:
        """Stress resultants by the law of the material, see `Model.stress`."""
        from supple.readouts.rods import stress

        return self._read(stress, link, s)  # type: ignore[no-any-return]

    def inner_forces(self, link: str, s: ArrayLike) -> Array:
        """Inner forces (..., 6) or (..., K, 6) from balance, see `Model.inner_forces`."""
        from supple.readouts.inner_forces import inner_forces

        return np.asarray(self._read(inner_forces, link, s))

    def center_of_mass(self) -> CenterOfMass:
        """Centre of mass, see `Model.center_of_mass`."""
        from supple.readouts.mass import center_of_mass

        return self._read(center_of_mass)  # type: ignore[no-any-return]

    def tensions(self) -> dict[str, Any]:
        """Tension of every tendon and cable by name [N]."""
        from supple.readouts.tensions import tensions

        return self._read(tensions)  # type: ignore[no-any-return]

    def line_lengths(self) -> dict[str, Any]:
        """Length of every tendon and cable by name [m]; of a chamber, its volume [m^3]."""
        return self._read(lambda model, state: model.line_lengths(state.q))  # type: ignore[no-any-return]

    def volumes(self) -> dict[str, Any]:
        """Volume of every chamber by name [m^3]."""
        from supple.readouts.tensions import volumes

        return self._read(volumes)  # type: ignore[no-any-return]

    def power(self) -> Power:
        """Power of every load, dissipation, rates of energies [W], see `Model.power`."""
        from supple.readouts.power import power

        return self._read(power)  # type: ignore[no-any-return]

    # ------------------------------------------------------------------ pictures

    def plot_strain(
        self,
        link: str,
        path: str | os.PathLike[str] | None = None,
        *,
        number: int = 6,
        over_time: bool = False,
        **options: Any,
    ) -> Figure:
        """Strain along a rod: curves along s at ``number`` times, or ``over_time`` a map over time and s.

        Parameters
        ----------
        link : str
            A rod.
        path : path, optional
            Where to save it, atomically; the ending says how (.png, .pdf, .svg, ...).
        **options
            Fields of `supple.viz.Style`, such as ``size`` in inches.
        """
        from supple.viz import along_rod

        return along_rod(self, link, "strain", number, over_time, path, **options)

    def plot_inner_forces(
        self,
        link: str,
        path: str | os.PathLike[str] | None = None,
        *,
        number: int = 6,
        over_time: bool = False,
        **options: Any,
    ) -> Figure:
        """Inner forces along a rod, see `Model.inner_forces`; arguments as for `plot_strain`."""
        from supple.viz import along_rod

        return along_rod(self, link, "inner_forces", number, over_time, path, **options)

    def plot_stress(
        self,
        link: str,
        path: str | os.PathLike[str] | None = None,
        *,
        number: int = 6,
        over_time: bool = False,
        **options: Any,
    ) -> Figure:
        """Stress resultants along a rod, see `Model.stress`; arguments as for `plot_strain`."""
        from supple.viz import along_rod

        return along_rod(self, link, "stress", number, over_time, path, **options)


def clock_of(source: Readings) -> tuple[Array, str]:
    """What its states follow (T,), and what to write on an axis of it."""
    return source._clock()


def values_along(source: Readings, what: str, link: str, s: Array, chosen: Array) -> Array:
    """Strain, (total) stress or inner forces (T, K, 6) of the chosen states."""
    from supple.readouts.inner_forces import inner_forces
    from supple.readouts.rods import strain, stress

    model, states = source._need_model(), source._states()
    read: Any = {"strain": strain, "stress": stress, "inner_forces": inner_forces}[what]
    found = [read(model, states[k], link, s) for k in chosen.tolist()]
    return np.array([row.total if what == "stress" else row for row in found])
