"""Tendons: the authors' cable manipulator, lengths, routes, several rods, statics against a shooting solution."""

import warnings
from functools import cache

import numpy as np
import pytest

import supple as sp
from helpers import DATA, difference_jacobian, relative_error, size
from load_cases import generalised_force, loaded_case
from reference_robots import cable_manipulator, manipulator_rod
from supple.loads.lines.routes import route_slopes

STATES = range(5)
TOLERANCE = 1e-12


# ---------------------------------------------------------------------- the authors' toolbox


@cache
def reference():
    with np.load(DATA / "sorosim_cdm_actuation.npz") as data:
        return dict(data)


@cache
def manipulator():
    """Three converging and two helical tendons, [GVS-AD] table 2."""
    L, base, tip = 0.5, 0.03, 0.015

    def radius(X):
        return base + (tip - base) * X / L

    routes = [
        lambda X: (0.0, radius(X)),
        lambda X: (-np.sqrt(3.0) / 2.0 * radius(X), -0.5 * radius(X)),
        lambda X: (np.sqrt(3.0) / 2.0 * radius(X), -0.5 * radius(X)),
        lambda X: (tip * np.sin(4.0 * np.pi * X / L), tip * np.cos(4.0 * np.pi * X / L)),
        lambda X: (tip * np.sin(4.0 * np.pi * X / L), -tip * np.cos(4.0 * np.pi * X / L)),
    ]
    robot = cable_manipulator()
    for i, route in enumerate(routes):
        robot.add(sp.Tendon(f"t{i + 1}", {"arm": route}))
    return robot.compile()


@pytest.mark.parametrize("k", STATES)
def test_actuation_and_internal_force(k):
    """B, tau, dtau/dq, dtau/dv; the toolbox's cables push where ours pull."""
    model, data = manipulator(), reference()
    q, v, u = data["q"][k], data["qd"][k], -data["u_id"][k]
    assert relative_error(model.actuation(q), -data["B"][k]) < TOLERANCE
    assert relative_error(model.internal_force(q, v, u), data["tau_id"][k]) < TOLERANCE
    derivatives = model.internal_force_derivatives(q, v, u)
    assert relative_error(derivatives.dq, data["dtau_dq"][k]) < TOLERANCE
    assert relative_error(derivatives.dv, data["dtau_dqd"][k]) < TOLERANCE
    assert np.array_equal(derivatives.du, model.actuation(q))
    # the part of the tendons alone, which the rod's stiffness would hide
    part = derivatives.dq + model.stiffness
    assert relative_error(part, data["dtau_dq"][k] + model.stiffness, floor=1e-3 * size(derivatives.dq)) < 1e-10


@pytest.mark.parametrize("k", STATES)
def test_forward_dynamics_and_derivatives(k):
    """Weighted by M, whose condition number is 4e6."""
    model, data = manipulator(), reference()
    q, v, u, M = data["q"][k], data["qd"][k], -data["u_full"][k], data["M"][k]
    a = model.forward_dynamics(q, v, u).a
    terms = size(np.abs(M) @ np.abs(a))
    assert size(M @ (a - data["qdd"][k])) < 1e-12 * terms
    derivatives = model.forward_dynamics_derivatives(q, v, u)
    for found, key in ((derivatives.dq, "dFD_dq"), (derivatives.dv, "dFD_dqd")):
        assert size(M @ (found - data[key][k])) < 1e-10 * size(M @ data[key][k])


# ---------------------------------------------------------------------- virtual work


