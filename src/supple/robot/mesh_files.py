"""Surfaces from files: STL, OBJ and MuJoCo's MSH are read here, others by trimesh, if it is installed.

Files are read with suspicion: sizes have bounds, and what is promised must be there.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supple.checks import Array
from supple.errors import FileError, MissingExtraError
from supple.robot.meshes import Faces, Mesh

#: Longest file [bytes].
MOST_BYTES = 200_000_000

#: Endings that are read without further libraries, and by trimesh.
OWN, BY_TRIMESH = (".stl", ".obj", ".msh"), (".dae", ".ply", ".off", ".glb", ".gltf", ".3mf")

_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)", re.MULTILINE | re.IGNORECASE)

#: The end of a line that goes on in the next one.
_GOES_ON = re.compile(rb"\\\r?\n")


def read_mesh(path: Path) -> Mesh:
    """The surface in a file, in its own units.

    Raises
    ------
    FileError
        Naming the file, if it cannot be read or holds no faces.
    MissingExtraError
        If the ending needs trimesh, and it is not installed.
    """
    ending = path.suffix.lower()
    if ending not in OWN + BY_TRIMESH:
        raise FileError(f"{path}: {ending!r} is no mesh that is read; known are: {', '.join(OWN + BY_TRIMESH)}")
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise FileError(f"{path}: is not there, or longer than {MOST_BYTES} bytes")
        if ending in BY_TRIMESH:
            return _by_trimesh(path)
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        vertices, triangles = {".stl": _stl, ".obj": _obj, ".msh": _msh}[ending](content)
    except (ValueError, IndexError, OverflowError) as error:
        raise FileError(f"{path}: is no {ending[1:].upper()} file: {error}") from None
    return _surface(path, vertices, triangles)


def _surface(path: Path, vertices: Array, triangles: Faces) -> Mesh:
    """Vertices (V, 3) and triangles (F, 3) of a file as a surface, if they are one."""
    if len(triangles) == 0 or not np.isfinite(vertices).all():
        raise FileError(f"{path}: holds no faces, or vertices that are not finite")
    if not np.ptp(vertices, axis=0).any():
        raise FileError(f"{path}: all vertices are one point")
    return Mesh(vertices, as_faces(triangles))


def as_faces(triangles: Faces) -> Faces:
    """Triangles (F, 3) as faces (F, 4), which repeat their last vertex."""
    return np.column_stack([triangles, triangles[:, 2]])


def _stl(content: bytes) -> tuple[Array, Faces]:
    """Vertices (V, 3) and triangles (F, 3) of an STL file, binary or text."""
    if len(content) >= 84:
        count = int.from_bytes(content[80:84], "little")
        if len(content) >= 84 + count * _FACET.itemsize and (count or not content.lstrip().startswith(b"solid")):
            return _shared(np.frombuffer(content, _FACET, count, 84)["corners"].reshape(-1, 3))
    numbers = [tuple(map(float, match.groups())) for match in _VERTEX.finditer(content)]
    if not numbers or len(numbers) % 3:
        raise ValueError("neither a binary file of the length that it promises, nor text with triangles")
    return _shared(np.array(numbers))


def _shared(corners: NDArray[np.floating]) -> tuple[Array, Faces]:
    """Vertices without those that are there twice, in the order of their coordinates, and triangles between them.

    As `np.unique` of rows does it, which compares rows byte by byte, several times slower than numbers.
    """
    order = np.lexsort(corners.T[::-1])
    ordered = corners[order]
    first = np.zeros(len(corners), dtype=bool)
    first[:1] = True
    for column in ordered.T:
        first[1:] |= column[1:] != column[:-1]
    index = np.empty(len(corners), dtype=np.int64)
    index[order] = np.cumsum(first) - 1
    return ordered[first].astype(float), index.reshape(-1, 3)


def _obj(content: bytes) -> tuple[Array, Faces]:
    """Vertices (V, 3) and triangles (F, 3) of an OBJ file; polygons become fans."""
    vertices: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in _GOES_ON.sub(b" ", content).splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            x, y, z = map(float, words[1:4])
            vertices.append((x, y, z))
        elif words[0] == b"f":
            corners = [int(word.split(b"/")[0]) for word in words[1:]]
            corners = [k - 1 if k > 0 else len(vertices) + k for k in corners]
            triangles += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    faces = np.array(triangles, dtype=np.int64).reshape(-1, 3)
    if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise ValueError("a face names a vertex that is not there")
    return np.array(vertices).reshape(-1, 3), faces


def _msh(content: bytes) -> tuple[Array, Faces]:
    """Vertices (V, 3) and triangles (F, 3) of a binary file of MuJoCo: four counts, floats, then triangles."""
    counts = np.frombuffer(content[:16], "<i4")
    if len(counts) != 4 or counts.min() < 0:
        raise ValueError("it does not begin with four counts")
    vertices, normals, places, triangles = counts.astype(np.int64).tolist()
    floats = 3 * vertices + 3 * normals + 2 * places
    if len(content) != 4 * (4 + floats + 3 * triangles):
        raise ValueError("its length is not that of its counts")
    corners = np.frombuffer(content, "<f4", 3 * vertices, 16).reshape(-1, 3).astype(float)
    faces = np.frombuffer(content, "<i4", 3 * triangles, 16 + 4 * floats).reshape(-1, 3).astype(np.int64)
    if faces.size and (faces.min() < 0 or faces.max() >= vertices):
        raise ValueError("a face names a vertex that is not there")
    return corners, faces


def _by_trimesh(path: Path) -> Mesh:
    """A surface read by trimesh."""
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError(
            f"{path}: files of this kind are read by trimesh (and pycollada for .dae), which is not installed: "
            "pip install 'supple[meshes]'"
        ) from None
    try:
        scene = trimesh.load(str(path), force="mesh")
        vertices, triangles = np.asarray(scene.vertices, dtype=float), np.asarray(scene.faces, dtype=np.int64)
    except Exception as error:  # whatever its readers meet
        raise FileError(f"{path}: trimesh cannot read it: {type(error).__name__}: {error}") from error
    return _surface(path, vertices, triangles)


def coarsened(mesh: Mesh, most: int) -> Mesh:
    """The surface with at most about so many faces: vertices that share a cell of a grid become one."""
    if len(mesh.faces) <= most:
        return mesh
    low, extent = mesh.vertices.min(axis=0), float(np.ptp(mesh.vertices, axis=0).max())
    cells = int(np.sqrt(most))
    while True:
        cell = np.floor((mesh.vertices - low) / (extent / cells)).astype(np.int64)
        _, index, count = np.unique(cell, axis=0, return_inverse=True, return_counts=True)
        index = index.reshape(-1)
        faces = index[mesh.faces]
        a, b, c = faces[:, 0], faces[:, 1], faces[:, 2]
        faces = np.unique(faces[(a != b) & (b != c) & (c != a)], axis=0)
        if len(faces) <= most or cells <= 4:
            break
        cells = int(0.8 * cells)
    vertices = np.zeros((len(count), 3))
    np.add.at(vertices, index, mesh.vertices)
    return Mesh(vertices / count[:, None], faces) if len(faces) else mesh
