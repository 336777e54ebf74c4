"""What compilation keeps of a soft body: programs of its points and frames, and masses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Array
from supple.core.records import BODY, segment_t
from supple.errors import ModelError
from supple.robot.bodies.protocol import BodyTable, Chain, LinkArrays, Located, OwnForce
from supple.robot.stations import MaterialPoint
from supple.tracing.plan import plan_of
from supple.tracing.program import Program, as_symbols, evaluate, make_program, trace
from supple.tracing.slopes import slopes_by
from supple.tracing.symbols import COORDINATE, MATERIAL, Symbols

if TYPE_CHECKING:
    from supple.fields.functionals import Density


def _outputs(p: Any, a: Any, b: Any) -> Any:
    """Origin (3,) and rotation row by row (9,) of a frame at p: e_y along a, e_x = unit(e_y x b), e_z = e_x x e_y."""
    ey = a / np.sqrt(a @ a)
    normal = np.cross(ey, b)
    ex = normal / np.sqrt(normal @ normal)
    R = np.stack([ex, ey, np.cross(ex, ey)], axis=-1)
    return np.concatenate([p, R.ravel()])


def frame_symbols(kinematics: Callable[[Any, Any], Any], n: int, given: bool) -> Symbols:
    """The tip frame as symbols (12,) of three material points (9 numbers) and q; if none are given, the base."""

    def frame(x: Any, q: Any) -> Any:
        if not given:
            return np.concatenate([np.zeros(3), np.eye(3).ravel()])
        p, a, b = (np.stack(list(kinematics(x[i : i + 3], q))) for i in (0, 3, 6))
        return _outputs(p, a - p, b - p)

    return trace(frame, n, 9, (12,), "SoftBody: kinematics")


def station_symbols(place: Symbols) -> Symbols:
    """The frame at a material point as symbols (12,): e_y along df/dy, e_x across df/dy and df/dz."""
    with np.errstate(all="ignore"):  # whoever asks for a frame looks whether it is finite
        slopes = slopes_by(place, MATERIAL, 3)
        outputs = _outputs(place, slopes[:, 1], slopes[:, 2])
    return as_symbols(place[0].graph, outputs, (12,), "SoftBody: the frame at a station")


class BodyPrograms(NamedTuple):
    """Programs of a body's material points, of frames at its stations and of that of its tip, and masses."""

    points: Program
    frames: Program
    tip: Program
    parts: np.ndarray  #: (P,) of the whole mass


