"""The cable manipulator in real time: a controller in Python moves its tip, a thousand times per second."""

import numpy as np

from supple import realtime
from supple.systems import SYSTEMS


def main(duration=1.0, paced=True):
    """Pull cables so that the tip goes to a target.  Returns the report and the distances at beginning and end, m."""
    model = SYSTEMS["cable-manipulator"]().compile()
    goal = model.statics([6.0, 0.0, 2.0, 0.0, 0.0])
    target, rest = model.tip(goal.q, "arm"), model.tip(model.rest, "arm")
    stepper = realtime.Stepper(model, dt=1e-3)

    # how tensions move the tip at rest, and what they are at the goal: feedforward, and feedback through the transpose
    gain = model.jacobian(model.rest, "arm")[3:] @ model.actuation(model.rest)

    def controller(t, q, v):
        error = target - model.tip(q, "arm")
        return np.clip(min(1.0, 4.0 * t) * goal.u + 5.0 * gain.T @ error, 0.0, 20.0)

    report = realtime.run(stepper, controller, duration, paced=paced)
    return report, np.linalg.norm(target - rest), np.linalg.norm(target - model.tip(report.q[-1], "arm"))


if __name__ == "__main__":
    report, before, after = main()
    print(report)
    print(f"distance to the target: {1e3 * before:.1f} mm at the beginning, {1e3 * after:.1f} mm at the end")
