"""Pressure in hollows of soft bodies: volumes, their gradients, and what is refused."""

import numpy as np
import pytest

import supple as sp
from soft_robots import waving
from supple.errors import ModelError
from supple.tracing.program import evaluate

L, R = 0.2, 0.01
TIP = [(0.2, 0.0, 0.03), (0.2, 0.03, 0.0), (0.2, 0.0, -0.03)]
MATERIAL = sp.Material(young=2e5, poisson=0.45, density=1100.0, viscosity=200.0)


def gripper(kinematics, cavity, **options):
    robot = sp.Robot("gripper")
    options = {"points": (8, 2, 12)} | options
    body = sp.SoftBody(kinematics, sp.HollowCylinder(L, 0.03, R), MATERIAL, **options)
    robot.add_link("hand", body, sp.Revolute("y"))
    robot.add(cavity)
    return robot.compile()


def round_surface(rings=40, around=48):
    """The bore as triangles, closed by fans."""
    angle = 2.0 * np.pi * np.arange(around) / around
    ring = np.stack([0.0 * angle, R * np.cos(angle), R * np.sin(angle)], axis=1)
    rows = [ring + np.array([x, 0.0, 0.0]) for x in np.linspace(0.0, L, rings)]
    vertices, faces = np.concatenate([*rows, [[0.0, 0.0, 0.0], [L, 0.0, 0.0]]]), []
    for i in range(rings - 1):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            faces += [(a, b + around, b), (a, a + around, b + around)]
    last = (rings - 1) * around
    for j in range(around):
        k = (j + 1) % around
        faces += [(len(vertices) - 2, j, k), (len(vertices) - 1, last + k, last + j)]
    return vertices, np.array(faces)


def test_volume_of_the_bore_of_a_bent_and_stretched_tube():
    """Pappus: bending does not change it, stretching does."""
    model = gripper(sp.ConstantCurvature(L, stretch=True), sp.Cavity("p", "hand"))
    for q in np.array([[0.1, 0.0, 0.0, 0.0], [0.2, 0.7, -1.1, 0.25]]):
        volume = model.line_lengths(q)["p"]
        assert volume == pytest.approx(np.pi * R**2 * L * (1.0 + q[3]), rel=1e-12)


def test_volume_of_a_gripper_with_a_source():
    """pi r^2 L + pi q2 Z^3 / (3 L^2), Z = L (1 + q1 / 3): stretch 1 + (x/L)^2 q1, then source (x/L)^2 q2."""
    kinematics = sp.VolumePreserving([sp.Stretch(lambda x: (x / L) ** 2), sp.Source(lambda x: (x / L) ** 2)])
    model = gripper(kinematics, sp.Cavity("p", "hand"), tip=TIP, moving_base=True)
    for q1, q2 in ((0.0, 0.0), (0.3, 5e-5), (-0.2, -3e-5)):
        expected = np.pi * R**2 * L + np.pi * q2 * (L * (1.0 + q1 / 3.0)) ** 3 / (3.0 * L**2)
        assert model.line_lengths([0.0, q1, q2])["p"] == pytest.approx(expected, rel=1e-9)


def test_a_closed_surface_of_triangles_holds_what_the_bore_does():
    fine, smooth = sp.Cavity("p", "hand", round_surface()), sp.Cavity("p", "hand")
    kinematics = waving(L, 3)
    a, b = (gripper(kinematics, cavity, n=3) for cavity in (fine, smooth))
    q = np.array([0.3, 0.5, -0.4, 0.6])
    assert a.line_lengths(q)["p"] == pytest.approx(b.line_lengths(q)["p"], rel=5e-3)
    np.testing.assert_allclose(a.actuation(q), b.actuation(q), atol=1e-2 * abs(b.actuation(q)).max())


def round_wall(along=16, around=24):
    """The bore as a rule over its smooth wall and both ends, which are disks."""
    s, w = np.polynomial.legendre.leggauss(along)
    t, wt = np.polynomial.legendre.leggauss(3)
    angle = 2.0 * np.pi * (np.arange(around) + 0.5) / around
    ring = np.column_stack([0.0 * angle, np.cos(angle), np.sin(angle)])
    points = [R * ring + (0.5 * L * (x + 1.0), 0.0, 0.0) for x in s]
    areas = [0.5 * L * wx * R * 2.0 * np.pi / around * ring for wx in w]
    for x, sign in ((0.0, -1.0), (L, 1.0)):
        for r, wr in zip(0.5 * R * (t + 1.0), 0.5 * R * wt, strict=True):
            points.append(r * ring + (x, 0.0, 0.0))
            areas.append(np.tile([sign * wr * r * 2.0 * np.pi / around, 0.0, 0.0], (around, 1)))
    return np.concatenate(points), np.concatenate(areas)


def test_a_smooth_wall_holds_what_lies_behind_it():
    """The integral of det F over the bore, which the kinematics fill too; inward areas are turned."""
    points, areas = round_wall()
    model, turned = (
        gripper(waving(L, 3), sp.Cavity("p", "hand", wall=(points, sign * areas)), n=3) for sign in (1.0, -1.0)
    )
    q = np.array([0.3, 0.5, -0.4, 0.6])
    inside = sp.SoftBody(waving(L, 3), sp.Cylinder(L, R), MATERIAL, n=3, points=(16, 4, 24))
    x, volume = inside.quadrature
    expected = volume @ np.linalg.det(evaluate(inside.gradient, x, q[1:]))
    assert model.line_lengths(q)["p"] == pytest.approx(expected, rel=1e-8)
    assert turned.line_lengths(q)["p"] == pytest.approx(expected, rel=1e-8)
    report = model.check_derivatives(q, 0.3 * q, q, np.array([3e4]))
    assert report.worst.error < 1e-8, str(report)


