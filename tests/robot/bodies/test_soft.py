"""Soft bodies: the same numbers as rods and rigid bodies where they are those, exact derivatives where they are not."""

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, difference_jacobian, random_coordinates, random_robot, rebuilt, relative_error
from load_kinds import KINDS, add_kinds
from soft_robots import MATERIAL, bending, mixed_robot, soft_cone, waving

L, R = 0.3, 0.02


def state(model, seed=0, size=0.4):
    return np.random.default_rng(seed).uniform(-size, size, (3, model.n))


def arm(body, joint=None):
    """A body on a free joint in an oblique place, with a box and a rod behind it."""
    robot = sp.Robot("arm", gravity=(1.0, 2.0, -9.0))
    at = sp.pose((0.1, 0.2, 0.3), (0.3, 0.2, 0.1))
    robot.add_link("arm", body, joint=sp.Free() if joint is None else joint, at=at)
    robot.add_link("box", sp.Rigid.box((0.1, 0.05, 0.04), density=500.0), joint=sp.Revolute("y"), parent="arm")
    rod = sp.Rod(L, sp.Circle(R), MATERIAL, sp.Legendre(bend_y=1, bend_z=0), points=4)
    robot.add_link("rod", rod, parent="box")
    return robot.compile()


def test_arc_of_constant_curvature_is_the_rod():
    soft = arm(sp.SoftBody(bending(L), sp.Cylinder(L, R), MATERIAL, n=1, points=(8, 2, 8)))
    rod = arm(sp.Rod(L, sp.Circle(R), MATERIAL, sp.Legendre(bend_z=0), points=8))
    q, v, a = state(rod)
    calls = [
        lambda m: m.mass_matrix(q),
        lambda m: m.inverse_dynamics(q, v, a),
        *[lambda m, k=k: m.inverse_dynamics_derivatives(q, v, a)[k] for k in range(4)],
        lambda m: m.pose(q, "arm"),
        lambda m: m.jacobian(q, "arm"),
        lambda m: m.jacobian_rate(q, v, "arm"),
        lambda m: [m.energy(q, v).kinetic, m.energy(q, v).gravitational],
        lambda m: m.momentum(q, v),
        lambda m: m.mass.total,
    ]
    for call in calls:
        assert relative_error(call(soft), call(rod)) < 1e-12


def test_rigid_sections_resist_as_a_rod():
    kinematics = bending(L)

    class Arc:
        n, rigid_sections = 1, True

        def __call__(self, x, q):
            return kinematics(x, q)

    soft = sp.SoftBody(Arc(), sp.Cylinder(L, R), MATERIAL, points=(8, 2, 8)).tabulate()
    rod = sp.Rod(L, sp.Circle(R), MATERIAL, sp.Legendre(bend_z=0), points=8).tabulate()
    assert relative_error(soft.stiffness, rod.stiffness) < 1e-12
    assert relative_error(soft.damping, rod.damping) < 1e-12


