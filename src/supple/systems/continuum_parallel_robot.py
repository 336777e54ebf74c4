"""The continuum parallel robot: two steel legs, driven where they stand and hinged where they meet."""

from __future__ import annotations

from math import asin, pi

from supple import laws
from supple.bases import Chebyshev
from supple.joints import Revolute
from supple.lie.pose import pose
from supple.loads import JointDrive, Loop
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material
from supple.solvers.integrators import NDF
from supple.systems.system import System

#: Begin and end of the ramp, begin and end of the oscillation, s.
RAMP, SHAKE = (1.0, 2.0), (4.0, 7.0)


def torques(slope: float, amplitude: float, cycles: int) -> list[laws.Law]:
    """Torques of the two drives, N m: opposite ramps that stay; three seconds of 1 - cos on top of the first."""
    hold = slope * (RAMP[1] - RAMP[0])
    frequency = cycles / (SHAKE[1] - SHAKE[0])
    shaking = laws.Steps([0.0, *SHAKE], [0.0, 1.0, 0.0])
    one_minus_cosine = laws.Sine(-amplitude, frequency, 0.5 * pi - 2.0 * pi * frequency * SHAKE[0], amplitude)
    return [laws.Ramp(0.0, hold, *RAMP) + shaking * one_minus_cosine, laws.Ramp(0.0, -hold, *RAMP)]


def continuum_parallel_robot(
    length: float = 1.0,
    diameter: float = 0.002,
    base: float = 0.8,
    young: float = 2.1e11,
    density: float = 7800.0,
    damping_time: float = 1e-4,
    slope: float = 0.5,
    amplitude: float = 0.07,
    cycles: int = 3,
    modes: int = 5,
    points: int = 10,
) -> System:
    """Two legs that meet in a hinge ([IDM-TIDM] Fig. 13): 12 coordinates, one closed loop, in the plane of x and y.

    Parameters
    ----------
    length, diameter : float
        Of each leg, m.
    base : float
        Distance between the driven joints, m.
    young : float
        Pa.
    density : float
        kg/m^3.
    damping_time : float
        Kelvin-Voigt time of the legs, s.
    slope : float
        Of the torques' ramps, N m/s.
    amplitude, cycles : float, int
        Of the oscillation of the first torque, N m; it adds 0 to twice its amplitude.
    modes : int
        Functions of each leg's curvature.
    points : int
        Gauss nodes of a leg.
    """
    steel = Material(young=young, poisson=0.3, density=density, damping_time=damping_time)
    strain = Chebyshev(bend_z=modes - 1)
    leg = Rod(length=length, section=Circle(0.5 * diameter), material=steel, strain=strain, points=points)
    robot = Robot("continuum-parallel-robot", gravity=(0.0, 0.0, 0.0))
    for name, y in (("leg1", 0.5 * base), ("leg2", -0.5 * base)):  # both point to their meeting point on x
        at = pose(xyz=(0.0, y, 0.0), rpy=(0.0, 0.0, -asin(y / length)))
        robot.add_link(name, leg, joint=Revolute("z"), at=at)
        robot.add(JointDrive(f"{name} torque", name))
    robot.add(Loop("hinge", a=("leg1", pose()), b=("leg2", pose()), joint=Revolute("z")))
    return System(
        name="continuum-parallel-robot",
        robot=robot,
        t_end=10.0,
        u=torques(slope, amplitude, cycles),
        dt=0.01,
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("leg1", 1.0), ("leg1", 0.5), ("leg2", 0.5)),
        source="IDM-TIDM, Figs. 11 to 13",
        note="The printed I = 1.5708e-8 m^4 does not belong to the printed A = 3.1416e-6 m^2 and would not bend "
        "visibly; the legs are round with that A, 2 mm thick. The ramp begins at t = 1 s from zero, as the text and "
        "Fig. 13 say, not with k t, so it ends at 0.5 N m. Twice k_s = 7 N m would wind up such legs; with 0.07 N m "
        "and a base of 0.8 m (not printed) they bend, tilt upwards and swing as the text tells, though three times and "
        "not two: a fit, chosen by the motion among 27 combinations of section, base, torques and order "
        "of legs. Leg 1 is the upper one. No gravity.",
    )
