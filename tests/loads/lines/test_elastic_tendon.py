import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from line_robots import branched_robot, check_tangents, momentum_rate, random_motion
from supple.loads.lines.chamber import Chamber
from supple.loads.lines.elastic_tendon import ElasticTendon
from supple.loads.lines.tendon import Tendon


def helix(X):
    return 0.006 * np.cos(9.0 * X), 0.006 * np.sin(9.0 * X)


def straight(X):
    return 0.006, 0.0


ROUTES = {
    "rod": {"a": helix},
    "two rods": {"a": helix, "b": straight},
    "rod, rigid": {"a": helix, "c": [(0.01, 0.02, 0.03)], "d": [(0.0, 0.0, 0.02), (0.01, 0.0, 0.02)]},
    "world, rigid, rod": {"world": [(0.1, 0.2, 0.3)], "body": [(0.0, 0.02, 0.01), (0.05, 0.02, 0.02)], "a": helix},
    "eyelets": {"body": [(0.0, 0.02, 0.01)], "b": [(0.1, 0.0, 0.01), (0.2, 0.01, 0.0)]},
}
ENDS = {"rod, rigid": {"a": 0.21}}
INNER = [name for name in ROUTES if "world" not in name]


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize("kind", ["given", "elastic"])
def test_tangents_against_differences(name, kind):
    route, until = ROUTES[name], ENDS.get(name, {})
    if kind == "given":
        tendon = Tendon("t", route, until=until)
    else:
        tendon = ElasticTendon("t", route, stiffness=300.0, damping=4.0, until=until)
    model = branched_robot(tendon)
    q, v, a = random_motion(model, 1)
    u = np.array([0.5])
    assert model.lines(q, v, u)["t"].tension > 0.0
    check_tangents(model, q, v, a, u)


def test_many_lines_share_the_scratch():
    items = [ElasticTendon(f"e{i}", route, 200.0, 1.0) for i, route in enumerate(ROUTES.values())]
    items += [Tendon(f"t{i}", route) for i, route in enumerate(ROUTES.values())]
    model = branched_robot(*items)
    check_tangents(model, *random_motion(model, 2), np.linspace(0.1, 0.6, model.nu))


@pytest.mark.parametrize("name", ROUTES)
def test_actuation_is_minus_the_gradient_of_the_length(name):
    model = branched_robot(Tendon("t", ROUTES[name], until=ENDS.get(name, {})))
    q, v, _ = random_motion(model, 3)
    line = model.lines(q, v, [2.0])["t"]
    assert relative_error(model.actuation(q)[:, 0], -line.gradient) < 1e-13
    gradient = difference_jacobian(lambda x: np.array([model.lines(x)["t"].length]), q, 1e-3)[0]
    assert relative_error(line.gradient, gradient) < 1e-8
    assert line.tension == 2.0
    assert line.rate == pytest.approx(line.gradient @ v, rel=1e-11)


def test_a_chamber_tells_its_volume():
    model = branched_robot(Chamber("p", {"a": straight}, area=1e-4))
    q, _, _ = random_motion(model, 4)
    line = model.lines(q, None, [3.0])["p"]
    assert line.length == pytest.approx(1e-4 * branched_robot(Tendon("t", {"a": straight})).lines(q)["t"].length)
    assert relative_error(model.actuation(q)[:, 0], line.gradient) < 1e-13
    assert line.tension == 3.0


@pytest.mark.parametrize("name", ROUTES)
def test_tension_follows_pulled_length(name):
    route, until = ROUTES[name], ENDS.get(name, {})
    elastic = branched_robot(ElasticTendon("t", route, stiffness=300.0, damping=4.0, until=until))
    given = branched_robot(Tendon("t", route, until=until))
    q, v, _ = random_motion(elastic, 5)
    u, rest = 0.4, given.lines(given.rest)["t"].length
    line = elastic.lines(q, v, [u])["t"]
    assert line.tension == pytest.approx(300.0 * (line.length - rest + u) + 4.0 * line.rate, rel=1e-10)
    T = [line.tension]
    assert relative_error(elastic.internal_force(q, v, [u]), given.internal_force(q, v, T)) < 1e-12


@pytest.mark.parametrize("name", INNER)
def test_momentum_of_a_free_robot(name):
    model = branched_robot(ElasticTendon("t", ROUTES[name], 100.0, 1.0, until=ENDS.get(name, {})), gravity=(0, 0, 0))
    q, v, _ = random_motion(model, 6)
    force = model.internal_force(q, v, [0.3]) - branched_robot(gravity=(0, 0, 0)).internal_force(q, v)
    assert np.abs(force[:6]).max() < 1e-13 * np.abs(force).max()
    assert momentum_rate(model, q, v, [0.3]) < 1e-11