def length_by_hand(model, robot, routes, q, slopes=None, points=None):
    """Sum of w |T| over Gauss nodes, without the library's nodes: strain from the rod's own basis functions."""
    total = 0.0
    for name, route in routes.items():
        (link,) = [link for link in robot.links if link.name == name]
        (layout,) = [layout for layout in model.layouts if layout.name == name]
        rod = link.body
        own = list(layout.coordinates)[layout.joint_dof :]
        x, w = np.polynomial.legendre.leggauss(rod.points if points is None else points)
        for s, weight in zip(0.5 * (x + 1.0), 0.5 * w * rod.length, strict=True):
            scale = np.where(rod.strain.components < 3, 1.0 / rod.length, 1.0)
            xi = rod.rest_strain_at(s)
            np.add.at(xi := xi.copy(), rod.strain.components, scale * rod.strain.values(s) * q[own])
            X, h = s * rod.length, 1e-4
            near, far = np.subtract(route(X + h), route(X - h)), np.subtract(route(X + 2 * h), route(X - 2 * h))
            slope = (8.0 * near - far) / (12.0 * h)
            d = np.array([0.0, *route(X)])
            total += weight * np.linalg.norm(xi[3:] + np.cross(xi[:3], d) + np.array([0.0, *slope]))
    return total


def two_rods():
    """Two rods with a revolute joint and a rigid body between them."""
    robot = sp.Robot("two", gravity=(0.0, 0.0, -9.81))
    robot.add_link("one", manipulator_rod())
    robot.add_link("disc", sp.Rigid.cylinder(0.05, 0.03, density=500.0), joint=sp.Revolute("y"), parent="one")
    strain = sp.Legendre(torsion=1, bend_y=2, bend_z=2, stretch=0)
    material = sp.Material(young=1e6, poisson=0.4, density=900.0)
    rest = [0.3, 1.0, -0.5, 1.05, 0.02, 0.0]
    robot.add_link("two", sp.Rod(0.3, sp.Circle(0.02), material, strain, 6, rest), parent="disc")
    return robot


ROUTES = {
    "straight": {"one": lambda X: (0.004, -0.01)},
    "over both": {"one": lambda X: (0.0, 0.012), "two": lambda X: (0.01 - 0.02 * X, 0.0)},
    "helical": {"two": lambda X: (0.01 * np.cos(30.0 * X), 0.01 * np.sin(30.0 * X))},
    "helical over both": {
        "one": lambda X: (0.01 * np.cos(20.0 * X), 0.01 * np.sin(20.0 * X)),
        "two": lambda X: (0.01 * np.cos(20.0 * (X + 0.5)), 0.01 * np.sin(20.0 * (X + 0.5))),
    },
    "at the centre": {"one": lambda X: (0.0, 0.0)},
}


@pytest.mark.parametrize("name", ROUTES)
def test_generalised_force_is_minus_the_gradient_of_the_length(name):
    robot = two_rods()
    robot.add(sp.Tendon("t", ROUTES[name]))
    model = robot.compile()
    q = 0.3 * np.random.default_rng(4).standard_normal(model.n)
    length = model.line_lengths(q)
    assert set(length) == {"t"}
    assert length["t"] == pytest.approx(length_by_hand(model, robot, ROUTES[name], q), rel=1e-10)
    B = model.actuation(q)
    assert size(B[:, 0] + model.line_jacobian(q)[0]) < 1e-15
    by_hand = difference_jacobian(lambda x: length_by_hand(model, robot, ROUTES[name], x), q)
    assert relative_error(-B[:, 0], by_hand) < 1e-10
    assert (
        relative_error(model.line_jacobian(q)[0], difference_jacobian(lambda x: model.line_lengths(x)["t"], q)) < 1e-11
    )


@pytest.mark.parametrize("seed", range(60))
def test_actuation_of_random_robots_is_minus_the_length_jacobian(seed):
    case = loaded_case(seed)
    model, q = case.model, case.q
    names = list(model.line_lengths(q))
    jacobian = model.line_jacobian(q)
    assert jacobian.shape == (len(names), model.n)
    B = model.actuation(q)
    for row, name in zip(jacobian, names, strict=True):
        if name.startswith("tendon"):
            assert size(B[:, model.input_names.index(name)] + row) < 1e-14


