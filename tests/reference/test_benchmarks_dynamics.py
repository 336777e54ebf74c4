"""Published and independently computed motions: D1 to D6 with rods, R1 to R4 with rigid bodies."""

from functools import cache

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import supple as sp
from helpers import DATA


@cache
def reference(name):
    with np.load(DATA / f"{name}.npz") as data:
        return dict(data)


def kirchhoff(length, bending, mass, rotary, modes, points=None):
    """A rod that only bends in the plane of x and y."""
    section = sp.Section.from_stiffness(
        EA=1.0, EI_y=bending, EI_z=bending, GJ=1.0, mass_per_length=mass, rotary_inertia=(2 * rotary, rotary, rotary)
    )
    return sp.Rod(length, section, strain=sp.Legendre(bend_z=modes - 1), points=points or modes + 2)


def disc(diameter, young, density):
    """Bending stiffness, mass and rotary inertia per metre."""
    area, second = np.pi * diameter**2 / 4, np.pi * diameter**4 / 64
    return young * second, density * area, density * second


def one_rod(rod, gravity=(0.0, 0.0, 0.0), joint=None, at=None):
    robot = sp.Robot("rod", gravity=gravity)
    robot.add_link("rod", rod, joint=joint or sp.Fixed(), at=sp.pose() if at is None else at)
    return robot


def frequencies(model, q=None):
    q = np.zeros(model.n) if q is None else q
    zero = np.zeros(model.n)
    K = model.residual_derivatives(q, zero, zero).dq
    return np.sqrt(np.maximum(eigh(0.5 * (K + K.T), model.mass_matrix(q), eigvals_only=True), 0.0))


def equilibrium(model, q, steps=30):
    """Newton's method from a good guess."""
    zero = np.zeros(model.n)
    for _ in range(steps):
        step = np.linalg.solve(model.residual_derivatives(q, zero, zero).dq, model.residual(q, zero, zero))
        q = q - step
        if np.abs(step).max() < 1e-12:
            return q
    raise AssertionError("no equilibrium")


# ---------------------------------------------------------------------- rods


@pytest.mark.parametrize(
    ("joint", "skip", "expected"),
    [(None, 0, (3.5160152685, 22.0344915647)), (sp.Planar("z"), 3, (22.3732854481, 61.6728228679))],
    ids=["clamped-free", "free-free"],
)
def test_d1_bending_frequencies(joint, skip, expected):
    rod = kirchhoff(0.7, 3.0, 0.4, 0.0, modes=10, points=64)
    found = frequencies(one_rod(rod, joint=joint).compile())[skip : skip + 2] / np.sqrt(3.0 / 0.4) * 0.7**2
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("strain", ["stretch", "torsion"])
def test_d1_axial_and_torsional_frequencies(strain):
    section = sp.Section.from_stiffness(
        EA=50.0, EI_y=1.0, EI_z=1.0, GJ=50.0, mass_per_length=2.0, rotary_inertia=(2.0, 1.0, 1.0)
    )
    rod = sp.Rod(0.7, section, strain=sp.Legendre(**{strain: 9}), points=40)
    found = frequencies(one_rod(rod).compile())[:2]
    np.testing.assert_allclose(found, (np.arange(2) + 0.5) * np.pi * 5.0 / 0.7, rtol=1e-6)


def test_d1_hanging_chain():
    rod = kirchhoff(1.3, 1e-8 * 0.4 * 9.81 * 1.3**3, 0.4, 0.0, modes=14)
    model = one_rod(rod, gravity=(9.81, 0.0, 0.0), joint=sp.Revolute("z")).compile()
    found = frequencies(model)[:3] / np.sqrt(9.81 / 1.3)
    np.testing.assert_allclose(found, (1.202412779, 2.760039055, 4.326863956), rtol=1e-3)


