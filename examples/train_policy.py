"""Train a tiny neural network that steers a soft arm, by gradients through the simulator (PyTorch).

The network sees the arm's coordinates and velocities and a target, and answers tensions; steps of the simulator and of
the network alternate, and backpropagation goes through both.  Needs ``pip install supple[torch]``.
"""

import numpy as np
import torch

import supple as sp
import supple.torch
from supple.model.model import Model

STEP, STEPS = 0.01, 25  # s


def arm() -> Model:
    """A planar soft arm with two tendons."""
    rubber = sp.Material(young=5e5, poisson=0.5, density=1100.0, viscosity=2e3)
    robot = sp.Robot("arm", gravity=(9.81, 0.0, 0.0))
    robot.add_link("arm", sp.Rod(0.2, sp.Circle(radius=0.01), rubber, sp.Legendre(bend_y=2), points=4))
    robot.add(sp.Tendon("left", {"arm": (0.0, 0.008)}))
    robot.add(sp.Tendon("right", {"arm": (0.0, -0.008)}))
    return robot.compile()


def main(rounds: int = 40) -> tuple[float, float]:
    """Returns the mean error of the bending angle [rad] before and after training."""
    torch.manual_seed(0)
    model = arm()
    step = supple.torch.step(model, STEP)
    policy = torch.nn.Sequential(
        torch.nn.Linear(2 * model.n + 1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2), torch.nn.Softplus()
    ).double()
    optimiser = torch.optim.Adam(policy.parameters(), lr=0.03)
    targets = torch.linspace(-0.6, 0.6, 8, dtype=torch.float64)[:, None]
    errors = []
    for _ in range(rounds):
        q, v = torch.zeros(8, model.n, dtype=torch.float64), torch.zeros(8, model.n, dtype=torch.float64)
        loss = torch.zeros((), dtype=torch.float64)
        for _ in range(STEPS):
            u = policy(torch.cat([q, 0.1 * v, targets], dim=1))
            q, v = step(q, v, u)
            loss = loss + ((q[:, :1] - targets) ** 2).mean() / STEPS
        errors.append(float((q[:, :1] - targets).abs().mean().detach()))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return errors[0], errors[-1]


if __name__ == "__main__":
    before, after = main()
    print(f"error of the bending angle: {before:.3f} rad before training, {after:.3f} rad after")
    assert np.isfinite(after)
