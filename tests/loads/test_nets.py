"""Ropes and nets of point masses: catenaries, strings, conservation, attachment to links, contact, files."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, relative_error

FAR = ("world", 0.0, sp.pose((1.0, 0.0, 0.0)))


def rope(pieces, robot=None, **options):
    """A rope of 0.3 kg from the origin to (1, 0, 0), held at both ends."""
    options = {"mass": 0.3, "stiffness": 1e5, "first": ("world", 0.0), "last": FAR} | options
    net = sp.SpringNet.rope((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), pieces, **options)
    robot = sp.Robot("rope") if robot is None else robot
    net.add_to(robot, "rope")
    return robot


def catenary(length):
    """Parameter a of the catenary of that length between points 1 m apart."""
    low, high = 0.05, 20.0
    for _ in range(200):
        a = np.sqrt(low * high)
        low, high = (a, high) if 2.0 * a * np.sinh(0.5 / a) > length else (low, a)
    return a


def test_a_rope_hangs_in_a_catenary():
    a = catenary(1.5)
    errors = []
    for pieces in (8, 16, 32):
        model = rope(pieces, length=1.5).compile()
        found = model.statics()
        assert found.converged
        assert found.stable
        places = np.array([model.pose(found.q, f"rope/{k}")[:3, 3] for k in range(1, pieces)])
        exact = a * (np.cosh((places[:, 0] - 0.5) / a) - np.cosh(0.5 / a))
        errors.append(np.abs(places[:, 2] - exact).max())
        assert np.abs(places[:, 1]).max() < 1e-9
    assert errors[2] < 1e-3
    assert np.allclose(np.array(errors[:-1]) / errors[1:], 4.0, rtol=0.1)  # second order


def test_a_taut_string_has_the_modes_of_a_beaded_one():
    """w_k = 2 sqrt(T / (m h)) sin(k pi / 2 N), and along the string with the stiffness in place of T / h."""
    pieces, stiffness, mass, length = 10, 500.0, 0.3, 0.8
    robot = rope(pieces, sp.Robot("string", gravity=(0.0, 0.0, 0.0)), length=length, stiffness=stiffness)
    model = robot.compile()
    tension, h, m = stiffness * (1.0 - length), 1.0 / pieces, mass / pieces
    sines = np.sin(np.pi * np.arange(1, pieces) / (2 * pieces))
    across, along = 2.0 * np.sqrt(tension / (m * h)) * sines, 2.0 * np.sqrt(stiffness * pieces / m) * sines
    expected = np.sort(np.concatenate([across, across, along]))
    assert np.allclose(np.sort(model.modes().angular_frequencies), expected, rtol=1e-8)


def test_energy_and_momentum_of_a_free_net():
    net = sp.SpringNet.sheet(
        (0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (3, 2), mass=0.2, stiffness=200.0, shear=50.0
    )
    robot = sp.Robot("net", gravity=(0.0, 0.0, 0.0))
    assert len(net.add_to(robot, "net")) == 12
    model = robot.compile()
    assert np.isclose(np.sum(net.mass), 0.2)
    rng = np.random.default_rng(0)
    q0, v0 = 0.02 * rng.standard_normal(36), 0.3 * rng.standard_normal(36)
    motion = model.simulate(0.3, q0, v0, method=sp.DOP853(rtol=1e-10, atol=1e-12))
    energy = [model.energy(q, v).total for q, v in zip(motion.q, motion.v, strict=True)]
    momentum = np.array([model.momentum(q, v) for q, v in zip(motion.q, motion.v, strict=True)])
    assert np.ptp(energy) < 1e-7 * energy[0]
    assert np.ptp(momentum, axis=0).max() < 1e-10
    assert np.abs(motion.q[-1] - q0).max() > 0.01


def skin():
    """A net over a rod and a body: some nodes on each, on the world and free, measured in the frame of the body."""
    robot = sp.Robot("skin")
    material = sp.Material(young=1e6, density=1000.0, viscosity=300.0)
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), sp.Spherical())
    arm = sp.Rod(0.4, sp.Circle(0.02), material, sp.Legendre(bend_y=2, bend_z=1, stretch=0))
    robot.add_link("arm", arm, parent="base")
    held = {(0, 0): ("arm", 0.5), (0, 2): ("arm", 1.0, sp.pose((0.0, 0.02, 0.0)))}
    held |= {(3, 0): ("base", 0.0, sp.pose((0.0, 0.05, 0.0))), (3, 2): ("world", 0.0, sp.pose((0.5, 0.4, 0.0)))}
    net = sp.SpringNet.sheet(
        (0.1, 0.0, 0.0), (0.0, 0.3, 0.0), (0.2, 0.0, 0.0), (3, 2), mass=0.1, stiffness=50.0, shear=20.0, damping=0.1,
        attached=held, radius=0.01,
    )  # fmt: skip
    names = net.add_to(robot, "skin", parent="base", at=sp.pose((0.0, 0.0, 0.02), (0.1, 0.2, 0.3)))
    for contact in net.contacts("skin", sp.Plane(height=-0.1), stiffness=1e4, damping=1.0, friction=0.3):
        robot.add(contact)
    return robot, net, names


def test_a_skin_over_a_rod_and_a_body():
    robot, net, names = skin()
    model = robot.compile()
    assert names == tuple(f"skin/{k}" for k in net.free)
    assert model.n == 3 + 6 + 3 * 8
    rng = np.random.default_rng(1)
    q, v, a = 0.1 * rng.standard_normal((3, model.n))
    assert model.check_derivatives(q, v, a).worst.error < 1e-6
    motion = model.simulate(0.05)
    assert np.isfinite(motion.q).all()
    fine = model.simulate(0.05, method=sp.GeneralizedAlpha(dt=5e-4))
    assert relative_error(fine.q[-1], motion.q[-1]) < 0.02


def test_statics_weighs_a_skin():
    """Four corners on the world carry the net's weight and nothing else."""
    corners = {(i, j): ("world", 0.0, sp.pose((0.3 * i / 3, 0.2 * j / 2, 0.0))) for i in (0, 3) for j in (0, 2)}
    net = sp.SpringNet.sheet(
        (0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (3, 2), mass=0.2, stiffness=300.0, shear=100.0,
        attached=corners,
    )  # fmt: skip
    robot = sp.Robot("net")
    net.add_to(robot, "net")
    model = robot.compile()
    found = model.statics(q0=np.tile([0.0, 0.0, -0.02], 8))
    assert found.converged
    assert found.stable
    pulls, weight = np.zeros(3), 9.81 * sum(np.asarray(net.mass)[list(net.free)])
    places = np.array(net.nodes, dtype=float)
    places[list(net.free)] = [model.pose(found.q, f"net/{k}")[:3, 3] for k in net.free]
    for (i, j), k, l0 in zip(net.springs, net.stiffness, net.rest_length, strict=True):
        for end, other in ((i, j), (j, i)):
            if end in net.attached:
                r = places[other] - places[end]
                pulls += k * (np.linalg.norm(r) - l0) * r / np.linalg.norm(r)
    assert np.allclose(pulls, [0.0, 0.0, -weight], atol=1e-8)


def test_nodes_come_to_rest_on_a_plane():
    net = sp.SpringNet.rope((0.0, 0.0, 0.05), (0.3, 0.0, 0.1), 4, mass=0.1, stiffness=100.0, damping=1.0, radius=0.01)
    robot = sp.Robot("fallen")
    net.add_to(robot, "rope")
    for contact in net.contacts("rope", sp.Plane(), stiffness=1e4, damping=5.0, friction=0.5):
        robot.add(contact)
    model = robot.compile()
    motion = model.simulate(1.0, method=sp.GeneralizedAlpha(dt=2e-3))
    heights = [model.pose(motion.q[-1], f"rope/{k}")[2, 3] for k in range(5)]
    assert np.allclose(heights, 0.01, atol=2e-3)


def test_gradients_by_the_numbers_of_a_net():
    def build(stiffness=300.0, mass=0.3, length=1.4, reach=1.0):
        net = sp.SpringNet.rope(
            (0.0, 0.0, 0.0), (reach, 0.0, 0.0), 6, mass=mass, stiffness=stiffness, length=length,
            first=("world", 0.0), last=("world", 0.0, sp.pose((reach, 0.0, 0.0))),
        )  # fmt: skip
        robot = sp.Robot("rope")
        net.add_to(robot, "rope")
        return robot

    design = sp.Design(build, stiffness=300.0, mass=0.3, length=1.4, reach=1.0)
    found = design.model().statics()
    weights = np.random.default_rng(0).standard_normal(len(found.q))
    gradient = found.vjp(q=weights).p
    for name, x in design.values.items():
        expected = central_difference(
            lambda e: design.model(**{name: x * (1.0 + e)}).statics(q0=found.q).q @ weights / x,  # noqa: B023
            1e-3,
        )
        assert np.isclose(gradient[name], expected, rtol=1e-6, atol=1e-9), name


def test_files_and_attachment_keep_nets(tmp_path):
    robot, _, names = skin()
    robot.save(tmp_path / "skin.yaml")
    again = sp.load(tmp_path / "skin.yaml")
    whole = sp.Robot("whole")
    whole.add_link("cart", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), sp.Prismatic("x"))
    whole.attach(robot, to="cart", prefix="part/")
    model, read, attached = robot.compile(), again.compile(), whole.compile()
    q = 0.1 * np.random.default_rng(0).standard_normal(model.n)
    assert np.array_equal(model.residual(q, q, q), read.residual(q, q, q))
    assert f"part/{names[0]}" in attached.link_names
    assert np.allclose(attached.residual(*([np.append(0.0, q)] * 3))[1:], model.residual(q, q, q), atol=1e-9)


