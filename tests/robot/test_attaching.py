"""Robots as parts of others: what they do there is what they did alone."""

import numpy as np
import pytest

import supple as sp
from helpers import random_coordinates, random_pose, random_robot
from load_kinds import KINDS, add_controller, add_kinds, host
from supple.robot.attaching import ROLES, PartOfState


def base_robot(rng, moving=False):
    """A robot with a place to attach to, a pose there, and that place's pose in the world where it rests."""
    robot = sp.Robot("base", gravity=(1.0, 2.0, -9.0))
    first, tip, at = random_pose(rng), random_pose(rng), random_pose(rng)
    body = sp.Rigid(2.0, [0.03, 0.04, 0.05], com=(0.1, 0.0, 0.0), tip=tip)
    robot.add_link("hand", body, sp.Revolute("y") if moving else sp.Fixed(), at=first)
    robot.add_link("side", sp.Rigid.sphere(0.1, density=100.0), sp.Prismatic("x"), "hand")
    robot.add_frame("tool", ("hand", 1.0), at)
    return robot, first @ tip @ at


def states(model, size, rng):
    return [0.3 * rng.standard_normal(size) for _ in range(3)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
def test_a_part_that_stands_where_it_stood_does_what_it_did(seed):
    """All kinds of loads, attached through poses that cancel: the part's share of everything is as before."""
    rng = np.random.default_rng([31, seed])
    names = list(KINDS)
    kinds = names[seed::8]
    part = add_kinds(rng, host() if seed % 2 else random_robot(rng, gravity=(1.0, 2.0, -9.0)), kinds)
    part.add_frame("spot", part.links[0].name, random_pose(rng))
    robot, place = base_robot(rng)
    part = regravity(part, robot.gravity)
    alone = part.compile()
    robot.attach(part, to="tool", at=np.linalg.inv(place), prefix="part/")
    model = robot.compile()
    own = slice(model.n - alone.n, model.n)
    assert model.coordinate_names[own] == tuple(f"part/{name}" for name in alone.coordinate_names)
    assert model.input_names == tuple(f"part/{name}" for name in alone.input_names)
    q = random_coordinates(rng, part, "moderate")
    v, a = rng.standard_normal((2, alone.n))
    u, lam = rng.uniform(0.1, 1.0, alone.nu), rng.standard_normal(alone.nc)
    assert (model.nu, model.nc, model.nz) == (alone.nu, alone.nc, alone.nz)
    wide = [np.concatenate([np.zeros(model.n - alone.n), x]) for x in (q, v, a)]
    mine, theirs = model.residual(*wide, u, lam, 0.3)[own], alone.residual(q, v, a, u, lam, 0.3)
    np.testing.assert_allclose(mine, theirs, atol=1e-9 * (1.0 + np.abs(theirs).max()))
    np.testing.assert_allclose(model.pose(wide[0], "part/spot"), alone.pose(q, "spot"), atol=1e-12)
    if alone.nc:
        np.testing.assert_allclose(model.loop_error(wide[0]), alone.loop_error(q), atol=1e-9)


def regravity(robot, gravity):
    made = sp.Robot(robot.name, gravity)
    made._links, made._items, made._frames = robot._links, robot._items, robot._frames
    return made


def test_every_kind_of_load_has_its_roles():
    rng = np.random.default_rng(0)
    loads = [kind(rng, host(soft=True), name) for name, kind in KINDS.items()]
    assert {type(load).__name__ for load in loads if load is not None} | {"Controller"} == set(ROLES)


def test_a_part_moves_with_what_it_is_attached_to():
    """As the same robot built by hand."""
    rng = np.random.default_rng(4)
    part = sp.Robot("finger")
    material = sp.Material(1e5, poisson=0.4, density=1000.0, viscosity=100.0)
    rod = sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1, bend_z=1), points=3)
    root, end = random_pose(rng), random_pose(rng, 0.1)
    part.add_link("rod", rod, at=root)
    part.add(sp.Spring("s", ("rod", 1.0), ("world", 0.0, end), stiffness=10.0, rest_length=0.1))
    part.add(sp.Contact("ground", sp.Spheres("rod", 5), sp.Plane((0.0, 1.0, 1.0), 0.2), stiffness=100.0))
    part.add(sp.Tendon("t", {"world": [(0.0, 0.1, 0.0)], "rod": (0.0, 0.01)}))
    at = random_pose(rng)
    robot, _ = base_robot(rng, moving=True)
    robot.attach(part, to=("hand", 1.0), at=at, prefix="f/")
    by_hand, _ = base_robot(np.random.default_rng(4), moving=True)
    by_hand._links, by_hand._frames = dict(list(robot._links.items())[:2]), {}
    by_hand.add_link("f/rod", rod, parent="hand", at=at @ root)
    by_hand.add(sp.Spring("f/s", ("f/rod", 1.0), ("hand", 1.0, at @ end), stiffness=10.0, rest_length=0.1))
    normal = at[:3, :3] @ np.array([0.0, 1.0, 1.0]) / np.sqrt(2.0)
    plane = sp.Plane(normal, 0.2 + normal @ at[:3, 3], "hand", s=1.0)
    by_hand.add(sp.Contact("f/ground", sp.Spheres("f/rod", 5), plane, stiffness=100.0))
    tip = np.asarray(robot.links[0].body.tip) @ at
    by_hand.add(sp.Tendon("f/t", {"hand": [tip[:3, :3] @ (0.0, 0.1, 0.0) + tip[:3, 3]], "f/rod": (0.0, 0.01)}))
    models = robot.compile(), by_hand.compile()
    q, v, a = 0.4 * rng.standard_normal((3, models[0].n))
    np.testing.assert_allclose(*(model.residual(q, v, a, [0.7]) for model in models), atol=1e-10)