@pytest.mark.slow
def test_d2_stiff_cantilever_release():
    data = reference("stiff_cantilever_release")
    EI, mass, rotary = disc(2e-3, 2e11, 8000.0)
    rod = kirchhoff(0.4, EI, mass, rotary, modes=10, points=16)
    down = sp.pose((0, 0, 0), (0, 0, -np.pi / 2))
    pulled = one_rod(rod, (0, -9.81, 0), at=down)
    pulled.add(sp.PointWrench("rod", [0, 0, 0, 10.0, 0, 0]))
    model = one_rod(rod, (0, -9.81, 0), at=down).compile()
    q0, start = np.zeros(model.n), pulled.compile()
    q0[:2] = 1.5, -0.6
    q0 = equilibrium(start, q0)
    np.testing.assert_allclose(model.pose(q0, "rod")[:2, 3], (0.324641083, -0.177265479), atol=1e-5)
    run = model.simulate(data["t"], q0, method=sp.GeneralizedAlpha(0.9, dt=4e-5))
    for k, s in enumerate((0.5, 1.0)):
        error = run.tip("rod", s)[:, :2] - np.column_stack([data["x"][:, k], data["y"][:, k]])
        assert np.abs(error).max() < 1e-3
    energy = run.energy()[:, 3]
    assert np.ptp(energy) < 1e-3 * np.ptp(run.energy()[:, 0])


@pytest.mark.slow
def test_d3_flexible_pendulum():
    data = reference("flexible_pendulum")
    EI, mass, rotary = disc(1e-2, 5e6, 1100.0)
    rod = kirchhoff(1.0, EI, mass, rotary, modes=18)
    model = one_rod(rod, (0, -9.80665, 0), joint=sp.Revolute("z")).compile()
    run = model.simulate(data["t"], method=sp.NDF(rtol=1e-6, atol=1e-7))
    for k, s in enumerate((0.5, 1.0)):
        error = run.tip("rod", s)[:, :2] - np.column_stack([data["x"][:, k], data["y"][:, k]])
        assert np.abs(error).max() < 1e-3


def spin_up(t):
    w = 2 * np.pi / 15
    if t < 15.0:
        return 0.4 * (t * t / 2 + (np.cos(w * t) - 1) / w**2), 0.4 * (t - np.sin(w * t) / w), 0.4 * (1 - np.cos(w * t))
    return 6 * t - 45, 6.0, 0.0


def test_d4_spin_up():
    data = reference("spinup")
    robot = one_rod(kirchhoff(10.0, 1.4e4, 1.2, 6e-4, modes=6, points=20), joint=sp.Revolute("z"))
    robot.add(sp.Prescribed("rod", spin_up))
    run = robot.compile().simulate(data["t"], method=sp.GeneralizedAlpha(dt=2e-3))
    angle = run.q[:, 0]
    x, y = run.tip("rod")[:, :2].T
    u1 = np.cos(angle) * x + np.sin(angle) * y - 10.0
    u2 = -np.sin(angle) * x + np.cos(angle) * y
    assert np.abs(u1 - data["u1"]).max() < 1e-5
    assert np.abs(u2 - data["u2"]).max() < 1e-5


@pytest.mark.slow
def test_d5_free_flight():
    data = reference("simo_flying_rod_3d")
    section = sp.Section.from_stiffness(
        EA=1e4, GA_y=1e4, GA_z=1e4, EI_y=500.0, EI_z=500.0, GJ=500.0, mass_per_length=1.0, rotary_inertia=(10, 10, 10)
    )
    order = dict.fromkeys(("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z"), 8)
    rod = sp.Rod(10.0, section, strain=sp.Legendre(**order), points=20)
    robot = one_rod(rod, joint=sp.Free(), at=sp.pose((6, 0, 0), (0, 0, np.pi - np.arctan2(8, 6))))
    push = np.array([0.0, -0.5, -1.0, 0.1, 0.0, 0.0])
    law = sp.laws.Table([0.0, 2.5, 5.0], np.array([0.0, 200.0, 0.0])[:, None] * push)
    robot.add(sp.PointWrench("rod", law, s=0.0))
    run = robot.compile().simulate(data["t"], method=sp.NDF(rtol=1e-6, atol=1e-7))
    for k, s in enumerate((0.0, 0.5, 1.0)):
        assert np.abs(run.tip("rod", s) - data["r"][k].T).max() < 1e-3
    later = run.t > 5.0
    np.testing.assert_allclose(run.momentum()[later][:, 3:], np.tile([50.0, 0, 0], (later.sum(), 1)), atol=1e-3)
    turning = np.tile([0.0, -295.703078, -553.001471], (later.sum(), 1))
    np.testing.assert_allclose(run.momentum()[later][:, :3], turning, atol=1e-2)


