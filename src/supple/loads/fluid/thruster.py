"""Thrusters: body-fixed wrenches on any link whose components are inputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, real_array
from supple.compilation.scene import Arrow, Place
from supple.core.arrays import space_view
from supple.core.gradient_arrays import gradient_view
from supple.core.load_data import Columns, Floats, Integers, Poses, load_view
from supple.core.loads import INTERNAL
from supple.errors import ModelError, ShapeError
from supple.jit import LoadKernel, SmoothGradientKernel, local_array
from supple.lie.pose import check_pose, pose
from supple.loads.wrenches.given import LOCAL, add_wrench_gradient, apply_wrench
from supple.robot.stations import as_station

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

#: Names of the components of a wrench.
COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")

_wrench = local_array(6)


class ThrusterData(NamedTuple):
    """Arrays of a thruster with k inputs."""

    where: Integers  #: (1, 2) segment, first input
    axes: Annotated[Floats, Columns(mx="N m", my="N m", mz="N m", fx="N", fy="N", fz="N")]  #: (k, 6) per unit of input
    offset: Poses  #: (1,)


thruster_data = load_view(ThrusterData)


def _thruster(tree, space, data, mode):
    """Follower wrench A u of `ThrusterData`, whose axes are A^T."""
    scratch, own, wrench = space_view(space), thruster_data(data), _wrench()
    where, axes = own.where, own.axes
    first = where[0, 1]
    for i in range(6):
        wrench[i] = 0.0
    for k in range(axes.shape[0]):
        u = scratch.inputs[first + k]
        if mode < 0:  # the derivative by one input: the wrench is linear in it
            u = 1.0 if first + k == -(mode + 1) else 0.0
        for i in range(6):
            wrench[i] += axes[k, i] * u
    apply_wrench(scratch.work[where[0, 0]], own.offset[0], LOCAL, wrench, mode)


thruster = LoadKernel(_thruster)


def _thruster_gradient(tree, space, data, own, everything):
    """By axes, offset and inputs."""
    scratch, given, out = space_view(space), thruster_data(data), thruster_data(own)
    inputs = gradient_view(everything).inputs
    axes, first, wrench, bar = given.axes, given.where[0, 1], _wrench(), _wrench()
    for i in range(6):
        wrench[i] = 0.0
        for k in range(axes.shape[0]):
            wrench[i] += axes[k, i] * scratch.inputs[first + k]
    add_wrench_gradient(scratch.work[given.where[0, 0]], given.offset[0], LOCAL, wrench, bar, out.offset[0])
    for k in range(axes.shape[0]):
        for i in range(6):
            out.axes[k, i] += scratch.inputs[first + k] * bar[i]
            inputs[first + k] += axes[k, i] * bar[i]


thruster_gradient = SmoothGradientKernel(_thruster_gradient)


@dataclass(frozen=True, eq=False)
class Thruster:
    """A propeller, a jet or a whole drone: a wrench that turns with its link, and whose components are inputs.

    Parameters
    ----------
    name : str
        Name of the inputs: ``name`` for one direction, ``name.1`` and so on for several, and for a whole wrench
        ``name.mx``, ``name.my``, ``name.mz`` (N m), ``name.fx``, ``name.fy``, ``name.fz`` (N).
    link : str
        The link it is mounted on.
    s : float
        Station: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1 (tip).
    offset : (4, 4)
        Pose of the thruster's frame in the frame at the station.
    axes : (6,) or (6, k), optional
        Wrench [moment; force] per unit of each input, in the thruster's frame, moment about its origin.  All six
        components if omitted.

    Notes
    -----
    The wrench A u in the thruster's frame has the generalised force J^T A u with the body Jacobian J of that frame.  It
    pushes against nothing: unlike a `JointDrive` there is no parent that feels the opposite.
    """

    name: str
    link: str
    s: float = 1.0
    offset: ArrayLike = field(default_factory=pose)
    axes: ArrayLike | None = None

    def stations(self) -> Iterable[tuple[str, float]]:
        """Where it acts."""
        return [(self.link, self.s)]

    def bind(self, binder: Binder) -> Bound:
        """One input per direction."""
        from supple.compilation.binder import Bound, pose_records

        place = binder.station(self.link, as_station(self.s, "s"), check_pose(self.offset, "offset"))
        if place.segment == 0:
            raise ModelError(f"link {self.link!r} does not move at s = {self.s:g}: a thruster there does nothing")
        axes = self._axes()
        inputs = [binder.input(name) for name in self._names(axes)]
        where = np.array([[place.segment, inputs[0]]], dtype=np.int64)
        data = ThrusterData(where, axes.T.copy(), pose_records([place.offset]))
        return Bound(self.name, thruster, data, INTERNAL, gradient=thruster_gradient)

    def sketch(self, binder: Binder) -> list[Mark]:
        """Arrows of what it gives."""
        axes = self._axes()
        place = Place(self.link, as_station(self.s, "s"), check_pose(self.offset, "offset"))
        return [Arrow((place,), axes, local=True, inputs=self._names(axes))]

    def _names(self, axes: Array) -> tuple[str, ...]:
        """Names of the inputs, one per column of axes (6, k)."""
        if self.axes is None:
            return tuple(f"{self.name}.{component}" for component in COMPONENTS)
        if axes.shape[1] == 1:
            return (self.name,)
        return tuple(f"{self.name}.{k + 1}" for k in range(axes.shape[1]))

    def _axes(self) -> Array:
        """Wrench per unit of each input, (6, k)."""
        if self.axes is None:
            return np.eye(6)
        axes = real_array(self.axes, "axes")
        axes = axes[:, None] if axes.ndim == 1 else axes
        if axes.ndim != 2 or axes.shape[0] != 6 or axes.shape[1] == 0:
            raise ShapeError(
                f"axes has shape {np.shape(self.axes)}, must be (6,) or (6, k): a wrench [moment; force] per input"
            )
        for k, axis in enumerate(finite_array(axes, axes.shape, "axes").T):
            if not axis.any():
                raise ModelError(f"axes: column {k} is zero, so that input {k} of the thruster would do nothing")
        return axes
