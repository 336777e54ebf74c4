"""Links that hang on a rod before its tip: as on a rod that is cut there, and without any effect on where it runs."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, difference_jacobian, relative_error

MATERIAL = sp.Material(young=1e5, poisson=0.4, density=1000.0, viscosity=50.0)
AT = sp.pose((0.01, 0.02, -0.01), rpy=(0.3, -0.2, 0.5))
LENGTH = 0.6


def tool(size=0.05):
    return sp.Rigid.box((size, 0.7 * size, 1.3 * size), density=800.0, tip=sp.pose((size, 0.0, 0.01)))


def rod(length=LENGTH, strain=None, **options):
    strain = sp.Legendre(torsion=1, bend_y=2, bend_z=1, stretch=0) if strain is None else strain
    return sp.Rod(length, sp.Circle(0.02), MATERIAL, strain, points=5, **options)


def tree(s=0.37, tip=True, loads=(), **options):
    """A rod on a joint, a branch of three links at s, one at the tip, and one at the base."""
    robot = sp.Robot("tree")
    robot.add_link("base", tool(), joint=sp.Universal("x", "y"))
    robot.add_link("arm", rod(**options), joint=sp.Revolute("z"), parent="base")
    robot.add_link("branch", tool(), joint=sp.Spherical(), parent=("arm", s), at=AT)
    robot.add_link("twig", rod(0.3, sp.Legendre(bend_y=1, torsion=0)), parent="branch")
    robot.add_link("bud", tool(0.03), joint=sp.Revolute("x"), parent=("twig", 0.8))
    robot.add_link("root", tool(0.04), joint=sp.Revolute("y"), parent=("arm", 0.0), at=AT)
    if tip:
        robot.add_link("hand", tool(), joint=sp.Prismatic("x"), parent="arm")
    for load in loads:
        robot.add(load)
    return robot


def state(model, seed=0, spread=0.4):
    return spread * np.random.default_rng(seed).standard_normal((4, model.n))


STATIONS = [0.0, 0.37, 0.5, 0.93, 1.0]


@pytest.mark.parametrize("s", STATIONS)
def test_a_link_hangs_where_it_was_told(s):
    model = tree(s).compile()
    q = state(model)[0]
    assert relative_error(model.pose(q, "branch", 0.0)[:3, 3], (model.pose(q, "arm", s) @ AT)[:3, 3]) < 1e-13
    places = [("branch", 0.0), ("bud", 1.0), ("arm", 0.2), ("twig", 0.5), ("root", 0.0), ("arm", s)]
    for (link, x), pose in zip(places, model.poses(q, places), strict=True):
        assert relative_error(pose, model.pose(q, link, x)) < 1e-13
    J = difference_jacobian(lambda x: model.pose(x, "bud", 1.0)[:3, 3], q)
    world = model.pose(q, "bud", 1.0)[:3, :3] @ model.jacobian(q, "bud", 1.0)[3:]
    assert relative_error(world, J) < 1e-8


@pytest.mark.parametrize("s", STATIONS)
def test_the_rod_does_not_notice_where_its_points_are_concerned(s):
    bare = sp.Robot("bare")
    for link in tree(s).links[:2]:
        bare.add_link(link.name, link.body, link.joint, link.parent, link.at)
    alone, model = bare.compile(), tree(s).compile()
    q = state(model)[0]
    for x in (0.0, 0.2, 0.5, 0.77, 1.0):
        assert np.array_equal(model.pose(q, "arm", x), alone.pose(q[: alone.n], "arm", x))


@pytest.mark.parametrize("tip", [True, False])
@pytest.mark.parametrize("s", STATIONS)
def test_derivatives_are_those_of_finite_differences(s, tip):
    loads = [
        sp.PointWrench("bud", (0.1, -0.2, 0.3, 1.0, 2.0, -1.0), s=1.0, name="w"),
        sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}),
        sp.Fluid(density=500.0, drag=sp.Drag()),
    ]
    model = tree(s, tip, loads).compile()
    q, v, a, x = state(model)
    report = model.check_derivatives(q, v, a, np.full(model.nu, 3.0))
    assert report.ok(1e-6), str(report)
    M = model.mass_matrix(q)
    assert relative_error(model.residual_derivatives(q, v, a).da, M) < 1e-12
    assert relative_error(M, M.T) < 1e-13
    bias = model.inverse_dynamics(q, v, np.zeros(model.n))
    assert relative_error(model.inverse_dynamics(q, v, a) - bias, M @ a) < 1e-11
    _, T = model.residual_tangent(q, v, a, cv=1.3, ca=0.7)
    assert relative_error(model.tangent_product(q, v, a, x, cv=1.3, ca=0.7), T @ x) < 1e-11
    assert relative_error(model.tangent_product(q, v, a, x, cv=1.3, ca=0.7, transposed=True), T.T @ x) < 1e-11


def test_a_branch_does_not_feel_the_strain_beyond_it():
    """Strains of elements after s move neither the branch nor its inertia's reaction."""
    robot = sp.Robot("elements")
    robot.add_link("arm", rod(strain=sp.PiecewiseConstant(torsion=4, bend_y=4)))
    robot.add_link("branch", tool(), joint=sp.Revolute("y"), parent=("arm", 0.6), at=AT)
    model = robot.compile()
    q = state(model)[0]
    beyond = [i for i, name in enumerate(model.coordinate_names) if name.endswith("_3")]
    assert len(beyond) == 2
    own = model.n - 1
    assert not model.jacobian(q, "branch", 0.0)[:, beyond].any()
    assert not model.mass_matrix(q)[own, beyond].any()
    assert not model.mass_matrix(q)[beyond, own].any()


