"""Materials by name, with where their numbers are from: ``sp.materials.ecoflex_0030``, ``sp.materials.nitinol``, ...

Every value is **typical**. Elastomers vary with cure, age, strain and rate by tens of percent and more, printed parts
with direction and infill, superelastic wire with heat treatment: measure yours where it matters, and change what you
know with ``dataclasses.replace(sp.materials.pla, young=2.6e9)``, or ``sp.materials.get("pla", young=2.6e9)``.

Damping is a Kelvin-Voigt time mu = eta / (2 pi f), which gives the loss factor eta at the frequency f named with the
material; above it such a model damps more than most materials do, below it less.

Examples
--------
>>> from supple import materials
>>> materials.ecoflex_0030.young
69000.0
>>> print(materials.source("spring_steel"))
engineering handbooks: carbon spring steel, E 200 to 210 GPa
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from supple.errors import ModelError
from supple.sections.materials import Material


@dataclass(frozen=True)
class Preset:
    """A material and its source."""

    material: Material
    source: str  #: where the numbers are from, in words
    loss: float  #: loss factor, the part of the elastic stress that is viscous
    frequency: float  #: at which it is so, Hz


def _preset(
    young: float,
    density: float,
    source: str,
    *,
    poisson: float | None = None,
    shear: float | None = None,
    loss: float,
    frequency: float = 1.0,
) -> Preset:
    """A preset from young [Pa], density [kg/m^3] and the loss factor at a frequency [Hz]."""
    time = loss / (2.0 * math.pi * frequency)
    return Preset(Material(young, poisson, shear, density=density, damping_time=time), source, loss, frequency)


_SMOOTH_ON = "Smooth-On technical bulletin: specific gravity, and the stress at 100 % strain as a secant modulus"
_HANDBOOK = "engineering handbooks"

#: All presets by name. Silicones without a Poisson's ratio are incompressible.
PRESETS: dict[str, Preset] = {
    "ecoflex_0010": _preset(55e3, 1040.0, f"{_SMOOTH_ON} (8 psi)", loss=0.15),
    "ecoflex_0030": _preset(69e3, 1070.0, f"{_SMOOTH_ON} (10 psi); small strains 50 to 125 kPa in papers", loss=0.1),
    "ecoflex_0050": _preset(83e3, 1070.0, f"{_SMOOTH_ON} (12 psi)", loss=0.1),
    "dragon_skin_10": _preset(151e3, 1070.0, f"{_SMOOTH_ON} (22 psi)", loss=0.1),
    "dragon_skin_20": _preset(338e3, 1080.0, f"{_SMOOTH_ON} (49 psi)", loss=0.1),
    "dragon_skin_30": _preset(593e3, 1080.0, f"{_SMOOTH_ON} (86 psi)", loss=0.1),
    "smooth_sil_950": _preset(1.88e6, 1240.0, f"{_SMOOTH_ON} (272 psi)", loss=0.1),
    "elastosil_m4601": _preset(
        0.66e6,
        1130.0,
        "Wacker data sheet: density, 28 Shore A (no modulus is given); E = 6 C1 of a Yeoh fit with C1 = 0.11 MPa, as "
        "papers on pneumatic actuators use it",
        loss=0.08,
    ),
    "sylgard_184": _preset(
        2.0e6,
        1030.0,
        "Dow data sheet: density; E = 20 MPa / mixing ratio, 10:1 (J. Appl. Polym. Sci. 2014, 131, 41050); published "
        "values span two orders of magnitude with cure and test (Varner and Cohen, arXiv 2404.16960)",
        loss=0.05,
    ),
    "natural_rubber": _preset(1.5e6, 930.0, f"{_HANDBOOK}: unfilled vulcanised rubber, E 1 to 2 MPa", loss=0.05),
    "ninjaflex": _preset(12e6, 1190.0, "NinjaTek data sheet: TPU of 85 Shore A, printed", poisson=0.48, loss=0.12),
    "tpu_95a": _preset(
        26e6, 1220.0, "NinjaTek data sheet: Cheetah, TPU of 95 Shore A, printed", poisson=0.48, loss=0.12
    ),
    "ptfe": _preset(0.5e9, 2170.0, f"{_HANDBOOK}: E 0.4 to 0.6 GPa", poisson=0.46, loss=0.08, frequency=10.0),
    "polypropylene": _preset(1.4e9, 905.0, f"{_HANDBOOK}: E 1.1 to 1.6 GPa", poisson=0.42, loss=0.05, frequency=10.0),
    "nylon": _preset(
        2.7e9,
        1140.0,
        f"{_HANDBOOK}: PA6 and PA66, dry, E 2.5 to 3.2 GPa; moist air halves it",
        poisson=0.39,
        loss=0.03,
        frequency=10.0,
    ),
    "nylon_12": _preset(
        1.65e9, 930.0, "EOS data sheet: PA 2200, laser-sintered PA12", poisson=0.4, loss=0.03, frequency=10.0
    ),
    "abs": _preset(2.2e9, 1040.0, f"{_HANDBOOK}: E 1.8 to 2.5 GPa", poisson=0.37, loss=0.02, frequency=10.0),
    "petg": _preset(2.0e9, 1270.0, f"{_HANDBOOK}: E 1.9 to 2.2 GPa", poisson=0.38, loss=0.02, frequency=10.0),
    "pla": _preset(
        3.3e9,
        1240.0,
        f"{_HANDBOOK}: E 2.7 to 3.6 GPa; across printed layers less",
        poisson=0.36,
        loss=0.02,
        frequency=10.0,
    ),
    "polycarbonate": _preset(2.35e9, 1200.0, f"{_HANDBOOK}: E 2.3 to 2.4 GPa", poisson=0.37, loss=0.01, frequency=10.0),
    "acrylic": _preset(3.0e9, 1190.0, f"{_HANDBOOK}: E 2.7 to 3.3 GPa", poisson=0.37, loss=0.04, frequency=10.0),
    "peek": _preset(3.7e9, 1310.0, f"{_HANDBOOK}: E 3.6 to 4 GPa", poisson=0.38, loss=0.01, frequency=10.0),
    "fibreglass": _preset(
        40e9,
        1950.0,
        f"{_HANDBOOK}: pultruded rod along its fibres, 35 to 45 GPa; shear between them 3 to 5 GPa",
        shear=4.0e9,
        loss=5e-3,
        frequency=10.0,
    ),
    "carbon_fibre": _preset(
        130e9,
        1550.0,
        f"{_HANDBOOK}: pultruded rod along its fibres, 120 to 140 GPa; shear between them 4 to 6 GPa",
        shear=4.5e9,
        loss=2e-3,
        frequency=10.0,
    ),
    "nitinol": _preset(
        60e9,
        6450.0,
        "makers' data sheets: austenite 40 to 83 GPa; superelastic backbones are modelled with 50 to 75 GPa. Linear up "
        "to some 1 % strain only: beyond it stress follows a plateau",
        poisson=0.33,
        loss=0.01,
        frequency=10.0,
    ),
    "spring_steel": _preset(
        206e9,
        7850.0,
        f"{_HANDBOOK}: carbon spring steel, E 200 to 210 GPa",
        poisson=0.29,
        loss=1e-3,
        frequency=10.0,
    ),
    "stainless_steel": _preset(
        193e9, 8000.0, f"{_HANDBOOK}: AISI 304, E 190 to 200 GPa", poisson=0.29, loss=1e-3, frequency=10.0
    ),
    "aluminium": _preset(68.9e9, 2700.0, f"{_HANDBOOK}: 6061", poisson=0.33, loss=1e-3, frequency=10.0),
}


def get(name: str, **changes: Any) -> Material:
    """The material of that name, with what you know better: ``get("pla", young=2.6e9)``.

    Parameters
    ----------
    name : str
        One of `names`; capitals, spaces and hyphens do not matter.
    **changes
        Fields of `Material` to replace. ``shear`` takes the place of a ``poisson`` and the other way round.

    Raises
    ------
    ModelError
        For a name that is not known: it tells the nearest.
    """
    material = _known(name).material
    for given, other in (("shear", "poisson"), ("poisson", "shear")):
        if given in changes and other not in changes:
            changes[other] = None
    try:
        return replace(material, **changes)
    except TypeError:
        fields = ", ".join(Material.__dataclass_fields__)
        raise ModelError(f"materials.get: a Material has no {sorted(changes)}, it has {fields}") from None


def source(name: str) -> str:
    """Where the numbers of a material are from."""
    return _known(name).source


def names() -> tuple[str, ...]:
    """All names."""
    return tuple(PRESETS)


def _known(name: Any) -> Preset:
    if not isinstance(name, str):
        raise ModelError(f"material is {name!r}, must be a name such as 'nitinol'")
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = {known.replace("_", ""): known for known in PRESETS}
    found = plain.get(key.replace("_", ""))
    if found is None:
        close = get_close_matches(key, PRESETS, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(close)}? " if close else ""
        raise ModelError(f"there is no material {name!r}; {hint}known: {', '.join(PRESETS)}")
    return PRESETS[found]


def __getattr__(name: str) -> Material:
    """``materials.nitinol`` and so on."""
    if name in PRESETS:
        return PRESETS[name].material
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        _known(name)
    except ModelError as error:
        raise AttributeError(str(error)) from None
    raise AttributeError(f"there is no material {name!r}, write it as in materials.names()")


def __dir__() -> list[str]:
    return sorted([*globals(), *PRESETS])
