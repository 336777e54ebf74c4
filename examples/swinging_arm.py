"""From an empty file to a swinging soft arm: describe it, pull a tendon, let it go, look at it."""

import numpy as np

import supple as sp

silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
bending = sp.Legendre(torsion=2, bend_y=4, bend_z=4, stretch=1)
arm = sp.Rod(length=0.5, section=sp.Circle(radius=(0.03, 0.015)), material=silicone, strain=bending, points=5)

robot = sp.Robot("soft arm", gravity=(0.0, 0.0, -9.81))
robot.add_link("arm", arm)
robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.03 - 0.03 * X)}))
model = robot.compile()

rest = model.statics(u=[40.0])
print(f"40 N hold the tip at {model.pose(rest.q, 'arm')[:3, 3].round(3)} m, stable: {rest.stable}")

released = sp.laws.Ramp(40.0, 0.0, t0=0.2, t1=0.25)
motion = model.simulate(np.linspace(0.0, 2.0, 201), q0=rest.q, u=[released])
tip = motion.tip("arm")
print(f"let go, it falls to {tip[:, 2].min():.3f} m and is at {tip[-1].round(3)} m after 2 s")
motion.plot("swing.png")