def cut_pair(loads=()):
    """One rod of two elements with a branch between them, and two rods of one element each; the map between them.

    The second half hangs on the first at its tip, as the branch does.  A rod's angular coordinates are per length:
    those of a half are half those of the whole.
    """
    names = ("torsion", "bend_y", "bend_z", "stretch")
    whole, cut = sp.Robot("whole"), sp.Robot("cut")
    whole.add_link("arm", rod(strain=sp.PiecewiseConstant(**dict.fromkeys(names, 2))), joint=sp.Revolute("z"))
    halves = [rod(0.5 * LENGTH, sp.PiecewiseConstant(**dict.fromkeys(names, 1))) for _ in range(2)]
    cut.add_link("arm", halves[0], joint=sp.Revolute("z"))
    cut.add_link("rest", halves[1], parent="arm")
    for robot, last, place in ((whole, "arm", ("arm", 0.5)), (cut, "rest", "arm")):
        robot.add_link("branch", tool(), joint=sp.Spherical(), parent=place, at=AT)
        robot.add_link("twig", rod(0.3, sp.Legendre(bend_y=1)), parent="branch")
        robot.add_link("hand", tool(), joint=sp.Revolute("y"), parent=last)
        for load in loads:
            robot.add(load)
    models = whole.compile(), cut.compile()
    index = {name: i for i, name in enumerate(models[0].coordinate_names)}
    P = np.zeros((models[1].n, models[0].n))
    for i, name in enumerate(models[1].coordinate_names):
        link, label = name.split(".")
        element = {"arm": "0", "rest": "1"}.get(link)
        if element is None or label == "rotation":
            P[i, index[name]] = 1.0
        else:
            strain = label.rsplit("_", 1)[0]
            P[i, index[f"arm.{strain}_{element}"]] = 1.0 if strain == "stretch" else 0.5
    return *models, P


def loads_on_branches():
    return [
        sp.PointWrench("twig", (0.1, -0.2, 0.3, 1.0, 2.0, -1.0), s=0.4, name="w"),
        sp.Contact("touch", sp.Spheres("twig", 9), sp.Ball(0.3, (0.3, 0.0, 0.1), "hand"), 200.0, damping=0.2),
    ]