def test_rigid_motion_is_that_of_the_rigid_body():
    rng = np.random.default_rng(3)
    X, m, lever = rng.uniform(-0.1, 0.1, (20, 3)), rng.uniform(0.1, 0.3, 20), rng.uniform(-0.1, 0.1, 3)
    com = m @ X / m.sum()
    y = X - com
    inertia = sum(k * (r @ r * np.eye(3) - np.outer(r, r)) for k, r in zip(m, y, strict=True))

    def turned(x, q):
        c, s = np.cos(q[0]), np.sin(q[0])
        return np.stack([c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]]) + q[1] * lever

    def robot(soft):
        made = sp.Robot("r")
        if soft:
            tip = np.vstack([np.zeros(3), [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
            made.add_link("b", sp.SoftBody(turned, sp.Points(X, m), n=2, tip=tip), joint=sp.Free())
        else:
            made.add_link("slide", sp.Rigid(0.0, np.zeros(3)), joint=sp.Free())
            made.add_link("turn", sp.Rigid(0.0, np.zeros(3)), joint=sp.Prismatic(lever), parent="slide")
            made.add_link("b", sp.Rigid(m.sum(), inertia, com), joint=sp.Revolute("z"), parent="turn")
        made.add_link("child", sp.Rigid.box((0.1, 0.1, 0.1), density=300.0), joint=sp.Spherical(), parent="b")
        return made.compile()

    soft, rigid = robot(True), robot(False)
    q, v, a = state(soft)
    swap = [*range(6), 7, 6, *range(8, soft.n)]  # the slide comes before the turn
    scale = np.ones(soft.n)
    scale[6] = np.linalg.norm(lever)  # a prismatic joint goes along the unit vector
    qr, vr, ar = (x[swap] * scale for x in (q, v, a))
    expected = rigid.inverse_dynamics(qr, vr, ar) * scale
    back = np.argsort(swap)
    assert relative_error(soft.inverse_dynamics(q, v, a), expected[back]) < 1e-12
    assert relative_error(soft.pose(q, "child"), rigid.pose(qr, "child")) < 1e-12
    assert relative_error(soft.momentum(q, v), rigid.momentum(qr, vr)) < 1e-12


@pytest.fixture(scope="module")
def model():
    return mixed_robot().compile()


def test_derivatives_of_a_robot_with_everything(model):
    q, v, a = state(model, 1)
    u, lam = np.array([0.7, 0.2]), np.linspace(-1.0, 1.0, model.nc)
    R, dq, dv, da = (lambda r, d: (r, *d[:3]))(
        model.residual(q, v, a, u, lam), model.residual_derivatives(q, v, a, u, lam)
    )
    assert relative_error(dq, difference_jacobian(lambda x: model.residual(x, v, a, u, lam), q)) < 1e-8
    assert relative_error(dv, difference_jacobian(lambda x: model.residual(q, x, a, u, lam), v)) < 1e-8
    assert relative_error(da, difference_jacobian(lambda x: model.residual(q, v, x, u, lam), a)) < 1e-8
    fused, tangent = model.residual_tangent(q, v, a, u, lam, 0.0, 3.0, 7.0)
    assert relative_error(fused, R) < 1e-13
    assert relative_error(tangent, dq + 3.0 * dv + 7.0 * da) < 1e-12
    out, dID, dIDv, M = model.inverse_dynamics_derivatives(q, v, a)
    assert relative_error(out, model.inverse_dynamics(q, v, a)) < 1e-13
    assert relative_error(M, model.mass_matrix(q)) < 1e-12
    assert relative_error(dID, difference_jacobian(lambda x: model.inverse_dynamics(x, v, a), q)) < 1e-8
    assert relative_error(dIDv, difference_jacobian(lambda x: model.inverse_dynamics(q, x, a), v)) < 1e-8
    dtau, dtau_v, _ = model.internal_force_derivatives(q, v, u)
    assert relative_error(dtau, difference_jacobian(lambda x: model.internal_force(x, v, u), q)) < 1e-8
    assert relative_error(dtau_v, difference_jacobian(lambda x: model.internal_force(q, x, u), v)) < 1e-8


def test_products_with_the_tangent(model):
    q, v, a = state(model, 2)
    x, y = np.random.default_rng(0).standard_normal((2, model.n))
    u, lam = np.array([0.7, 0.2]), np.linspace(-1.0, 1.0, model.nc)
    _, T = model.residual_tangent(q, v, a, u, lam, 0.0, 3.0, 7.0)
    for along, transposed, expected in ((x, False, T @ x), (y, True, T.T @ y)):
        product = model.tangent_product(q, v, a, along, 3.0, 7.0, transposed, u=u, lam=lam)
        assert relative_error(product, expected) < 1e-12


def test_forward_dynamics():
    model = mixed_robot(loops=False).compile()
    q, v, _ = state(model, 3)
    u = np.array([0.5, 0.1])
    a = model.forward_dynamics(q, v, u).a
    assert np.abs(model.residual(q, v, a, u)).max() < 1e-9 * np.abs(model.mass_matrix(q)).max() * np.abs(a).max()
    X = np.random.default_rng(1).standard_normal((model.n, 3))
    assert relative_error(model.mass_matrix(q) @ model.solve_mass(q, X), X) < 1e-8


def test_energy_and_momentum():
    model = mixed_robot(loops=False, gravity=(0.0, 0.0, 0.0)).compile()
    q, v, _ = state(model, 4)
    assert np.isclose(model.energy(q, v).kinetic, 0.5 * v @ model.mass_matrix(q) @ v, rtol=1e-13)
    bare = sp.Robot("bare", gravity=(0.0, 0.0, 0.0))
    bare.add_link("base", sp.Rigid.box((0.1, 0.1, 0.05), density=900.0), joint=sp.Free())
    bare.add_link("body", soft_cone(), parent="base")
    model = bare.compile()
    q, v, _ = state(model, 5)
    free = model.forward_dynamics(q, v).a
    rate = central_difference(lambda t: model.momentum(q + t * v + 0.5 * t * t * free, v + t * free), 1e-5)
    forces = model.mass_matrix(q) @ free
    assert np.abs(rate).max() < 1e-8 * np.abs(forces).max()


def test_gravity_is_the_slope_of_its_energy():
    model = mixed_robot(loops=False).compile()
    q = state(model, 6)[0]
    zero = np.zeros(model.n)
    weight = difference_jacobian(lambda x: np.array([model.energy(x, zero).gravitational]), q)[0]
    without = mixed_robot(loops=False, gravity=(0.0, 0.0, 0.0)).compile()
    expected = model.inverse_dynamics(q, zero, zero) - without.inverse_dynamics(q, zero, zero)
    assert relative_error(weight, expected) < 1e-8


def test_centre_of_mass(model):
    q, v, _ = state(model, 9)
    found = model.center_of_mass(q, v)
    total = model.mass.total
    assert relative_error(found.velocity * total, model.momentum(q, v)[3:]) < 1e-12
    zero = np.zeros(model.n)
    weight = -total * np.array(model.parameters.gravity) @ found.position
    assert np.isclose(model.energy(q, zero).gravitational, weight, rtol=1e-12)


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    model = mixed_robot().compile()
    model.plot(state(model, 10)[0], path=tmp_path / "soft.png")
    assert (tmp_path / "soft.png").stat().st_size > 1000


def test_statics_and_motion():
    model = mixed_robot(root=sp.Fixed()).compile()
    equilibrium = model.statics(q0=model.assemble())
    assert equilibrium.converged
    motion = model.simulate(0.05, q0=equilibrium.q)
    assert np.abs(motion.q[-1] - equilibrium.q).max() < 1e-5
    methods = (sp.NDF(), sp.RK45(), sp.GeneralizedAlpha(dt=1e-4))
    free = mixed_robot(loops=False, root=sp.Fixed()).compile()
    q0 = free.rest + 0.1
    ends = [free.simulate(0.02, q0=q0, method=method).q[-1] for method in methods]
    assert relative_error(ends[0], ends[1]) < 2e-2
    assert relative_error(ends[2], ends[1]) < 2e-2


def test_pickling(model):
    q, v, a = state(model, 7)
    twin = pickle.loads(pickle.dumps(model))
    assert np.array_equal(twin.inverse_dynamics(q, v, a), model.inverse_dynamics(q, v, a))
    assert np.array_equal(twin.pose(q, "second", 0.5), model.pose(q, "second", 0.5))


def test_stations(model):
    q, v, _ = state(model, 8)
    for link, s in (("first", 0.4), ("first", 1.0), ("second", 0.5), ("first", 0.0)):
        g = model.pose(q, link, s)
        rate = central_difference(lambda t: model.pose(q + t * v, link, s))  # noqa: B023
        twist = model.twist(q, v, link, s)
        hat = np.linalg.solve(g, rate)
        assert relative_error(hat[:3, 3], twist[3:]) < 1e-8
        assert relative_error([hat[2, 1], hat[0, 2], hat[1, 0]], twist[:3]) < 1e-8
        assert relative_error(model.jacobian(q, link, s) @ v, twist) < 1e-12
    with pytest.raises(sp.ModelError, match=r"has frames at s = 0, 0.3, 0.4, 0.7, 1 only; .*stations=\(0.6,\)"):
        model.pose(q, "first", 0.6)


def test_gradients_by_parameters():
    def robot(lever=0.05, young=1e5, weight=9.0, stiff=0.5):
        made = sp.Robot("d", gravity=(1.0, 0.0, -weight))
        made.add_link("base", sp.Rigid.box((0.1, 0.1, 0.05), density=900.0), joint=sp.Revolute("y", stiffness=3.0))
        made.add_link("soft", soft_cone(0), parent="base", at=sp.pose((lever, 0.01, 0.0), (0.1, 0.2, 0.3)))
        material = sp.Material(young=young, poisson=0.45, density=1100.0, viscosity=200.0)
        rod = sp.Rod(0.2, sp.Circle(0.01), material, sp.Legendre(bend_y=1, torsion=0), points=4)
        made.add_link("rod", rod, parent="soft", at=sp.pose((lever, 0.0, 0.0)), joint=sp.Revolute("y", stiffness=stiff))
        return made

    design = sp.Design(robot, lever=0.05, young=1e5, weight=9.0, stiff=0.5)
    model = design.model()
    gradient = model.statics().vjp(q=np.ones(model.n)).p
    for name in design.names:
        x = design.values[name]
        slope = central_difference(
            lambda e: np.array([design.model(**{name: x * (1.0 + e)}).statics().q.sum() / x])  # noqa: B023
        )
        assert np.isclose(gradient[name], slope[0], rtol=1e-5, atol=1e-9), name


def grown(mass=0.2, density=1100.0, radius=0.03, at=0.5, twist=0.3, offset=0.01):
    """Soft bodies whose mass, size, kinematics and loads are parameters."""

    def kinematics(x, q):
        s = x[0] / 0.3
        angle, turn = q[0] * s, (q[1] + twist * q[0]) * s**2
        y, z = x[1] * np.cos(turn) - x[2] * np.sin(turn), x[1] * np.sin(turn) + x[2] * np.cos(turn)
        along, across = x[0] * np.sinc(angle / np.pi), 0.5 * x[0] * angle
        return np.stack([along - y * np.sin(angle), across + y * np.cos(angle), z + 0.2 * twist * q[1] * s * x[0]])

    made = sp.Robot("d")
    elastic = sp.NeoHookean(young=2e5, poisson=0.4, density=1000.0, viscosity=50.0)
    cone = sp.SoftBody(kinematics, sp.Cone(0.3, radius, 0.02), elastic, n=2, points=(5, 2, 5), density=density)
    made.add_link("cone", cone, joint=sp.Revolute("y", stiffness=2.0, damping=0.1))
    # masses relative to the whole are the same for any mass
    pair = sp.SoftBody(waving(0.3, 1), sp.Points([[0.1, 0.01, 0.0], [0.2, 0.0, 0.02]], [mass, mass]), n=3,
                       stiffness=np.full(3, 5.0), damping=np.full(3, 0.1))  # fmt: skip
    made.add_link("pair", pair, parent="cone")
    box = sp.Rigid.box((0.05, 0.02, 0.02), density=900.0)
    made.add_link("box", box, parent=("cone", 0.6), joint=sp.Revolute("z", stiffness=1.0))
    made.add(sp.PointWrench("cone", (0.0, 0.0, 0.0, 0.1, 0.2, 0.3), s=at))
    made.add(sp.Tendon("t", {"cone": (offset, 0.0)}))
    return made


def test_gradients_by_mass_size_kinematics_and_places():
    """Of equilibria, against differences."""
    values = {"mass": 0.2, "density": 1100.0, "radius": 0.03, "at": 0.5, "twist": 0.3, "offset": 0.01}
    design = sp.Design(grown, **values)
    model = design.model()
    weights, wrench, u = np.linspace(1.0, 2.0, model.n), np.arange(1.0, 7.0), np.array([1.5])
    rest = model.statics(u)
    gradient, posed = rest.vjp(q=weights).p, rest.vjp(pose={("box", 1.0): wrench}).p
    tip = rest.q

    def moved(name, e):
        other = design.model(**{name: values[name] * (1.0 + e)})
        q = other.statics(u, q0=tip).q
        g = np.linalg.solve(model.pose(tip, "box", 1.0), other.pose(q, "box", 1.0))
        twist = np.array([g[2, 1] - g[1, 2], g[0, 2] - g[2, 0], g[1, 0] - g[0, 1]]) / 2.0
        return np.array([weights @ q, wrench @ np.concatenate([twist, g[:3, 3]])]) / values[name]

    for name in values:
        slopes = central_difference(lambda e: moved(name, e))  # noqa: B023
        assert np.isclose(gradient[name], slopes[0], rtol=2e-5, atol=1e-7 * abs(slopes[0]) + 1e-9), name
        assert np.isclose(posed[name], slopes[1], rtol=2e-5, atol=1e-8), name


def test_gradients_of_motions_by_mass_size_and_kinematics():
    """Forward and backward agree, and with differences."""
    values = {"density": 1100.0, "radius": 0.03, "twist": 0.3}
    design = sp.Design(grown, **values)
    method = sp.GeneralizedAlpha(dt=0.01)

    def run(record=False, **changes):
        return design.model(**changes).simulate(0.05, u=np.array([1.5]), method=method, record=record)

    motion = run(record=True)
    bar = np.zeros_like(motion.q)
    bar[-1] = np.linspace(1.0, 2.0, bar.shape[1])
    back = motion.vjp(q=bar).p
    for name, value in values.items():
        slope = central_difference(lambda e: (bar * run(**{name: value * (1.0 + e)}).q).sum()) / value  # noqa: B023
        forward = float((bar * motion.jvp(p={name: 1.0}).q).sum())
        assert np.isclose(back[name], slope, rtol=1e-5, atol=1e-9), name
        assert np.isclose(forward, back[name], rtol=1e-8), name


def test_named_frames_have_stations():
    robot = mixed_robot(loops=False)
    robot.add_frame("camera", ("first", 0.37), sp.pose((0.0, 0.01, 0.0)))
    model = robot.compile()
    q = state(model, 11)[0]
    expected = model.pose(q, "first", 0.37) @ sp.pose((0.0, 0.01, 0.0))
    assert relative_error(model.pose(q, "camera"), expected) < 1e-14


def test_lengths_at_rest_know_stations():
    def robot(*loads):
        made = sp.Robot("r")
        made.add_link("first", soft_cone(0, rest=(0.3, 0.2, 0.1)))
        for load in loads:
            made.add(load)
        return made.compile()

    start, end = ("world", 0.0, sp.pose((0.0, 0.0, 0.5))), ("first", 0.6)
    spring = sp.Spring("s", start, end, law=lambda length, rate: 10.0 * length)
    cable = sp.Cable("c", [start, ("first", 0.2), end], stiffness=30.0)
    model = robot(spring, cable)
    x = [model.pose(model.rest, "first", s)[:3, 3] for s in (0.2, 0.6)]
    length = np.linalg.norm(x[0] - [0.0, 0.0, 0.5]) + np.linalg.norm(x[1] - x[0])
    assert np.isclose(model.line_lengths(model.rest)["c"], length, rtol=1e-13)
    assert abs(model.tensions(model.rest)["c"]) < 1e-2 * 30.0 * length


def test_via_points_are_material_points_or_on_rigid_links():
    robot = mixed_robot(loops=False)
    robot.add(sp.Tendon("through", {"world": [(0.0, 0.0, 0.5)], "first": [(0.1, 0.01, 0.0)]}))
    model = robot.compile()
    q = state(model, 12)[0]
    length = np.linalg.norm(model.tip(q, "first", (0.1, 0.01, 0.0)) - (0.0, 0.0, 0.5))
    assert np.isclose(model.line_lengths(q)["through"], length, rtol=1e-13)
    robot = mixed_robot(loops=False)
    robot.add_link("eyelet", sp.Rigid(0.0, (0, 0, 0)), parent=("first", 1.0 / 3.0))
    robot.add(sp.Tendon("through", {"world": [(0.0, 0.0, 0.5)], "eyelet": [(0.0, 0.01, 0.0)]}))
    model = robot.compile()
    q = state(model, 12)[0]
    place = model.pose(q, "first", 1.0 / 3.0) @ (0.0, 0.01, 0.0, 1.0)
    length = np.linalg.norm(place[:3] - (0.0, 0.0, 0.5))
    assert np.isclose(model.line_lengths(q)["through"], length, rtol=1e-13)


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("seed", [3, 7, 11, 15, 19, 23])
def test_random_robots_with_random_loads(seed):
    """Soft bodies of every kind among all others, with loads of all kinds: derivatives, energies, powers."""
    rng = np.random.default_rng([31, seed])
    robot = random_robot(rng, links=4, soft=0.6)
    kinds = [str(kind) for kind in rng.choice([k for k in KINDS if k != "contact_of_rods"], 5, replace=False)]
    robot = add_kinds(rng, robot, kinds)
    model = robot.compile()
    q = random_coordinates(rng, robot, "moderate")
    v, a = rng.standard_normal((2, model.n))
    u = rng.uniform(0.1, 0.5, model.nu)
    report = model.check_derivatives(q, v, a, u, 0.3, np.linspace(-1.0, 1.0, model.nc))
    assert report.ok(1e-6), report
    assert np.isclose(model.energy(q, v, u).kinetic, 0.5 * v @ model.mass_matrix(q) @ v, rtol=1e-11)
    model = rebuilt(robot).compile()  # without the mass that fluids add
    com = model.center_of_mass(q, v)
    assert relative_error(model.momentum(q, v)[3:], model.mass.total * com.velocity) < 1e-11
    rate = central_difference(lambda e: model.center_of_mass(q + e * v).position)
    assert relative_error(com.velocity, rate) < 1e-7


def test_points_with_volumes_resist():
    cylinder = sp.Cylinder(L, R)
    points = sp.Points(*cylinder.quadrature((8, 2, 8)))
    for material in (MATERIAL, sp.NeoHookean(2e5, 0.45, density=1100.0, viscosity=100.0)):
        given = sp.SoftBody(waving(L, 0), points, material, n=3).tabulate()
        whole = sp.SoftBody(waving(L, 0), cylinder, material, n=3, points=(8, 2, 8)).tabulate()
        assert relative_error(given.damping, whole.damping) < 1e-13
        assert relative_error(given.stiffness, whole.stiffness) < 1e-13 or material is not MATERIAL
    assert np.abs(given.damping).max() > 0.0


def test_stiffness_stands_in_place_of_the_energy():
    table = soft_cone(material=sp.NeoHookean(2e5, 0.45, density=1100.0), stiffness=(1.0, 2.0, 3.0)).tabulate()
    assert table.energy is None
    assert np.array_equal(table.stiffness, np.diag([1.0, 2.0, 3.0]))


def test_density_by_a_function_and_convergence():
    body = sp.SoftBody(bending(L), sp.Cylinder(L, R), n=1, density=lambda x: 1000.0 * (1.0 + x[0]), points=(3, 2, 8))
    assert np.isclose(body.masses.sum(), 1000.0 * np.pi * R**2 * (L + 0.5 * L**2))
    coarse = body.convergence([2.0])
    fine = sp.SoftBody(bending(L), sp.Cylinder(L, R), n=1, density=1000.0, points=(12, 2, 8)).convergence([2.0])
    assert 1e-9 < coarse < 1e-2
    assert fine < 1e-12


def test_volumes_that_stay_are_seen_where_maps_end_soon():
    """A cavity's coordinate is in m^2: 0.1 of it is far beyond any body, where the map is no number."""
    grows = sp.PolynomialMode((0.0, 0.0, 1.0), 0.08)
    kinematics = sp.VolumePreserving([sp.Stretch(grows), sp.Source(grows)])
    rim = [(0.08, 0.03, 0.0), (0.08, 0.0, 0.03), (0.08, -0.03, 0.0)]
    rubber = sp.NeoHookean(young=1e6, poisson=0.5, density=1000.0)
    domain, options = sp.HollowCylinder(0.08, 0.03, 0.02), {"points": (4, 2, 6), "tip": rim, "moving_base": True}
    robot = sp.Robot("gripper")
    robot.add_link("gripper", sp.SoftBody(kinematics, domain, rubber, **options))
    assert robot.compile().n == 2

    def swelling(x, q):
        return np.stack([x[0], x[1] * np.sqrt(1.0 + 1e4 * q[0] * x[0]), x[2]])

    other = sp.Robot("swelling")
    other.add_link("body", sp.SoftBody(swelling, domain, rubber, n=1, **options))
    with pytest.raises(sp.ModelError, match=r"the kinematics change volumes, which Poisson's ratio 0\.5 forbids"):
        other.compile()
