"""A soft arm on a rigid shaft: inverse dynamics with exact derivatives. The README shows these lines.

Purpose: the shortest way from an empty file to numbers.
Features: material, rod, rigid body, revolute joint, tree; dID/dq against a central difference.
"""

import numpy as np

import supple as sp

silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
shaft = sp.Rigid.cylinder(length=0.1, radius=0.02, density=2700.0)
bending = sp.Legendre(torsion=2, bend_y=4, bend_z=4, stretch=1)
arm = sp.Rod(length=0.5, section=sp.Circle(radius=(0.03, 0.015)), material=silicone, strain=bending, points=5)

robot = sp.Robot("arm on a shaft", gravity=(0.0, 0.0, -9.81))
robot.add_link("shaft", shaft, joint=sp.Revolute("x"))
robot.add_link("arm", arm, parent="shaft")
model = robot.compile()
print(robot)

q, v, a = 0.3 * np.random.default_rng(0).standard_normal((3, model.n))
force, dq, dv, mass = model.inverse_dynamics_derivatives(q, v, a)
print(f"torque on the shaft {force[0]:.4f} N m, tip at {model.pose(q, 'arm')[:3, 3].round(3)} m")

step = 1e-6 * np.eye(model.n)[3]
difference = (model.inverse_dynamics(q + step, v, a) - model.inverse_dynamics(q - step, v, a)) / 2e-6
print(f"column 3 of dID/dq is off by {np.abs(dq[:, 3] - difference).max():.0e} from a central difference")
