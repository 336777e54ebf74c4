"""Surfaces as graphics cards take them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.robot import meshes
from supple.studio.pieces import Paint, rigid_piece
from supple.studio.surfaces import SHARP, groups, smooth_surface, triangles


def surface_of(mesh):
    return smooth_surface(mesh.vertices, triangles(mesh.faces))


def test_quadrangles_become_two_triangles_and_triangles_stay_one():
    faces = np.array([(0, 1, 2, 3), (4, 5, 6, 6), (7, 7, 7, 7)])
    assert triangles(faces).tolist() == [[0, 1, 2], [4, 5, 6], [0, 2, 3]]


def test_a_box_has_three_normals_at_every_corner():
    mesh = meshes.box((1.0, 2.0, 3.0))
    surface = surface_of(mesh)
    assert len(surface.source) == 24
    assert len(surface.faces) == 12
    # every vertex of a face has the face's own direction
    corners = mesh.vertices[surface.source][surface.faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    assert_allclose(surface.normals[surface.faces], np.repeat(normal[:, None], 3, axis=1), atol=1e-14)
    outward = np.sum(corners.mean(axis=1) * normal, axis=1)
    assert np.all(outward > 0.0)


def test_a_ball_is_smooth_and_its_normals_point_outward():
    ball = meshes.ball(0.3)
    piece = rigid_piece(Paint("ball", "links", np.ones(3)), *ball)
    assert np.sum(piece.normals * piece.vertices, axis=1).min() > 0.3 * 0.98
    assert len(piece.vertices) == (meshes.RINGS - 2) * meshes.AROUND + 2  # its poles are one point each


def test_a_cylinder_is_smooth_around_and_sharp_at_its_ends():
    mesh = meshes.revolved((0.0, 1.0), (0.2, 0.2))
    surface = surface_of(mesh)
    assert len(surface.source) == 4 * meshes.AROUND + 2  # two rings, each once for the side and once for a lid
    lid = np.abs(surface.normals[:, 0]) > 0.5
    assert_allclose(np.abs(surface.normals[lid, 0]), 1.0, atol=1e-12)
    assert_allclose(surface.normals[~lid, 0], 0.0, atol=1e-12)


def test_faces_without_area_do_no_harm():
    mesh = meshes.Mesh(np.zeros((8, 3)), meshes.box((1.0, 1.0, 1.0)).faces)
    surface = surface_of(mesh)
    assert np.all(np.isfinite(surface.normals))
    assert_allclose(np.linalg.norm(surface.normals, axis=1), 1.0)


def one_by_one(vertices, faces, sharp):
    """Normals at all corners (F, 3, 3), of faces that are reached over gentle edges at one vertex: by plain loops."""
    normal = [np.cross(vertices[b] - vertices[a], vertices[c] - vertices[a]) for a, b, c in faces]
    unit = [n / np.linalg.norm(n) for n in normal]
    found = np.zeros((len(faces), 3, 3))
    for f, face in enumerate(faces):
        for k, vertex in enumerate(face):
            reached, new = {f}, [f]
            while new:
                here = new.pop()
                for there in range(len(faces)):
                    common = set(faces[here]) & set(faces[there])
                    meet = vertex in common and len(common) == 2
                    if meet and there not in reached and unit[here] @ unit[there] > sharp:
                        reached.add(there)
                        new.append(there)
            total = np.sum([normal[one] for one in reached], axis=0)
            found[f, k] = total / np.linalg.norm(total)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_rough_surfaces_in_any_order_have_the_normals_of_plain_loops(seed):
    rng = np.random.default_rng(seed)
    mesh = meshes.revolved(np.linspace(0.0, 1.0, 5), rng.uniform(0.2, 0.4, 5), 7)
    renamed = rng.permutation(len(mesh.vertices))
    faces = renamed[rng.permutation(triangles(mesh.faces))]
    vertices = np.empty_like(mesh.vertices)
    vertices[renamed] = mesh.vertices + 0.05 * rng.standard_normal(mesh.vertices.shape)
    surface = smooth_surface(vertices, faces)
    np.testing.assert_array_equal(surface.source[surface.faces], faces)
    assert len(vertices) < len(surface.source) < faces.size  # some edges are sharp, some are not
    assert_allclose(surface.normals[surface.faces], one_by_one(vertices, faces.tolist(), SHARP), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_those_of_scipy(seed):
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 400))
    pairs = rng.integers(0, count, (2, int(rng.integers(0, 2 * count))))
    if seed % 3 == 0:  # long chains, from the far end
        order = rng.permutation(count)
        pairs = np.array([order[1:], order[:-1]])
    links = coo_matrix((np.ones(pairs.shape[1]), tuple(pairs)), shape=(count, count))
    assert groups(count, *pairs).tolist() == connected_components(links, directed=False)[1].tolist()


def test_nothing_has_no_groups():
    none = np.zeros(0, dtype=np.int64)
    assert groups(0, none, none).shape == (0,)
