"""Every kind of load there is, at random: one function of a generator and a robot per kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import supple as sp
from helpers import random_pose, rebuilt
from load_cases import random_end, random_ends, random_line, random_station
from load_laws import (
    Holding,
    Swing,
    SwingAlong,
    Waving,
    bushing,
    bushing_tangent,
    creep,
    creeping,
    everything,
    hardening,
    hardening_rate,
    hardening_slope,
    memory,
    posed,
    remembering,
    still,
)
from supple.errors import SuppleError

# ---------------------------------------------------------------------- places


def rods(robot):
    return [link for link in robot.links if isinstance(link.body, sp.Rod)]


def solid(robot):
    """Links that contact can sit on at s = 0."""
    return [link for link in robot.links if isinstance(link.body, sp.Rigid)]


def pick(rng, items):
    return items[rng.integers(len(items))] if items else None


# ---------------------------------------------------------------------- kinds


def tendon(rng, robot, name):
    line = random_line(rng, robot)
    return None if line is None else sp.Tendon(name, line[0], until=line[1])


def tendon_through_eyelets(rng, robot, name):
    links = [link for link in robot.links if link.body.continuum is not None] + solid(robot)
    if not links:
        return None
    first, last = pick(rng, links), pick(rng, links)
    route = {"world": [tuple(rng.uniform(-1, 1, 3))]}
    route |= {link.name: [tuple(rng.uniform(-0.2, 0.2, 3))] for link in (first, last)}
    return sp.Tendon(name, route)


def elastic_tendon(rng, robot, name):
    line = random_line(rng, robot)
    if line is None:
        return None
    return sp.ElasticTendon(name, line[0], stiffness=50.0, damping=rng.uniform(0.0, 1.0), until=line[1])


def cavity(rng, robot, name):
    """The bore of a hollow body, or a tetrahedron of material points."""
    link = pick(rng, [link for link in robot.links if link.body.continuum is not None])
    if link is None:
        return None
    if link.body.domain.bore is not None:
        return sp.Cavity(name, link.name)
    corners = np.array([(0.05, 0.0, 0.0), (0.15, 0.02, 0.0), (0.12, -0.01, 0.02), (0.1, 0.0, -0.02)])
    return sp.Cavity(name, link.name, (corners, [(0, 1, 2), (0, 3, 1), (1, 3, 2), (0, 2, 3)]))


def chamber(rng, robot, name):
    line = random_line(rng, robot)
    return None if line is None else sp.Chamber(name, line[0], area=lambda s: 1e-3 * (1.0 + s), until=line[1])


def joint_drive(rng, robot, name):
    taken = {load.link for load in robot.items if isinstance(load, (sp.JointDrive, sp.Prescribed))}
    link = pick(rng, [link for link in robot.links if link.joint.dof and link.name not in taken])
    return None if link is None else sp.JointDrive(name, link.name)


def bearing(rng, robot, name):
    links = [link for link in robot.links if isinstance(link.joint, (sp.Revolute, sp.Prismatic))]
    if not links:
        return None
    link = pick(rng, links)
    turns = isinstance(link.joint, sp.Revolute)
    numbers = {"radius": 0.05 if turns else None, "arm": 0.1, "slip_velocity": 0.1, "start": rng.uniform(0.5, 5.0)}
    return sp.BearingFriction(name, link.name, 0.3, **numbers, lag=0.05)


def prescribed(rng, robot, name):
    taken = {load.link for load in robot.items if isinstance(load, (sp.JointDrive, sp.Prescribed))}
    free = [link for link in robot.links if link.joint.dof and link.name not in taken]
    # something must be left to move
    if len(free) < 2 and not rods(robot):
        return None
    link = pick(rng, free)
    if link is None:
        return None
    law = sp.laws.Sine(0.3, 0.7) if link.joint.dof == 1 and rng.random() < 0.5 else Waving(link.joint.dof)
    return sp.Prescribed(link.name, law)


def loop(rng, robot, name):
    """Closed where the robot rests: frame b is where frame a is then."""
    (a, sa, offset), (b, sb, _) = random_ends(rng, robot)
    if rng.random() < 0.3:
        b, sb = "world", 1.0
    if a == b:
        return None
    bare = rebuilt(robot)
    for link, s in ((a, sa), (b, sb)):
        if link != "world":  # named: a soft body has no others
            bare.add_frame(f"end on {link}", (link, s))
    model = bare.compile()
    base = np.eye(4) if b == "world" else model.pose(model.rest, f"end on {b}")
    frame = np.linalg.solve(base, model.pose(model.rest, f"end on {a}") @ offset)
    u, _, w = np.linalg.svd(frame[:3, :3])
    frame[:3, :3] = u @ w
    kinds = (sp.Spherical(), sp.Revolute("z"), sp.Fixed(), sp.Planar("x"), sp.Cylindrical("y"), sp.Translational())
    return sp.Loop(name, (a, offset, sa), (b, frame, sb), pick(rng, kinds))


def point_wrench(rng, robot, name, frame=None):
    link, s, offset = random_end(rng, robot, 0.0)
    wrench = rng.standard_normal(6)
    frame = str(rng.choice(["world", "local"])) if frame is None else frame
    law = Swing(wrench) if rng.random() < 0.5 else wrench
    return sp.PointWrench(link, law, s=s, offset=offset, frame=frame, name=name)


def world_wrench(rng, robot, name):
    return point_wrench(rng, robot, name, "world")


def local_wrench(rng, robot, name):
    return point_wrench(rng, robot, name, "local")


def distributed(rng, robot, name):
    link = pick(rng, rods(robot))
    if link is None:
        return None
    wrench = rng.standard_normal(6)
    law = [wrench, SwingAlong(wrench), lambda s: (1.0 + s) * wrench][rng.integers(3)]
    return sp.Distributed(link.name, law, str(rng.choice(["world", "local"])), name=name)


def spring(rng, robot, name):
    ends = random_ends(rng, robot, random_end(rng, robot, 0.5))
    return sp.Spring(name, *ends, stiffness=20.0, rest_length=0.3, damping=rng.uniform(0.0, 2.0))


def springs(rng, robot, name):
    points = [end for _ in range(2) for end in random_ends(rng, robot, random_end(rng, robot, 0.4))]
    numbers = {"stiffness": rng.uniform(5.0, 20.0, 3), "rest_length": rng.uniform(0.1, 0.4), "damping": 0.5}
    return sp.Springs(name, points, [(0, 1), (2, 3), (1, 3)], **numbers, slack=bool(rng.random() < 0.5))


def law_spring(rng, robot, name):
    ends = random_ends(rng, robot, random_end(rng, robot, 0.5))
    slopes = (hardening_slope, hardening_rate) if rng.random() < 0.5 else None
    return sp.Spring(name, *ends, law=hardening, slopes=slopes)


def cable(rng, robot, name):
    points = [random_end(rng, robot, 0.3) for _ in range(rng.integers(2, 5))]
    return sp.Cable(name, points, stiffness=30.0, rest_length=rng.uniform(0.0, 1.0), damping=rng.uniform(0.0, 1.0))


def friction(rng):
    return {
        "stiffness": rng.uniform(50.0, 500.0),
        "exponent": float(rng.choice([1.0, 1.5, 2.0])),
        "damping": rng.uniform(0.0, 0.5),
        "friction": rng.uniform(0.0, 0.8),
        "slip_velocity": 0.05,
    }


def random_spheres(rng, robot):
    link = pick(rng, rods(robot) + [link for link in robot.links if link.body.continuum is not None])
    radius = rng.uniform(0.0, 0.1)
    if link is None:
        return None
    if link.body.continuum is not None and (rng.random() < 0.5 or link.body.ends):
        x = link.body.quadrature.x
        return sp.Spheres(link.name, at=x[rng.integers(len(x), size=rng.integers(1, 8))], radius=radius)
    return sp.Spheres(link.name, n=int(rng.integers(1, 8)), radius=radius)


def random_solid(rng, robot, world=0.5):
    """A ball, capsule or box, large enough to be met."""
    link = pick(rng, robot.links)
    name, s = ("world", 0.0) if rng.random() < world else (link.name, random_station(rng, link))
    kind = rng.integers(3)
    if kind == 0:
        return sp.Ball(rng.uniform(0.1, 0.6), rng.uniform(-0.4, 0.4, 3), name, s=s)
    if kind == 1:
        ends = rng.uniform(-0.6, 0.6, (2, 3))
        return sp.Capsule(rng.uniform(0.1, 0.4), ends[0], ends[1], name, s=s)
    return sp.Box(rng.uniform(0.2, 1.2, 3), random_pose(rng), name, s=s)


def random_wall(rng):
    """A plane, a pipe or a pole on the world."""
    kind = rng.integers(3)
    if kind == 0:
        return sp.Plane(rng.standard_normal(3), rng.uniform(-0.3, 0.3))
    axis, point = rng.standard_normal(3), rng.uniform(-0.3, 0.3, 3)
    return sp.Tube(point, axis, rng.uniform(0.2, 0.6), inside=bool(kind == 1))


def contact_of_rod(rng, robot, name):
    spheres = random_spheres(rng, robot)
    if spheres is None:
        return None
    other = random_wall(rng) if rng.random() < 0.5 else random_solid(rng, robot)
    along = rng.random() < 0.2 and spheres.link in {link.name for link in rods(robot)}
    return sp.Contact(name, spheres, other, per_length=along, **friction(rng))


def contact_of_rods(rng, robot, name):
    """Two rods, or a rod and itself, with spheres of their own."""
    a, b = random_spheres(rng, robot), random_spheres(rng, robot)
    if a is None:
        return None
    return sp.Contact(name, a, a if rng.random() < 0.3 and a.n > 3 else b, **friction(rng))


def contact_of_solids(rng, robot, name):
    a, b = random_solid(rng, robot, 0.0), random_solid(rng, robot)
    if rng.random() < 0.4:
        b = random_wall(rng)
    return sp.Contact(name, a, b, **friction(rng))


def fluid(rng, robot, name):
    wet = [link for link in robot.links if link.body.continuum is None or link.body.domain.section is not None]
    if not wet:
        return None
    return sp.Fluid(
        density=rng.uniform(1.0, 300.0),
        current=rng.uniform(-1.0, 1.0, 3),
        drag={link.name: rng.uniform(0.0, 3.0, 6) for link in wet if rng.random() < 0.7},
        added_mass={link.name: rng.uniform(0.0, 0.3, 6) for link in wet if rng.random() < 0.7},
        buoyancy=False,
        links=None if len(wet) == len(robot.links) else [link.name for link in wet],
        name=name,
    )


def wake(rng, robot, name):
    link, s, _ = random_end(rng, robot, 0.0)
    return sp.Wake(link, (0.1, 0.2, 0.3, 0.0, 2.0, 3.0), s, current=rng.standard_normal(3), name=name)


def thruster(rng, robot, name):
    link, s, offset = random_end(rng, robot, 0.0)
    return sp.Thruster(name, link, s, offset, rng.standard_normal((6, rng.integers(1, 4))))


def point_law(rng, robot, name):
    link, s, offset = random_end(rng, robot, 0.0)
    return sp.PointLaw(name, link, posed, s=[s] if isinstance(s, tuple) else s, offset=offset)


def full_point_law(rng, robot, name):
    """Of everything, at a rod's nodes or at one station."""
    link = pick(rng, rods(robot))
    if link is None:
        return None
    s = "along" if rng.random() < 0.5 else rng.uniform(0.1, 1.0)
    return sp.PointLaw(name, link.name, everything, s=s, uses=("pose", "twist", "acceleration", "strain"))


