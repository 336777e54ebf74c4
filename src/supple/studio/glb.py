"""glTF 2.0 in one binary file (GLB), written by hand: a film that any viewer of glTF plays.

Rigid pieces are nodes that move. The skin of a rod is a skinned mesh with one joint per section, which is exact, and
small: seven numbers per section and picture, not three per vertex. The skin of a soft body has morph targets: the modes
of its motion by a singular value decomposition, as many as it takes to be right to `MORPH_ERROR` of its size. Colours
that change are animated by KHR_animation_pointer, which viewers may ignore. glTF has y up; a root node turns the world.

The format is that of [glTF].
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Array
from supple.studio.film import Film
from supple.studio.pieces import Piece, Placed, wxyz
from supple.studio.surfaces import Indices
from supple.viz.camera import level_axes

#: Types of numbers and targets of buffers, as glTF numbers them.
FLOAT, USHORT, UINT, VERTICES, INDICES = 5126, 5123, 5125, 34962, 34963
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}

#: Largest error of morphed vertices, relative to the size of the body, and most modes.
MORPH_ERROR, MOST_MODES = 1e-3, 64

#: How rough surfaces are: 0 is a mirror.
ROUGHNESS = 0.55

COLOURS_MOVE = "KHR_animation_pointer"


@dataclass
class _File:
    """A glTF file under construction."""

    document: dict[str, Any]
    chunks: list[bytes] = field(default_factory=list)
    length: int = 0

    def add(self, kind: str, **entry: Any) -> int:
        """Append to a list of the document; returns the place in it."""
        entries = self.document.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def accessor(self, values: NDArray[Any], target: int | None = None, bounds: bool = False) -> int:
        """Numbers (N,), (N, 3), (N, 4) or (N, 4, 4); matrices are stored by columns."""
        array = np.asarray(values)
        component = {"f": FLOAT, "u": USHORT if array.dtype.itemsize == 2 else UINT}[array.dtype.kind]
        if array.ndim == 3:
            array = array.transpose(0, 2, 1).reshape(len(array), 16)
        width = 1 if array.ndim == 1 else array.shape[1]
        data = np.ascontiguousarray(array, dtype=np.float32 if component == FLOAT else array.dtype).tobytes()
        view = {"buffer": 0, "byteOffset": self.length, "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self.chunks.append(data + b"\0" * (-len(data) % 4))
        self.length += len(self.chunks[-1])
        entry: dict[str, Any] = {
            "bufferView": self.add("bufferViews", **view), "componentType": component, "count": len(array),
            "type": KINDS[width],
        }  # fmt: skip
        if bounds:
            table = array.astype(np.float32).reshape(len(array), width)
            entry["min"], entry["max"] = table.min(axis=0).tolist(), table.max(axis=0).tolist()
        return self.add("accessors", **entry)

    def packed(self) -> bytes:
        """The whole file."""
        self.document["buffers"] = [{"byteLength": self.length}]
        text = json.dumps(self.document, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        binary = b"".join(self.chunks)
        total = 12 + 8 + len(text) + 8 + len(binary)
        header = b"glTF" + np.array([2, total], dtype="<u4").tobytes()
        first = np.array([len(text)], dtype="<u4").tobytes() + b"JSON" + text
        return header + first + np.array([len(binary)], dtype="<u4").tobytes() + b"BIN\0" + binary


class _Writer:
    """Puts a film into a file, piece by piece."""

    def __init__(self, film: Film) -> None:
        view = film.stage.view
        self.film, self.moving = film, len(film.times) > 1
        first, second, upward = level_axes(view.camera.vertical)
        turn = np.array([second, upward, first])  # the world's axes, for y up and z towards the viewer
        self.file = _File({"asset": {"version": "2.0", "generator": "supple"}, "scene": 0, "scenes": [{"nodes": []}]})
        self.root = self.file.add("nodes", name=film.stage.model.name, rotation=_xyzw(turn).tolist(), children=[])
        self.scene["nodes"].append(self.root)
        self.clock = self.file.accessor(film.times.astype(np.float32), bounds=True) if self.moving else -1
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.turn = turn

    @property
    def scene(self) -> dict[str, Any]:
        """The one scene."""
        scene: dict[str, Any] = self.file.document["scenes"][0]
        return scene

    def write(self) -> bytes:
        """All of it."""
        for piece, places in self.film.tracks:
            if piece.frames > 1:
                self._loft(piece, places)
            else:
                self._solid(piece, places)
        if self.channels:
            self.file.add("animations", name="motion", channels=self.channels, samplers=self.samplers)
        return self.file.packed()

    def _solid(self, piece: Piece, places: list[Placed]) -> None:
        vertices = piece.vertices if places[0].vertices is None else places[0].vertices
        mesh, weights = self._mesh(piece, vertices, piece.normals, places), None
        node = self.file.add("nodes", name=piece.name, mesh=mesh)
        self._children(self.root).append(node)
        self._carry(node, np.array([p.frames[0] for p in places]))
        self._blink(node, places)
        if piece.free and self.moving:
            weights = self._morphs(mesh, np.array([p.vertices for p in places]))
        if weights is not None:
            self._animate(node, "weights", weights.ravel())

    def _loft(self, piece: Piece, places: list[Placed]) -> None:
        """A skinned mesh: bound where it is at first, one joint per ring."""
        first = next(p for p in places if p.visible)
        own = first.frames[piece.ring]
        normals = np.einsum("vij,vj->vi", own[:, :3, :3], piece.normals)
        mesh = self._mesh(piece, piece.world(first), normals, places, piece.ring)
        holder = self.file.add("nodes", name=f"{piece.name} frames", children=[])
        self._children(self.root).append(holder)
        self._blink(holder, places)
        frames = np.array([p.frames for p in places])
        joints = []
        for ring in range(piece.frames):
            joints.append(self.file.add("nodes", name=f"{piece.name} {ring}"))
            self._carry(joints[-1], frames[:, ring])
        self._children(holder).extend(joints)
        inverse = np.linalg.inv(first.frames)
        inverse[:, 3] = (0.0, 0.0, 0.0, 1.0)  # to the bit, as validators want it
        skin = self.file.add("skins", joints=joints, inverseBindMatrices=self.file.accessor(inverse), skeleton=holder)
        self.scene["nodes"].append(self.file.add("nodes", name=piece.name, mesh=mesh, skin=skin))

    def _children(self, node: int) -> list[int]:
        children: list[int] = self.file.document["nodes"][node]["children"]
        return children

    def _mesh(
        self, piece: Piece, vertices: Array, normals: Array, places: list[Placed], ring: Indices | None = None
    ) -> int:
        file = self.file
        attributes = {
            "POSITION": file.accessor(vertices.astype(np.float32), VERTICES, bounds=True),
            "NORMAL": file.accessor(_unit(normals), VERTICES),
        }
        if ring is not None:
            joints, weights = np.zeros((len(ring), 4), dtype=np.uint16), np.zeros((len(ring), 4), dtype=np.float32)
            joints[:, 0], weights[:, 0] = ring, 1.0
            attributes["JOINTS_0"] = file.accessor(joints, VERTICES)
            attributes["WEIGHTS_0"] = file.accessor(weights, VERTICES)
        indices = file.accessor(piece.faces.ravel().astype(np.uint32), INDICES)
        material = self._material(piece, places)
        primitive = {"attributes": attributes, "indices": indices, "material": material}
        return file.add("meshes", name=piece.name, primitives=[primitive], extras={"layer": piece.layer})

    def _material(self, piece: Piece, places: list[Placed]) -> int:
        shades = np.array([piece.colour if p.colour is None else p.colour for p in places])
        rgba = np.column_stack([linear(shades), np.full(len(shades), piece.opacity)])
        look: dict[str, Any] = {
            "baseColorFactor": rgba[0].tolist(), "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS,
        }  # fmt: skip
        entry: dict[str, Any] = {"name": piece.name, "pbrMetallicRoughness": look}
        if piece.opacity < 1.0:
            entry |= {"alphaMode": "BLEND", "doubleSided": True}
        material = self.file.add("materials", **entry)
        if self.moving and np.ptp(rgba, axis=0).max() > 1e-3:
            pointer = f"/materials/{material}/pbrMetallicRoughness/baseColorFactor"
            self._animate(None, "pointer", rgba, pointer=pointer)
            self.file.document["extensionsUsed"] = [COLOURS_MOVE]
        return material

    def _morphs(self, mesh: int, vertices: Array) -> Array | None:
        """Modes of vertices (T, V, 3) about the first ones, as targets of a mesh; returns their weights (T, K)."""
        moved = (vertices - vertices[0]).reshape(len(vertices), -1)
        u, s, modes = np.linalg.svd(moved, full_matrices=False)
        size = float(np.ptp(vertices[0], axis=0).max()) or 1.0
        count = 0
        while count < min(len(s), MOST_MODES):
            left = moved - (u[:, :count] * s[:count]) @ modes[:count]
            if np.abs(left).max() < MORPH_ERROR * size:
                break
            count += 1
        if count == 0:
            return None
        shapes = s[:count, None] * modes[:count]
        targets = [
            {"POSITION": self.file.accessor(shape.reshape(-1, 3).astype(np.float32), VERTICES, bounds=True)}
            for shape in shapes
        ]
        entry = self.file.document["meshes"][mesh]
        entry["primitives"][0]["targets"], entry["weights"] = targets, u[0, :count].tolist()
        return np.asarray(u[:, :count])

    def _carry(self, node: int, frames: Array) -> None:
        """Move a node through frames (T, 4, 4)."""
        entry = self.file.document["nodes"][node]
        turns, places = _continuous(_xyzw(frames[:, :3, :3])), frames[:, :3, 3]
        entry["rotation"], entry["translation"] = turns[0].tolist(), places[0].tolist()
        if self.moving and np.ptp(turns, axis=0).max() > 1e-9:
            self._animate(node, "rotation", turns)
        if self.moving and np.ptp(places, axis=0).max() > 0.0:
            self._animate(node, "translation", places)

    def _blink(self, node: int, places: list[Placed]) -> None:
        """Shrink a node to nothing while it is not seen."""
        seen = np.array([p.visible for p in places])
        if not seen.all() and self.moving:
            self._animate(node, "scale", np.tile(seen[:, None].astype(float), (1, 3)), "STEP")

    def _animate(
        self, node: int | None, path: str, values: Array, how: str = "LINEAR", pointer: str | None = None
    ) -> None:
        output = self.file.accessor(np.asarray(values, dtype=np.float32))
        self.samplers.append({"input": self.clock, "output": output, "interpolation": how})
        target: dict[str, Any] = {"path": path}
        if node is not None:
            target["node"] = node
        if pointer is not None:
            target["extensions"] = {COLOURS_MOVE: {"pointer": pointer}}
        self.channels.append({"sampler": len(self.samplers) - 1, "target": target})


def write_glb(film: Film) -> bytes:
    """A film as the bytes of a .glb file."""
    return _Writer(film).write()


def linear(colour: Array) -> Array:
    """Colours of screens (sRGB), from 0 to 1, as amounts of light."""
    return np.asarray(np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4))


def _xyzw(rotation: Array) -> Array:
    """Unit quaternions (..., 4), scalar last."""
    return np.asarray(wxyz(rotation)[..., [1, 2, 3, 0]])


def _continuous(turns: Array) -> Array:
    """Quaternions (T, 4) with signs such that neighbours are near."""
    flips = np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0, -1.0, 1.0)
    return np.asarray(turns * np.append(1.0, np.cumprod(flips))[:, None])


def _unit(vectors: Array) -> Array:
    short = vectors.astype(np.float32)
    return np.asarray(short / np.linalg.norm(short, axis=1, keepdims=True))
