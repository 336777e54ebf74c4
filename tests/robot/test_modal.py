"""Bodies that move in modes on a mesh."""

import pickle

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelError
from supple.robot.modal import Modal, shape_gradients, vibrations

SIZE = np.array([0.3, 0.04, 0.03])
MATERIAL = sp.Material(young=2e5, poisson=0.3, density=1100.0, damping_time=0.01)

#: Corners of a brick around its diagonal.
RING = ((1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1))


def beam(cells=(6, 2, 2)):
    """A block along x as tetrahedra, six to a brick."""
    steps = [np.linspace(0.0, 1.0, k + 1) for k in cells]
    grid = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1)
    vertices = (grid.reshape(-1, 3) - [0.0, 0.5, 0.5]) * SIZE
    number = np.arange(len(vertices)).reshape(grid.shape[:3])
    tetrahedra = []
    for i in range(cells[0]):
        for j in range(cells[1]):
            for k in range(cells[2]):
                a, b = number[i, j, k], number[i + 1, j + 1, k + 1]
                ring = [number[i + x, j + y, k + z] for x, y, z in RING]
                tetrahedra += [(a, ring[m], ring[(m + 1) % 6], b) for m in range(6)]
    return sp.Mesh(vertices, tetrahedra)


def finger(modes, material=MATERIAL, mesh=None, **options):
    robot = sp.Robot("finger")
    tip = [(SIZE[0], 0.0, 0.0), (SIZE[0], 0.02, 0.0), (SIZE[0], 0.0, 0.015)]
    mesh = beam() if mesh is None else mesh
    robot.add_link("finger", sp.ModalBody(mesh, modes, material, tip=tip, **options), joint=sp.Revolute("y"))
    return robot


def test_modes_of_vibration_make_mass_and_stiffness_diagonal():
    """M and K of the model are those of the finite elements, whose eigenvectors the modes are."""
    model = finger(5).compile()
    M, K = model.mass_matrix(np.zeros(6))[1:, 1:], model.stiffness[1:, 1:]
    for X in (M, K):
        scale = np.sqrt(np.outer(np.diag(X), np.diag(X)))
        assert abs(X / scale - np.eye(5)).max() < 1e-8
    squares = np.diag(K) / np.diag(M)
    assert (np.diff(squares) > 0.0).all()
    np.testing.assert_allclose(model.damping[1:, 1:], 0.01 * K, rtol=1e-12, atol=1e-12 * K.max())


def test_the_slowest_vibration_nears_that_of_a_beam():
    """Linear tetrahedra are stiff: from above, the nearer the finer."""
    inertia = SIZE[1] * SIZE[2] ** 3 / 12.0
    beams = 1.8751**4 * 2e5 * inertia / (1100.0 * SIZE[1] * SIZE[2] * SIZE[0] ** 4)
    found = []
    for cells in ((6, 1, 1), (12, 2, 2), (24, 3, 3)):
        body = sp.ModalBody(beam(cells), 1, MATERIAL, points=1)
        mode = np.asarray(body.kinematics.modes)
        assert abs(np.linalg.norm(mode, axis=2).max() - 1.0) < 1e-12
        table = body.tabulate()
        found.append(float(table.stiffness[0, 0] / body._own_mass(np.zeros(1))[0, 0] / beams))
    assert found[0] > found[1] > found[2] > 0.95
    assert found[2] < 1.6


def test_given_modes_by_hand():
    """Translations weigh the whole mass; a stretch resists by its volume times lambda + 2 mu."""
    mesh = beam()
    vertices = np.asarray(mesh.vertices)
    modes = np.zeros((4, len(vertices), 3))
    for k in range(3):
        modes[k, :, k] = 1.0
    modes[3, :, 0] = vertices[:, 0]
    body = sp.ModalBody(mesh, modes, MATERIAL)
    volume, mass = np.prod(SIZE), 1100.0 * np.prod(SIZE)
    np.testing.assert_allclose(body._own_mass(np.zeros(4))[:3, :3], mass * np.eye(3), rtol=1e-12, atol=1e-14)
    K = body.tabulate().stiffness
    mu, lame = 2e5 / 2.6, 2e5 * 0.3 / (1.3 * 0.4)
    expected = np.zeros((4, 4))
    expected[3, 3] = volume * (lame + 2.0 * mu)
    np.testing.assert_allclose(K, expected, rtol=1e-12, atol=1e-9)