@pytest.mark.parametrize("loaded", [False, True])
def test_a_branch_on_a_rod_is_one_between_two_rods(loaded):
    whole, cut, P = cut_pair(loads_on_branches() if loaded else ())
    q, v, a, x = state(whole)
    Q, V, A, _ = (P @ y for y in (q, v, a, x))
    for link in ("branch", "twig", "hand"):
        assert relative_error(whole.pose(q, link, 1.0), cut.pose(Q, link, 1.0)) < 1e-13
        assert relative_error(whole.jacobian(q, link, 1.0), cut.jacobian(Q, link, 1.0) @ P) < 1e-12
    assert relative_error(whole.mass_matrix(q), P.T @ cut.mass_matrix(Q) @ P) < 1e-12
    assert relative_error(whole.residual(q, v, a), P.T @ cut.residual(Q, V, A)) < 1e-11
    one, two = whole.residual_derivatives(q, v, a), cut.residual_derivatives(Q, V, A)
    for name in ("dq", "dv", "da"):
        assert relative_error(getattr(one, name), P.T @ getattr(two, name) @ P) < 1e-11, name
    tangents = whole.residual_tangent(q, v, a, cv=1.3, ca=0.7)[1], cut.residual_tangent(Q, V, A, cv=1.3, ca=0.7)[1]
    assert relative_error(tangents[0], P.T @ tangents[1] @ P) < 1e-11
    for transposed in (False, True):
        product = whole.tangent_product(q, v, a, x, cv=1.3, ca=0.7, transposed=transposed)
        matrix = tangents[0].T if transposed else tangents[0]
        assert relative_error(product, matrix @ x) < 1e-11
    assert whole.energy(q, v).total == pytest.approx(cut.energy(Q, V).total, rel=1e-12)
    assert relative_error(whole.momentum(q, v), cut.momentum(Q, V)) < 1e-12


@pytest.mark.parametrize("s", [0.37, 0.5])
def test_contacts_and_cables_reach_branches(s):
    """A cable across branches of one rod, and a branch that rubs against the rod it hangs on."""
    robot = tree(s)
    robot.add(sp.Cable("cable", [("bud", 0.0), ("arm", 0.8), ("hand", 0.0)], 200.0, rest_length=0.05, damping=1.0))
    robot.add(sp.Contact("rub", sp.Spheres("twig", 12), sp.Spheres("arm", 15), 300.0, damping=0.3, friction=0.2))
    model = robot.compile()
    rng = np.random.default_rng(3)
    for _ in range(4):
        q, v, a = 0.5 * rng.standard_normal((3, model.n))
        report = model.check_derivatives(q, v, a, np.full(model.nu, 2.0))
        assert report.ok(2e-5), str(report)


def test_loops_close_on_inner_stations():
    robot = sp.Robot("loop")
    robot.add_link("arm", rod(strain=sp.Legendre(bend_y=2)))
    robot.add_link("strut", sp.Rigid.cylinder(0.2, 0.005, density=1000.0), joint=sp.Revolute("y"), parent=("arm", 0.3))
    robot.add_link("brace", sp.Rigid.cylinder(0.2, 0.005, density=1000.0), joint=sp.Revolute("y"), parent=("arm", 0.85))
    robot.add(sp.Loop("pin", a=("strut", sp.pose()), b=("brace", sp.pose()), joint=sp.Revolute("y")))
    model = robot.compile()
    start = np.array([0.0, 0.0, 0.0, -0.8, -2.3])
    q = model.assemble(start)
    assert np.abs(model.loop_error(q)).max() < 1e-10
    v, a = 0.3 * np.random.default_rng(0).standard_normal((2, model.n))
    lam = np.array([0.7, -0.4])[: model.nc]
    report = model.check_derivatives(q, v, a, lam=lam)
    assert report.ok(1e-6), str(report)
    near = q + 0.1
    assert relative_error(model.loop_error_derivative(near), difference_jacobian(model.loop_error, near)) < 1e-7
    found = model.statics(q0=q)
    assert found.converged


