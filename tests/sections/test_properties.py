"""From sections and materials to matrices per unit length."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.errors import ModelError, naming
from supple.sections import Circle, Material, Rectangle, Section, section_properties

STEEL = Material(young=6.0, shear=2.0, density=7.0, viscosity=0.5, damping_time=0.1)


def test_a_rectangle_by_hand():
    # height 2 along y, width 1 along z: A = 2, Jy = 1/6, Jz = 2/3.
    shape = Rectangle(2.0, 1.0, shear_factor=(0.8, 0.9), torsion_constant=0.4)
    stiffness, damping, inertia = section_properties(shape, STEEL, 0.5)
    expected = np.array([2 * 0.4, 6 / 6, 6 * 2 / 3, 6 * 2, 0.8 * 2 * 2, 0.9 * 2 * 2])
    assert_allclose(stiffness, np.diag(expected))
    assert_allclose(damping, np.diag(0.5 * np.array([0.4, 3 / 6, 3 * 2 / 3, 6, 2, 2]) + 0.1 * expected))
    assert_allclose(inertia, np.diag(7 * np.array([5 / 6, 1 / 6, 2 / 3, 2, 2, 2])))


def test_viscosity_of_an_incompressible_material_is_a_relaxation_time():
    # With E = 3 G the viscous law eta diag(Jx, 3 Jy, ...) equals mu K for mu = eta / G.
    viscous = section_properties(Circle(0.1), Material(3.0, density=1.0, viscosity=0.2), 0.0)
    voigt = section_properties(Circle(0.1), Material(3.0, density=1.0, damping_time=0.2), 0.0)
    assert_allclose(viscous.damping, voigt.damping)


def test_a_taper_is_evaluated_at_s():
    taper, circle = Circle((0.2, 0.1)), Circle(0.125)
    assert_allclose(section_properties(taper, STEEL, 0.75).stiffness, section_properties(circle, STEEL, 0.0).stiffness)


def test_direct_sections_pass_through():
    section = Section(np.arange(1.0, 7.0), np.ones(6), 2 * np.ones(6))
    stiffness, damping, inertia = section_properties(section, None, 0.5)
    assert_array_equal(stiffness, np.diag(np.arange(1.0, 7.0)))
    assert_array_equal(damping, 2 * np.eye(6))
    assert_array_equal(inertia, np.eye(6))


@pytest.mark.parametrize(
    ("section", "material", "message"),
    [
        (Circle(1.0), None, r"a Circle needs a material: give material=Material\(\.\.\.\)"),
        (Circle(1.0), "steel", "material is 'steel', must be a Material"),
        (
            Section(np.ones(6), np.ones(6)),
            STEEL,
            "a Section holds its own stiffness and inertia: leave the material out",
        ),
        (0.01, STEEL, r"section is 0\.01, must be a shape such as Circle"),
    ],
)
def test_section_and_material_must_fit(section, material, message):
    with pytest.raises(ModelError, match=message):
        section_properties(section, material, 0.5)


def test_the_link_is_named_by_the_caller():
    expected = r"^link 'arm': radius at s = 0\.50 is -0\.003 m, must be positive \(check the taper\)$"
    with pytest.raises(ModelError, match=expected), naming("link 'arm'"):
        section_properties(Circle((0.002, -0.008)), STEEL, 0.5)
