"""Contact: tangents against differences for every pair of shapes, momentum, friction, degenerate places, bad input."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import supple as sp
from contact_cases import LAW, check_tangents, difference, force, soft_rod, touching_states, two_rods
from supple.errors import ModelError
from supple.loads.contact.contact import Contact
from supple.loads.contact.shapes import Ball, Box, Capsule, Plane, Spheres, Tube

REST = np.zeros(6)


def body(size=0.2):
    return sp.Rigid.box((size, 0.8 * size, 1.2 * size), density=300.0)


def robot_of(*loads, gravity=(0.0, 0.0, 0.0)):
    """Two free bodies, and a rod on a joint on the second of them."""
    robot = sp.Robot("pair", gravity=gravity)
    robot.add_link("left", body(), joint=sp.Free())
    robot.add_link("right", body(), joint=sp.Free())
    robot.add_link("arm", soft_rod(), joint=sp.Revolute("y"), parent="right", at=sp.pose((0.05, 0.0, 0.02)))
    for load in loads:
        robot.add(load)
    return robot


def on(link):
    """One shape of every kind, fixed to a link off its centre."""
    return {
        "ball": Ball(0.1, (0.02, 0.01, -0.03), link),
        "capsule": Capsule(0.06, (-0.1, 0.02, 0.03), (0.15, -0.03, 0.01), link),
        "box": Box((0.2, 0.16, 0.24), sp.pose((0.01, 0.02, 0.0), rpy=(0.3, 0.2, 0.1)), link),
        "plane": Plane((0.2, -0.1, 1.0), -0.05, link),
        "pipe": Tube((0.02, 0.01, 0.0), (1.0, 0.2, -0.3), 0.14, True, link),
        "rod": Tube((0.02, 0.01, 0.0), (1.0, 0.2, -0.3), 0.08, False, link),
    }


PAIRS = (
    [("ball", other) for other in ("ball", "capsule", "box", "plane", "pipe", "rod")]
    + [("capsule", other) for other in ("ball", "capsule", "box", "plane", "pipe", "rod")]
    + [("box", other) for other in ("box", "plane", "pipe", "capsule")]
)


@pytest.fixture(scope="module")
def free():
    return robot_of().compile()


@pytest.mark.parametrize("ground", ["right", "world"])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_tangents_of_every_pair_of_shapes(pair, ground, free):
    a, b = on("left")[pair[0]], on(ground)[pair[1]]
    model = robot_of(Contact("c", a, b, **LAW)).compile()
    check_tangents(model, free, touching_states(model, free, seed=len(pair[0]) + 7 * len(pair[1]), count=2))


@pytest.mark.parametrize("other", ["ball", "capsule", "box", "plane", "pipe", "rod"])
def test_tangents_of_spheres_along_a_rod(other, free):
    model = robot_of(Contact("c", Spheres("arm", 7), on("left")[other], **LAW)).compile()
    check_tangents(model, free, touching_states(model, free, seed=3, count=1))


def test_tangents_of_a_rod_per_length(free):
    model = robot_of(Contact("c", Spheres("arm"), Plane(), **LAW, per_length=True)).compile()
    check_tangents(model, free, touching_states(model, free, seed=3, count=2))


def test_rod_against_rod():
    free = two_rods()
    model = two_rods(Contact("c", Spheres("one", 9), Spheres("two", 11), **LAW))
    states = touching_states(model, free, seed=2, count=2)
    check_tangents(model, free, states)
    for q, v, _ in states:
        check_momentum(model, free, q, v, ["one", "two"])


def coil(*loads, turns=1.3):
    """A free rod bent over itself in a flat helix."""
    robot = sp.Robot("coil", gravity=(0.0, 0.0, 0.0))
    rod = soft_rod(1.0, 0.03, torsion=0, bend_y=1, bend_z=1, stretch=0)
    robot.add_link("rod", rod, joint=sp.Free())
    for load in loads:
        robot.add(load)
    model = robot.compile()
    q = np.zeros(model.n)
    q[6] = 0.3  # torsion lifts the coil out of its plane
    q[9] = 2.0 * np.pi * turns  # bend_z
    return model, q


def test_rod_against_itself():
    free, q = coil()
    model, _ = coil(Contact("self", Spheres("rod", 31), Spheres("rod", 31), **LAW))
    rng = np.random.default_rng(0)
    q = q + 0.01 * rng.standard_normal(model.n)
    v, a = 0.5 * rng.standard_normal((2, model.n))
    assert np.abs(force(model, free, q, v)).max() > 0.01
    check_tangents(model, free, [(q, v, a)])
    check_momentum(model, free, q, v, ["rod"])
    straight = np.zeros(model.n)
    assert np.abs(force(model, free, straight, v)).max() == 0.0, "neighbours touch"


def test_joined_rods_do_not_touch_at_their_joint():
    def joined(*loads):
        robot = sp.Robot("two", gravity=(0.0, 0.0, 0.0))
        robot.add_link("one", soft_rod(radius=0.04))
        robot.add_link("two", soft_rod(radius=0.04), joint=sp.Revolute("y"), parent="one")
        for load in loads:
            robot.add(load)
        return robot.compile()

    free, model = joined(), joined(Contact("c", Spheres("one", 15), Spheres("two", 15), **LAW))
    q, v = np.zeros(model.n), np.ones(model.n)
    assert np.abs(force(model, free, q, v)).max() == 0.0
    q[free.coordinate_names.index("two.y") if "two.y" in free.coordinate_names else 8] = 3.0
    assert np.abs(force(model, free, q, v)).max() > 0.0


# ---------------------------------------------------------------------- what a force must obey


def check_momentum(model, free, q, v, roots):
    """The contact does no work on a rigid motion of the whole robot, so it leaves both momenta alone."""
    f = force(model, free, q, v)
    for twist in np.eye(6):
        rigid = rigid_motion(free, q, twist, roots)
        scale = np.abs(f * rigid).sum()
        assert abs(f @ rigid) <= 1e-12 * max(scale, np.abs(f).max()), (f @ rigid, scale)


def rigid_motion(model, q, twist, roots):
    """v that moves all free roots with one world twist (about the world's origin)."""
    v = np.zeros(model.n)
    for link in roots:
        J = model.jacobian(q, link, 0.0)
        own = np.flatnonzero(np.abs(J).max(axis=0) > 0.0)
        g = model.pose(q, link, 0.0)
        w, u = twist[:3], twist[3:]
        local = np.concatenate([g[:3, :3].T @ w, g[:3, :3].T @ (u + np.cross(w, g[:3, 3]))])
        v[own] = np.linalg.solve(J[:, own], local)
    return v


@pytest.mark.parametrize("pair", [("ball", "box"), ("capsule", "capsule"), ("box", "box"), ("capsule", "pipe")])
def test_contact_inside_the_robot_keeps_momentum(pair, free):
    model = robot_of(Contact("c", on("left")[pair[0]], on("right")[pair[1]], **LAW)).compile()
    for q, v, _ in touching_states(model, free, seed=11):
        check_momentum(model, free, q, v, ["left", "right"])


def test_conservative_contact_is_the_gradient_of_its_energy(free):
    """Virtual work: without damping and friction, f . dq = -d(k d^(p+1) / (p+1))."""
    k, p = 300.0, 1.5
    model = robot_of(Contact("c", Ball(0.1, link="left"), Ball(0.12, link="right"), k, p)).compile()

    def energy(q):
        a, b = model.pose(q, "left", 0.0)[:3, 3], model.pose(q, "right", 0.0)[:3, 3]
        return k * max(0.22 - np.linalg.norm(a - b), 0.0) ** (p + 1) / (p + 1)

    for q, v, _ in touching_states(model, free, seed=5):
        gradient = difference(energy, q)
        assert np.abs(force(model, free, q, v) + gradient).max() < 1e-8 * np.abs(gradient).max()


def test_friction_and_damping_dissipate(free):
    elastic = {**LAW, "damping": 0.0, "friction": 0.0}
    for pair in (("ball", "plane"), ("capsule", "capsule"), ("box", "box")):
        a, b = on("left")[pair[0]], on("right")[pair[1]]
        model = robot_of(Contact("c", a, b, **LAW)).compile()
        lossless = robot_of(Contact("c", a, b, **elastic)).compile()
        for q, v, _ in touching_states(model, free, seed=8, count=20):
            power = force(model, free, q, v) @ v - force(lossless, free, q, v) @ v
            assert power <= 1e-12


def ball_over_plane(gap, velocity=REST, **law):
    robot = sp.Robot("ball", gravity=(0.0, 0.0, 0.0))
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=300.0), joint=sp.Free())
    robot.add(Contact("floor", Ball(0.1, link="ball"), Plane(), **{**LAW, **law}))
    model = robot.compile()
    q = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.1 + gap])
    return SimpleNamespace(
        f=-model.inverse_dynamics(q, velocity, REST),
        d=model.residual_derivatives(q, velocity, REST),
    )


