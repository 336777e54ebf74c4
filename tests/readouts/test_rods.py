"""Strains, stresses and inner forces along rods: formulas of beams, balance with reactions, derivatives."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from readout_cases import everything, random_case, varied
from supple.readouts import rods as read

STATIONS = np.array([0.0, 0.13, 0.5, 0.77, 1.0])

STEEL = sp.Material(young=1e11, poisson=0.3, density=2000.0)


def cantilever(strain, section, points=6, gravity=(0, 0, -9.81)):
    robot = sp.Robot("cantilever", gravity=gravity)
    robot.add_link("arm", sp.Rod(0.8, section, STEEL, strain, points=points))
    return robot


def test_inner_forces_of_a_stiff_cantilever_are_those_of_the_books():
    """Weight q per metre, a force P at the tip, a force Q in the middle: shear, bending, normal force."""
    robot = cantilever(sp.Legendre(bend_y=4, bend_z=4), sp.Circle(0.02), points=7)  # 0.5 is a Gauss node
    robot.add(sp.PointWrench("arm", [0, 0, 0, 5.0, 3.0, -2.0]))
    robot.add(sp.PointWrench("arm", [0, 0, 0, 0, 0, 4.0], s=0.5, name="middle"))
    found = robot.compile().statics()
    s = np.array([0.0, 0.2, 0.499, 0.5, 0.501, 0.9, 1.0])
    q, L, x = 2000.0 * np.pi * 0.02**2 * 9.81, 0.8, 0.8 * s
    inside = s <= 0.5
    normal, shear_y = np.full(7, 5.0), np.full(7, 3.0)
    shear_z = -q * (L - x) - 2.0 + 4.0 * inside
    bend_y = q * (L - x) ** 2 / 2 + 2.0 * (L - x) - 4.0 * inside * (L / 2 - x)
    bend_z = 3.0 * (L - x)
    expected = np.column_stack([np.zeros(7), bend_y, bend_z, normal, shear_y, shear_z])
    assert np.abs(found.inner_forces("arm", s) - expected).max() < 3e-3  # it bends a little
    assert found.inner_forces("arm", 0.2) == pytest.approx(found.inner_forces("arm", s)[1])


def test_the_material_says_the_same_where_the_basis_can_follow():
    """A tip force bends linearly in s, a weight quadratically: order two is enough."""
    robot = cantilever(sp.Legendre(torsion=1, bend_y=2, bend_z=2, stretch=2), sp.Circle((0.03, 0.03)))
    robot.add(sp.PointWrench("arm", [0.7, 0, 0, 50.0, 3.0, -2.0]))
    found = robot.compile().statics()
    stress = found.stress("arm", STATIONS)
    inner = found.inner_forces("arm", STATIONS)
    assert relative_error(stress.total[:, :4], inner[:, :4]) < 1e-5
    assert (stress.total[:, 4:] == 0.0).all()
    assert np.abs(inner[0, 4:]).max() > 2.0
    assert (stress.viscous == 0.0).all()


def test_a_taper_is_interpolated_between_the_nodes():
    robot = cantilever(sp.Legendre(bend_y=10, bend_z=10), sp.Circle((0.03, 0.015)), points=24)
    robot.add(sp.PointWrench("arm", [0, 0, 0, 0, 3.0, -2.0]))
    found = robot.compile().statics()
    stress, inner = found.stress("arm", STATIONS).total, found.inner_forces("arm", STATIONS)
    assert relative_error(stress[:, 1:3], inner[:, 1:3]) < 2e-3


def test_a_hanging_rod_carries_what_is_below():
    robot = sp.Robot("rope")
    robot.add_link(
        "rope", sp.Rod(2.0, sp.Circle(0.01), STEEL, sp.Legendre(stretch=1)), at=sp.pose(rpy=(0, np.pi / 2, 0))
    )
    found = robot.compile().statics()
    s = np.linspace(0.0, 1.0, 5)
    weight = found.model.mass.total * 9.81
    assert found.inner_forces("rope", s)[:, 3] == pytest.approx(weight * (1.0 - s), abs=1e-8 * weight)
    assert found.stress("rope", s).elastic[:, 3] == pytest.approx(weight * (1.0 - s), rel=1e-8, abs=1e-7 * weight)
    assert found.strain("rope", 0.25)[3] == pytest.approx(1.0 + 0.75 * weight / (1e11 * np.pi * 1e-4), rel=1e-12)


def test_a_tendon_is_balanced_by_the_rod():
    """Without other loads nothing crosses a section in sum: what the tendon pulls, the rod pushes."""
    robot = sp.Robot("finger", gravity=(0, 0, 0))
    soft = sp.Material(young=1e6, poisson=0.5, density=1000.0)
    strain = sp.Legendre(bend_y=0, bend_z=0, stretch=0)
    robot.add_link("arm", sp.Rod(0.4, sp.Circle(0.02), soft, strain))
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.Chamber("c", {"arm": lambda X: (0.005, 0.0)}, area=1e-4))
    found = robot.compile().statics([3.0, 1e4])
    stress = found.stress("arm", STATIONS)
    assert np.allclose(stress.actuation[:, 3], 3.0 - 1e4 * 1e-4)
    assert np.allclose(stress.actuation[:, 1], 3.0 * 0.01)
    assert np.allclose(stress.actuation[:, 2], 1.0 * 0.005)
    assert np.abs(stress.total).max() < 1e-8
    assert np.abs(found.inner_forces("arm", STATIONS)).max() < 1e-12


def test_a_partial_tendon_ends_where_it_ends():
    robot = sp.Robot("finger", gravity=(0, 0, 0))
    strain = sp.Legendre(bend_y=2, bend_z=2)
    robot.add_link("arm", sp.Rod(0.4, sp.Circle(0.02), STEEL, strain))
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01 - 0.02 * X)}, until={"arm": 0.1}))
    model = robot.compile()
    stress = model.stress(model.rest, "arm", [0.0, 0.1, 0.24, 0.26, 1.0], u=[2.0])
    length = np.hypot(1.0, 0.02)
    assert stress.actuation[:3, 3] == pytest.approx(np.full(3, 2.0 / length))
    assert stress.actuation[:3, 1] == pytest.approx(2.0 * (0.01 - 0.02 * 0.4 * np.array([0.0, 0.1, 0.24])) / length)
    assert (stress.actuation[3:] == 0.0).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("link", ["arm", "leg"])
def test_at_the_base_of_a_rod_it_is_the_reaction(link, seed):
    """With every load at once, contacts between the points of the rod included."""
    model, state = random_case(seed)
    inner = model.inner_forces(state.q, link, 0.0, *state[1:])
    place = model.pose(state.q, link, 0.0)
    joint = model.reaction(state.q, link, *state[1:])
    expected = -np.concatenate([place[:3, :3].T @ joint[:3], place[:3, :3].T @ joint[3:]])
    # the joint's point and the base of the rod coincide
    assert relative_error(inner, expected) < 1e-10


@pytest.mark.parametrize("link", ["arm", "leg"])
def test_at_the_tip_it_is_what_hangs_there(link):
    model, state = random_case(1)
    child = {"arm": "hand", "leg": "foot"}[link]
    inner = model.inner_forces(state.q, link, 1.0, *state[1:])
    place = model.pose(state.q, link, 1.0)
    joint = model.reaction(state.q, child, *state[1:])
    tip_load = _tip_contact(model, state) if link == "arm" else np.zeros(6)
    wrench = joint - tip_load
    expected = -np.concatenate([place[:3, :3].T @ wrench[:3], place[:3, :3].T @ wrench[3:]])
    assert relative_error(inner, expected) < 1e-10


def _tip_contact(model, state):
    """Wrench of the floor on the sphere at the arm's tip, about the tip."""
    forces = model.contact(state.q, "floor", state.v, every_pair=True)
    k = [s for _, s in forces.a].index(1.0)
    arm = forces.point[k] - model.tip(state.q, "arm")
    return np.concatenate([np.cross(arm, forces.force[k]), forces.force[k]])