def test_pictures_show_nets(tmp_path):
    robot, _, _ = skin()
    robot.plot(tmp_path / "skin.png")
    assert (tmp_path / "skin.png").stat().st_size > 1000


def test_an_arc_has_pieces_of_one_length():
    for length in (1.0001, 1.3, 4.0, 30.0):
        net = sp.SpringNet.rope((0.0, 0.1, 0.2), (0.6, 0.1, 1.0), 7, mass=1.0, stiffness=1.0, length=length)
        steps = np.linalg.norm(np.diff(net.nodes, axis=0), axis=1)
        assert np.allclose(steps, length / 7, rtol=1e-9)
        assert np.isclose(np.sum(net.mass), 1.0)


def nested(depth):
    """A list in a list in a list: deeper than NumPy has axes."""
    return [nested(depth - 1)] if depth else 0.0


def test_refused():
    held = {"first": ("world", 0.0), "last": FAR}
    for match, make in (
        ("SpringNet: nodes is", lambda: sp.SpringNet([0.0, 1.0], [(0, 1)], 1.0, 1.0)),
        ("SpringNet: nodes is", lambda: sp.SpringNet(nested(100), [(0, 1)], 1.0, 1.0)),
        ("SpringNet: nodes is", lambda: sp.SpringNet([[0.0], [1.0, 2.0]], [(0, 1)], 1.0, 1.0)),
        (r"pairs\[0\] is \(0, 5\)", lambda: sp.SpringNet(np.zeros((2, 3)), [(0, 5)], 1.0, 1.0)),
        ("mass of the free node 1", lambda: sp.SpringNet(np.eye(3), [(0, 1)], [1.0, 0.0, 1.0], 1.0)),
        ("attached: node is 7", lambda: sp.SpringNet(np.eye(3), [(0, 1)], 1.0, 1.0, attached={7: ("a", 0.0)})),
        ("all nodes are attached", lambda: rope(1, **held)),
        ("SpringNet.rope: pieces", lambda: rope(0)),
        ("start and end are 0 m apart", lambda: sp.SpringNet.rope(*np.zeros((2, 3)), 3, mass=1, stiffness=1, length=1)),
        ("sag is .*must not point", lambda: rope(4, length=2.0, sag=(1.0, 0.0, 0.0))),
        ("pieces is 3", lambda: sp.SpringNet.sheet(*np.eye(3), 3, mass=1.0, stiffness=1.0)),
    ):
        with pytest.raises(sp.ModelError, match=match):
            make()
    with pytest.raises(sp.ModelError, match=r"Springs 'rope': there is no link 'arm'"):
        rope(4, first=("arm", 0.0)).compile()