def test_force_is_continuous_through_zero_gap_and_never_pulls():
    fast_out = np.array([0.0, 0.0, 0.0, 0.3, 0.0, 50.0])  # leaves faster than Hunt-Crossley would allow
    assert ball_over_plane(1e-9).f[5] == 0.0
    assert 0.0 < ball_over_plane(-1e-9).f[5] < 1e-10
    assert 0.0 < ball_over_plane(-1e-9, exponent=1.0).f[5] < 1e-6
    assert ball_over_plane(-0.01, fast_out).f[5] == 0.0
    for speed in np.linspace(2.0, 5.0, 40):
        assert ball_over_plane(-0.01, np.array([0, 0, 0, 0, 0, speed])).f[5] >= 0.0


def test_law():
    d, v = 0.01, np.array([0.0, 0.0, 0.0, 0.6, 0.0, -0.5])
    N = 300.0 * d**1.5 * (1.0 + 0.3 * 0.5)
    f = ball_over_plane(-d, v).f
    assert f[5] == pytest.approx(N, rel=1e-12)
    assert f[3] == pytest.approx(-0.4 * N * 0.6 / np.hypot(0.6, 0.2), rel=1e-12)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
def test_tangents_are_finite_at_degenerate_places(exponent, free):
    law = {**LAW, "exponent": exponent}
    zero = np.zeros(free.n)
    centred = {
        "ball": lambda link: Ball(0.1, link=link),
        "capsule": lambda link: Capsule(0.05, (-0.1, 0, 0), (0.1, 0, 0), link),
        "box": lambda link: Box((0.2, 0.2, 0.2), link=link),
        "plane": lambda link: Plane(link=link),
        "pipe": lambda link: Tube((0, 0, 0), (1, 0, 0), 0.05, link=link),
        "rod": lambda link: Tube((0, 0, 0), (1, 0, 0), 0.05, False, link=link),
    }
    for a, b in PAIRS:
        model = robot_of(Contact("c", centred[a]("left"), centred[b]("right"), **law)).compile()
        for q in (zero, np.eye(free.n)[5] * 0.2, np.eye(free.n)[3] * 1e-12):
            for v in (zero, np.ones(free.n)):
                R, T = model.residual_tangent(q, v, zero, cv=1.0, ca=1.0)
                assert np.isfinite(R).all(), (a, b)
                assert np.isfinite(T).all(), (a, b)
    touching = ball_over_plane(0.0, exponent=exponent)
    assert all(np.isfinite(x).all() for x in touching.d)


