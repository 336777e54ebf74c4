"""Robots with soft bodies that several tests share."""

import numpy as np

import supple as sp

MATERIAL = sp.Material(young=2e5, poisson=0.45, density=1100.0, viscosity=200.0)
CREEPING = sp.NeoHookean(young=1e5, poisson=0.4, density=900.0, kelvin_voigt=300.0)


def bending(length):
    """A plane arc of constant curvature about z, by its angle: the kinematics of a rod with Legendre(bend_z=0)."""

    def f(x, q):
        angle = q[0] * x[0] / length
        along, across = x[0] * np.sinc(angle / np.pi), x[0] * np.sin(0.5 * angle) * np.sinc(0.5 * angle / np.pi)
        return np.stack([along - x[1] * np.sin(angle), across + x[1] * np.cos(angle), x[2]])

    return f


def waving(length, seed):
    """Three coordinates that bend, twist, stretch and swell, all at once and not linearly."""
    a, b, c, d = np.random.default_rng(seed).uniform(0.5, 1.0, 4)

    def f(x, q):
        s = x[0] / length
        angle = a * q[0] * s + 0.5 * q[1] * s**2
        twist = b * q[1] * s - q[2] * s**3
        swell = 1.0 + 0.3 * c * np.tanh(q[2]) * s * (1.0 - s) + 0.1 * q[0] * q[1] * s**2
        y, z = swell * x[1], swell * x[2]
        y, z = y * np.cos(twist) - z * np.sin(twist), y * np.sin(twist) + z * np.cos(twist)
        along = x[0] * (1.0 + 0.2 * d * q[2] * s) * np.sinc(angle / np.pi)
        return np.stack([along - y * np.sin(angle), 0.5 * x[0] * angle + y * np.cos(angle), z + 0.1 * q[1] * x[0] * s])

    return f


def soft_cone(seed=0, length=0.3, **options):
    """A cone of three coordinates."""
    options = {"material": MATERIAL, "points": (5, 2, 5)} | options
    return sp.SoftBody(waving(length, seed), sp.Cone(length, 0.03, 0.02), n=3, **options)


def random_soft(rng):
    """A soft body of any domain, kinematics and material; half of them know stations along an axis."""
    length, seed = rng.uniform(0.2, 0.5), int(rng.integers(100))
    domains = (
        sp.Cylinder(length, 0.03),
        sp.HollowCylinder(length, 0.03, 0.01),
        sp.Cone(length, 0.04, 0.02),
        sp.Block(length, 0.05, 0.03),
        sp.Points(rng.uniform((0.0, -0.03, -0.03), (length, 0.03, 0.03), (20, 3)), rng.uniform(1e-6, 3e-5, 20)),
        sp.Mesh(np.vstack([np.zeros(3), 0.3 * np.eye(3), np.full((1, 3), 0.3)]), [[0, 1, 2, 3], [1, 2, 3, 4]]),
    )
    layers = [(0.3 * rng.standard_normal(size), 0.1 * rng.standard_normal(size[0])) for size in ((4, 5), (3, 4))]
    kinematics = ((waving(length, seed), 3), (sp.ConstantCurvature(length, bool(rng.random() < 0.5)), None))
    kinematics = (*kinematics, (sp.Network([(W, 0.3 * b) for W, b in layers], 3.0 * length), None))
    f, n = kinematics[rng.integers(len(kinematics))]
    materials = (MATERIAL, sp.NeoHookean(young=1e5, poisson=0.4, density=900.0, viscosity=rng.uniform(0.0, 100.0)))
    domain, tip = domains[rng.integers(len(domains))], None
    if domain.length is None and rng.random() < 0.7:  # else links hang at its base
        tip = [(0.2, 0.0, 0.0), (0.2, 0.02, 0.0), (0.2, 0.0, 0.02)]
    return sp.SoftBody(f, domain, materials[rng.integers(2)], n=n, points=(4, 2, 5), tip=tip)


def mixed_robot(loops=True, root=None, gravity=(1.0, -2.0, -9.81)):
    """Soft bodies on a floating base and on a rod, rods and rigid bodies on them, loads and a loop between them."""
    robot = sp.Robot("soft", gravity=gravity)
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.05), density=900.0), joint=sp.Free() if root is None else root)
    robot.add_link("first", soft_cone(0), parent="base", at=sp.pose((0.05, 0.0, 0.0), (0.1, 0.2, 0.3)))
    rod = sp.Rod(0.2, sp.Circle(0.01), MATERIAL, sp.Legendre(bend_y=1, torsion=0), points=4)
    robot.add_link("rod", rod, parent="first", at=sp.pose((0.01, 0.0, 0.0)), joint=sp.Revolute("y", stiffness=0.5))
    robot.add_link("second", soft_cone(1, 0.2), parent="rod", joint=sp.Universal("x", "y"))
    robot.add_link("graft", rod, parent=("first", 0.4), at=sp.pose((0.0, 0.03, 0.0), (0.0, 0.0, 1.0)))
    box = sp.Rigid.box((0.05, 0.02, 0.02), density=900.0)
    robot.add_link("box", box, parent=("second", 0.5), joint=sp.Prismatic("z"))
    robot.add(sp.PointWrench("first", (0.01, 0.02, -0.01, 0.5, -0.3, 0.2), s=0.7, frame="local"))
    robot.add(sp.PointWrench("second", (0.0, 0.02, 0.01, 0.3, 0.3, -0.2), offset=sp.pose((0.0, 0.01, 0.0))))
    robot.add(sp.Spring("s", a=("first", 0.3), b=("second", 1.0), stiffness=20.0, rest_length=0.1, damping=0.3))
    robot.add(sp.Tendon("t", {"rod": lambda X: (0.005, 0.0)}))
    robot.add(sp.JointDrive("m", "rod"))
    if loops:
        robot.add(sp.Loop("loop", a=("second", sp.pose()), b=("graft", sp.pose((0.1, 0.0, 0.0))), joint=sp.Spherical()))
    return robot
