"""A new kind of body is one file: a bead on a curve, made in a package of its own, beside rods and joints."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from extension_pages import code_blocks, package
from helpers import relative_error
from supple.model.changes import changed_model

MASS, SIZES, GRAVITY = 0.7, (0.4, 0.5, 0.1), 9.81
SIDE = sp.pose((0.0, 0.1, 0.0))


@pytest.fixture(scope="module")
def bead(tmp_path_factory):
    """The body of the page on bodies, p(q) = (a sin q, 0, c q^2 / 2 - b cos q), in a package of one file."""
    with package(tmp_path_factory.mktemp("packages"), "beads", bead=code_blocks("body.md")[0]) as found:
        yield found.Bead


def derivatives(q):
    """p', p'' of the curve, (3,) each, and p."""
    a, b, c = SIZES
    p = np.array([a * np.sin(q), 0.0, 0.5 * c * q * q - b * np.cos(q)])
    first = np.array([a * np.cos(q), 0.0, c * q + b * np.sin(q)])
    second = np.array([-a * np.sin(q), 0.0, c + b * np.cos(q)])
    return p, first, second


def lone(bead, **options):
    """A bead on the world, and its model."""
    robot = sp.Robot("bead")
    robot.add_link("bead", bead(MASS, SIZES, **options))
    return robot.compile()


def crowd(bead):
    """A rod that carries a bead on a joint, which carries a rigid body; a spring holds the bead's end."""
    robot = sp.Robot("crowd", gravity=(0.3, -0.2, -GRAVITY))
    material = sp.Material(young=1e6, density=1000.0)
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.03), material, sp.Legendre(bend_y=1, bend_z=1, torsion=0), points=4))
    robot.add_link("bead", bead(MASS, SIZES, spring=0.3), sp.Revolute("y"), parent=("rod", 0.6), at=SIDE)
    robot.add_link("box", sp.Rigid.box((0.1, 0.2, 0.05), density=400.0), sp.Spherical(), parent="bead")
    robot.add_link("twig", sp.Rod(0.2, sp.Circle(0.01), material, sp.Legendre(bend_y=0), points=3), parent="box")
    hook = "world", 0.0, sp.pose((0.3, 0.2, -0.4))
    robot.add(sp.Spring("spring", ("bead", 1.0), hook, stiffness=20.0, rest_length=0.1))
    robot.add(sp.Tendon("tendon", {"rod": (0.0, 0.01)}))
    return robot


def test_it_obeys_the_equation_of_lagrange(bead):
    """m |p'|^2 q'' + m (p' . p'') q'^2 + m g p_z' + k q = 0."""
    model = lone(bead, spring=0.3)
    for q, v in np.random.default_rng(1).standard_normal((5, 2)):
        _, first, second = derivatives(q)
        inertia = MASS * first @ first
        forces = MASS * (first @ second) * v * v + MASS * GRAVITY * first[2] + 0.3 * q
        found = model.forward_dynamics([q], [v])
        assert_allclose(found.a, -forces / inertia, rtol=1e-12)
        assert_allclose(model.mass_matrix([q]), inertia, rtol=1e-13)


def test_it_is_where_the_curve_is(bead):
    model = lone(bead)
    p, first, second = derivatives(0.8)
    assert model.point_table == (("bead", 0.0), ("bead", 1.0))
    assert_allclose(model.points([0.8])[:, :3, 3], [np.zeros(3), p], atol=1e-15)
    assert_allclose(model.poses([0.8], [("bead", 1.0), ("bead", 0.0)])[:, :3, 3], [p, np.zeros(3)], atol=1e-15)
    assert_allclose(model.tip([0.8], "bead"), p, atol=1e-15)
    assert_allclose(model.jacobian([0.8], "bead")[3:, 0], first, atol=1e-15)
    assert_allclose(model.jacobian_rate([0.8], [0.5], "bead")[3:, 0], 0.5 * second, atol=1e-15)
    with pytest.raises(sp.ModelError, match=r"'bead'.*is a bead: 0 is the curve's frame, 1 the bead"):
        model.pose([0.8], "bead", 0.5)


def test_derivatives_beside_rods_and_joints(bead):
    model = crowd(bead).compile()
    assert "bead.angle" in model.coordinate_names
    for q, v, a in 0.4 * np.random.default_rng(2).standard_normal((4, 3, model.n)):
        report = model.check_derivatives(q, v, a, [2.0], 0.3)
        assert report.ok(1e-8), str(report)