@dataclass(frozen=True, eq=False, kw_only=True)
class SoftTable(BodyTable):
    """A body of any kinematics: a field of mass, frames at stations and at the tip.

    Attributes
    ----------
    place : Symbols (3,)
        f(x, q).
    tip_frame, tip_points : Symbols (12,), (9,)
        The frame of the tip, and the three material points it is made of.
    x, mass : (P, 3), (P,)
        Material points, m, and their masses, kg.
    length : float or None
        Of the axis, m.
    stations : tuple of float
        Where frames are wanted beside those of loads and links.
    energy : Symbols (1,) or None
        Elastic energy per volume, Pa, of a nonlinear material.
    volume : (P,)
        Volumes of the points at rest, m^3.
    strain, viscosity : Symbols (5,) or None, float
        Numbers of the Green strain whose rates dissipate, and the viscosity, Pa s.
    """

    place: Symbols
    tip_frame: Symbols
    tip_points: np.ndarray
    x: np.ndarray
    mass: np.ndarray
    length: float | None
    stations: tuple[float, ...]
    energy: Symbols | None
    volume: np.ndarray
    strain: Symbols | None = None
    viscosity: float = 0.0

    def chain(self, stations: Collection[float] = (), dormant: Collection[float] = ()) -> Chain:
        """The field of mass, then frames at stations, then the tip, all from the base."""
        from supple.core.blocks.custom import BoundMap  # late: these load kernels
        from supple.fields.frames import FRAMES, frames_scratch
        from supple.fields.layout import ITSELF, LANES
        from supple.fields.mass import FIELD, field_scratch

        n, total = self.n, float(self.mass.sum())
        inner = sorted({*stations, *dormant, *self.stations} - {0.0, 1.0})
        programs, numbers = self.programs(inner), np.array([[len(inner), ITSELF]], dtype=np.int64)
        points, frames, tip = (plan_of(p, LANES if p is programs.points else 0) for p in programs[:3])
        data = (numbers, programs.parts[None, :], *points.arrays, *frames.arrays, *tip.arrays)
        scratch = max(field_scratch(points), n + frames_scratch(frames, len(inner)), n + frames_scratch(tip, 1))
        if self.energy is not None:
            scratch = max(scratch, self._density(self.energy)[1].scratch)
        if self.strain is not None:
            from supple.fields.viscosity import viscosity_scratch

            scratch = max(scratch, viscosity_scratch(self._density(self.strain)[1]))
        segments = np.zeros(len(inner) + 2, segment_t)
        segments[0]["inertia"][3:, 3:] = total * np.eye(3)
        return Chain(
            kind=BODY,
            segments=segments,
            phi=np.zeros((2, len(segments), n)),
            begins=np.zeros(len(segments), dtype=np.int64),
            own=(len(segments) - 1,),
            between={s: 1 + i for i, s in enumerate(inner)},
            map=BoundMap(FRAMES, tuple(map(np.ascontiguousarray, data)), FIELD, len(inner) + 1, scratch),
            idle_tip=1.0 not in stations and 1.0 not in dormant,
        )

    def programs(self, inner: Sequence[float]) -> BodyPrograms:
        """What its compiled functions run, with frames at stations ``inner``."""
        from supple.fields.functionals import padded
        from supple.fields.layout import FRAME_OUTPUTS, LANES

        x, parts = padded(self.x, self.mass / float(self.mass.sum()), LANES)
        places = np.array([self._material_point(s) for s in inner]).reshape(-1, 3)
        # every frame once per output, for their Hessians (`fields.frames`)
        frames, tip = (np.tile(places, (FRAME_OUTPUTS, 1)), np.tile(self.tip_points, (FRAME_OUTPUTS, 1)))
        return BodyPrograms(
            make_program(self.place, x, self.n, True),
            make_program(self._station_frames(places), frames, self.n),
            make_program(self.tip_frame, tip, self.n),
            parts,
        )

    def _station_frames(self, places: np.ndarray) -> Symbols:
        """Frames at material points (k, 3), which must be there at rest."""
        symbols = station_symbols(self.place)
        for x, frame in zip(places, evaluate(symbols, places, self.rest_position) if len(places) else (), strict=True):
            if not np.isfinite(frame).all():
                raise ModelError(
                    f"SoftBody: there is no frame at x = ({x[0]:g}, {x[1]:g}, {x[2]:g}): the kinematics have no finite "
                    "slopes there, at rest"
                )
        return symbols

    def _material_point(self, s: float) -> tuple[float, float, float]:
        """x (3,) of a station."""
        return s.x if isinstance(s, MaterialPoint) else (s * (self.length or 0.0), 0.0, 0.0)

    @property
    def material(self) -> bool:
        """Material points are its stations."""
        return True

    def _density(self, outputs: Symbols) -> tuple[np.ndarray, Density]:
        """Volumes of points, and what is summed over them."""
        from supple.fields.functionals import density_at, padded

        x, volumes = padded(self.x, self.volume)
        return volumes, density_at(outputs, x, self.n)

    def first_moment(self, q: Array) -> tuple[Array, Array]:
        """Sum of masses times places, and its slopes by q."""
        slopes = evaluate(slopes_by(self.place, COORDINATE, self.n), self.x, q)
        return self.mass @ evaluate(self.place, self.x, q), np.einsum("m,mij->ij", self.mass, slopes)

    def own_forces(self, link: str, block: int, frames: int, node: Callable[[str, float], int]) -> list[OwnForce]:
        """Forces of its nonlinear material."""
        from supple.fields.functionals import functional_arrays

        forces = []
        if self.energy is not None:
            from supple.fields.elasticity import ELASTICITY, ELASTICITY_GRADIENT

            arrays = functional_arrays(block, frames, *self._density(self.energy))
            forces.append(OwnForce(ELASTICITY, arrays, gradient=ELASTICITY_GRADIENT))
        if self.strain is not None:
            from supple.fields.viscosity import VISCOSITY, VISCOSITY_GRADIENT

            volumes, strain = self._density(self.strain)
            arrays = functional_arrays(block, frames, 2.0 * self.viscosity * volumes, strain)
            forces.append(OwnForce(VISCOSITY, arrays, gradient=VISCOSITY_GRADIENT, what="viscosity"))
        return forces

    @property
    def points(self) -> tuple[tuple[int, float], ...]:
        """The base and the tip."""
        return ((0, 0.0), (1, 1.0))

    def locate(self, s: float) -> Located | None:
        """The base (0), the tip (1), or a frame of its own."""
        return Located(int(s)) if s in (0.0, 1.0) else None

    def aspects(self, arrays: LinkArrays) -> dict[str, Any]:
        """Its map and its masses."""
        chain = self.chain()
        assert chain.map is not None
        return {"kinematics": (chain.map.data, self.mass, arrays.names)}