def test_a_straight_tendon_at_rest_shortens_with_bending():
    """A tendon at z = +d is shortened, and pulls, towards bending that raises the tip: bend_y < 0."""
    robot = sp.Robot("sign", gravity=(0.0, 0.0, 0.0))
    rod = sp.Rod(
        0.4, sp.Circle(0.02), sp.Material(1e6, 0.5, density=1000.0), sp.Legendre(bend_y=0, bend_z=0, stretch=0), 3
    )
    robot.add_link("arm", rod)
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}))
    model = robot.compile()
    assert model.line_lengths(np.zeros(3)) == {"t": pytest.approx(0.4, rel=1e-14)}
    np.testing.assert_allclose(model.actuation(np.zeros(3))[:, 0], [-0.01, 0.0, -0.4], atol=1e-15)
    pulled = np.linalg.solve(model.stiffness, model.actuation(np.zeros(3))[:, 0])
    assert model.pose(pulled, "arm")[2, 3] > 0.0
    assert model.line_lengths(pulled)["t"] < 0.4


# ---------------------------------------------------------------------- partial tendons


@pytest.mark.parametrize("name", ["straight", "helical over both"])
def test_partial_tendon_is_summed_on_its_own_span(name):
    """As many nodes on [0, until] as the rod has on all of its length."""
    robot = two_rods()
    routes = ROUTES[name]
    last = list(routes)[-1]
    (link,) = [link for link in robot.links if link.name == last]
    end = 0.37 * link.body.length
    robot.add(sp.Tendon("t", routes, until={last: end}))
    model = robot.compile()
    q = 0.3 * np.random.default_rng(5).standard_normal(model.n)
    whole = {other: route for other, route in routes.items() if other != last}
    expected = length_by_hand(model, robot, whole, q) if whole else 0.0
    (layout,) = [layout for layout in model.layouts if layout.name == last]
    rod, own = link.body, list(layout.coordinates)[layout.joint_dof :]
    x, w = np.polynomial.legendre.leggauss(rod.points)
    for s, weight in zip(0.5 * (x + 1.0) * end / rod.length, 0.5 * w * end, strict=True):
        xi = rod.rest_strain_at(s).copy()
        scale = np.where(rod.strain.components < 3, 1.0 / rod.length, 1.0)
        np.add.at(xi, rod.strain.components, scale * rod.strain.values(s) * q[own])
        (slope,) = route_slopes(routes[last], [s * rod.length], rod.length)
        d = np.array([0.0, *routes[last](s * rod.length)])
        expected += weight * np.linalg.norm(xi[3:] + np.cross(xi[:3], d) + np.array([0.0, *slope]))
    assert model.line_lengths(q)["t"] == pytest.approx(expected, rel=1e-13)
    assert size(model.actuation(q)[:, 0] + model.line_jacobian(q)[0]) < 1e-15
    force = generalised_force(model, q, u=[3.0])
    assert relative_error(force, -3.0 * difference_jacobian(lambda p: model.line_lengths(p)["t"], q)) < 1e-10


def test_a_partial_tendon_leaves_the_rest_of_a_piecewise_rod_alone():
    robot = sp.Robot("pieces")
    strain = sp.PiecewiseConstant(bend_y=4)
    robot.add_link("arm", sp.Rod(0.4, sp.Circle(0.02), sp.Material(1e6, 0.5, density=1000.0), strain, 2))
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}, until={"arm": 0.2}))
    model = robot.compile()
    np.testing.assert_allclose(model.actuation(np.zeros(4))[:, 0], [-0.0025, -0.0025, 0.0, 0.0], atol=1e-16)


def test_tendons_do_not_change_the_bare_robot():
    model, bare = manipulator(), cable_manipulator().compile()
    q, v, a = np.random.default_rng(1).standard_normal((3, 24))
    assert np.array_equal(model.residual(q, v, a), bare.residual(q, v, a))
    assert np.array_equal(model.mass_matrix(q), bare.mass_matrix(q))


# ---------------------------------------------------------------------- slopes of routes


