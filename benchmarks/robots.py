"""The robots that are measured, and rigid chains in Pinocchio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import supple as sp
from supple.systems.cable_manipulator import manipulator_rod

if TYPE_CHECKING:  # `startup` times the import of the kernels
    from supple.model.model import Model

#: Revolute axes along a chain, repeated.
AXES = "zyx"


def cable_manipulator() -> sp.Robot:
    """The 24-dof soft manipulator of [GVS-AD] section 4.5: one clamped tapered rod of silicone, along x.

    Its five cables are omitted: they are inputs, and neither the inertia nor the elasticity depends on them.
    """
    robot = sp.Robot("cable-manipulator", gravity=(0.0, 0.0, -9.81))
    robot.add_link("arm", manipulator_rod())
    return robot


def random_state(model: Model, size: float = 0.3, seed: int = 1) -> np.ndarray:
    """q, v, a of a generic state, shape (3, n)."""
    return size * np.random.default_rng(seed).standard_normal((3, model.n))


def turned(vector: Any) -> np.ndarray:
    """Rotation matrix of a rotation vector."""
    from scipy.spatial.transform import Rotation

    matrix: np.ndarray = Rotation.from_rotvec(vector).as_matrix()
    return matrix


def chain_links(n: int) -> list[dict[str, Any]]:
    """Mass, inertia, centre of mass and offset of n different links, the same for both libraries."""
    rng = np.random.default_rng(n)
    links = []
    for k in range(n):
        moments = rng.uniform(0.02, 0.03, 3)  # any three such moments belong to a body
        turn = turned(rng.standard_normal(3))
        links.append(
            {
                "axis": AXES[k % 3],
                "mass": rng.uniform(0.5, 1.5),
                "com": rng.uniform(-0.1, 0.1, 3),
                "inertia": turn @ np.diag(moments) @ turn.T,
                "offset": np.array([0.2, 0.0, 0.0]) + rng.uniform(-0.05, 0.05, 3),
            }
        )
    return links


def rigid_chain(n: int) -> sp.Robot:
    """Serial chain of n revolute joints."""
    robot = sp.Robot(f"chain of {n}")
    parent = "world"
    for k, link in enumerate(chain_links(n)):
        body = sp.Rigid(mass=link["mass"], inertia=link["inertia"], com=link["com"], tip=sp.pose(link["offset"]))
        robot.add_link(f"link{k}", body, joint=sp.Revolute(link["axis"]), parent=parent)
        parent = f"link{k}"
    return robot


def pinocchio_chain(n: int) -> tuple[Any, Any]:
    """The same chain as Pinocchio's model and data, with its joints specialised to their axes."""
    import pinocchio as pin

    joints = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    model = pin.Model()
    model.gravity = pin.Motion(np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]))
    parent, placement = 0, pin.SE3.Identity()
    for k, link in enumerate(chain_links(n)):
        parent = model.addJoint(parent, joints[link["axis"]](), placement, f"link{k}")
        inertia = pin.Inertia(link["mass"], link["com"], link["inertia"])
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        placement = pin.SE3(np.eye(3), link["offset"])
    return model, model.createData()


def floating_tree() -> sp.Robot:
    """80-dof floating tree: a free body, two shafts, three rods of 12 coordinates on each."""
    rubber = sp.Material(young=2e6, poisson=0.5, density=1100.0, viscosity=1e3)
    rod = sp.Rod(
        length=0.3,
        section=sp.Circle(radius=(0.01, 0.006)),
        material=rubber,
        strain=sp.Legendre(torsion=3, bend_y=3, bend_z=3),
        points=8,
    )
    robot = sp.Robot("floating tree")
    robot.add_link("body", sp.Rigid(mass=2.0, inertia=np.diag([0.02, 0.03, 0.04])), joint=sp.Free())
    for name, sign in (("left", 1.0), ("right", -1.0)):
        shaft = sp.Rigid(mass=0.3, inertia=np.diag([1e-3, 1e-3, 2e-3]), com=(0.0, 0.0, 0.02))
        turn = turned([0.7 * sign, 0.2, 0.0])
        at = sp.pose(xyz=(0.05, 0.15 * sign, -0.03), rotation=turn)
        robot.add_link(name, shaft, joint=sp.Revolute("z"), parent="body", at=at)
        for k in range(3):
            spread = turned([0.0, 0.0, 2.0 * np.pi * k / 3.0])
            base = sp.pose(xyz=spread @ np.array([0.03, 0.0, 0.05]), rotation=spread)
            robot.add_link(f"{name}{k}", rod, parent=name, at=base)
    return robot


def small_rod(points: int = 4, order: int = 1) -> sp.Rod:
    """Rod of 3 (order + 1) coordinates: torsion and two bendings."""
    return sp.Rod(
        length=0.2,
        section=sp.Circle(radius=0.01),
        material=sp.Material(young=1e6, density=1000.0, viscosity=1e3),
        strain=sp.Legendre(torsion=order, bend_y=order, bend_z=order),
        points=points,
    )


def rod_chain(count: int) -> sp.Robot:
    """Rods of 6 coordinates end to end."""
    robot = sp.Robot(f"chain of {count} rods")
    for k in range(count):
        robot.add_link(f"rod{k}", small_rod(), parent=f"rod{k - 1}" if k else "world")
    return robot


def rod_star(count: int) -> sp.Robot:
    """Rods of 6 coordinates around one hub that turns about z."""
    robot = sp.Robot(f"star of {count} rods")
    robot.add_link("hub", sp.Rigid.sphere(0.05, density=1000.0), joint=sp.Revolute("z"))
    for k in range(count):
        at = sp.pose(rpy=(0.0, 0.0, 2.0 * np.pi * k / count))
        robot.add_link(f"rod{k}", small_rod(), parent="hub", at=at)
    return robot


def single_rod(points: int, order: int) -> sp.Robot:
    """One rod with that many Gauss nodes and 3 (order + 1) coordinates."""
    robot = sp.Robot(f"rod of {points} points, order {order}")
    robot.add_link("rod", small_rod(points, order))
    return robot
