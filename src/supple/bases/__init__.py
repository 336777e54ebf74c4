"""Strain bases of rods."""

from supple.bases.custom import CustomBasis
from supple.bases.fourier import Fourier
from supple.bases.local import Hat, Hermite, PiecewiseConstant
from supple.bases.polynomial import Chebyshev, Legendre, Monomial
from supple.bases.protocol import COMPONENTS, Family, Functions, StrainBasis
from supple.bases.radial import Gaussian
from supple.bases.strain import Strain

__all__ = [
    "COMPONENTS",
    "Chebyshev",
    "CustomBasis",
    "Family",
    "Fourier",
    "Functions",
    "Gaussian",
    "Hat",
    "Hermite",
    "Legendre",
    "Monomial",
    "PiecewiseConstant",
    "Strain",
    "StrainBasis",
]
