"""Model: a compiled robot. What it holds stands here; what it does, in modules of one subject each."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import shown
from supple.compilation.compiled import CompiledRobot, LoopChoice
from supple.compilation.compiling import compile_robot
from supple.compilation.digest import Digest, model_digest
from supple.errors import ModelError
from supple.model import (
    accelerations,
    constraints,
    dynamics,
    invariants,
    kinematics,
    lines,
    many,
    readouts,
    resting,
    solving,
)
from supple.model.arguments import Arguments, number
from supple.model.assembly import assemble_anywhere, loop_turns, recentred
from supple.model.constraints import Rows, dropped_rows, independent_rows, keep_rows
from supple.model.leading_axes import takes_leading_axes
from supple.model.open_loops import with_loops
from supple.model.workspace import Workspace
from supple.pickling import REMEDY, check_picklable, why_not_picklable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from supple.compilation.scene import Scene
    from supple.gradients.design import DesignPoint
    from supple.model.check_derivatives import DerivativeReport
    from supple.robot.frames import FrameSpec
    from supple.robot.robot import Robot
    from supple.studio import Studio

Array = np.ndarray


@takes_leading_axes
class Model:
    """A compiled robot: immutable, picklable, safe to share between threads.

    Made by `Robot.compile`.  States are plain vectors: q (n,) coordinates, v (n,) their rates, a (n,) accelerations;
    links in the order they were added, in a link the joint's coordinates first, then the body's.  Functions of states
    take leading axes, q (..., n), v (..., n), u (..., nu), t (...), which are broadcast; results have them in front.

    Most of what it does is written elsewhere, one module per subject: `model.kinematics`, `model.dynamics`,
    `model.accelerations`, `model.constraints`, `model.invariants`, `model.lines`, `model.readouts`, `model.resting`,
    `model.solving`, `model.many`.

    Attributes
    ----------
    n, nu, nc, nz : int
        Numbers of coordinates, inputs, constraint rows, and internal states of loads.
    name : str
        Of the robot.
    link_names, frame_names, coordinate_names, input_names, state_names : tuple of str
    point_table : tuple of (str, float)
        (link, s) of every row of `points`.
    scene : Scene
        What `plot` draws: outlines, solids and marks, in the frames of the links.
    fixed_coordinates, free_coordinates : (k,) int
        Those of prescribed joints, and all others.
    compiled : CompiledRobot
        Everything the model is made of.
    workspace : Workspace
        What kernels work on: handles, and this thread's scratch.
    arguments : Arguments
        Checks of what is given, and messages about results that are not finite.
    design : DesignPoint or None
        How its numbers follow the parameters of a `Design`, if it was made by one.  Pickling keeps it if the design's
        function can be pickled.
    lost_design : str
        Why a pickled model has no design any more, and what helps.
    """

    design: DesignPoint | None = None
    lost_design: str = ""
    #: Whether accelerations are solved for with a dense mass matrix, never over the tree.
    dense = False
    #: Whether its functions take leading axes; where not, they are of one state, and refuse all else.
    leading_axes = True

    def __init__(self, compiled: CompiledRobot) -> None:
        self.compiled = compiled
        self.name = compiled.name
        self.topology, self.parameters = compiled.topology, compiled.parameters
        self.layouts = compiled.layouts
        self.loads, self.loops, self.demand = compiled.loads, compiled.loops, compiled.demand
        self.prescribed, self.controllers = compiled.prescribed, compiled.controllers
        self.link_names = tuple(layout.name for layout in self.layouts)
        self.coordinate_names = compiled.coordinate_names[: compiled.n]
        self.input_names = self.demand.inputs
        self.state_names = tuple(name for states in self.demand.states for name in states.names)
        self.point_table = tuple((layout.name, s) for layout in self.layouts for s in layout.stations)
        self.n = len(self.coordinate_names)
        self.fixed_coordinates = np.array([i for joint in self.prescribed for i in joint.coordinates], dtype=np.int64)
        self.free_coordinates = np.setdiff1d(np.arange(self.n), self.fixed_coordinates)
        self.workspace = self._make_workspace(compiled)
        #: whether accelerations take more than one solve with the mass matrix
        self.constrained = bool(self.loops or self.prescribed or self.demand.implicit)
        self.arguments = Arguments(compiled, self.workspace)
        self.nu, self.nc, self.nz = self.workspace.nu, self.workspace.nc, self.workspace.nz
        self._frames = {frame.name: frame for frame in compiled.frames}
        self.frame_names = tuple(self._frames)
        self._index = {name: i for i, name in enumerate(self.link_names)}

    @staticmethod
    def _make_workspace(compiled: CompiledRobot) -> Workspace:
        """What kernels work on."""
        return Workspace(compiled)

    def whole(self, q: Array) -> Array:
        """All coordinates of the tree at q (n,), those that follow others among them: q itself if there are none."""
        q = self.arguments.state("q", q)
        return self.arguments.finite(q, q=q)

    points = kinematics.points
    pose = kinematics.pose
    tip = kinematics.tip
    poses = kinematics.poses
    jacobian = kinematics.jacobian
    jacobian_rate = kinematics.jacobian_rate
    twist = kinematics.twist
    station = kinematics.station
    rewrap = kinematics.rewrap

    line_lengths = lines.line_lengths
    line_jacobian = lines.line_jacobian
    line_biases = lines.line_biases
    lines = lines.lines  # last: from here on, the name is the method's

    inverse_dynamics = dynamics.inverse_dynamics
    inverse_dynamics_derivatives = dynamics.inverse_dynamics_derivatives
    mass_matrix = dynamics.mass_matrix
    actuation = dynamics.actuation
    input_forces = dynamics.input_forces
    internal_force = dynamics.internal_force
    internal_force_derivatives = dynamics.internal_force_derivatives
    residual = dynamics.residual
    residual_tangent = dynamics.residual_tangent
    residual_derivatives = dynamics.residual_derivatives
    state_rates = dynamics.state_rates
    tangent_product = dynamics.tangent_product

    forward_dynamics = accelerations.forward_dynamics
    forward_dynamics_derivatives = accelerations.forward_dynamics_derivatives
    hybrid_dynamics = accelerations.hybrid_dynamics
    solve_mass = accelerations.solve_mass

    loop_error = constraints.loop_error
    loop_error_derivative = constraints.loop_error_derivative
    loop_jacobian = constraints.loop_jacobian
    loop_rate = constraints.loop_rate

    energy = invariants.energy
    momentum = invariants.momentum

    contact_names = property(readouts.contact_names)
    contact = readouts.contact
    contact_derivatives = readouts.contact_derivatives
    reaction = readouts.reaction
    reaction_derivatives = readouts.reaction_derivatives
    strain = readouts.strain
    strain_matrix = readouts.strain_matrix
    stress = readouts.stress
    stress_derivatives = readouts.stress_derivatives
    inner_forces = readouts.inner_forces
    inner_force_derivatives = readouts.inner_force_derivatives
    mass = property(readouts.mass)
    center_of_mass = readouts.center_of_mass
    tensions = readouts.tensions
    tension_derivatives = readouts.tension_derivatives
    volumes = readouts.volumes
    power = readouts.power
    power_derivatives = readouts.power_derivatives

    assemble = resting.assemble
    statics = resting.statics
    statics_batch = many.statics_batch
    statics_all = resting.statics_all
    equilibrium_path = resting.equilibrium_path
    modes = resting.modes
    linearize = solving.linearize
    simulate = solving.simulate
    simulate_batch = many.simulate_batch
    step = solving.step
    step_derivatives = solving.step_derivatives

    def plot(
        self,
        q: ArrayLike | str | PathLike[str] | None = None,
        u: ArrayLike | None = None,
        t: float = 0.0,
        ax: Axes | None = None,
        path: str | PathLike[str] | None = None,
        **options: Any,
    ) -> Figure:
        """Picture of the robot, true to scale: saved, if a path is given, shown in a notebook or by ``show=True``.

        Parameters
        ----------
        q : (n,), optional
            Coordinates; the rest configuration if omitted, assembled if the robot has loops. A path in their place
            saves the picture of that: ``model.plot("arm.png")``.
        u : (nu,), optional
            Inputs: tendons and chambers are coloured by tension and pressure.
        t : float
            Time at which laws of loads are taken, s.
        ax : Axes, optional
            Where to draw; a new figure if omitted.
        path : path, optional
            Where to save it, atomically; the ending says how (.png, .pdf, .svg, ...).
        **options
            Fields of `supple.viz.Style`, such as ``view=(azimuth, elevation)`` in degrees, ``frames=True``, and
            ``show=True``, which opens a window.

        Returns
        -------
        Figure
            Of matplotlib; its ``show()`` opens a window, too.

        Raises
        ------
        PictureError
            For an option that does not exist, or a name that no picture can have.
        MissingExtraError
            If matplotlib is not installed.
        """
        from supple.viz import plot

        return plot(self, q, u, t, ax, path, **options)

    def view(self, **options: Any) -> Studio:
        """Show the robot in a browser, with sliders for its inputs and joints: at rest, in motion, or posed by hand.

        In a script it returns when the page is closed; in a notebook it shows the page inline.  All options are those
        of `supple.studio.view`, such as ``u`` (inputs as `simulate` takes them), ``dark=True`` and ``port``.

        Raises
        ------
        MissingExtraError
            If viser is not installed.
        """
        from supple.studio import view

        return view(self, **options)

    def check_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        u: ArrayLike | None = None,
        t: float = 0.0,
        lam: ArrayLike | None = None,
    ) -> DerivativeReport:
        """Compare the residual's Jacobians with central differences, in total and load by load.

        Where the two part, shorter steps are tried: a contact that begins within a step spoils the differences only.

        Printing the report gives a table; ``report.ok(1e-6)`` tells whether all agree, ``report.worst`` the row that
        agrees least.
        """
        from supple.model.check_derivatives import check_derivatives

        check = self.arguments
        states = check.state("q", q), check.state("v", v), check.state("a", a)
        inputs, multipliers = check.inputs("u", u, self.nu), check.inputs("lam", lam, self.nc)
        return check_derivatives(self, *states, inputs, number("t", t), multipliers)

    def __getstate__(self) -> dict[str, Any]:
        for law, owner in zip(self.demand.laws, self.demand.owners, strict=True):
            check_picklable(law, f"{owner}: its law of time")
        for joint in self.prescribed:
            check_picklable(joint.law, f"Prescribed {joint.link!r}: its motion")
        for c in self.controllers:
            check_picklable((c.rate, c.output), f"Controller {c.name!r}: its functions")
        return {"compiled": self.compiled} | self._kept_design()

    def _kept_design(self) -> dict[str, Any]:
        """The design as far as it can be pickled; else why it cannot."""
        point, lost = self.design, self.lost_design
        if point is not None:
            reason = why_not_picklable(point.design.build)
            if reason:
                point, lost = None, f"its design was left behind by pickling ({reason}): {REMEDY}"
        return {"design": point, "lost_design": lost}

    def __setstate__(self, state: dict[str, Any]) -> None:
        type(self).__init__(self, state["compiled"])
        self.design, self.lost_design = state.get("design"), state.get("lost_design", "")

    def __copy__(self) -> Self:
        return self  # immutable

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def scene(self) -> Scene:
        """What pictures show."""
        return self.compiled.scene

    @property
    def description(self) -> str:
        """The table of the robot's links."""
        return self.compiled.description

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {len(self.link_names)} links, {self.n} coordinates>"

    def __str__(self) -> str:
        return self.description

    @property
    def stiffness(self) -> Array:
        """K, shape (n, n): tau = -K (q - q_rest) - ..."""
        return np.asarray(self.parameters.stiffness)

    @property
    def damping(self) -> Array:
        """D, shape (n, n): tau = - D v - ..."""
        return np.asarray(self.parameters.damping)

    @property
    def rest(self) -> Array:
        """Coordinates at which springs and rods are unloaded, shape (n,)."""
        return np.asarray(self.parameters.rest)

    @property
    def tension_inputs(self) -> tuple[str, ...]:
        """Names of the inputs that are tensions of tendons [N], which must not be negative."""
        return tuple(name for name, pulls in zip(self.demand.inputs, self.demand.tensions, strict=True) if pulls)

    @property
    def digest(self) -> Digest:
        """What the model is made of, by fingerprints: files are compared by it (see `compilation.digest`)."""
        return model_digest(self)

    def __fingerprint__(self) -> dict[str, dict[str, str]]:
        return self.digest.parts

    def frame(self, name: str) -> FrameSpec | None:
        """A named frame; None if there is none of this name."""
        return self._frames.get(name) if self._frames and isinstance(name, str) else None

    def link_index(self, name: str) -> int:
        """Index of a link by name."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise ModelError(f"there is no link {shown(name)}; links are: {', '.join(self.link_names)}") from None


def model_of(compiled: CompiledRobot) -> Model:
    """The model of a compiled robot, whatever it has."""
    if compiled.followers is None:
        return Model(compiled)
    from supple.model.coupled import CoupledModel

    return CoupledModel(compiled)


def make_model(robot: Robot) -> Model:
    """Compile a description."""
    model = model_of(compile_robot(robot))
    if not model.loops:
        return model
    return type(model)(_with_loops(model.compiled, _loop_choice(model)))


def compile_like(robot: Robot, like: CompiledRobot) -> CompiledRobot:
    """Compile a description that has the structure of another: its loops are not looked into again."""
    compiled = compile_robot(robot)
    if like.kept is None or len(compiled.loops) != len(like.loops):
        return compiled
    return _with_loops(compiled, like.kept)


def _loop_choice(model: Model) -> LoopChoice:
    """Which rows of loops are independent, and whence loops are measured, judged near the assembled configuration."""
    q = assemble_anywhere(model, model.loops, model.fixed_coordinates)
    rows = independent_rows(model, q, model.loops, model.fixed_coordinates)
    turns = loop_turns(model, q, model.loops, rows)
    return LoopChoice(rows.kept, rows.idle, turns, dropped_rows(model.loops, rows))


def _with_loops(compiled: CompiledRobot, choice: LoopChoice) -> CompiledRobot:
    """The same robot, its loops with the rows that were chosen."""
    whole = recentred(compiled.loops, choice.turns)
    loops = keep_rows(whole, Rows(choice.kept, choice.idle))
    return with_loops(compiled, loops).changed(kept=choice._replace(whole=whole if any(choice.dropped) else ()))