def test_products_and_accelerations_agree_with_the_tangent(bead):
    model = crowd(bead).compile()
    q, v, a, x = 0.4 * np.random.default_rng(3).standard_normal((4, model.n))
    _, tangent = model.residual_tangent(q, v, a, [1.0], cv=2.0, ca=30.0)
    assert relative_error(model.tangent_product(q, v, a, x, 2.0, 30.0, u=[1.0]), tangent @ x) < 1e-12
    transposed = model.tangent_product(q, v, a, x, 2.0, 30.0, transposed=True, u=[1.0])
    assert relative_error(transposed, tangent.T @ x) < 1e-12
    found = model.forward_dynamics(q, v, [1.0])
    assert np.abs(model.residual(q, v, found.a, [1.0])).max() < 1e-10


def test_a_loop_may_hold_its_end(bead):
    """The bead hung on a bar of which the other end is fixed: it stays on the circle of the bar."""
    robot = sp.Robot("held")
    robot.add_link("bead", bead(MASS, SIZES), sp.Prismatic("z"))
    robot.add_link("bar", sp.Rigid.cylinder(0.5, 0.01, density=2000.0), sp.Revolute("y"), at=sp.pose((0.0, 0.0, 0.1)))
    robot.add(sp.Loop("pin", ("bead", sp.pose()), ("bar", sp.pose()), sp.Revolute("y")))
    model = robot.compile()
    q = model.assemble([0.0, 0.6, 0.3])
    assert np.abs(model.loop_error(q)).max() < 1e-9
    lam = np.linspace(0.1, 0.3, model.nc)
    assert model.check_derivatives(q, q, q, lam=lam).ok(1e-8)
    motion = model.simulate(np.linspace(0.0, 0.5, 6), q, method=sp.GeneralizedAlpha(dt=1e-3))
    for state in motion.q:
        assert np.linalg.norm(model.tip(state, "bead") - [0.0, 0.0, 0.1]) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("method", [sp.NDF(rtol=1e-9, atol=1e-11), sp.DOP853(rtol=1e-10, atol=1e-12)])
def test_energy_is_conserved(bead, method):
    model = lone(bead, spring=0.3)
    motion = model.simulate(np.linspace(0.0, 3.0, 31), [1.2], [0.4], method=method)
    energy = [sum(model.energy(q, v)) for q, v in zip(motion.q, motion.v, strict=True)]
    assert np.ptp(motion.q) > 0.5
    assert_allclose(energy, energy[0], rtol=1e-6)


def test_it_swings_as_fast_as_its_stiffness_says(bead):
    """Small motions about q = 0: w^2 = (k + m g (b + c)) / (m a^2)."""
    model = lone(bead, spring=0.3)
    a, b, c = SIZES
    expected = np.sqrt((0.3 + MASS * GRAVITY * (b + c)) / (MASS * a * a))
    assert model.modes([0.0]).frequencies[0] == pytest.approx(expected / (2.0 * np.pi), rel=1e-9)


def test_it_is_told_drawn_pickled_and_fingerprinted(bead):
    model = crowd(bead).compile()
    q = 0.3 * np.ones(model.n)
    assert "bead 0.7 kg" in str(model)
    assert model.mass.links["bead"] == pytest.approx(MASS)
    assert np.linalg.norm(model.reaction(q, "bead")) > 0.0
    places = dict(zip([look.link for look in model.scene.bodies], model.scene.bodies, strict=True))
    assert places["bead"].places[0].s == 1.0
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.residual(q, q, q), model.residual(q, q, q))
    assert copy.digest.parts == model.digest.parts
    other = lone(bead).digest.parts, changed_model(lone(bead)).digest.parts
    assert other[0] == other[1]


def test_loads_that_need_a_centreline_name_the_link(bead):
    robot = sp.Robot("bead")
    robot.add_link("bead", bead(MASS, SIZES))
    for load in (sp.Tendon("t", {"bead": lambda x: (0.0, 0.01)}), sp.Distributed("bead", np.ones(6))):
        one = robot.copy()
        one.add(load)
        with pytest.raises(sp.ModelError, match="'bead' is a bead, but"):
            one.compile()
    robot.add(sp.Fluid(1000.0))
    with pytest.raises(sp.ModelError, match="link 'bead': it is a bead, and fluids push on rods and solids"):
        robot.compile()


def test_children_hang_at_its_two_stations(bead):
    robot = sp.Robot("bead")
    robot.add_link("bead", bead(MASS, SIZES))
    robot.add_link("child", sp.Rigid.sphere(0.1, density=100.0), sp.Revolute("y"), parent=("bead", 0.3))
    with pytest.raises(sp.ModelError, match="its parent 'bead' is a bead: 0 is the curve's frame, 1 the bead"):
        robot.compile()
