"""What the papers print, in seconds.  Keys of sources are those of docs/references.md."""

from __future__ import annotations

from typing import NamedTuple


class Dynamics(NamedTuple):
    """Ten simulated seconds: a row of [GVS-AD] Table 3.  None where the paper gave up."""

    without: float | None  #: method 1, without analytical derivatives
    solver: str  #: which MATLAB solver that is
    stiff: float  #: method 2, ode15s with analytical derivatives
    newmark: float  #: method 3, Newmark of fixed step

    @property
    def best(self) -> float:
        """The fastest of the three."""
        return min(self.without or self.stiff, self.stiff, self.newmark)


#: [GVS-AD] Table 3: i9-13900HX, MATLAB R2024a, RelTol 1e-3, AbsTol 1e-6.
TABLE_3 = {
    "cable-manipulator": Dynamics(5.40, "ode15s", 1.25, 24.43),
    "serial-arm": Dynamics(7.08, "ode15s", 2.49, 231.0),
    "fin-ray": Dynamics(None, "stuck", 994.0, 69.0),
    "parallel-robot": Dynamics(4500.0, "ode113", 2.46, 17.62),
    "contact-cylinder": Dynamics(30.61, "ode15s", 7.80, 46.64),
    "underwater-vehicle": Dynamics(496.0, "ode113", 1.17, 60.91),
}


class Pair(NamedTuple):
    """A time without and with analytical derivatives."""

    numerical: float
    analytical: float


#: Both Jacobians of forward dynamics, by forward differences and analytically: [GVS-AD] sections 4.5 to 6.3.
JACOBIANS = {
    "cable-manipulator": Pair(10.5e-3, 1.3e-3),
    "serial-arm": Pair(32.1e-3, 2.5e-3),
    "fin-ray": Pair(498e-3, 23.74e-3),
    "parallel-robot": Pair(82.9e-3, 5.1e-3),
    "contact-cylinder": Pair(23.7e-3, 2.3e-3),
    "underwater-vehicle": Pair(216.4e-3, 11.9e-3),
}

#: One of 1000 random equilibria: [GVS-AD] sections 4.5, 5.1, 6.1.
STATICS = {
    "cable-manipulator": Pair(28.2e-3, 3.3e-3),
    "serial-arm": Pair(49.9e-3, 6.3e-3),
    "parallel-robot": Pair(166.39e-3, 8.97e-3),
}


class Rods(NamedTuple):
    """Time of a simulation over the time simulated: a row of [IDM-TIDM] Table I.  None where a method fails."""

    shooting: float | None
    pyelastica: float
    explicit: float  #: strain modes, explicit in time
    quadrature: float  #: the same with quadrature instead of finite differences in space
    article: float  #: Newmark of 10 ms

    @property
    def best(self) -> float:
        """The fastest of the five."""
        return min(value for value in self if value is not None)


#: [IDM-TIDM] Table I: i9-9880H, MATLAB but for PyElastica.
TABLE_I = {
    "cantilever-stiff": Rods(71.9, 336.0, 6173.0, 4.5, 7.1),
    "cantilever": Rods(None, 133.0, 1675.0, 1.9, 9.1),
    "flying-rod-stiff": Rods(52.2, 36.0, 2806.0, 7.2, 8.5),
    "flying-rod": Rods(None, 1.6, 609.0, 1.8, 7.9),
}