def test_slack_when_paid_out():
    model, bare = branched_robot(ElasticTendon("t", {"a": helix}, 300.0, 4.0)), branched_robot()
    q, v, a = random_motion(model, 7)
    assert (model.internal_force(q, v, [-1.0]) == bare.internal_force(q, v)).all()
    D, E = model.residual_derivatives(q, v, a, [-1.0]), bare.residual_derivatives(q, v, a)
    # another path through the sums: equal to rounding
    np.testing.assert_allclose(D.dq, E.dq, rtol=0.0, atol=1e-14 * np.abs(E.dq).max())
    np.testing.assert_allclose(D.dv, E.dv, rtol=0.0, atol=1e-14 * np.abs(E.dv).max())
    assert (D.du == 0.0).all()


def test_equilibrium_of_a_wound_up_finger():
    robot = sp.Robot("finger", gravity=(0, 0, 0))
    rod = sp.Rod(0.2, sp.Circle(0.01), sp.Material(1e6, poisson=0.5, density=1000.0), sp.Legendre(bend_z=0), points=2)
    robot.add_link("finger", rod)
    k, r, L, u = 400.0, 0.006, 0.2, 0.004
    robot.add(ElasticTendon("t", {"finger": lambda X: (r, 0.0)}, stiffness=k))
    model = robot.compile()
    # with curvature q / L the tendon's length is L - r q: K q = r T, T = k (u - r q)
    q = np.array([r * k * u / (model.stiffness[0, 0] + k * r * r)])
    assert model.residual(q, [0.0], [0.0], [u]) == pytest.approx(0.0, abs=1e-12)
    assert model.lines(q, None, [u])["t"].tension == pytest.approx(k * (u - r * q[0]), rel=1e-11)
    assert L - r * q[0] == pytest.approx(model.lines(q)["t"].length, rel=1e-13)


def test_pulley_over_rigid_links():
    """Two revolute links in a plane with via points: the length by hand."""
    robot = sp.Robot("arm", gravity=(0, 0, 0))
    link = sp.Rigid(1.0, [0.1, 0.1, 0.1], tip=sp.pose((1.0, 0.0, 0.0)))
    robot.add_link("upper", link, sp.Revolute("z"))
    robot.add_link("lower", link, sp.Revolute("z"), "upper")
    robot.add(Tendon("t", {"world": [(0.0, 0.1, 0.0)], "upper": [(0.9, 0.1, 0.0)], "lower": [(0.2, 0.1, 0.0)]}))
    model = robot.compile()
    q = np.array([0.4, 0.7])

    def length(q):
        def turned(angle, x):
            c, s = np.cos(angle), np.sin(angle)
            return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])

        points = [np.array([0, 0.1]), turned(q[0], (0.9, 0.1)), turned(q[0], (1, 0)) + turned(q[0] + q[1], (0.2, 0.1))]
        return np.array([np.linalg.norm(np.diff(points, axis=0), axis=1).sum()])

    assert model.lines(q)["t"].length == pytest.approx(length(q)[0], rel=1e-13)
    assert relative_error(model.actuation(q).T, -difference_jacobian(length, q, 1e-3)) < 1e-9


@pytest.mark.parametrize(
    ("route", "options", "message"),
    [
        ({"c": helix}, {}, "via points"),
        ({"nowhere": helix}, {}, "no link 'nowhere'"),
        ({"c": [(0.0, 0.0)]}, {}, "shape"),
        ({"c": []}, {}, "missing"),
        ({"c": 3.0}, {}, "must be a function X"),
        ({"c": [(0.0, 0.0, 0.0)]}, {}, "single via point"),
        ({"b": [(0.1, 0, 0), (0.9, 0, 0)]}, {}, "rod's length"),
        ({"world": [(0.1, 0, 0), (0.9, 0, 0)]}, {}, "on the world"),
        ({}, {}, "route is"),
        ({"a": helix}, {"until": {"b": 0.1}}, "which is not on the route"),
        ({"a": helix}, {"until": {"a": 0.5}}, "must lie in"),
        ({"a": helix, "c": [(0.0, 0.0, 0.0)]}, {"until": {"a": 0.5}}, "must lie in"),
        ({"a": helix}, {"stiffness": -1.0}, "stiffness is -1 N/m"),
        ({"a": helix}, {"damping": -1.0}, "damping is -1"),
        ({"a": helix}, {"rest_length": np.inf}, "rest_length"),
    ],
)
def test_bad_tendons_are_named(route, options, message):
    with pytest.raises(sp.ModelError, match=message) as error:
        branched_robot(ElasticTendon("winch", route, **{"stiffness": 1.0, **options}))
    assert "ElasticTendon 'winch'" in str(error.value)