def test_slopes_by_complex_step_and_by_differences_agree():
    def smooth(X):
        return 0.01 * np.cos(9.0 * X), 0.01 * np.exp(-3.0 * X)

    def real_only(X):
        return 0.01 * float(np.cos(9.0 * X)), 0.01 * float(np.exp(-3.0 * X))

    for X in (0.01, 0.2, 0.49):
        exact = -0.09 * np.sin(9.0 * X), -0.03 * np.exp(-3.0 * X)
        assert route_slopes(smooth, [X], 0.5)[0] == pytest.approx(exact, rel=1e-14)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert route_slopes(real_only, [X], 0.5)[0] == pytest.approx(exact, rel=1e-7)


def test_a_route_that_answers_complex_numbers_with_nonsense_is_differenced():
    """abs() of a complex number is a modulus: the complex step would say zero."""
    assert route_slopes(lambda X: (abs(X), 0.0), [0.3], 0.5)[0] == pytest.approx((1.0, 0.0), rel=1e-8)
    assert route_slopes(lambda X: (max(X.real, 0.1), 0.0), [0.3], 0.5)[0] == pytest.approx((1.0, 0.0), rel=1e-8)


def test_given_slopes_are_used():
    models = []
    for slope in ({}, {"arm": lambda X: (-0.09 * np.sin(9.0 * X), 0.0)}):
        robot = cable_manipulator()
        robot.add(sp.Tendon("t", {"arm": lambda X: (0.01 * np.cos(9.0 * X), 0.0)}, slope=slope))
        models.append(robot.compile())
    q = 0.2 * np.random.default_rng(2).standard_normal(24)
    assert relative_error(models[0].actuation(q), models[1].actuation(q)) < 1e-14


# ---------------------------------------------------------------------- bad input


def add_tendon(route, **options):
    robot = cable_manipulator()
    robot.add_link("block", sp.Rigid.sphere(0.02, density=500.0), parent="arm")
    robot.add(sp.Tendon("pull", route, **options))
    return robot.compile()


def thin_backbone(distance, section=None, tendons=9):
    """A wire with tendons on discs around it, the commonest continuum robot."""
    robot = sp.Robot("backbone")
    strain = sp.PiecewiseConstant(torsion=5, bend_y=5, bend_z=5)
    section = sp.Circle(0.0008) if section is None else section
    robot.add_link("arm", sp.Rod(0.5, section, sp.Material(60e9, 0.3, density=6450.0), strain, 3))
    for j in range(tendons):
        angle = 2.0 * np.pi * j / tendons
        place = distance * np.cos(angle), distance * np.sin(angle)
        robot.add(sp.Tendon(f"t{j}", {"arm": lambda X, place=place: place}))
    return robot


@pytest.mark.parametrize("section", [None, sp.Rectangle(0.02, 0.001), sp.Annulus(0.002, 0.001)])
def test_tendons_on_discs_outside_a_thin_backbone_are_nothing_strange(section):
    thin_backbone(0.009, section).compile()  # a warning would be an error here