def test_between_two_cuts_is_what_acts_there():
    """A jump at a contact between two points of the rod, at the place of the contact and nowhere else."""
    model, state = random_case(2)
    forces = model.contact(state.q, "floor", state.v)
    s = sorted(s for _, s in forces.a)[2]
    before, after = model.inner_forces(state.q, "arm", [s - 1e-7, s + 1e-7], *state[1:])
    k = [x for _, x in forces.a].index(s)
    R = model.pose(state.q, "arm", s)[:3, :3]
    assert before[3:] - after[3:] == pytest.approx(R.T @ forces.force[k], abs=1e-3)


@pytest.mark.parametrize("link", ["arm", "leg"])
def test_derivatives_of_strain_and_stress(link):
    model, state = random_case(0)
    exact = read.stress_derivatives(model, state, link, STATIONS)
    for argument in ("q", "v"):
        reference = difference_jacobian(
            lambda x, a=argument: read.stress(model, varied(state, a, x), link, STATIONS).total,
            getattr(state, argument),
            1e-4,
        )
        assert relative_error(getattr(exact, f"d{argument}"), reference) < 1e-8
    reference = difference_jacobian(lambda x: model.strain(x, link, STATIONS), state.q, 1e-3)
    assert relative_error(model.strain_matrix(link, STATIONS), reference) < 1e-9


def test_strains_pass_through_the_rest_shape():
    bent = sp.Robot("bent")
    rod = sp.Rod(0.5, sp.Circle(0.01), STEEL, sp.Legendre(bend_y=1), rest_strain=lambda s: (0, 2.0 + s, 0, 1, 0, 0))
    bent.add_link("arm", rod)
    model = bent.compile()
    assert model.strain([0.0, 0.0], "arm", 0.5) == pytest.approx([0, 2.5, 0, 1, 0, 0])
    assert model.strain([0.1, 0.0], "arm", [0.5, 1.0])[:, 1] == pytest.approx([2.7, 3.2])
    assert model.stress([0.0, 0.0], "arm", 0.3).elastic == pytest.approx(np.zeros(6))


@pytest.mark.parametrize("s", [-0.1, 1.1, np.nan, "tip", [[0.5]], 1j, None])
def test_a_station_off_the_rod_is_refused(s):
    model = everything()
    for function in (model.strain, model.stress, model.inner_forces):
        with pytest.raises(sp.ModelError, match="link 'arm': s is"):
            function(model.rest, "arm", s)


def test_a_rigid_link_has_no_strain():
    model = everything()
    with pytest.raises(sp.ModelError, match=r"link 'hull' is rigid: .* rods are: arm, leg"):
        model.strain(model.rest, "hull", 0.5)
    with pytest.raises(sp.ModelError, match="no link 'nose'; links are: hull"):
        model.inner_forces(model.rest, "nose", 0.5)


@pytest.mark.parametrize("size", [np.nan, np.inf, 1e308])
def test_nothing_that_is_not_finite_comes_back(size):
    model = everything()
    q = np.full(model.n, size)
    for function in (model.strain, model.stress, model.inner_forces):
        with pytest.raises(sp.StateError):
            function(q, "arm", [0.0, 0.5])