def point_law_with_states(rng, robot, name):
    link, s, offset = random_end(rng, robot, 0.0)
    s = [s] if isinstance(s, tuple) else s
    return sp.PointLaw(name, link, remembering, s=s, offset=offset, state0=(0.1, -0.2), rate=memory)


def pair_law(rng, robot, name):
    ends = random_ends(rng, robot, random_end(rng, robot, 0.5))
    return sp.PairLaw(name, *ends, law=bushing, tangent=bushing_tangent if rng.random() < 0.5 else None)


def pair_law_with_states(rng, robot, name):
    ends = random_ends(rng, robot, random_end(rng, robot, 0.3))
    return sp.PairLaw(name, *ends, law=creeping, state0=(0.1, 0.0, 0.2), rate=creep)


#: Kinds by name; None from a function: the robot has no place for one.
KINDS: dict[str, Callable] = {
    kind.__name__: kind
    for kind in (
        tendon,
        tendon_through_eyelets,
        elastic_tendon,
        cavity,
        chamber,
        joint_drive,
        bearing,
        prescribed,
        loop,
        world_wrench,
        local_wrench,
        distributed,
        spring,
        springs,
        law_spring,
        cable,
        contact_of_rod,
        contact_of_rods,
        contact_of_solids,
        fluid,
        wake,
        thruster,
        point_law,
        full_point_law,
        point_law_with_states,
        pair_law,
        pair_law_with_states,
    )
}


