"""The arms of Universal Robots, and a soft cylinder on one of them."""

import numpy as np
import pytest

import supple as sp
from supple.systems import ur10_pcc
from supple.systems.universal_robots import ALPHA, ARMS, CENTRES, INERTIAS, LINKS, add_arm


def frames(kind, q):
    """Frames 1 to 6 by the formula of Denavit and Hartenberg."""
    made, total = [], np.eye(4)
    for angle, d, a, alpha in zip(q, ARMS[kind].d, ARMS[kind].a, ALPHA, strict=True):
        c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
        step = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]
        total = total @ np.array(step)
        made.append(total)
    return made


@pytest.mark.parametrize("kind", ARMS)
def test_frames_and_energies(kind):
    robot = sp.Robot("arm")
    assert add_arm(robot, kind) == "wrist_3"
    model = robot.compile()
    rng = np.random.default_rng(0)
    q, v, h = rng.uniform(-2.0, 2.0, 6), rng.standard_normal(6), 1e-6
    for link, frame in zip(LINKS, frames(kind, q), strict=True):
        np.testing.assert_allclose(model.pose(q, link), frame, atol=1e-12)
    kinetic, potential = 0.0, 0.0
    for i, (mass, com, inertia) in enumerate(zip(ARMS[kind].mass, CENTRES, INERTIAS, strict=True)):
        xx, xy, xz, yy, yz, zz = inertia
        local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        ahead, behind, here = (frames(kind, x)[i] for x in (q + h * v, q - h * v, q))
        rate = (ahead - behind) / (2.0 * h)
        spin = rate[:3, :3] @ here[:3, :3].T
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        speed = rate @ np.array([*com, 1.0])
        kinetic += 0.5 * mass * speed[:3] @ speed[:3]
        kinetic += 0.5 * omega @ here[:3, :3] @ local @ here[:3, :3].T @ omega
        potential += 9.81 * mass * (here @ np.array([*com, 1.0]))[2]
    energy = model.energy(q, v)
    assert energy.kinetic == pytest.approx(kinetic, rel=1e-8)
    assert energy.gravitational == pytest.approx(potential, rel=1e-10)


def test_centres_of_mass_are_those_of_the_description_for_ros():
    """There they stand in the frames of joints, config/ur10e/physical_parameters.yaml: link i in frame i - 1 turned."""
    cogs = [
        (0.021, -0.027, 0.0),
        (-0.2327, 0.0, 0.158),
        (-0.33155, 0.0, 0.068),
        (0.0, -0.018, 0.007),
        (0.0, 0.018, -0.007),
        (0.0, 0.0, -0.026),
    ]
    for cog, com, alpha, a in zip(cogs, CENTRES, ALPHA, ARMS["UR10e"].a, strict=True):
        expected = sp.pose(rpy=(alpha, 0.0, 0.0))[:3, :3] @ com + (a, 0.0, 0.0)
        np.testing.assert_allclose(cog, expected, atol=1e-12)


def test_reach_is_that_of_the_data_sheet():
    """UR10e: 1300 mm from the shoulder to the wrist's centre."""
    assert -sum(ARMS["UR10e"].a) + ARMS["UR10e"].d[4] == pytest.approx(1.3, abs=0.01)


def test_joints_follow_if_the_controller_knows_of_the_cylinder():
    t = np.linspace(0.0, 1.0, 5)
    complete, incomplete = (ur10_pcc(complete=knows).simulate(t=t, progress=False) for knows in (True, False))
    # kp = 100, kd = 50: the error begins at 1 rad and obeys e'' + 50 e' + 100 e = 0
    a, b = np.roots([1.0, 50.0, 100.0])
    error = (b * np.exp(a * t) - a * np.exp(b * t)) / (b - a)
    expected = np.cos(t) - error
    for joint in range(6):
        np.testing.assert_allclose(complete.q[:, joint], expected, atol=1e-4)
    assert np.abs(incomplete.q[:, :6] - expected[:, None]).max() > 0.05  # the wrist suffers, as the paper says