def test_a_massless_link_changes_nothing_and_a_mass_adds_its_own():
    """m = J^T M J of the body, seen from the rod's own coordinates."""
    alone = sp.Robot("alone")
    alone.add_link("arm", rod())
    bare = alone.compile()
    q, v, a, _ = state(bare)
    for body in (sp.Rigid(0.0, np.zeros(3)), tool()):
        robot = sp.Robot("with")
        robot.add_link("arm", rod())
        robot.add_link("disc", body, parent=("arm", 0.41), at=AT)
        model = robot.compile()
        J = model.jacobian(q, "disc", 0.0)
        added = J.T @ body.spatial_inertia() @ J
        assert relative_error(model.mass_matrix(q), bare.mass_matrix(q) + added) < 1e-12
        kinetic = 0.5 * v @ added @ v
        assert model.energy(q, v).kinetic == pytest.approx(bare.energy(q, v).kinetic + kinetic, rel=1e-12)
        if body.mass == 0.0:
            assert relative_error(model.residual(q, v, a), bare.residual(q, v, a)) < 1e-13


def test_a_flying_tree_keeps_energy_and_momentum():
    robot = sp.Robot("flying", gravity=(0.0, 0.0, 0.0))
    material = sp.Material(young=1e5, poisson=0.4, density=1000.0)
    body = sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(bend_y=1, bend_z=1, torsion=0), points=4)
    robot.add_link("arm", body, joint=sp.Free())
    robot.add_link("branch", tool(), joint=sp.Revolute("y"), parent=("arm", 0.37), at=AT)
    model = robot.compile()
    v = np.concatenate([[0.5, 0.8, -0.3, 0.1, 0.0, 0.2], np.zeros(model.n - 7), [2.0]])
    motion = model.simulate(0.3, v0=v, method=sp.NDF(rtol=1e-9, atol=1e-10))
    before, after = (model.energy(motion.q[k], motion.v[k]).total for k in (0, -1))
    assert after == pytest.approx(before, rel=1e-6)
    momenta = [model.momentum(motion.q[k], motion.v[k]) for k in (0, -1)]
    assert relative_error(momenta[1], momenta[0]) < 1e-6


def test_models_with_branches_are_picklable_and_drawn():
    model = tree().compile()
    again = pickle.loads(pickle.dumps(model))
    q, v, a, _ = state(model)
    assert np.array_equal(again.residual(q, v, a), model.residual(q, v, a))
    assert ("arm", 0.37) in model.scene.stations
    assert "arm at 0.37" in str(model)
    assert set(model.scene.leaves) == {"twig", "bud", "root", "hand"}


def test_stations_are_checked():
    robot = sp.Robot("bad")
    robot.add_link("arm", rod())
    robot.add_link("box", tool(), parent="arm")
    for parent, words in (
        (("arm", 1.5), r"link 'x': station s on the parent is 1.5, must lie between 0"),
        (("arm", "tip"), r"link 'x': station s on the parent is 'tip', must be a number"),
        (("arm", np.nan), r"link 'x': station s on the parent is nan, must be finite"),
        (("arm", 0.5, 0.1), r"parent is \('arm', 0.5, 0.1\), must be a name, or a name and a station"),
        ((0.5, "arm"), r"link 'x': parent is 0.5"),
        (("world", 0.5), r"'world' has no stations"),
    ):
        with pytest.raises(sp.ModelError, match=words):
            robot.add_link("x", tool(), parent=parent)
    robot.add_link("late", tool(), parent=("box", 0.5))
    with pytest.raises(sp.ModelError, match=r"link 'late': s is 0.5, but its parent 'box' is rigid"):
        robot.compile()


def test_a_rigid_link_holds_others_at_both_ends():
    robot = sp.Robot("rigid")
    robot.add_link("body", tool(), joint=sp.Free())
    robot.add_link("tail", tool(), joint=sp.Revolute("y"), parent=("body", 0))
    robot.add_link("head", tool(), joint=sp.Revolute("y"), parent=("body", 1.0))
    model = robot.compile()
    q = state(model)[0]
    assert relative_error(model.pose(q, "tail", 0.0)[:3, 3], model.pose(q, "body", 0.0)[:3, 3]) < 1e-14
    assert relative_error(model.pose(q, "head", 0.0)[:3, 3], model.pose(q, "body", 1.0)[:3, 3]) < 1e-14


