"""What a simulation returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import shown
from supple.errors import ModelError
from supple.model.constraints import Multipliers
from supple.readouts.along import Readings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.gradients.gradient import Gradient, Variation
    from supple.model.model import Model
    from supple.readouts.parts import State
    from supple.solvers.motion.tape import Tape
    from supple.studio import Studio

Array = np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Readings):
    """A motion at T times.

    Read-outs along it (`contact`, `reaction`, `strain`, `stress`, `inner_forces`, `center_of_mass`, `tensions`,
    `power`, ...) are those of `Model` with a leading axis of times.

    Attributes
    ----------
    t : (T,)
        Times, s.
    q, v, a : (T, n)
        Coordinates in the model's own charts, rates, accelerations.
    u : (T, nu)
        Inputs.
    z : (T, nz)
        Internal states: of controllers, then of loads (`Model.state_names`).
    efforts : (T, ne)
        Of prescribed joints.
    multipliers : Multipliers
        ``np.asarray`` gives (T, nc); ``multipliers["top"]`` the wrenches (T, 6) of a loop.
    stats : dict
        Steps, rejected steps, evaluations, largest constraint errors, seconds; ``factors``: whether Newton's matrices
        are factorised over the "tree" or "dense", as costs less; ``doubts``: how often the tree's were not trusted.
    description : str
        The robot as text.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    u: Array
    z: Array
    efforts: Array
    multipliers: Multipliers
    stats: dict[str, Any]
    description: str
    model: Model | None = field(default=None, repr=False)
    content: dict[str, dict[str, str]] | None = field(default=None, repr=False)  #: what the robot of a file was made of
    tape: Tape | None = field(default=None, repr=False)  #: what derivatives need, if it was recorded

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "empty"
        name = f" of {self.model.name!r}" if self.model is not None else ""
        method = f", {str(self.stats['method']).partition('(')[0]}" if "method" in self.stats else ""
        return f"<Trajectory{name}: {len(self.t)} points, {span}, {self.q.shape[1]} coordinates{method}>"

    def _need_model(self) -> Model:
        if self.model is None:
            raise ModelError("this trajectory was loaded without its model: use Trajectory.load(path, model)")
        return self.model

    def _clock(self) -> tuple[Array, str]:
        return self.t, "time [s]"

    def _states(self) -> list[State]:
        from supple.readouts.parts import State

        model = self._need_model()
        lam, own = np.asarray(self.multipliers), self.z.shape[1] - model.nz  # internal states: of loads, the last ones
        return [
            State(q, v, a, u if model.nu else None, x if model.nc else None, t, z[own:] if model.nz else None)
            for q, v, a, u, x, t, z in zip(
                *(np.ascontiguousarray(x, dtype=float) for x in (self.q, self.v, self.a, self.u, lam)),
                self.t.tolist(),
                self.z,
                strict=True,
            )
        ]

    def energy(self) -> Array:
        """(T, 4): kinetic, elastic, gravitational and total energy, J."""
        model = self._need_model()
        rows = [model.energy(q, v, u, t) for t, q, v, u in zip(self.t.tolist(), self.q, self.v, self.u, strict=True)]
        return np.array([(e.kinetic, e.elastic, e.gravitational, e.total) for e in rows]).reshape(-1, 4)

    def momentum(self) -> Array:
        """(T, 6): [angular about the world origin; linear] momentum in world axes."""
        model = self._need_model()
        return np.array([model.momentum(q, v) for q, v in zip(self.q, self.v, strict=True)]).reshape(-1, 6)

    def constraint_error(self) -> Array:
        """(T, 2): largest error of loops in position (rad, m) and velocity (per s)."""
        model = self._need_model()
        rows = []
        for q, v in zip(self.q, self.v, strict=True):
            gap, slip = model.loop_error(q), model.loop_jacobian(q) @ v
            rows.append((np.abs(gap).max(initial=0.0), np.abs(slip).max(initial=0.0)))
        return np.array(rows).reshape(-1, 2)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        watch: Sequence[tuple[str, float]] | None = None,
        **options: Any,
    ) -> Figure:
        """Overview of the motion on one page: snapshots over one another with traces, positions, inputs, energy.

        Parameters
        ----------
        path : path, optional
            Where to save it, atomically; the ending says how (.png, .pdf, .svg, ...).
        watch : sequence of (link, s), optional
            Stations to follow; tips of the links on which no other hangs, if omitted.
        **options
            Fields of `supple.viz.Style`, such as ``view=(azimuth, elevation)`` in degrees.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from supple.viz import overview

        return overview(self, path, watch, **options)

    def animate(
        self,
        path: str | os.PathLike[str],
        fps: float = 25.0,
        speed: float = 1.0,
        watch: Sequence[tuple[str, float]] | None = None,
        progress: Callable[[float], Any] | None = None,
        **options: Any,
    ) -> Path:
        """Write an animation of the motion, atomically.

        Parameters
        ----------
        path : path
            .mp4 (a video) or .gif.
        fps : float
            Frames per second.
        speed : float
            Seconds of the motion per second of the animation: 0.5 is slow motion.
        watch : sequence of (link, s), optional
            Stations whose paths are drawn; tips of the links on which no other hangs, if omitted.
        progress : callable, optional
            Called with the fraction done, from 0 to 1, after every frame.
        **options
            Fields of `supple.viz.Style`.

        Raises
        ------
        PictureError
            If the name has another ending.
        MissingExtraError
            If matplotlib, or for a video ffmpeg, is not installed.
        """
        from supple.viz import animate

        return animate(self, path, fps, speed, watch, progress, **options)

    def view(self, **options: Any) -> Studio:
        """Play the motion in a browser, with a slider for time; all options are those of `supple.studio.view`.

        Raises
        ------
        MissingExtraError
            If viser is not installed.
        """
        from supple.studio import view

        return view(self, **options)

    def export(
        self, path: str | os.PathLike[str], fps: float = 30.0, speed: float = 1.0, title: str | None = None
    ) -> Path:
        """Write the motion to a file that opens without supple, atomically.

        Parameters
        ----------
        path : path
            .html: one page with a player inside, which needs no network; .glb: glTF with animation, for Blender,
            PowerPoint and all other viewers of it.
        fps : float
            Pictures per second; viewers interpolate between them.
        speed : float
            Seconds of the motion per second of the film: 0.5 is slow motion.
        title : str, optional
            Of the page; the robot's name if omitted.

        Raises
        ------
        PictureError
            If the name has another ending.
        """
        from supple.studio import export

        return export(self, path, fps, speed, title)

    def vjp(
        self,
        q: Any = None,
        v: Any = None,
        a: Any = None,
        *,
        tip: Any = None,
        pose: Any = None,
        u: Any = None,
        z: Any = None,
        efforts: Any = None,
        multipliers: Any = None,
        energy: Any = None,
    ) -> Gradient:
        """The gradient of a scalar of this motion by what it began with and was driven by.

        The motion must have been recorded, ``simulate(..., record=True)``.  It is differentiated exactly along the
        steps that were made: their times, orders and charts are taken as they are.

        Parameters
        ----------
        q, v, a : (T, n), optional
            Derivatives of the scalar by coordinates, rates, accelerations at the T output times (cotangents).
        tip : dict, optional
            {link: (T, 3)}: by the positions of tips, world axes.
        pose : dict, optional
            {(link, s): (T, 6)}: by poses, as wrenches [moment; force] in the frame there.
        u, z, efforts, multipliers : (T, ...), optional
            By inputs, internal states, efforts of prescribed joints, multipliers of loops (kept rows).
        energy : (T,), optional
            By the total energy.

        Returns
        -------
        Gradient
            ``q0``, ``v0``, ``z0``, ``u`` in the form in which inputs were given, and ``p`` by the parameters of the
            model's design.  A motion without q0 begins at rest, which parameters may move: ``p`` includes that.
        """
        from supple.gradients.motion import vjp

        cotangents = {"q": q, "v": v, "a": a, "tip": tip, "pose": pose, "u": u, "z": z}
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            return vjp(self, **cotangents, efforts=efforts, multipliers=multipliers, energy=energy)

    def jvp(self, q0: Any = None, v0: Any = None, u: Any = None, z0: Any = None, p: Any = None) -> Variation:
        """How this motion changes along a direction of what it began with and was driven by, at its output times.

        Parameters
        ----------
        q0, v0 : (n,), optional
            Changes of the initial state.
        u : as given, optional
            Changes of the inputs, in the form in which they were given; of a law a dict of its parameters.
        z0 : (nz,), optional
            Changes of initial internal states.
        p : dict, optional
            Changes of parameters of the model's design, by name, shaped as they are.

        Returns
        -------
        Variation
            Arrays named as those of the motion; its ``tip``, ``pose`` and ``energy`` tell the rest.
        """
        from supple.gradients.motion import jvp

        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            return jvp(self, q0, v0, u, z0, p)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write to an .npz file, atomically, with a digest of the robot, its description and the library's version."""
        from supple.solvers.motion.trajectory_file import save

        return save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], model: Model | None = None) -> Trajectory:
        """Read what `save` wrote; with the model, poses and energies can be asked for.

        Raises
        ------
        StorageError
            If the file is damaged, was edited, or is none of supple.
        ModelError
            If it is of another robot than ``model``: says what differs.

        Warns
        -----
        ModelWarning
            If the file was written by supple 0.1.0, which did not note what the robot was made of.
        """
        from supple.solvers.motion.trajectory_file import load

        if model is not None and not hasattr(model, "link_names"):
            raise ModelError(f"model is {shown(model)}, must be a model, as robot.compile() makes it")
        return load(path, model)
