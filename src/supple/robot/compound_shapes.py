"""Shapes from files, and shapes of several parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, file_path, finite_array
from supple.errors import FileError, MissingExtraError, ModelError, warn
from supple.robot.mesh_files import coarsened, read_mesh
from supple.robot.meshes import Mesh
from supple.robot.rigid_shapes import SolidShape, is_solid

#: Most faces of a mesh that pictures draw.
MOST_FACES = 3000


@final
@dataclass(frozen=True, eq=False)
class MeshShape:
    """The solid inside a surface that a ``file`` holds (STL or OBJ; others by trimesh), times ``scale`` (3,).

    The file is read when something is asked of the shape.

    Notes
    -----
    Each face with corners a, b, c and the origin is a tetrahedron of volume V = a . (b x c) / 6, negative where it is
    seen from inside (divergence theorem); with s = a + b + c::

        int p dV = V s / 4,    int p p^T dV = V (s s^T + a a^T + b b^T + c c^T) / 20
    """

    file: str
    scale: ArrayLike = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", str(file_path(self.file, "MeshShape: file")))
        object.__setattr__(self, "scale", finite_array(self.scale, (3,), "MeshShape: scale"))
        if not np.all(np.asarray(self.scale)):
            raise ModelError("MeshShape: scale has an entry 0, must not have")

    @cached_property
    def surface(self) -> Mesh:
        """The surface, scaled, m; with all its faces."""
        mesh, scale = read_mesh(Path(self.file)), np.asarray(self.scale)
        faces = mesh.faces if np.prod(scale) > 0.0 else np.ascontiguousarray(mesh.faces[:, [0, 2, 1, 1]])
        return Mesh(mesh.vertices * scale, faces)

    @cached_property
    def _moments(self) -> tuple[float, Array, Array]:
        a, b, c = np.moveaxis(self.surface.corners[:, :3], 1, 0)
        volumes = np.einsum("fi,fi->f", a, np.cross(b, c)) / 6.0
        total = a + b + c
        first = volumes @ total / 4.0
        second = sum(np.einsum("f,fi,fk->ik", volumes, p, p) for p in (total, a, b, c)) / 20.0
        return float(volumes.sum()), first, np.asarray(second)

    @property
    def volume(self) -> float:
        """Volume, m^3; negative if the surface is inside out."""
        return self._moments[0]

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        volume, first, _ = self._moments
        return first / volume if volume else np.zeros(3)

    @property
    def inertia(self) -> Array:
        """Inertia about the centre of mass at unit density, (3, 3), m^5."""
        volume, _, second = self._moments
        central = second - volume * np.outer(self.com, self.com)
        return np.asarray(np.trace(central) * np.eye(3) - central)

    def mesh(self) -> Mesh:
        """Its surface, coarse enough to be drawn."""
        return coarsened(self.surface, MOST_FACES)


@final
@dataclass(frozen=True, eq=False)
class Compound:
    """Several shapes at once; where they overlap, both count."""

    parts: tuple[SolidShape, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts or not all(map(is_solid, self.parts)):
            raise ModelError("Compound: parts must be solids such as BoxShape((0.1, 0.1, 0.2)), at least one")

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return sum(part.volume for part in self.parts)

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        return np.asarray(sum(part.volume * part.com for part in self.parts) / self.volume)

    @property
    def inertia(self) -> Array:
        """Inertia about the centre of mass at unit density, (3, 3), m^5."""
        total, com = np.zeros((3, 3)), self.com
        for part in self.parts:
            own, arm = np.asarray(part.inertia), part.com - com
            total += np.diag(own) if own.ndim == 1 else own
            total += part.volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return total

    def mesh(self) -> Mesh:
        """Surfaces of all parts; those whose files cannot be read are omitted with a warning, unless all are."""
        meshes: list[Mesh] = []
        for i, part in enumerate(self.parts):
            try:
                meshes.append(part.mesh())
            except (FileError, MissingExtraError) as error:
                if i + 1 == len(self.parts) and not meshes:
                    raise
                warn(f"not drawn: {error}")
        starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
        faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]
        return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))