def backbone(**options):
    robot = sp.Robot("backbone")
    strain = sp.Legendre(bend_y=2, bend_z=2)
    robot.add_link("wire", sp.Rod(0.4, sp.Circle(0.001), sp.materials.nitinol, strain, points=6))
    return robot, robot.add_discs("wire", **options)


def test_discs_along_a_rod():
    robot, names = backbone(n=8, radius=0.01, thickness=0.002, density=1200.0)
    assert names == tuple(f"wire disc {k}" for k in range(1, 9))
    assert [link.station for link in robot.links[1:]] == [k / 8 for k in range(1, 9)]
    model = robot.compile()
    q = 0.3 * np.random.default_rng(0).standard_normal(model.n)
    bare = sp.Robot("bare")
    bare.add_link("wire", robot.links[0].body)
    alone = bare.compile()
    mass = 1200.0 * np.pi * 0.01**2 * 0.002
    inertia = np.diag([0.5 * mass * 0.01**2, *2 * [mass * (0.01**2 / 4 + 0.002**2 / 12)], mass, mass, mass])
    expected = alone.mass_matrix(q)
    for k in range(1, 9):
        J = model.jacobian(q, "wire", k / 8)
        expected = expected + J.T @ inertia @ J
    assert relative_error(model.mass_matrix(q), expected) < 1e-11
    assert len(model.scene.bodies) == 8
    v = np.ones(model.n)
    assert model.check_derivatives(q, v, -v).ok(1e-6)


def test_discs_where_they_are_wanted_with_a_mass_each():
    robot, names = backbone(at=[0.0, 0.3, 1.0], radius=0.01, thickness=0.002, mass=2e-3, name="ring")
    assert names == ("ring 1", "ring 2", "ring 3")
    assert robot.links[2].body.mass == pytest.approx(2e-3)
    robot.compile()
    for options, words in (
        ({"n": 3, "at": [0.5], "mass": 1.0}, "discs on 'wire': say how many"),
        ({"mass": 1.0}, "say how many"),
        ({"n": 0, "mass": 1.0}, "n is 0, must be at least 1"),
        ({"at": [1.2], "mass": 1.0}, "must lie between 0"),
        ({"at": [], "mass": 1.0}, "at least one"),
        ({"n": 2}, "either their density or the mass"),
        ({"n": 2, "mass": 1.0, "density": 1.0}, "either their density or the mass"),
        ({"n": 2, "mass": -1.0}, "mass is -1 kg, must be positive"),
    ):
        with pytest.raises(sp.ModelError, match=words):
            robot.add_discs("wire", radius=0.01, thickness=0.002, **options)
    before = robot.links
    with pytest.raises(sp.ModelError, match=r"link 'ring 1': a link of this name was added before"):
        robot.add_discs("wire", 2, radius=0.01, thickness=0.002, mass=1.0, name="ring")
    assert robot.links == before


@pytest.mark.parametrize("s", [0.37, 0.5])
def test_reactions_of_branches(s):
    """The base takes what changes the momentum; along free axes a reaction is the generalised force."""
    robot = tree(s)
    model = robot.compile()
    q, v, a, _ = state(model)
    rate = central_difference(lambda t: model.momentum(q + t * v + 0.5 * t**2 * a, v + t * a), 1e-3)
    weight = model.mass.total * robot.gravity
    moment = np.cross(model.center_of_mass(q).position, weight)
    assert relative_error(model.reaction(q, "world", v, a), rate - np.concatenate([moment, weight]), 1.0) < 1e-7
    force = model.inverse_dynamics(q, v, a)
    for link, name, axis in (("bud", "bud.rotation", 0), ("root", "root.rotation", 1), ("hand", "hand.translation", 3)):
        own = model.coordinate_names.index(name)
        assert model.reaction(q, link, v, a, frame="local")[axis] == pytest.approx(force[own], rel=1e-9)
    for link in ("arm", "branch", "twig", "bud"):
        exact = model.reaction_derivatives(q, link, v, a)
        reference = difference_jacobian(lambda x, link=link: model.reaction(x, link, v, a), q)
        assert relative_error(exact.dq, reference) < 1e-6, link
