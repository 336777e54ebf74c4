"""Pieces and where they are."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from helpers import random_rotation
from supple.robot import meshes
from supple.studio.pieces import Paint, Placed, loft_piece, rigid_piece, wxyz


def test_quaternions_are_those_of_the_rotations():
    rng = np.random.default_rng(1)
    turns = np.array([random_rotation(rng) for _ in range(50)])
    half = Rotation.from_rotvec(np.pi * np.eye(3)).as_matrix()  # where the scalar part vanishes
    turns = np.concatenate([turns, half, np.eye(3)[None]])
    found = wxyz(turns)
    assert np.all(found[:, 0] >= 0.0)
    assert_allclose(Rotation.from_quat(found[:, [1, 2, 3, 0]]).as_matrix(), turns, atol=1e-14)
    assert_allclose(wxyz(turns[3]), found[3])


def test_a_piece_is_carried_by_its_frames():
    rng = np.random.default_rng(2)
    mesh = meshes.revolved((0.0, 0.0, 0.0), (0.1, 0.2, 0.1), 12)  # three rings, each in the plane of its frame
    ring = np.append(np.repeat(np.arange(3), 12), [0, 2])
    frames = np.tile(np.eye(4), (3, 1, 1))
    frames[:, 0, 3] = (0.0, 0.5, 1.0)
    piece = loft_piece(Paint("a", "links", np.ones(3)), mesh.vertices, mesh.faces, ring, frames)
    moved = frames.copy()
    moved[1, :3, :3], moved[1, :3, 3] = random_rotation(rng), rng.normal(size=3)
    world = piece.world(Placed(moved))
    for v, k in enumerate(piece.ring):
        assert_allclose(world[v], moved[k, :3, :3] @ piece.vertices[v] + moved[k, :3, 3], atol=1e-15)


def test_normals_belong_to_the_frames_and_not_to_the_world():
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_euler("z", 0.7).as_matrix()
    box = meshes.box((1.0, 2.0, 3.0))
    still = rigid_piece(Paint("a", "links", np.ones(3)), *box)
    turned = loft_piece(Paint("a", "links", np.ones(3)), *box, np.zeros(8, dtype=int), turn[None])
    assert_allclose(turned.normals, still.normals, atol=1e-14)
