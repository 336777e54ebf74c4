"""Materials by name: numbers, sources, names that are nearly right."""

import math
import pickle

import pytest

import supple as sp
from supple import materials


@pytest.mark.parametrize("name", materials.names())
def test_every_material_is_whole_and_has_a_source(name):
    material, preset = getattr(materials, name), materials.PRESETS[name]
    assert material is preset.material
    assert isinstance(material, sp.Material)
    assert 1e4 < material.young < 1e12
    assert 500.0 < material.density < 1e4
    assert 0.0 < material.poisson_ratio <= 0.5 or material.shear is not None
    assert len(materials.source(name)) > 10
    # the Kelvin-Voigt time gives the loss factor at its frequency: E'' / E' = 2 pi f mu
    assert 2.0 * math.pi * preset.frequency * material.damping_time == pytest.approx(preset.loss)
    assert pickle.loads(pickle.dumps(material)) == material


def test_softer_names_are_softer():
    order = ("ecoflex_0030", "ecoflex_0050", "dragon_skin_10", "dragon_skin_20", "dragon_skin_30", "sylgard_184")
    stiff = ("ninjaflex", "nylon", "pla", "fibreglass", "nitinol", "stainless_steel", "spring_steel")
    young = [getattr(materials, name).young for name in order + stiff]
    assert young == sorted(young)


@pytest.mark.parametrize("name", ["Ecoflex 00-30", "ecoflex_00_30", "ECOFLEX_0030", "ecoflex0030"])
def test_spelling_does_not_matter(name):
    assert materials.get(name) is not None
    assert materials.get(name) == materials.ecoflex_0030


def test_what_is_known_better_is_changed():
    mine = materials.get("pla", young=2.6e9, damping_time=0.0)
    assert (mine.young, mine.density, mine.damping_time) == (2.6e9, 1240.0, 0.0)
    assert materials.get("fibreglass", poisson=0.3).shear is None
    assert materials.get("pla", shear=1e9).shear_modulus == 1e9
    with pytest.raises(sp.ModelError, match=r"a Material has no \['stiffness'\], it has young"):
        materials.get("pla", stiffness=1.0)
    with pytest.raises(sp.ModelError, match="young is -1 Pa, must be positive"):
        materials.get("pla", young=-1.0)


def test_unknown_names_tell_the_nearest():
    with pytest.raises(sp.ModelError, match=r"no material 'ecoflex 00-35'; did you mean .*ecoflex_0030"):
        materials.get("ecoflex 00-35")
    with pytest.raises(sp.ModelError, match=r"must be a name"):
        materials.get(3)
    with pytest.raises(AttributeError, match=r"did you mean nitinol"):
        materials.nitinoll  # noqa: B018
    assert "nitinol" in dir(materials)


def test_a_rod_takes_one():
    rod = sp.Rod(0.3, sp.Circle(0.01), sp.materials.dragon_skin_30, sp.Legendre(bend_y=2))
    assert rod.properties_at(0.5).stiffness[3, 3] == pytest.approx(593e3 * math.pi * 1e-4)
