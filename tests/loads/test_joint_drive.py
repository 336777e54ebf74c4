"""Joint drives: power is wrench times relative twist, for every type of joint."""

import numpy as np
import pytest

import supple as sp
from helpers import JOINTS, difference_jacobian, random_joint, random_pose, random_rigid, relative_error
from load_cases import generalised_force

MOVING = [kind for kind in JOINTS if kind != "Fixed"]
#: Screws that form one exponential; a universal joint is two motors in series.
WRENCHES = ["Cylindrical", "Planar", "Translational", "Spherical", "Free"]


def driven(kind, seed=0, mount="Fixed"):
    """A driven body on another one."""
    rng = np.random.default_rng([9, seed])
    robot = sp.Robot("driven", gravity=rng.uniform(-9.0, 9.0, 3))
    robot.add_link("base", random_rigid(rng), joint=JOINTS[mount](rng, lambda k: {}), at=random_pose(rng))
    joint = random_joint(rng, kind)
    robot.add_link("body", random_rigid(rng), joint=joint, parent="base", at=random_pose(rng))
    robot.add(sp.JointDrive("motor", "body"))
    model = robot.compile()
    q, v, a = 0.8 * rng.standard_normal(model.n), *rng.standard_normal((2, model.n))
    return model, joint, q, v, a, rng.standard_normal(model.nu)