def slider_crank():
    EI, mass, rotary = disc(6e-3, 2e11, 7870.0)
    robot = sp.Robot("slider-crank", gravity=(0, 0, 0))
    crank = sp.Rigid(1.0, (1e-3, 1e-3, 1e-3), tip=sp.pose((0.15, 0, 0)))
    robot.add_link("crank", crank, joint=sp.Revolute("z"))
    robot.add_link("rod", kirchhoff(0.3, EI, mass, rotary, modes=6), parent="crank", joint=sp.Revolute("z"))
    slider = sp.Rigid(0.15 * mass, (1e-6, 1e-6, 1e-6))
    robot.add_link("slider", slider, parent="rod", joint=sp.Revolute("z"))
    robot.add(sp.Loop("guide", a=("slider", sp.pose()), b=("world", sp.pose()), joint=sp.Prismatic("x")))
    robot.add(sp.Prescribed("crank", sp.laws.Polynomial([0.0, 150.0])))
    return robot.compile()


def test_d6_slider_crank():
    data, model = reference("slider_crank_flexible"), slider_crank()
    v0 = np.zeros(model.n)
    v0[0], v0[1], v0[-1] = 150.0, -225.0, 75.0
    run = model.simulate(data["t"], v0=v0, method=sp.NDF(rtol=1e-7, atol=1e-9))
    slider, pin, middle = run.tip("slider", 0.0), run.tip("crank"), run.tip("rod", 0.5)
    chord = slider - pin
    length = np.linalg.norm(chord, axis=1)
    offset = middle - 0.5 * (slider + pin)
    deflection = (chord[:, 0] * offset[:, 1] - chord[:, 1] * offset[:, 0]) / length / 0.3
    assert np.abs(slider[:, 0] - data["slider_x"]).max() < 1e-5
    assert np.abs(deflection - data["mid_defl_over_l"]).max() < 1e-5
    assert run.constraint_error().max() < 1e-10 * 225.0


# ---------------------------------------------------------------------- rigid bodies


@pytest.mark.filterwarnings("ignore:.*no real body has such an inertia:supple.ModelWarning")
@pytest.mark.parametrize("method", [sp.NDF(rtol=1e-9, atol=1e-11), sp.DOP853(rtol=1e-9, atol=1e-10)], ids=repr)
def test_r1_heavy_top(method):
    data = reference("heavy_top")
    l, weight = float(data["l"]), float(data["m"] * data["g"])
    top = sp.Rigid(1.0, data["J_pivot"], tip=sp.pose((0, 0, l)))  # no body has this inertia with its mass at l
    robot = sp.Robot("top", gravity=(0, 0, 0))
    w, x, y, z = data["quat_wxyz"][0]
    robot.add_link("top", top, joint=sp.Spherical(), at=sp.pose(rotation=Rotation.from_quat([x, y, z, w]).as_matrix()))
    robot.add(sp.PointWrench("top", [0, 0, 0, 0, 0, -weight]))
    model = robot.compile()
    run = model.simulate(data["t"], v0=data["omega0_body"], method=method)
    assert np.abs(run.tip("top") - data["com"]).max() < 1e-6
    spin = [model.twist(q, v, "top", 0.0)[2] for q, v in zip(run.q, run.v, strict=True)]
    np.testing.assert_allclose(spin, data["omega0_body"][2], rtol=1e-7)
    assert np.ptp(run.momentum()[:, 2]) < 1e-6


def fast_top():
    robot = sp.Robot("fast top", gravity=(0, 0, -9.81))
    body = sp.Rigid(15.0, (0.234375, 0.46875, 0.234375), com=(0, 1, 0), tip=sp.pose((0, 1, 0)))
    robot.add_link("top", body, joint=sp.Spherical())
    return robot.compile()


@pytest.mark.parametrize("method", [sp.NDF(rtol=1e-8, atol=1e-9), sp.GeneralizedAlpha(dt=2e-5)], ids=repr)
def test_r2_heavy_top_of_bruls_and_cardona(method):
    data, model = reference("heavy_top_bruls"), fast_top()
    run = model.simulate(data["t"], v0=[0.0, 150.0, -4.61538], method=method)
    assert np.abs(run.tip("top") - data["com"]).max() < 1e-4
    assert run.stats["recentred"] > 50


