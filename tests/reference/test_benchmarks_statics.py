"""Static benchmarks S1 to S11: rods under all kinds of loads against analytic and shooting solutions.

Strain functions and Gauss nodes are as many as the tolerance asks for: between nodes the shape is a Magnus step of
fourth order, which is what limits most errors.
"""

from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import legendre

import supple as sp

DATA = Path(__file__).parents[1] / "data"
ALL = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")


def table(name, header=1):
    return np.loadtxt(DATA / name, delimiter=",", skiprows=header)


def rod(length, stiffness, points, **strains):
    """A rod by its stiffness (torsion, bendings, stretch, shears); its mass does not matter."""
    rest = strains.pop("rest_strain", None)
    section = sp.Section(stiffness, [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    return sp.Rod(length, section, strain=sp.Legendre(**strains), points=points, rest_strain=rest)


def unit_rod(order, points, **options):
    """Inextensible planar rod of length and bending stiffness one."""
    return rod(1.0, np.ones(6), points, bend_z=order, **options)


def loaded(body, *items, joint=None):
    """A clamped rod (or one on a joint) under loads, without gravity."""
    robot = sp.Robot("benchmark", gravity=(0.0, 0.0, 0.0))
    robot.add_link("rod", body, joint=joint)
    for item in items:
        robot.add(item)
    return robot.compile()


def tip_of(model, **options):
    """Tip of the equilibrium found from rest."""
    found = model.statics(**options)
    assert found.converged, found.message
    return model.pose(found.q, "rod")[:3, 3]


def tip_force(force, frame="world"):
    return sp.PointWrench("rod", [0.0, 0.0, 0.0, *force], frame=frame)


# ---------------------------------------------------------------------- S1


@pytest.mark.parametrize("angle", [0.5, np.pi, 2.0 * np.pi, 4.0 * np.pi])
@pytest.mark.parametrize("frame", ["world", "local"])
def test_s1_roll_up(angle, frame):
    """An end moment bends a rod into an arc; 2 pi closes the circle, 4 pi closes it twice."""
    model = loaded(unit_rod(2, 6), sp.PointWrench("rod", [0.0, 0.0, angle, 0.0, 0.0, 0.0], frame=frame))
    expected = [np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle, 0.0]
    assert tip_of(model) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("frame", ["world", "local"])
def test_s1_oblique_moment_and_torsion(frame):
    """With equal stiffnesses any end moment gives constant strains u = m / K: an arc of a helix, turning about m."""
    moment, K = np.array([0.8, -1.1, 1.7]), 0.5
    body = rod(1.0, [K, K, K, 1.0, 1.0, 1.0], 8, torsion=2, bend_y=2, bend_z=2)
    found = loaded(body, sp.PointWrench("rod", [*moment, 0.0, 0.0, 0.0], frame=frame)).statics()
    expected = np.zeros(9)
    expected[[0, 3, 6]] = moment / K
    assert found.q == pytest.approx(expected, abs=1e-10)


# ---------------------------------------------------------------------- S2, S3, S4: planar cantilevers


def test_s2_dead_tip_force():
    for alpha, shortening, deflection, turn in table("elastica_tip_force.csv"):
        model = loaded(unit_rod(9, 80), tip_force([0.0, alpha, 0.0]))
        found = model.statics()
        assert found.converged
        assert found.how == "newton"
        assert found.stable
        tip = model.pose(found.q, "rod")
        assert tip[:3, 3] == pytest.approx([1.0 - shortening, deflection, 0.0], abs=1e-8)
        assert np.arctan2(tip[1, 0], tip[0, 0]) == pytest.approx(turn, abs=1e-6)


def test_s2_three_functions():
    for alpha, shortening, deflection, _ in table("elastica_tip_force.csv"):
        if alpha <= 4.0:
            model = loaded(unit_rod(2, 20), tip_force([0.0, alpha, 0.0]))
            assert tip_of(model) == pytest.approx([1.0 - shortening, deflection, 0.0], abs=1e-4)


@pytest.mark.slow
def test_s3_follower_tip_force():
    for alpha, x, y, turn, _ in table("follower_tip_force.csv"):
        model = loaded(unit_rod(16, 200), tip_force([0.0, alpha, 0.0], frame="local"))
        found = model.statics()
        assert found.converged
        tip = model.pose(found.q, "rod")
        assert tip[:3, 3] == pytest.approx([x, y, 0.0], abs=1e-8)
        assert np.arctan2(tip[1, 0], tip[0, 0]) == pytest.approx(turn, abs=1e-6)


@pytest.mark.parametrize("frame", ["world", "local"])
def test_s4_distributed_load(frame):
    """Dead or normal to the rod."""
    for load, *values in table("distributed_load.csv"):
        x, y, _ = values[:3] if frame == "world" else values[3:]
        model = loaded(unit_rod(14, 120), sp.Distributed("rod", [0.0, 0.0, 0.0, 0.0, load, 0.0], frame=frame))
        assert tip_of(model) == pytest.approx([x, y, 0.0], abs=1e-8)


# ---------------------------------------------------------------------- S5, S6, S7: rods in space

BEND45 = {
    (300, 1.0, 1 / 6): (58.77912249, -22.24478095, 40.19189167),
    (600, 1.0, 1 / 6): (47.15043857, -15.68480053, 53.47485879),
    (300, 5 / 6, 1 / 6): (58.77889733, -22.24467943, 40.19239233),
    (600, 5 / 6, 1 / 6): (47.15009624, -15.68468948, 53.47547800),
    (300, 1.0, 0.140577): (58.53593, -22.11261, 40.48026),
    (600, 1.0, 0.140577): (46.89192, -15.55779, 53.60737),
}


@pytest.mark.parametrize(("load", "shear_factor", "torsion"), BEND45)
def test_s5_45_degree_bend(load, shear_factor, torsion):
    """All at once, without load steps of the user's."""
    shear = 5e6 * shear_factor
    body = rod(
        100.0 * np.pi / 4.0,
        [5e6 * torsion, 1e7 / 12, 1e7 / 12, 1e7, shear, shear],
        30,
        rest_strain=(0.0, 0.0, -0.01, 1.0, 0.0, 0.0),
        **dict.fromkeys(ALL, 8),
    )
    expected = BEND45[load, shear_factor, torsion]
    # relative to the size of the arc; the last two are printed with five decimals
    assert tip_of(loaded(body, tip_force([0.0, 0.0, load]))) == pytest.approx(expected, abs=1e-6 * 70.0)


def test_s6_princeton_beam():
    stiffness = [3.10333827, 36.27936354, 2.42873444, 2841908.714, 903914.985, 903914.985]
    body = rod(0.508, stiffness, 24, **dict.fromkeys(ALL, 8))
    for load, degrees, *displacement, twist, _, _, _, _ in table("princeton.csv"):
        angle = np.radians(degrees)
        model = loaded(body, tip_force([0.0, load * np.sin(angle), load * np.cos(angle)]))
        found = model.statics()
        assert found.converged
        tip = model.pose(found.q, "rod")
        moved = tip[:3, 3] - [0.508, 0.0, 0.0]
        assert moved == pytest.approx(displacement, abs=1e-6 * np.abs(displacement).max())
        assert np.degrees(np.arctan2(tip[2, 1], tip[2, 2])) == pytest.approx(twist, abs=1e-5)


def test_s7_precurved_helix():
    """Without load a rod keeps its shape."""
    body = rod(2.0, np.ones(6), 5, torsion=1, bend_y=1, bend_z=1, rest_strain=(1.5, 0.0, 3.0, 1.0, 0.0, 0.0))
    assert tip_of(loaded(body)) == pytest.approx([0.498348292141, 0.0237250524828, 0.750825853929], abs=1e-8)


def helical_form(factor, order, points):
    """Model and expected tip of a straight rod that a dead end moment and force wind into coils, ten at factor 1."""
    rows = table("helical_form.csv")
    body = rod(10.0, [1e2, 1e2, 1e2, 1e4, 1e4, 1e4], points, **dict.fromkeys(ALL, order))
    wrench = [0.0, 0.0, 200.0 * np.pi * factor, 0.0, 0.0, 50.0 * factor]
    return loaded(body, sp.PointWrench("rod", wrench)), rows[np.abs(rows[:, 0] - factor).argmin(), 1:]


@pytest.mark.parametrize(("factor", "points"), [(0.1, 60), (0.3, 100)])
def test_s7_helical_form(factor, points):
    model, expected = helical_form(factor, 12, points)
    assert tip_of(model) == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_s7_helical_form_of_ten_coils():
    """From the ten coils that the moment makes alone."""
    order = 36
    model, expected = helical_form(1.0, order, 200)
    start = np.zeros(model.n)
    start[2 * (order + 1)] = 20.0 * np.pi
    assert tip_of(model, q0=start) == pytest.approx(expected, abs=1e-4)


# ---------------------------------------------------------------------- S8


class LocalisedHelix:
    """A twisted rod of 100 m whose ends came 3 m nearer: the homoclinic solution, of an endless rod.

    The section frame is carried without twist from the middle (at 0) to the end (at -1/2).
    """

    length, bending, torsion = 100.0, 1.345, 0.789
    moment, tension, slack, turns = 1.3253831235, 0.390183586179, 3.0, 27

    def __init__(self, count=8001):
        m, t = self.moment * self.length / self.bending, self.tension * self.length**2 / self.bending
        self.T, self.M = t / (4.0 * np.pi**2), m / (2.0 * np.pi)
        self.root = np.sqrt(4.0 * self.T - self.M**2)
        self.sigma = np.linspace(0.0, -0.5, count)
        self.line = self.at(self.sigma)
        tangent = self.at(self.sigma + 1e-4) - self.at(self.sigma - 1e-4)
        self.tangent = tangent / np.linalg.norm(tangent, axis=1)[:, None]

    def at(self, sigma):
        """Centreline (k, 3), the axis first."""
        size = self.root / (2.0 * np.pi * self.T)
        decay, turn = np.pi * sigma * self.root, np.pi * sigma * self.M
        x = sigma - size * np.tanh(decay)
        return self.length * np.stack(
            [x, size * np.sin(turn) / np.cosh(decay), -size * np.cos(turn) / np.cosh(decay)], axis=-1
        )

    def curvatures(self):
        """Bending about y and z (k,) in the frame without twist, whose y is the axis of symmetry in the middle."""
        y = [np.array([0.0, 0.0, 1.0])]
        for i in range(len(self.sigma) - 1):  # by double reflection
            step = self.line[i + 1] - self.line[i]
            mirrored = y[-1] - 2.0 * (step @ y[-1]) / (step @ step) * step
            other = self.tangent[i] - 2.0 * (step @ self.tangent[i]) / (step @ step) * step
            second = self.tangent[i + 1] - other
            y.append(mirrored - 2.0 * (second @ mirrored) / (second @ second) * second)
        bend = np.gradient(self.tangent, self.sigma * self.length, axis=0, edge_order=2)
        z = np.cross(self.tangent, np.array(y))
        return -np.einsum("ij,ij->i", bend, z), np.einsum("ij,ij->i", bend, np.array(y))


def test_s8_localised_buckling():
    """Half the clamped rod, closed in its middle by the symmetry of the solution, against an endless rod.

    The whole rod has a family of equilibria: its helix may stand at any angle about the axis. In the middle, where a
    half turn about an axis across the rod maps it to itself, the section may only turn about and move along that axis.
    The rest twist undoes the 27 turns, so that strains are smooth; a round rod does not notice.
    """
    given, order, half = LocalisedHelix(), 40, 50.0
    twist = given.moment / given.torsion
    stiffness = [given.torsion, given.bending, given.bending, 1.0, 1.0, 1.0]
    rest = (-twist, 0.0, 0.0, 1.0, 0.0, 0.0)
    body = rod(half, stiffness, 200, torsion=4, bend_y=order, bend_z=order, rest_strain=rest)
    angle = np.pi * given.turns - twist * half
    middle = sp.pose((half - given.slack / 2.0, 0.0, 0.0), rpy=(angle, 0.0, 0.0))
    loop = sp.Loop("middle", a=("rod", sp.pose()), b=("world", middle), joint=sp.Cylindrical("y"))
    model = loaded(body, loop)
    fits = [legendre.legfit(4.0 * given.sigma + 1.0, half * k, order) for k in given.curvatures()]
    found = model.statics(q0=np.concatenate([[twist * half, 0.0, 0.0, 0.0, 0.0], *fits]))
    assert found.converged
    assert found.stable
    wrench = found.multipliers["middle"]
    assert wrench[0] == pytest.approx(given.moment, rel=1e-5)
    assert wrench[3] == pytest.approx(given.tension, rel=1e-5)
    stations = np.linspace(0.0, 1.0, 101)
    poses = np.array([model.pose(found.q, "rod", s) for s in stations])
    envelope = np.arccos(np.clip(poses[:, 0, 0], -1.0, 1.0))
    expected = np.interp(stations / 2.0 - 0.5, given.sigma[::-1], np.arccos(np.clip(given.tangent[::-1, 0], -1, 1)))
    assert np.degrees(envelope.max()) == pytest.approx(47.65150732, abs=1e-3)
    assert envelope == pytest.approx(expected, abs=1e-4)  # the end effect of the finite rod: 3e-5 rad


# ---------------------------------------------------------------------- S9


def growing(wrench):
    return sp.laws.Ramp(np.zeros(6), np.array(wrench, dtype=float), 0.0, 1.0)


def compression(force):
    return sp.PointWrench("rod", growing([0.0, 0.0, 0.0, -force, 0.0, 0.0]))


def on_slider(joint, load, rod_joint):
    """A rod whose tip is held, by a loop, on a slider along its axis."""
    robot = sp.Robot("benchmark", gravity=(0.0, 0.0, 0.0))
    robot.add_link("rod", unit_rod(10, 50), joint=rod_joint)
    robot.add_link("slider", sp.Rigid(1.0, np.ones(3)), joint=sp.Prismatic("x"), at=sp.pose((1.0, 0.0, 0.0)))
    robot.add(sp.Loop("end", a=("rod", sp.pose()), b=("slider", sp.pose(), 0.0), joint=joint))
    robot.add(load)
    return robot.compile()


def first_critical(model):
    path = model.equilibrium_path(s=(0.0, 0.95))
    assert path.reached
    assert path.stable[0]
    assert not path.stable[-1]
    assert path.critical[0].kind == "bifurcation"
    return path.critical[0].s


def test_s9_euler_clamped_free():
    assert first_critical(loaded(unit_rod(8, 20), compression(4.0))) == pytest.approx(np.pi**2 / 16.0, rel=1e-4)


def test_s9_euler_pinned_pinned():
    model = on_slider(sp.Revolute("z"), compression(12.0), sp.Revolute("z"))
    assert first_critical(model) == pytest.approx(np.pi**2 / 12.0, rel=1e-4)


def test_s9_euler_clamped_clamped():
    model = on_slider(sp.Fixed(), compression(45.0), sp.Fixed())
    assert first_critical(model) == pytest.approx(4.0 * np.pi**2 / 45.0, rel=1e-4)


def test_s9_heavy_column():
    """Greenhill."""
    model = loaded(unit_rod(8, 20), sp.Distributed("rod", lambda t, s: [0.0, 0.0, 0.0, -10.0 * t, 0.0, 0.0]))
    assert first_critical(model) == pytest.approx(0.783734743894, rel=1e-4)


def test_s9_lateral_torsional():
    """A narrow cantilever under an end load tips over; its strong axis is rigid."""
    EI, GJ = 0.7, 1.6
    body = rod(1.0, [GJ, 1.0, EI, 1.0, 1.0, 1.0], 20, torsion=8, bend_z=8)
    model = loaded(body, sp.PointWrench("rod", growing([0.0, 0.0, 0.0, 0.0, 0.0, 5.0 * np.sqrt(EI * GJ)])))
    assert first_critical(model) == pytest.approx(4.01259934358 / 5.0, rel=1e-4)


# ---------------------------------------------------------------------- S10, S11


def timoshenko(points):
    r, E, G = 0.25, 1e6, 1e4
    A, inertia = np.pi * r**2, np.pi * r**4 / 4.0
    shear = 27.0 / 28.0 * G * A
    stiffness = [2.0 * G * inertia, E * inertia, E * inertia, E * A, shear, shear]
    return rod(3.0, stiffness, points, bend_z=6, stretch=6, shear_y=6)


def test_s10_timoshenko():
    tip = tip_of(loaded(timoshenko(20), tip_force([0.0, 15.0, 0.0])))
    assert tip == pytest.approx([2.99926793, 0.06774842, 0.0], abs=1e-6 * 0.0677)


def test_s10_timoshenko_linear():
    tip = tip_of(loaded(timoshenko(20), tip_force([0.0, 15e-4, 0.0])))
    assert tip[1] == pytest.approx(0.06777029684e-4, rel=1e-6)


@pytest.mark.parametrize("name", ["straight1_nograv", "straight3_grav"])
def test_s11_straight_tendons(name):
    with np.load(DATA / f"tendon_{name}.npz") as file:
        data = dict(file)
    body = rod(float(data["L"]), [*data["Kbt"], *data["Kse"]], 28, **dict.fromkeys(ALL, 8))
    weight = sp.Distributed("rod", [0.0, 0.0, 0.0, 0.0, 0.0, -float(data["weight_per_length"])])
    tendons = []
    for i, (offset, phase) in enumerate(zip(data["offset"], data["phase"], strict=True)):
        place = offset * np.cos(phase), offset * np.sin(phase)
        tendons.append(sp.Tendon(f"t{i}", {"rod": lambda X, place=place: place}))
    model = loaded(body, weight, *tendons)
    for tensions, tip in zip(data["tensions"], data["tip_pos"], strict=True):
        assert tip_of(model, u=tensions) == pytest.approx(tip, abs=1e-8)
    assert model.statics_batch(data["tensions"]).converged.all()