def test_walls_that_are_none():
    points, areas = round_wall(4, 6)
    cases = (
        ({"wall": (points, areas[1:])}, r"have shapes \(60, 3\) and \(59, 3\), must be \(P, 3\) both"),
        ({"wall": (points[:-18], areas[:-18])}, "its areas sum up to .* closed wall .* cancel"),
        ({"wall": (points, np.nan * areas)}, "must be finite"),
        ({"wall": 3.0}, r"must be \(points \(P, 3\), areas \(P, 3\)\)"),
        ({"wall": (points, areas), "region": lambda x: True}, "region and wall are both given"),
        ({"wall": (points, 1j * areas)}, "must be an array of real numbers"),
    )
    for options, message in cases:
        with pytest.raises(ModelError, match=message):
            gripper(waving(L, 1), sp.Cavity("p", "hand", **options), n=3)


def test_a_region_that_the_kinematics_fill():
    """det F = h^2 (lam + (q1 / L) h z) of a body of variable radius, summed over its upper half."""
    radius = 0.02
    kinematics = sp.VariableRadius(L, radius, sharpness=0.05)
    robot = sp.Robot("bulging")
    body = sp.SoftBody(kinematics, sp.Cylinder(L, radius), MATERIAL, points=(16, 3, 16))
    robot.add_link("hand", body)
    robot.add(sp.Cavity("up", "hand", region=lambda x: x[2] > 0.0))
    model = robot.compile()
    q = np.array([0.7, 0.03, 0.006, -0.004])
    x, volume = body.quadrature
    up, down = (np.array(side, dtype=float) for side in zip(*map(kinematics.bumps, x), strict=True))
    h = 1.0 + (q[2] * up + q[3] * down) / radius
    volumes = volume * h**2 * (1.0 + q[1] / L + q[0] / L * h * x[:, 2])
    assert model.line_lengths(q)["up"] == pytest.approx(volumes[x[:, 2] > 0.0].sum(), rel=1e-10)
    report = model.check_derivatives(q, 0.1 * q, q, np.array([1e4]))
    assert report.worst.error < 1e-8, str(report)


@pytest.mark.parametrize("surface", [None, "triangles"])
def test_derivatives_of_the_pressure_against_differences(surface):
    given = None if surface is None else round_surface(4, 5)
    model = gripper(waving(L, 1), sp.Cavity("p", "hand", given), n=3)
    rng = np.random.default_rng(0)
    q, v, a = 0.4 * rng.standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, np.array([3e4]))
    assert report.worst.error < 1e-8, str(report)
    h = 1e-6
    gradient = [
        (model.line_lengths(q + h * e)["p"] - model.line_lengths(q - h * e)["p"]) / (2 * h) for e in np.eye(model.n)
    ]
    np.testing.assert_allclose(model.actuation(q)[:, 0], gradient, rtol=1e-7, atol=1e-12)
    assert model.actuation(q)[0, 0] == 0.0  # the joint does not feel it


def test_work_of_a_pressure_becomes_energy():
    """A body without viscosity, blown up: p times the growth of the volume is kinetic and elastic energy."""
    robot = sp.Robot("gripper", gravity=(0.0, 0.0, 0.0))
    elastic = sp.NeoHookean(young=2e5, poisson=0.4, density=1100.0)
    hollow = sp.HollowCylinder(L, 0.03, R)
    robot.add_link("hand", sp.SoftBody(waving(L, 2), hollow, elastic, n=3, points=(5, 2, 6)))
    robot.add(sp.Cavity("p", "hand"))
    model, p = robot.compile(), 4e3
    motion = model.simulate(0.02, u=np.array([p]), method=sp.DOP853(rtol=1e-11, atol=1e-12))
    volumes = [model.line_lengths(q)["p"] for q in motion.q]
    energies = [model.energy(q, v).total for q, v in zip(motion.q, motion.v, strict=True)]
    work = p * (volumes[-1] - volumes[0])
    assert work > 1e-6
    assert energies[-1] - energies[0] == pytest.approx(work, rel=1e-7)


def test_what_cannot_be_blown_up():
    robot = sp.Robot("arm")
    robot.add_link("rod", sp.Rod(0.2, sp.Circle(0.01), MATERIAL, sp.Legendre(bend_y=0), points=3))
    robot.add_link("full", sp.SoftBody(sp.ConstantCurvature(L), sp.Cylinder(L, 0.02), MATERIAL), parent="rod")
    vertices, faces = round_surface(3, 4)
    cases = (
        ("rod", None, "link 'rod' is .*, but cavities are hollows of soft bodies"),
        ("full", None, "link 'full', Cylinder, has no bore"),
        ("full", (vertices, faces[1:]), "must be closed"),
        ("full", (vertices, faces[:, :2]), r"triangles has shape \(24, 2\)"),
        ("full", (vertices, faces + 100), "name vertices 100"),
        ("full", 3.0, r"must be \(vertices \(V, 3\), triangles \(T, 3\)\)"),
    )
    for link, surface, message in cases:
        refused = robot.copy()
        refused.add(sp.Cavity("p", link, surface))
        with pytest.raises(ModelError, match=message):
            refused.compile()