@pytest.mark.parametrize("kind", WRENCHES)
@pytest.mark.parametrize("seed", range(6))
def test_power_of_a_wrench_in_the_frame_after_the_joint(kind, seed):
    """With the base standing still, the body's twist is the relative one."""
    model, joint, q, v, _, u = driven(kind, seed)
    (screws,) = joint.factors()
    assert model.nu == joint.dof == screws.shape[1]
    wrench = screws @ u
    power = generalised_force(model, q, u=u) @ v
    assert power == pytest.approx(wrench @ model.twist(q, v, "body", 0.0), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Helical", "Universal"])
def test_power_of_single_motors(kind):
    """One coordinate per motor: the input is the generalised force itself."""
    model, joint, q, *_, u = driven(kind)
    assert np.array_equal(generalised_force(model, q, u=u), u)
    assert np.array_equal(model.actuation(q), np.eye(joint.dof))


def test_a_universal_drive_is_two_motors_in_series():
    """As two revolute joints with a cross between them that weighs next to nothing."""
    body, second = sp.Rigid(2.0, (0.1, 0.2, 0.25), com=(0.1, 0.0, 0.2)), (0.3, 1.0, 0.0)
    universal = sp.Robot("universal")
    universal.add_link("body", body, joint=sp.Universal("x", second), at=sp.pose((0, 0, 1), (0.1, 0.2, 0.3)))
    universal.add(sp.JointDrive("motor", "body"))
    series = sp.Robot("series")
    cross = sp.Rigid(1e-9, (1e-12, 1e-12, 1e-12))
    series.add_link("cross", cross, joint=sp.Revolute("x"), at=sp.pose((0, 0, 1), (0.1, 0.2, 0.3)))
    series.add_link("body", body, joint=sp.Revolute(second), parent="cross")
    series.add(sp.JointDrive("first", "cross"))
    series.add(sp.JointDrive("second", "body"))
    q, v, u = np.array([0.7, 1.4]), np.array([1.0, -2.0]), np.array([3.0, -1.5])
    accelerations = [robot.compile().forward_dynamics(q, v, u).a for robot in (universal, series)]
    np.testing.assert_allclose(*accelerations, rtol=1e-7)


def test_efforts_of_a_prescribed_universal_joint_are_inputs_of_its_drive():
    robots = [sp.Robot("given"), sp.Robot("driven")]
    for robot in robots:
        body = sp.Rigid(2.0, (0.1, 0.2, 0.25), com=(0.1, 0.0, 0.2))
        robot.add_link("body", body, joint=sp.Universal("x", "y"))
    a = np.array([0.3, -0.4])
    robots[0].add(sp.Prescribed("body", lambda t: (np.zeros(2), np.zeros(2), a)))
    robots[1].add(sp.JointDrive("motor", "body"))
    q, v = np.array([0.7, 1.4]), np.array([1.0, -2.0])
    efforts = robots[0].compile().forward_dynamics(q, v).efforts
    np.testing.assert_allclose(robots[1].compile().forward_dynamics(q, v, efforts).a, a, rtol=1e-12)


def test_a_revolute_motor_turns_about_its_axis():
    robot = sp.Robot("motor", gravity=(0.0, 0.0, 0.0))
    robot.add_link("rotor", sp.Rigid(1.0, (0.1, 0.2, 0.3)), joint=sp.Revolute("z"))
    robot.add(sp.JointDrive("torque", "rotor"))
    model = robot.compile()
    assert model.input_names == ("torque",)
    assert model.forward_dynamics([0.4], [0.0], [0.6]).a == pytest.approx([2.0])


def test_a_free_drive_is_a_thruster():
    """The wrench turns with the body: forward along its own x axis."""
    robot = sp.Robot("thruster", gravity=(0.0, 0.0, 0.0))
    robot.add_link("body", sp.Rigid(2.0, (0.1, 0.1, 0.1)), joint=sp.Free())
    robot.add(sp.JointDrive("jet", "body"))
    model = robot.compile()
    q = np.array([0.3, -0.9, 1.2, 0.1, 0.2, 0.3])
    a = model.forward_dynamics(q, np.zeros(6), [0.0, 0.0, 0.0, 4.0, 0.0, 0.0]).a
    spatial = model.pose(q, "body", 0.0)[:3, :3] @ (model.jacobian(q, "body", 0.0) @ a)[3:]
    np.testing.assert_allclose(spatial, 2.0 * model.pose(q, "body", 0.0)[:3, 0], atol=1e-12)


@pytest.mark.parametrize("kind", MOVING)
@pytest.mark.parametrize("mount", ["Fixed", "Spherical"])
def test_derivatives(kind, mount):
    model, _, q, v, a, u = driven(kind, 3, mount)
    assert model.check_derivatives(q, v, a, u).ok(1e-9)
    exact = model.internal_force_derivatives(q, v, u)
    by_difference = difference_jacobian(lambda x: model.internal_force(x, v, u), q, 1e-4)
    assert relative_error(exact.dq, by_difference, floor=1.0) < 1e-9
    assert relative_error(exact.du, model.actuation(q)) == 0.0


@pytest.mark.parametrize("kind", WRENCHES)
def test_derivatives_at_rest_and_near_it(kind):
    """Small angles: no loss of digits."""
    model, _, q, v, a, u = driven(kind, 4)
    for scale in (0.0, 1e-9, 1e-4):
        assert model.check_derivatives(scale * q, v, a, u).ok(1e-9)


@pytest.mark.parametrize("kind", MOVING)
def test_inputs_are_named_after_the_joint(kind):
    model, joint, *_ = driven(kind)
    expected = ("motor",) if joint.dof == 1 else tuple(f"motor.{label}" for label in joint.labels)
    assert model.input_names == expected


def test_drives_of_several_joints_keep_their_inputs_apart():
    rng = np.random.default_rng(1)
    robot = sp.Robot("chain", gravity=(0.0, 0.0, 0.0))
    parent = "world"
    for i, kind in enumerate(("Spherical", "Revolute", "Planar", "Universal")):
        robot.add_link(f"l{i}", random_rigid(rng), joint=JOINTS[kind](rng, lambda k: {}), parent=parent)
        parent = f"l{i}"
    for i in (2, 0, 1, 3):
        robot.add(sp.JointDrive(f"m{i}", f"l{i}"))
    model = robot.compile()
    q, v, a = rng.standard_normal((3, model.n))
    u = rng.standard_normal(model.nu)
    assert model.check_derivatives(q, v, a, u).ok(1e-8)
    B = model.actuation(q)
    rows = {"m0": range(0, 3), "m1": range(3, 4), "m2": range(4, 7), "m3": range(7, 9)}
    for j, name in enumerate(model.input_names):
        own = list(rows[name.split(".")[0]])
        assert np.abs(B[own, j]).max() > 0.0
        assert not np.delete(B[:, j], own).any()


def test_a_fixed_joint_is_refused():
    robot = sp.Robot("fixed")
    robot.add_link("arm", sp.Rigid(1.0, (1.0, 1.0, 1.0)), joint=sp.Revolute("x"))
    robot.add_link("plate", sp.Rigid(1.0, (1.0, 1.0, 1.0)), parent="arm")
    robot.add(sp.JointDrive("motor", "plate"))
    with pytest.raises(
        sp.ModelError, match="JointDrive 'motor': link 'plate' is fixed: a drive needs a joint that moves"
    ):
        robot.compile()


def test_a_link_that_is_not_there_is_refused():
    robot = sp.Robot("missing")
    robot.add_link("arm", sp.Rigid(1.0, (1.0, 1.0, 1.0)), joint=sp.Revolute("x"))
    robot.add(sp.JointDrive("motor", "leg"))
    with pytest.raises(sp.ModelError, match="JointDrive 'motor': there is no link 'leg'"):
        robot.compile()


def test_inputs_of_the_wrong_number_are_refused():
    model, *_ = driven("Spherical")
    with pytest.raises(sp.ShapeError, match=r"u has shape \(2,\).*needs \(3,\)"):
        model.internal_force(np.zeros(3), np.zeros(3), [1.0, 2.0])