@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_block_on_an_incline_sticks_and_slips(mu):
    """Coulomb: the block can be held up to tan(angle) = mu within 2 %, and beyond it accelerates."""
    size, weight, slip = 0.2, 300.0 * 0.2**3 * 9.81, 1e-4
    for ratio in (0.98, 1.02):
        angle = np.arctan(ratio * mu)
        gravity = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])  # the incline is the plane z = 0
        robot = sp.Robot("block", gravity=gravity)
        robot.add_link("block", sp.Rigid.box((size, size, size), density=300.0), joint=sp.Translational())
        contact = Contact(
            "floor",
            Box((size,) * 3, link="block"),
            Plane(),
            stiffness=1e6,
            exponent=1.0,
            friction=mu,
            slip_velocity=slip,
        )
        robot.add(contact)
        model = robot.compile()
        depth = weight * np.cos(angle) / 4e6
        q, creep = np.array([0.0, 0.0, 0.5 * size - depth]), np.array([10.0 * slip, 0.0, 0.0])
        downhill = model.forward_dynamics(q, creep).a[0]
        if ratio < 1.0:
            assert downhill < 0.0, "the block does not stick"
        else:
            assert downhill > 0.0, "the block does not slip"
            assert downhill == pytest.approx(9.81 * (np.sin(angle) - mu * np.cos(angle)), abs=0.02 * 9.81 * mu)