def test_material_points_move_as_modes_say():
    robot = finger(3)
    mesh = beam()
    vertex = int(np.argmax(np.asarray(mesh.vertices)[:, 0] + np.asarray(mesh.vertices)[:, 1]))
    x = tuple(np.asarray(mesh.vertices)[vertex].tolist())
    robot.add_frame("corner", ("finger", x))
    model = robot.compile()
    modes = vibrations(mesh, 3, 0.3)
    q = np.array([0.0, 0.02, -0.01, 0.015])
    expected = np.asarray(x) + np.einsum("j,ji->i", q[1:], modes[:, vertex])
    np.testing.assert_allclose(model.tip(q, "corner"), expected, rtol=1e-10)


@pytest.mark.parametrize("material", [MATERIAL, sp.NeoHookean(2e5, 0.4, density=1100.0, viscosity=20.0)])
def test_derivatives_with_tendons_against_differences(material):
    robot = finger(3, material)
    robot.add(sp.Tendon("t", {"world": [(-0.1, 0.0, 0.01)], "finger": [(0.1, 0.0, 0.01), (0.28, 0.01, 0.01)]}))
    robot.add(sp.Contact("floor", sp.Ball(0.1, link="finger", s=(0.25, 0.0, 0.0)), sp.Plane(), stiffness=100.0))
    model = robot.compile()
    rng = np.random.default_rng(0)
    q, v, a = 0.03 * rng.standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, np.array([2.0]))
    assert report.worst.error < 1e-7, str(report)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.residual(q, v, a), model.residual(q, v, a))


def test_values_on_a_mesh_are_linear_in_every_tetrahedron():
    mesh, rng = beam((2, 1, 1)), np.random.default_rng(0)
    vertices, cells = np.asarray(mesh.vertices), np.asarray(mesh.tetrahedra)
    modes = rng.standard_normal((1, len(vertices), 3))
    kinematics = Modal(mesh, modes)
    weights = rng.dirichlet(np.ones(4), len(cells))
    x = np.einsum("tc,tci->ti", weights, vertices[cells])
    for i in range(3):
        values = kinematics.values(x, (0, i, -1))
        np.testing.assert_allclose(values, np.einsum("tc,tc->t", weights, modes[0, :, i][cells]), rtol=1e-9)
    G = shape_gradients(vertices, cells)
    np.testing.assert_allclose(np.einsum("tak,tai->tik", G, vertices[cells]) - np.eye(3), 0.0, atol=1e-12)
    moved = x[0] + 0.5 * np.array([kinematics.values(x[:1], (0, i, -1))[0] for i in range(3)])
    np.testing.assert_allclose(kinematics(x[0], np.array([0.5])), moved, rtol=1e-12)


def test_what_cannot_be_modes():
    mesh = beam((1, 1, 1))
    for modes, options, message in (
        (np.zeros((2, 3, 3)), {}, r"modes has shape \(2, 3, 3\), must be \(n, 8, 3\)"),
        (500, {}, "modes is 500, must be less than"),
        (2, {"fixed": [0, 1]}, "on one line or point"),
        (2, {"fixed": [0, 99, 1]}, "must be vertices from 0 to 7"),
    ):
        with pytest.raises(ModelError, match=message):
            sp.ModalBody(mesh, modes, MATERIAL, **options)
    with pytest.raises(ModelError, match="mesh is 3, must be a Mesh"):
        sp.ModalBody(3, 2, MATERIAL)