def test_routes_in_millimetres_get_one_warning_at_the_line_that_compiles():
    robot = thin_backbone(9.0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        robot.compile()
    assert len(seen) == 1
    assert issubclass(seen[0].category, sp.ModelWarning)
    assert seen[0].filename == __file__
    assert str(seen[0].message) == (
        "Tendon 't0' runs 9 m from the centreline of link 'arm', which is 0.5 m long (and 8 more): routes are in metres"
    )


@pytest.mark.parametrize(
    ("route", "options", "message"),
    [
        ({"leg": lambda X: (0.0, 0.0)}, {}, r"Tendon 'pull': there is no link 'leg'; links are: arm, block"),
        ({"block": lambda X: (0.0, 0.0)}, {}, r"Tendon 'pull': link 'block' is rigid"),
        ({"arm": lambda X: 0.01}, {}, r"Tendon 'pull': route on link 'arm' must return \(y, z\)"),
        ({"arm": lambda X: (np.nan, 0.0)}, {}, r"Tendon 'pull': route on link 'arm': y at X = .* m"),
        ({"arm": lambda X: (0.0, "a")}, {}, r"Tendon 'pull': route on link 'arm': z at X"),
        (
            {"arm": lambda X: (0.0, 0.0)},
            {"until": {"arm": 0.6}},
            r"until of link 'arm' is 0\.6 m, must lie in \(0, 0\.5\]",
        ),
        ({"arm": lambda X: (0.0, 0.0)}, {"until": {"arm": 0.0}}, r"until of link 'arm' is 0 m"),
        (lambda X: (0.0, 0.0), {}, r"Tendon 'pull': route is <function .*, must be a dict from links"),
        ({}, {}, r"Tendon 'pull': route is \{\}, must be a dict from links"),
        (
            {"arm": lambda X: (0.0, 0.0)},
            {"until": {"amr": 0.2}},
            r"until names link 'amr', which is not on the route: arm",
        ),
        ({"arm": lambda X: (0.0, 0.0)}, {"slope": {"block": lambda X: (0.0, 0.0)}}, r"slope names link 'block'"),
        ({"arm": lambda X: (0.0, 0.0)}, {"slope": {"arm": lambda X: 1.0}}, r"slope on link 'arm' must return"),
    ],
)
def test_bad_routes_are_named(route, options, message):
    with pytest.raises(sp.ModelError, match=message):
        add_tendon(route, **options)


def test_two_actuators_of_one_name_are_refused():
    robot = cable_manipulator()
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}))
    with pytest.raises(sp.ModelError, match="Tendon 't': there is a Tendon 't' already, names of loads must differ"):
        robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}))


# ---------------------------------------------------------------------- statics


def tendon_rod(name, order=8, points=28):
    """The rod of `benchmarks` S11 and its tendons; a weight is a dead load per metre."""
    with np.load(DATA / f"tendon_{name}.npz") as file:
        data = dict(file)
    stiffness = np.diag(np.concatenate((data["Kbt"], data["Kse"])))
    section = sp.Section(stiffness, np.diag([1e-6, 1e-6, 1e-6, 0.1, 0.1, 0.1]))
    components = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")
    robot = sp.Robot("tendons", gravity=(0.0, 0.0, 0.0))
    strain = sp.Legendre(**dict.fromkeys(components, order))
    robot.add_link("rod", sp.Rod(float(data["L"]), section, strain=strain, points=points))
    for i, (offset, phase) in enumerate(zip(data["offset"], data["phase"], strict=True)):
        y, z = offset * np.cos(phase), offset * np.sin(phase)
        robot.add(sp.Tendon(f"t{i}", {"rod": lambda X, y=y, z=z: (y, z)}))
    robot.add(sp.Distributed("rod", [0.0, 0.0, 0.0, 0.0, 0.0, -float(data["weight_per_length"])]))
    return robot.compile(), data


def equilibrium(model, u):
    """Newton with the exact tangent from the straight rod."""
    q, zero = np.zeros(model.n), np.zeros(model.n)
    for _ in range(30):
        residual, tangent = model.residual_tangent(q, zero, zero, u)
        step = np.linalg.solve(tangent, residual)
        q = q - step
        if size(step) < 1e-12:
            return q
    raise AssertionError(f"no equilibrium: last step {size(step):.1e}")


@pytest.mark.parametrize("name", ["straight1_nograv", "straight3_grav"])
def test_statics_agree_with_a_shooting_solution(name):
    model, data = tendon_rod(name)
    for tensions, tip, line in zip(data["tensions"], data["tip_pos"], data["centerline"], strict=True):
        q = equilibrium(model, tensions)
        assert size(model.pose(q, "rod")[:3, 3] - tip) < 1e-8
        for s, x in zip(data["s"] / data["L"], line, strict=True):
            assert size(model.pose(q, "rod", s)[:3, 3] - x) < 1e-7  # between nodes: one Magnus step
