"""Feedback laws with exact models inside, as objects that `Model.simulate` takes for its inputs."""

from __future__ import annotations

from supple.control.actuation_coordinates import ActuationCoordinates, actuation_coordinates
from supple.control.cartesian_regulator import CartesianRegulator, cartesian_regulator
from supple.control.computed_torque import ComputedTorque, computed_torque
from supple.control.feedback import Feedback
from supple.control.partial_feedback_linearization import (
    PartialFeedbackLinearization,
    partial_feedback_linearization,
)
from supple.control.pd_plus import PDPlus, pd_plus

__all__ = [
    "ActuationCoordinates",
    "CartesianRegulator",
    "ComputedTorque",
    "Feedback",
    "PDPlus",
    "PartialFeedbackLinearization",
    "actuation_coordinates",
    "cartesian_regulator",
    "computed_torque",
    "partial_feedback_linearization",
    "pd_plus",
]
