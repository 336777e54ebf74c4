"""What MJCF bodies weigh and look like: geoms as solids, their masses and inertias, meshes as MuJoCo weighs them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from supple.checks import Array, shown
from supple.errors import FileError, MissingExtraError, ModelError
from supple.files.mjcf_elements import Inertial, MjcfBody, MjcfGeom, MjcfReader
from supple.files.xml_tree import Element
from supple.lie.pose import pose
from supple.robot.compound_shapes import MeshShape
from supple.robot.rigid_shapes import (
    BoxShape,
    CapsuleShape,
    EllipsoidShape,
    FrustumShape,
    Moved,
    SolidShape,
    SphereShape,
)

#: Numbers that a geom of a type needs; half lengths, as MuJoCo has them.
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}

#: How the inertia of a mesh is found.
WEIGHED = ("legacy", "exact", "convex", "shell")

#: A mesh below this volume [m^3] counts as none, as in MuJoCo.
SMALLEST = 1e-15

_UPRIGHT = pose(rpy=(0.0, -0.5 * np.pi, 0.0))  # our x along MuJoCo's z


@dataclass(frozen=True, eq=False)
class MjcfMesh:
    """A mesh of a file, vertices p = scale * R^T (x - origin), and how it is weighed.

    ``origin`` (4, 4) is the pose whose inverse is applied before the mesh is scaled.
    """

    file: Path
    scale: tuple[float, ...]
    origin: Array
    weighed: str

    def shape(self) -> SolidShape | None:
        """The mesh as a solid for pictures, in the frame of its geom; None if it is scaled along oblique axes."""
        scale, turn = np.asarray(self.scale), self.origin[:3, :3].T
        if not np.array_equal(turn, np.eye(3)) and len(set(self.scale)) > 1:
            return None
        at = pose(-scale * (turn @ self.origin[:3, 3]))
        at[:3, :3] = turn
        return Moved(MeshShape(str(self.file), self.scale), at)

    def moments(self) -> tuple[float, Array, Array]:
        """Volume, com (3,) and inertia (3, 3) at unit density about it, in the frame of its geom."""
        raw = MeshShape(str(self.file)).surface.corners[:, :3]
        corners = ((raw - self.origin[:3, 3]) @ self.origin[:3, :3]) * np.asarray(self.scale)
        if np.prod(self.scale) < 0.0:
            corners = corners[:, [0, 2, 1]]
        if self.weighed == "legacy":
            return legacy_moments(corners)
        if self.weighed == "convex":
            corners = _hull(corners)
        return tetrahedra(corners, np.zeros(3), signed=True)


def tetrahedra(corners: Array, apex: Array, signed: bool) -> tuple[float, Array, Array]:
    """Volume, com (3,) and inertia (3, 3) about the com of tetrahedra between triangles (F, 3, 3) and an apex (3,)."""
    a, b, c = np.moveaxis(corners - apex, 1, 0)
    volumes = np.einsum("fi,fi->f", a, np.cross(b, c)) / 6.0
    if not signed:
        volumes = np.abs(volumes)
    total, sums = float(volumes.sum()), a + b + c
    arm = volumes @ sums / (4.0 * total)
    second = np.asarray(sum(np.einsum("f,fi,fk->ik", volumes, p, p) for p in (sums, a, b, c)) / 20.0)
    central = second - total * np.outer(arm, arm)
    return total, apex + arm, np.asarray(np.trace(central) * np.eye(3) - central)


def legacy_moments(corners: Array) -> tuple[float, Array, Array]:
    """As MuJoCo weighs meshes unless told otherwise: all tetrahedra count as positive, convex or not.

    The com is that of tetrahedra about the mean of the surface; mass and inertia are of tetrahedra about that com, and
    the inertia is taken about it, too.
    """
    doubled = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    _, com, _ = tetrahedra(corners, doubled @ corners.mean(axis=1) / doubled.sum(), signed=False)
    volume, other, central = tetrahedra(corners, com, signed=False)
    arm = other - com
    return volume, com, central + volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def _hull(corners: Array) -> Array:
    """Triangles (F, 3, 3) of the convex hull, all seen from outside."""
    from scipy.spatial import ConvexHull  # type: ignore[import-untyped]

    points = corners.reshape(-1, 3)
    hull = ConvexHull(points)
    triangles = np.asarray(points[hull.simplices])
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inside = np.einsum("fi,fi->f", normals, hull.equations[:, :3]) < 0.0
    triangles[inside] = triangles[inside][:, [0, 2, 1]]
    return triangles


class Solids:
    """Geoms of one file as solids.

    Parameters
    ----------
    reader : MjcfReader
        For options, defaults and notes.
    root : Element
        Of the file, for its assets.
    folder, fence : Path
        Where relative names begin, and the folder out of which none may lead.
    """

    def __init__(self, reader: MjcfReader, root: Element, folder: Path, fence: Path) -> None:
        self.reader, self.folder, self.fence = reader, folder.resolve(), fence.resolve()
        self.missing: list[str] = []
        self.meshes: dict[str, MjcfMesh] = {}
        for asset in root.all("asset"):
            for element in asset.all("mesh"):
                self._read(reader.defaults.merged(element))

    def _read(self, element: Element) -> None:
        """One mesh of the assets."""
        reader, given = self.reader, element.attributes.get("file", "")
        name = element.attributes.get("name", Path(given).stem)
        if not given:
            reader.notes.append(f"line {element.line}: mesh {name!r}, which is not in a file")
            return
        scale = reader.numbers(element, "scale", 3, (1.0, 1.0, 1.0))
        at = np.eye(4)
        at[:3, :3] = reader.quaternion(element, reader.numbers(element, "refquat", 4, (1.0, 0.0, 0.0, 0.0)))
        at[:3, 3] = reader.numbers(element, "refpos", 3, (0.0, 0.0, 0.0))
        weighed = reader.choice(element, "inertia", WEIGHED, "legacy")
        if not all(scale):
            reader.refuse(element, "scale has an entry 0, must not have")
        file = self._file(element, given)
        if file is None:
            self.missing.append(given)
            return
        self.meshes[name] = MjcfMesh(file, scale, at, weighed)

    def _file(self, element: Element, given: str) -> Path | None:
        """The file of a mesh: in the folder of meshes, else beside the included file that names it."""
        options = self.reader.compiler
        name = given.replace("\\", "/").rpartition("/")[2] if options.strip_paths else given
        folders = [self.folder / options.meshes, *([Path(element.file).parent] if element.file else [])]
        try:
            files = [(folder / name).resolve() for folder in folders]
            return next((file for file in files if file.is_relative_to(self.fence) and file.is_file()), None)
        except (OSError, ValueError, RuntimeError):  # a name that no file can have
            return None

    # ------------------------------------------------------------------ geoms

    def shape(self, geom: MjcfGeom) -> SolidShape | None:
        """A geom as a solid in the body's frame; None for planes, height fields, and what is not there."""
        if geom.type in ("mesh", "sdf"):
            mesh = self.meshes.get(geom.mesh)
            solid = None if mesh is None else mesh.shape()
            return None if solid is None else Moved(solid, geom.at)
        if geom.type not in SIZES:
            return None
        sizes = geom.sizes
        if geom.mesh or len(sizes) < SIZES[geom.type] or min(sizes[: SIZES[geom.type]]) <= 0.0:
            self.reader.notes.append(f"line {geom.line}: a geom of type {geom.type} without the sizes that it needs")
            return None
        if geom.type == "sphere":
            return Moved(SphereShape(sizes[0]), geom.at)
        if geom.type == "box":
            return Moved(BoxShape((2.0 * sizes[0], 2.0 * sizes[1], 2.0 * sizes[2])), geom.at)
        if geom.type == "ellipsoid":
            return Moved(EllipsoidShape((sizes[0], sizes[1], sizes[2])), geom.at)
        if geom.type == "capsule":
            return Moved(CapsuleShape(2.0 * sizes[1], sizes[0]), geom.at @ _UPRIGHT)
        base = pose((0.0, 0.0, -sizes[1])) @ _UPRIGHT
        return Moved(FrustumShape(2.0 * sizes[1], sizes[0], sizes[0]), geom.at @ base)

    def _inertial(self, geom: MjcfGeom) -> Inertial | None:
        """Mass, com and inertia of a geom in the body's frame; None if it weighs nothing."""
        if geom.type in ("plane", "hfield") or geom.mass == 0.0 or (geom.mass is None and geom.density == 0.0):
            return None
        if geom.type in ("mesh", "sdf"):
            moments = self._mesh_moments(geom)
            if moments is None:
                return None
            volume, com, inertia = moments
            com, inertia = geom.at[:3, :3] @ com + geom.at[:3, 3], geom.at[:3, :3] @ inertia @ geom.at[:3, :3].T
        else:
            shape = self.shape(geom)
            if shape is None:
                return None
            volume, com, inertia = shape.volume, shape.com, shape.inertia
        density = geom.density if geom.mass is None else geom.mass / volume
        return Inertial(density * volume, com, density * inertia)

    def _mesh_moments(self, geom: MjcfGeom) -> tuple[float, Array, Array] | None:
        mesh = self.meshes.get(geom.mesh)
        where = f"line {geom.line}: the mass of mesh {geom.mesh!r}"
        if mesh is None:
            self.reader.notes.append(f"{where}, which is not there")
            return None
        if mesh.weighed == "shell":
            self.reader.notes.append(f"{where}, a shell: it counts as solid")
        try:
            with np.errstate(all="ignore"):  # a mesh without volume is told below
                volume, com, inertia = mesh.moments()
        except (FileError, MissingExtraError, ModelError, ValueError, RuntimeError) as error:  # of the hull, too
            self.reader.notes.append(f"{where}: {shown(str(error))}")
            return None
        if not volume > SMALLEST or not np.isfinite(inertia).all():
            self.reader.notes.append(f"{where}, whose volume is {volume:g} m^3")
            return None
        return volume, com, inertia

    # ------------------------------------------------------------------ bodies

    def inertial(self, body: MjcfBody) -> Inertial:
        """Mass, com and inertia of a body, given or from its geoms, bounded and balanced as the file asks."""
        options = self.reader.compiler
        found = body.inertial
        if options.from_geoms == "true" or (found is None and options.from_geoms == "auto"):
            low, high = options.groups
            parts = [self._inertial(geom) for geom in body.geoms if low <= geom.group <= high]
            summed = together([part for part in parts if part is not None])
            found = found if found is not None and summed.mass == 0.0 else summed
        if found is None:
            found = together([])
        mass, moments = max(found.mass, options.least_mass), found.inertia
        if options.least_inertia > 0.0 or options.balance:
            values, axes = np.linalg.eigh(0.5 * (moments + moments.T))
            values = np.maximum(values, options.least_inertia)
            if options.balance and values[0] + values[1] < values[2]:
                values = np.full(3, values.mean())
            moments = axes @ np.diag(values) @ axes.T
        return Inertial(mass, found.com, 0.5 * (moments + moments.T))


def together(parts: list[Inertial]) -> Inertial:
    """Several bodies as one, in one frame."""
    mass = sum(part.mass for part in parts)
    com, inertia = np.zeros(3), np.zeros((3, 3))
    if mass > 0.0:
        com = np.asarray(sum(part.mass * part.com for part in parts) / mass)
    for part in parts:
        arm = part.com - com
        own = np.diag(part.inertia) if part.inertia.ndim == 1 else part.inertia
        inertia += own + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertial(mass, com, 0.5 * (inertia + inertia.T))