def test_controllers_see_their_own_robot():
    rng = np.random.default_rng(2)
    part, robot = host(), base_robot(rng)[0]
    for owner, link in ((part, "b"), (robot, "side")):
        owner.add(sp.JointDrive("motor", link))
        add_controller(owner, 1)
    alone, base = part.compile(), robot.compile()
    robot.attach(part, to="tool", prefix="a/")
    robot.attach(part, to="side", prefix="b/")
    model = robot.compile()
    assert model.n == base.n + 2 * alone.n
    assert [controller.inputs for controller in model.controllers] == [("motor",), ("a/motor",), ("b/motor",)]
    q = rng.standard_normal(model.n)
    start = 0
    for controller, size in zip(model.controllers, (base.n, alone.n, alone.n), strict=True):
        assert isinstance(controller.rate, PartOfState)
        np.testing.assert_allclose(
            controller.rate(0.0, q, q, np.array([0.5])), -0.5 + 0.1 * q[start : start + size].sum()
        )
        start += size


def test_fluids_act_on_their_own_links():
    part = host()
    part.add(sp.Fluid(drag={"c": np.ones(6)}, buoyancy=False))
    for wet in (True, False):
        robot = base_robot(np.random.default_rng(0))[0]
        robot.add(sp.Fluid(drag={"side": np.ones(6)}, buoyancy=False))
        robot.attach(part if wet else host(), to="tool", prefix="p/")
        first = robot.items[0]
        assert first.links == (("hand", "side") if wet else None)
        assert not wet or robot.items[1].links == tuple(f"p/{link.name}" for link in part.links)


@pytest.mark.parametrize("kind", ["link", "frame"])
def test_a_place_may_be_called_mount(kind):
    arm, hand = sp.Robot("arm"), sp.Robot("hand")
    arm.add_link("mount" if kind == "link" else "arm", sp.Rigid(1.0, (1.0, 1.0, 1.0)), sp.Revolute("x"))
    if kind == "frame":
        arm.add_frame("mount", "arm", sp.pose((1.0, 0.0, 0.0)))
    hand.add_link("palm", sp.Rigid(1.0, (1.0, 1.0, 1.0)), sp.Revolute("y"))
    arm.attach(hand, to="mount")
    q = np.array([0.3, 0.0])
    model = arm.compile()
    np.testing.assert_allclose(model.pose(q, "palm"), model.pose(q, "mount"), atol=1e-15)


def test_what_cannot_be_attached_is_refused_and_nothing_changes():
    rng = np.random.default_rng(0)
    part, robot = host(), base_robot(rng)[0]
    before = robot.links, robot.items, robot.frames
    robot.attach(sp.Robot("nothing"), to="tool")
    with pytest.raises(sp.ModelError, match=r"attach 'host' to 'base'.*no link or frame 'gripper'.*hand, side, tool"):
        robot.attach(part, to="gripper")
    with pytest.raises(sp.ModelError, match="is not a robot"):
        robot.attach("part", to="tool")
    with pytest.raises(sp.ModelError, match="prefix is 3"):
        robot.attach(part, to="tool", prefix=3)
    part.add_link("hand", sp.Rigid.sphere(0.1, density=1.0))
    with pytest.raises(sp.ModelError, match=r"'hand'.*added before"):
        robot.attach(part, to="tool")

    class Own:
        name = "own"

        def stations(self):
            return ()

        def bind(self, binder):
            return None

    other = host()
    other.add(Own())
    with pytest.raises(sp.ModelError, match=r"'own' of robot 'host': a Own cannot be attached.*attached\(placement\)"):
        robot.attach(other, to="tool", prefix="x/")
    line = host()
    line.add(sp.Tendon("t", {"world": [(0.0, 0.0, 0.0)], "c": [(0.0, 0.0, 0.0)]}))
    rods = host()
    with pytest.raises(sp.ModelError, match="fixed to the rod 'a'"):
        rods.attach(line, to="a", prefix="x/")
    assert (robot.links, robot.items, robot.frames) == before