def test_broad_phase_misses_nothing():
    """Many spheres against a ball: the same force as the sum over single spheres."""
    rod, ball = Spheres("one", 41), Ball(0.15, (0.3, 0.05, 0.0))
    free, model = two_rods(), two_rods(Contact("c", rod, ball, **LAW))
    q, v, _ = touching_states(model, free, seed=4, count=1)[0]
    expected = 0.0
    for x in np.linspace(0.0, 1.0, 41):
        radius = 0.04 + (0.03 - 0.04) * x
        single = two_rods(Contact("c", Ball(radius, link="one", s=float(x)), ball, **LAW))
        expected = expected + force(single, free, q, v)
    assert np.abs(force(model, free, q, v) - expected).max() < 1e-9 * np.abs(expected).max()


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Contact("c", Ball(0.1, link="nose"), Plane(), 1e3), ["Contact 'c'", "nose"]),
        (lambda: Contact("c", Spheres("nose", 5), Plane(), 1e3), ["Contact 'c'", "nose"]),
        (lambda: Contact("c", Spheres("left", 5), Plane(), 1e3), ["Contact 'c'", "left", "rigid"]),
        (lambda: Contact("c", Ball(0.1), Plane(), 1e3), ["Contact 'c'", "world"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Ball(0.1, link="left"), 1e3), ["Contact 'c'", "one body"]),
        (lambda: Contact("c", Plane(link="left"), Plane(), 1e3), ["Contact 'c'", "Plane"]),
        (lambda: Contact("c", Box((1, 1, 1), link="left"), Tube((0, 0, 0), (1, 0, 0), 1.0, False), 1e3), ["outside"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Plane(), -1.0), ["Contact 'c'", "stiffness", "-1"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Plane(), 1.0, exponent=0.5), ["Contact 'c'", "exponent"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Plane(), 1.0, damping=-1.0), ["damping"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Plane(), 1.0, friction=-1.0), ["friction"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Plane(), 1.0, slip_velocity=0.0), ["slip_velocity"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Plane(), float("nan")), ["stiffness"]),
        (lambda: Contact("c", "floor", Plane(), 1.0), ["Contact 'c'", "'floor'"]),
        (lambda: Contact("c", Ball(0.1, link="left"), Plane(), 1.0, per_length=True), ["per_length", "Spheres"]),
        (lambda: Ball(-0.1), ["Ball", "radius", "-0.1"]),
        (lambda: Spheres("arm", 0), ["Spheres", "n"]),
        (lambda: Spheres("arm", 5, radius=-1.0), ["Spheres", "radius"]),
        (lambda: Spheres("arm", at=[0.2, 1.2]), ["Spheres", "at", "1.2"]),
        (lambda: Spheres("arm", at=[]), ["Spheres", "at"]),
        (lambda: Capsule(0.1, (0, 0, 0), (0, 0, 0)), ["Capsule", "coincide"]),
        (lambda: Box((0.1, 0.0, 0.1)), ["Box", "size"]),
        (lambda: Plane((0.0, 0.0, 0.0)), ["Plane", "normal", "zero"]),
        (lambda: Tube((0, 0, 0), (0, 0, 0), 0.1), ["Tube", "axis"]),
        (lambda: Tube((0, 0, 0), (1, 0, 0), -0.1), ["Tube", "radius"]),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises(ModelError) as caught:
        robot_of(make()).compile()
    for word in words:
        assert word in str(caught.value)


def test_sections_without_outline_need_a_radius():
    robot = sp.Robot("rod")
    section = sp.Section(np.eye(6), np.diag([1.0, 0.5, 0.5, 1.0, 1.0, 1.0]))
    robot.add_link("rod", sp.Rod(1.0, section, strain=sp.Legendre(bend_y=1), points=4))
    robot.add(Contact("floor", Spheres("rod", 4), Plane(), 1e3))
    with pytest.raises(ModelError, match=r"Contact 'floor'.*radius"):
        robot.compile()


def test_crossing_edges_of_two_boxes_push_each_other_apart():
    """Both on edge and at right angles: no corner of one is inside the other."""
    half = 0.1 * np.sqrt(0.5)
    robot = sp.Robot("edges", gravity=(0.0, 0.0, 0.0))
    robot.add_link("upper", sp.Rigid.box((0.3, 0.1, 0.1), density=1000.0), joint=sp.Prismatic("z"))
    upper = Box((0.3, 0.1, 0.1), sp.pose(rpy=(np.pi / 4, 0.0, 0.0)), "upper")
    lower = Box((0.1, 0.3, 0.1), sp.pose(rpy=(0.0, np.pi / 4, 0.0)))
    robot.add(Contact("edges", upper, lower, stiffness=1e4))
    model = robot.compile()
    zero = np.zeros(1)
    apart, overlapping = (model.inverse_dynamics([2.0 * half - d], zero, zero)[0] for d in (-1e-3, 5e-3))
    assert apart == 0.0
    assert overlapping < 0.0  # held up: the residual misses an upward force
    assert model.check_derivatives([2.0 * half - 5e-3], zero, zero).ok(1e-6)


def test_spheres_stand_where_they_are_asked_for():
    places = (0.1, 0.4, 1.0)
    assert Spheres("arm", at=places).stations() == [("arm", s) for s in places]
    given, even = (robot_of(Contact("c", shape, Plane(), **LAW)).compile() for shape in (
        Spheres("arm", at=np.linspace(0.0, 1.0, 7)), Spheres("arm", 7)
    ))  # fmt: skip
    q = 0.2 * np.ones(given.n)
    np.testing.assert_array_equal(given.inverse_dynamics(q, 0 * q, 0 * q), even.inverse_dynamics(q, 0 * q, 0 * q))