def double_pendulum():
    """Point masses, nearly: a body without inertia about its own centre is legal, as its joint moves the mass."""
    robot = sp.Robot("double pendulum", gravity=(0, -9.81, 0))
    for name, parent in (("upper", "world"), ("lower", "upper")):
        body = sp.Rigid(1.0, (0.0, 0.0, 0.0), com=(1, 0, 0), tip=sp.pose((1, 0, 0)))
        at = sp.pose((0, 0, 0), (0, 0, -np.pi / 2)) if parent == "world" else sp.pose()
        robot.add_link(name, body, parent=parent, joint=sp.Revolute("z"), at=at)
    return robot.compile()


@pytest.mark.parametrize("method", [sp.NDF(rtol=1e-10, atol=1e-11), sp.DOP853(rtol=1e-10, atol=1e-11)], ids=repr)
def test_r3_double_pendulum(method):
    data = reference("double_pendulum")
    run = double_pendulum().simulate(data["t"], data["theta"][0] * [1.0, 0.0], method=method)
    assert np.abs(np.cumsum(run.q, axis=1) - data["theta"]).max() < 1e-6


def andrews():
    """The squeezing mechanism of Andrews, planar, with the parameters of the Test Set for IVP Solvers."""
    m = {"K1": 0.04325, "K2": 0.00365, "K3": 0.02373, "K4": 0.00706, "K5": 0.07050, "K6": 0.00706, "K7": 0.05498}
    turn = {
        "K1": 2.194e-6,
        "K2": 4.410e-7,
        "K3": 5.255e-6,
        "K4": 5.667e-7,
        "K5": 1.169e-5,
        "K6": 5.667e-7,
        "K7": 1.912e-5,
    }
    A, B, C = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
    com = {
        "K1": (0.00092, 0, 0),
        "K2": (-0.0115, 0, 0),
        "K3": (0.01874, 0.01043, 0),
        "K4": (0, -(0.02 - 0.01421), 0),
        "K5": (0.02308, 0.00916, 0),
        "K6": (0.02 - 0.01421, 0, 0),
        "K7": (0.01228, 0.00449, 0),
    }
    tip = {"K1": (0.007, 0, 0), "K2": (-0.028, 0, 0), "K3": (0, -0.035, 0), "K4": (0, -0.02, 0)}
    tip |= {"K5": (0.04, 0, 0), "K6": (0.02, 0, 0), "K7": (0, -0.04, 0)}
    robot = sp.Robot("andrews", gravity=(0, 0, 0))
    chain = [("K1", "world", (0, 0, 0)), ("K2", "K1", None), ("K3", "world", B), ("K5", "world", A)]
    chain += [("K4", "K5", None), ("K7", "world", A), ("K6", "K7", None)]
    for name, parent, at in chain:
        body = sp.Rigid(m[name], np.array([0.5, 0.5, 1.0]) * turn[name], com=com[name], tip=sp.pose(tip[name]))
        robot.add_link(name, body, parent=parent, joint=sp.Revolute("z"), at=sp.pose(at or (0, 0, 0)))
    for other in ("K3", "K4", "K6"):
        robot.add(sp.Loop(other, a=("K2", sp.pose()), b=(other, sp.pose()), joint=sp.Revolute("z")))
    spring = sp.Spring("spring", ("K3", 0.0, sp.pose((0.02, -0.018, 0))), ("world", 0.0, sp.pose(C)), 4530.0, 0.07785)
    robot.add(spring)
    robot.add(sp.JointDrive("motor", "K1"))
    return robot.compile()


@pytest.mark.parametrize("method", [sp.NDF(rtol=1e-9, atol=1e-9), sp.GeneralizedAlpha(dt=1e-6)], ids=repr)
def test_r4_andrews_squeezer(method):
    data, model = reference("andrews"), andrews()
    order = [0, 1, 2, 4, 3, 6, 5]  # beta, Theta, gamma, delta, Phi, epsilon, Omega
    run = model.simulate(data["t"], data["q"][0][order], u=[0.033], method=method)
    assert np.abs(run.q - data["q"][:, order]).max() < 1e-6
    published = [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
    np.testing.assert_allclose(run.q[-1], np.array(published)[order], atol=1e-6)
    assert run.constraint_error()[:, 0].max() < 1e-10
