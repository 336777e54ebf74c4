"""Robots that tests of feedback laws drive."""

import warnings

import numpy as np

import supple as sp
from coupled_cases import hand
from load_kinds import KINDS, add_kinds, host
from soft_robots import mixed_robot

RUBBER = sp.Material(young=3e5, poisson=0.45, density=1000.0, damping_time=0.05)

#: Kinds of loads that are no inputs, and those that are.
OTHERS = [kind for kind in KINDS if kind not in ("elastic_tendon", "prescribed", "loop")]


def soft_arm(*items, order=1):
    """Two motors and a rod: ``items`` are further loads."""
    robot = sp.Robot("soft arm")
    link = sp.Rigid.cylinder(0.2, 0.03, density=800.0)
    robot.add_link("upper", link, sp.Revolute("z", damping=0.01))
    robot.add_link("fore", link, sp.Revolute("y", damping=0.01), parent="upper")
    strain = sp.Legendre(bend_y=order, bend_z=order, stretch=0)
    robot.add_link("rod", sp.Rod(0.3, sp.Circle(0.02), RUBBER, strain, points=4), parent="fore")
    robot.add(sp.JointDrive("shoulder", "upper"))
    robot.add(sp.JointDrive("elbow", "fore"))
    for item in items:
        robot.add(item)
    return robot


def trunk(segments=2):
    """Constant curvatures, three chambers each: as many inputs as coordinates."""
    robot, parent = sp.Robot("trunk"), "world"
    rod = sp.Rod(0.2, sp.Circle(0.02), RUBBER, sp.Legendre(bend_y=0, bend_z=0, stretch=0), points=3)
    for k in range(segments):
        robot.add_link(f"s{k}", rod, parent=parent)
        parent = f"s{k}"
        for j, angle in enumerate(2.0 * np.pi * np.arange(3) / 3.0):
            place = (0.015 * float(np.cos(angle)), 0.015 * float(np.sin(angle)))
            robot.add(sp.Chamber(f"c{k}{j}", {f"s{k}": place}, area=1e-4))
    return robot


def driven(seed):
    """Random robots of all kinds, with inputs that have actuation coordinates: (model, inputs, q, v)."""
    rng = np.random.default_rng([5, seed])
    if seed % 4 == 0:
        kinds = [OTHERS[k] for k in rng.permutation(len(OTHERS))[:6]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.ModelWarning)  # laws without tangents
            robot = add_kinds(rng, host(), ["tendon", "chamber", "prescribed", "loop", *kinds][seed % 8 // 4 :])
    elif seed % 4 == 1:
        robot = mixed_robot(loops=seed % 8 == 1)
    elif seed % 4 == 2:
        robot = hand(["linear", "bent"][seed % 8 // 4], prescribed=seed % 16 >= 8, loop=seed % 8 == 2)
    else:
        robot = soft_arm(sp.Tendon("t", {"rod": lambda X: (0.01, 0.01 * np.sin(10.0 * X))}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)
        model = robot.compile()
    inputs = [
        item.name
        for item in robot.items
        if isinstance(item, (sp.Tendon, sp.Chamber)) or (isinstance(item, sp.JointDrive) and _single(robot, item))
    ]
    q, v = 0.3 * rng.standard_normal(model.n), rng.standard_normal(model.n)
    return model, [name for name in inputs if name in model.input_names], q, v


def _single(robot, drive):
    (link,) = [link for link in robot.links if link.name == drive.link]
    return link.joint.dof == 1
