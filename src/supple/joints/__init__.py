"""Joints between links."""

from supple.joints.compound import Cylindrical, Fixed, Free, Planar, Spherical, Translational, Universal
from supple.joints.movable import MovableJoint
from supple.joints.protocol import Joint
from supple.joints.single import Helical, Prismatic, Revolute

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Helical",
    "Joint",
    "MovableJoint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Translational",
    "Universal",
]
