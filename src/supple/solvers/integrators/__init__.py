"""Integrators: one file for each scheme, with its options, its formula and its name; the driver that they share."""

from supple.solvers.integrators.bdf2 import BDF2
from supple.solvers.integrators.dop853 import DOP853
from supple.solvers.integrators.generalized_alpha import GeneralizedAlpha
from supple.solvers.integrators.implicit_euler import ImplicitEuler
from supple.solvers.integrators.method import Method
from supple.solvers.integrators.ndf import NDF
from supple.solvers.integrators.newmark import Newmark
from supple.solvers.integrators.nystrom import Nystrom
from supple.solvers.integrators.radau import Radau
from supple.solvers.integrators.rk45 import RK45

__all__ = [
    "BDF2",
    "DOP853",
    "NDF",
    "RK45",
    "GeneralizedAlpha",
    "ImplicitEuler",
    "Method",
    "Newmark",
    "Nystrom",
    "Radau",
]