def with_loads(robot, loads):
    """The links of a robot with these loads."""
    made = rebuilt(robot)
    for load in loads:
        made.add(load)
    return made


def add_kinds(rng, robot, kinds, tries=4):
    """The robot with one load of each of the named kinds that it has a place for.

    Places are random: a load whose ends happen to stand still, or a loop that cannot be closed, is refused by compile,
    and another one tried.
    """
    made = with_loads(robot, robot.items)
    for i, kind in enumerate(kinds):
        for _ in range(tries):
            load = KINDS[kind](rng, made, f"{kind}{i}")
            if load is not None and (not isinstance(load, REFUSED_OFTEN) or compiles(with_loads(robot, [load]))):
                made.add(load)
                break
    while not compiles(made):  # two that do not go together
        made = with_loads(robot, made.items[:-1])
    return made


#: Kinds whose places are often no good, so that they are tried one by one.
REFUSED_OFTEN = (sp.Loop, sp.Contact, sp.Cable, sp.Wake, sp.Thruster, sp.PairLaw, sp.Tendon, sp.Spring, sp.Springs)


def compiles(robot):
    """Whether a robot compiles."""
    try:
        robot.compile()
    except SuppleError:
        return False
    return True


def add_controller(robot, inputs):
    """A controller of all inputs."""
    robot.add(sp.Controller((0.3,), still, Holding(inputs)))


