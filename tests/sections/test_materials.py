"""Elastic constants and their validation."""

import pytest

from supple.errors import ModelError
from supple.sections import Material


def test_shear_modulus_from_poisson_and_back():
    assert Material(3.0, poisson=0.25, density=1.0).shear_modulus == pytest.approx(1.2)
    assert Material(3.0, shear=1.2, density=1.0).poisson_ratio == pytest.approx(0.25)


def test_incompressible_unless_told():
    material = Material(young=3e6, density=1000.0)
    assert material.poisson_ratio == 0.5
    assert material.shear_modulus == pytest.approx(1e6)


def test_shear_is_independent_of_young():
    assert Material(1.0, shear=7.0, density=1.0).shear_modulus == 7.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"young": 0.0}, "Material: young is 0 Pa, must be positive"),
        ({"young": float("nan")}, "Material: young is nan, must be finite"),
        ({"density": -1.0}, "Material: density is -1 kg/m\\^3, must be positive"),
        ({"viscosity": -1.0}, "Material: viscosity is -1 Pa s, must not be negative"),
        ({"damping_time": -1.0}, "Material: damping_time is -1 s, must not be negative"),
        ({"shear": 0.0}, "Material: shear is 0 Pa, must be positive"),
        ({"poisson": 0.3, "shear": 1.0}, "poisson and shear exclude each other"),
        ({"poisson": 0.51}, r"poisson is 0\.51, must lie in \(-1, 0\.5\]"),
        ({"poisson": -1.0}, r"poisson is -1, must lie in"),
        ({"poisson": "half"}, "poisson is 'half', must be a number"),
    ],
)
def test_material_refuses(change, message):
    with pytest.raises(ModelError, match=message):
        Material(**({"young": 1.0, "density": 1.0} | change))
