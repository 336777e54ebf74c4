"""How laws of time follow the parameters of a design: those of loads (their values are signals), of prescribed joints.

Laws that do not depend on a parameter are known by their fingerprints, and are not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import answer
from supple.fingerprint import fingerprint

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot
    from supple.compilation.prescribed_joint import PrescribedJoint
    from supple.gradients.array_slopes import Ends

Array = np.ndarray


class SignalEnds(NamedTuple):
    """A law of a load at both ends of a difference."""

    parameter: int
    first: int  #: signal
    size: int
    plus: Callable[[float], Any]
    minus: Callable[[float], Any]
    scale: float
    owner: str


class JointEnds(NamedTuple):
    """A prescribed joint at both ends of a difference."""

    parameter: int
    first: int  #: among the coordinates of prescribed joints
    plus: PrescribedJoint
    minus: PrescribedJoint
    scale: float


@dataclass(frozen=True)
class LawSlopes:
    """d(laws of time)/d(parameters)."""

    loads: tuple[SignalEnds, ...]
    joints: tuple[JointEnds, ...]
    signals: int
    coordinates: int
    count: int
    parameters: tuple[int, ...]  #: on which laws depend

    def of_signals(self, t: float) -> Array:
        """d(signals)/d(parameters) at t, (n_signals, count)."""
        found = np.zeros((self.signals, self.count))
        for end in self.loads:
            high, low = (answer(law(t), end.size, f"{end.owner}: its law", t) for law in (end.plus, end.minus))
            found[end.first : end.first + end.size, end.parameter] = (high - low) * end.scale
        return found

    def of_joints(self, t: float) -> Array:
        """d(q, q', q'' of prescribed joints)/d(parameters) at t, (3, ne, count)."""
        found = np.zeros((3, self.coordinates, self.count))
        for end in self.joints:
            own = slice(end.first, end.first + len(end.plus.coordinates))
            high, low = np.array(end.plus.motion(t)), np.array(end.minus.motion(t))
            found[:, own, end.parameter] = (high - low) * end.scale
        return found

    def pulled_back(self, t: float, signals: Array, joints: Array | None = None) -> Array:
        """Cotangents (count,) of the parameters from those of signals and of q, q', q'' (3, ne) at t."""
        bar = np.zeros(self.count)
        if self.loads:
            bar += signals @ self.of_signals(t)
        if self.joints and joints is not None:
            bar += np.einsum("ij,ijk->k", joints, self.of_joints(t))
        return bar


def law_slopes(base: CompiledRobot, ends: Sequence[Ends]) -> LawSlopes:
    """Laws that follow parameters."""
    loads: list[SignalEnds] = []
    joints: list[JointEnds] = []
    demand = base.demand
    firsts = np.cumsum([0, *(len(joint.coordinates) for joint in base.prescribed)])
    for j, (plus, minus, scale) in enumerate(ends):
        if plus is minus:
            continue
        for i, (a, b) in enumerate(zip(plus.demand.laws, minus.demand.laws, strict=True)):
            if differ(a, b):
                loads.append(SignalEnds(j, demand.firsts[i], demand.sizes[i], a, b, scale, demand.owners[i]))
        for i, (high, low) in enumerate(zip(plus.prescribed, minus.prescribed, strict=True)):
            if differ(high.law, low.law):
                joints.append(JointEnds(j, int(firsts[i]), high, low, scale))
    parameters = tuple(sorted({end.parameter for end in loads} | {end.parameter for end in joints}))
    return LawSlopes(tuple(loads), tuple(joints), demand.signals, int(firsts[-1]), len(ends), parameters)


def differ(a: Any, b: Any) -> bool:
    """Whether two laws differ, or may."""
    x, y = fingerprint(a), fingerprint(b)
    return bool(x.unknown or y.unknown or x.digest != y.digest)