def host(soft=False):
    """A robot with a place for every kind of load: two rods of different bases, bodies on joints of several kinds.

    Kinds that need a soft body have a place on ``soft`` hosts alone.
    """
    material = sp.Material(1e5, poisson=0.4, density=1000.0, viscosity=100.0)
    tip = sp.pose((0.1, 0.0, 0.05), (0.1, 0.2, 0.3))
    small = sp.Rigid(0.3, [3e-3, 4e-3, 5e-3], com=(0.01, 0.0, 0.02), tip=tip)
    robot = sp.Robot("host", gravity=(1.0, 2.0, -9.0))
    robot.add_link("body", sp.Rigid(1.0, [0.01, 0.02, 0.02], tip=tip), joint=sp.Spherical(damping=0.1))
    first, second = sp.Legendre(torsion=1, bend_y=2, bend_z=1, stretch=0), sp.Hat(bend_y=2, shear_y=1)
    robot.add_link("a", sp.Rod(0.3, sp.Circle((0.05, 0.04)), material, first, points=4), parent="body")
    at = sp.pose((0.0, -0.05, 0.0), (0.0, -0.5, 0.2))
    robot.add_link("b", sp.Rod(0.3, sp.Circle(0.05), material, second, points=4), sp.Revolute("z"), "body", at)
    robot.add_link("c", small, sp.Universal("x", "y"), "a")
    robot.add_link("d", small, sp.Prismatic("x", limits=[(-0.1, 0.1)], limit_stiffness=50.0), "b")
    if soft:
        finger = sp.SoftBody(sp.ConstantCurvature(0.2, stretch=True), sp.HollowCylinder(0.2, 0.02, 0.01), material, n=3)
        robot.add_link("e", finger, sp.Revolute("y"), "d")
    return robot
