"""Prescribed joints: coordinates given as functions of time; the effort that holds them becomes an unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple.checks import shown
from supple.errors import ModelError

if TYPE_CHECKING:
    from supple.compilation.binder import Binder

#: Time at which a law is tried once.
TRIAL_TIME = 0.0


@dataclass(frozen=True, eq=False)
class Prescribed:
    """The joint of a link moves as a law says.

    Parameters
    ----------
    link : str
        The link whose joint is prescribed.
    law : callable or `supple.laws.Law`
        t -> (q, qd, qdd): scalars for a joint with one coordinate, arrays (k,) otherwise; or a law, whose rates are
        known.

    Notes
    -----
    Forward dynamics takes q and v as given and the accelerations from the law; the effort is the generalised force
    of a joint with one coordinate, else the wrench in the frame after the joint, and for `Universal` the generalised
    force of each angle: in every case the inputs of a `JointDrive` that makes the same motion.
    """

    link: str
    law: Callable[[float], Any]

    @property
    def name(self) -> str:
        """The link's name."""
        return self.link

    def stations(self) -> Iterable[tuple[str, float]]:
        """The prescribed link."""
        return [(self.link, 0.0)]

    def bind(self, binder: Binder) -> None:
        """Register the joint's coordinates and its law."""
        joint = binder.robot_link(self.link).joint
        if joint.dof == 0:
            raise ModelError(f"link {self.link!r} is fixed: only a joint that moves can be prescribed")
        if not callable(self.law):
            raise ModelError(f"law is {shown(self.law)}, must be a function t -> (q, qd, qdd)")
        binder.prescribe(self.link, self.law)
