"""Joints between links."""

from supple.joints.compound import Cylindrical, Fixed, Free, Planar, Spherical, Translational, Universal
from supple.joints.friction import Friction
from supple.joints.movable import MovableJoint
from supple.joints.protocol import Joint
from supple.joints.series import Composite, Euler
from supple.joints.single import Helical, Prismatic, Revolute
from supple.joints.splines import CurveJoint, SurfaceJoint

__all__ = [
    "Composite",
    "CurveJoint",
    "Cylindrical",
    "Euler",
    "Fixed",
    "Free",
    "Friction",
    "Helical",
    "Joint",
    "MovableJoint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "SurfaceJoint",
    "Translational",
    "Universal",
]
