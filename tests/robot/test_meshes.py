"""Surfaces are closed, face outward and hold the volume of their solids."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.lie.pose import pose
from supple.robot import meshes
from supple.robot.rigid_shapes import BoxShape, CapsuleShape, FrustumShape, PrismShape, SphereShape

L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
SHAPES = [
    (BoxShape((0.1, 0.2, 0.3)), 1e-12),
    (PrismShape(L_SHAPE, 0.5), 1e-12),
    (PrismShape(L_SHAPE[::-1], 0.5), 1e-12),
    (SphereShape(0.2), 0.02),
    (FrustumShape(0.5, 0.2, 0.1), 0.01),
    (FrustumShape(0.5, 0.2, 0.0), 0.01),
    (CapsuleShape(0.3, 0.1), 0.02),
]


def volume(corners):
    """By the divergence theorem over the two triangles of every face (F, 4, 3)."""
    a, b, c, d = np.moveaxis(corners, 1, 0)
    return sum(np.einsum("ij,ij->", x, np.cross(y, z)) for x, y, z in ((a, b, c), (a, c, d))) / 6.0


def directed_edges(faces):
    """Edges of all faces in their direction, those of repeated vertices omitted."""
    pairs = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    return [tuple(pair) for pair in pairs.tolist() if pair[0] != pair[1]]


@pytest.mark.parametrize(("shape", "tolerance"), SHAPES, ids=[repr(shape) for shape, _ in SHAPES])
def test_a_mesh_holds_the_volume_of_its_shape(shape, tolerance):
    mesh = shape.mesh()
    assert_allclose(volume(mesh.corners), shape.volume, rtol=tolerance)
    assert volume(mesh.corners) <= shape.volume * (1 + 1e-12)  # facets cut corners


@pytest.mark.parametrize("shape", [shape for shape, _ in SHAPES], ids=repr)
def test_every_edge_is_run_once_in_either_direction(shape):
    edges = directed_edges(shape.mesh().faces)
    assert len(set(edges)) == len(edges)
    assert set(edges) == {(b, a) for a, b in edges}


def test_a_pipe_is_closed_and_hollow():
    outer, inner = (meshes.revolved((0.0, 1.0), (r, r), 64).vertices[:128] for r in (0.2, 0.1))
    mesh = meshes.Mesh(np.concatenate([outer, inner]), meshes.hollow_faces(2, 64))
    edges = directed_edges(mesh.faces)
    assert set(edges) == {(b, a) for a, b in edges}
    assert_allclose(volume(mesh.corners), np.pi * (0.2**2 - 0.1**2), rtol=0.01)


@pytest.mark.parametrize("shape", [shape for shape, _ in SHAPES], ids=repr)
def test_cutting_faces_keeps_the_solid(shape):
    corners = shape.mesh().corners
    fine = meshes.refined(corners, 0.05)
    assert np.linalg.norm(np.roll(fine, -1, axis=1) - fine, axis=2).max() <= 0.05
    assert_allclose(volume(fine), volume(corners), rtol=1e-9)


@pytest.mark.parametrize("first", range(6))
def test_an_ear_is_not_cut_across_a_concave_corner(first):
    polygon = np.roll(np.array(L_SHAPE, dtype=float), first, axis=0)
    triangles = polygon[meshes.triangulated(polygon)]
    u, v = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    areas = 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    assert np.all(areas > 0.0)
    assert_allclose(areas.sum(), 3.0)


def test_a_box_has_twelve_edges_with_two_faces_each():
    edges = meshes.edges_of(meshes.box((1, 1, 1)).faces)
    assert len(edges.vertices) == 12
    assert np.all(edges.faces[:, 0] != edges.faces[:, 1])


def test_a_mesh_moves_with_a_pose():
    mesh = meshes.ellipsoid((1, 2, 3)).moved(pose((5, 0, 0), rpy=(0, 0, np.pi / 2)))
    assert_allclose(np.ptp(mesh.vertices, axis=0), [4, 2, 6], rtol=0.02)
    assert_allclose(mesh.vertices.mean(axis=0), [5, 0, 0], atol=0.05)
