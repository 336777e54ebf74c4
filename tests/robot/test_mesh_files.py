"""Surfaces from files: STL as text and binary, OBJ; what is damaged is refused."""

import struct

import numpy as np
import pytest

from supple.errors import FileError
from supple.robot import mesh_files, meshes
from supple.robot.mesh_files import coarsened, read_mesh


def corners_of(mesh):
    """Triangles (F, 3, 3) of a mesh of quadrangles."""
    quads = mesh.vertices[mesh.faces]
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def binary_stl(triangles):
    body = b"".join(struct.pack("<12fH", 0.0, 0.0, 0.0, *t.ravel(), 0) for t in triangles)
    return b"solid but binary".ljust(80) + struct.pack("<I", len(triangles)) + body


def text_stl(triangles):
    facets = "".join(
        "facet normal 0 0 0\n outer loop\n" + "".join(f"  vertex {x!r} {y!r} {z!r}\n" for x, y, z in t.tolist())
        + " endloop\nendfacet\n" for t in triangles
    )  # fmt: skip
    return f"solid box\n{facets}endsolid\n".encode()


def obj(mesh):
    vertices = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
    faces = "".join(f"f {' '.join(f'{i + 1}/1/1' for i in face)}\n" for face in mesh.faces.tolist())
    return f"# a box\n{vertices}{faces}".encode()


WRITERS = {
    "binary.stl": lambda box: binary_stl(corners_of(box)),
    "text.STL": lambda box: text_stl(corners_of(box)),
    "capitals.stl": lambda box: text_stl(corners_of(box)).upper(),
    "box.obj": obj,
    "lines that go on.obj": lambda box: obj(box).replace(b" ", b" \\\n", 40).replace(b"/1/1 ", b"/1/1 \\\r\n"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_boxes_are_read_from_every_kind_of_file(kind, tmp_path):
    path = tmp_path / kind
    path.write_bytes(WRITERS[kind](meshes.box((1.0, 2.0, 4.0))))
    read = read_mesh(path)
    assert read.vertices.shape == (8, 3)
    assert read.faces.shape == (12, 4)
    a, b, c = np.moveaxis(read.corners[:, :3], 1, 0)
    assert np.einsum("fi,fi", a, np.cross(b, c)) / 6.0 == pytest.approx(8.0)  # outside is outside


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.stl", b""),
        ("a.stl", b"solid x\nvertex 1 2 3\n"),
        ("a.stl", b"solid x\nvertex 1 2 z\nvertex 1 2 3\nvertex 1 2 3\n"),
        ("a.stl", b"x" * 80 + b"\xff\xff\xff\xff" + b"y" * 500),
        ("a.stl", binary_stl(np.full((1, 3, 3), np.nan))),
        ("a.stl", binary_stl(np.full((5, 3, 3), 0.5))),  # all of it one point
        ("a.obj", b"v 1 2\nf 1 1 1"),
        ("a.obj", b"v 1 2 3\nf 1 2 3"),
        ("a.obj", b"v 1 2 3\nf a b c"),
        ("a.obj", b"v 1 2 3"),
        ("a.txt", b"v 1 2 3"),
    ],
)
def test_damaged_files_are_refused(name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError, match=name):
        read_mesh(path)


def test_files_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(FileError, match="not there"):
        read_mesh(tmp_path / "a.stl")


def test_fine_surfaces_become_coarse():
    ball = meshes.ellipsoid((1.0, 2.0, 3.0))
    fine = meshes.Mesh(*_split(ball, 3))
    coarse = coarsened(fine, 500)
    assert 100 < len(coarse.faces) <= 500 < len(fine.faces)
    np.testing.assert_allclose(np.ptp(coarse.vertices, axis=0), (2.0, 4.0, 6.0), rtol=0.15)
    assert coarsened(ball, 10**6) is ball


def _split(mesh, times):
    triangles = corners_of(mesh)
    for _ in range(times):
        a, b, c = np.moveaxis(triangles, 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        triangles = np.concatenate([np.stack(part, axis=1) for part in parts])
    faces = np.arange(3 * len(triangles)).reshape(-1, 3)
    return triangles.reshape(-1, 3), np.column_stack([faces, faces[:, 2]])


def test_corners_at_one_place_are_one_vertex_in_the_order_of_their_coordinates():
    corners = np.random.default_rng(0).integers(-2, 3, (300, 3)).astype(np.float32) * np.float32(0.1)
    corners[corners == 0.0] *= -1.0  # some zeros below zero, which are zeros
    expected, index = np.unique(corners + np.float32(0.0), axis=0, return_inverse=True)
    vertices, triangles = mesh_files._shared(corners)
    np.testing.assert_array_equal(vertices, expected)
    np.testing.assert_array_equal(triangles, index.reshape(-1, 3))
    assert vertices.dtype == float
    assert [len(part) for part in mesh_files._shared(corners[:0])] == [0, 0]
