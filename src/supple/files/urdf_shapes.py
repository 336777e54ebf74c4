"""What pictures draw of URDF links: geometries as solids, and where the files of meshes are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from supple.checks import Array
from supple.files.urdf_elements import Geometry
from supple.lie.pose import pose
from supple.robot.compound_shapes import Compound, MeshShape
from supple.robot.mesh_files import BY_TRIMESH, OWN
from supple.robot.rigid_shapes import BoxShape, CapsuleShape, FrustumShape, Moved, SolidShape, SphereShape

#: The frame of the link itself.
_HERE = np.eye(4)

#: Turns our x, along which round shapes lie, to URDF's z.
_UPRIGHT = pose(rpy=(0.0, -0.5 * 3.141592653589793, 0.0))

#: After so many meshes that are not there, no further ones are looked for.
MOST_MISSING = 500


class Meshes:
    """Finds the files of meshes.

    Parameters
    ----------
    folder : Path or None
        Of the URDF file; relative names begin there.
    packages : mapping of str to path
        Folders of ``package://`` names.  Others are looked for upwards from the URDF: a folder of that name which holds
        it, or lies beside one that does.
    """

    def __init__(self, folder: Path | None, packages: Mapping[str, Path]) -> None:
        self.folder, self.packages = folder, packages
        self.missing: list[str] = []
        self._known: dict[str, Path | None] = {}

    def find(self, name: str) -> Path | None:
        """The file of a mesh; None, and noted as missing, if it leads nowhere."""
        if name not in self._known and len(self.missing) < MOST_MISSING:
            self._known[name] = self._look_for(name)
        return self._known.get(name)

    def _look_for(self, name: str) -> Path | None:
        try:
            for path in self._candidates(name):
                if path.suffix.lower() in OWN + BY_TRIMESH and path.is_file():
                    return path
        except (OSError, ValueError):  # a name that no file can have
            pass
        self.missing.append(name)
        return None

    def _candidates(self, name: str) -> Sequence[Path]:
        scheme, mark, rest = name.partition("://")
        if not mark:
            path = Path(name)
            return [path] if path.is_absolute() else [] if self.folder is None else [self.folder / path]
        if scheme == "file":
            return [Path(unquote(rest))]
        if scheme not in ("package", "model"):
            return []
        package, _, inner = unquote(rest).partition("/")
        if package in self.packages:
            return [Path(self.packages[package]) / inner]
        if self.folder is None or package in ("", ".", ".."):
            return []
        found = []
        for folder in (self.folder, *self.folder.parents):
            found += [folder / inner] if folder.name == package else []
            found.append(folder / package / inner)
        return found


def solid(geometry: Geometry, meshes: Meshes) -> SolidShape | None:
    """A geometry as a solid in the link's frame; None if its mesh leads nowhere."""
    sizes = geometry.sizes
    if geometry.kind == "box":
        return Moved(BoxShape((sizes[0], sizes[1], sizes[2])), geometry.at)
    if geometry.kind == "sphere":
        return Moved(SphereShape(sizes[0]), geometry.at)
    if geometry.kind == "capsule":
        return Moved(CapsuleShape(sizes[1], sizes[0]), geometry.at @ _UPRIGHT)
    if geometry.kind == "cylinder":
        base = pose((0.0, 0.0, -0.5 * sizes[1])) @ _UPRIGHT
        return Moved(FrustumShape(sizes[1], sizes[0], sizes[0]), geometry.at @ base)
    file = meshes.find(geometry.file)
    if file is None or not all(sizes):
        return None
    return Moved(MeshShape(str(file), sizes), geometry.at)


def compound(parts: Sequence[tuple[Array, Geometry]], meshes: Meshes) -> SolidShape | None:
    """Geometries, each in a frame (4, 4) of its own, as one shape; None if there are none."""
    solids: list[SolidShape] = []
    for frame, geometry in parts:
        shape = solid(geometry, meshes)
        if shape is not None:
            solids.append(shape if np.array_equal(frame, _HERE) else Moved(shape, frame))
    return None if not solids else solids[0] if len(solids) == 1 else Compound(tuple(solids))
