"""Soft bodies, their domains, materials and kinematics with good arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import supple as sp

from .argument_uses import base, exercise, load, material

LENGTH = 0.4


def bending(x: Any, q: Any) -> Any:
    """A cantilever's bending, nearly."""
    return np.stack([x[0], x[1] + q[0] * x[0] ** 2, x[2]])


def parabola(x: Any) -> Any:
    """A mode that leaves the base where it is."""
    return 0.1 * x * x


def soft(**changes: Any) -> sp.SoftBody:
    """A soft body."""
    given = {"kinematics": bending, "domain": sp.Cylinder(LENGTH, 0.02), "material": material(), "n": 1}
    return sp.SoftBody(**{**given, "points": (3, 2, 4), **changes})


def on_base(**changes: Any) -> list[Any]:
    """A robot on a soft body."""
    return exercise(base(body=soft(**changes)).compile())


def soft_body_calls() -> list[tuple[str, Callable[..., Any], dict[str, Any], Callable[[Any], Any]]]:
    """Name, function, good arguments and use of each."""
    points = np.random.default_rng(3).uniform((0.1, -0.02, -0.02), (0.3, 0.02, 0.02), (20, 3))
    corners = np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.05, 0.0], [0.0, 0.0, 0.05]])
    layers = [(0.1 * np.ones((4, 4)), np.zeros(4)), (0.1 * np.ones((3, 4)), np.zeros(3))]
    body = {"kinematics": bending, "domain": sp.Cylinder(LENGTH, 0.02), "material": material(), "n": 1}
    places = {"tip": [[0.4, 0.0, 0.0], [0.4, 0.01, 0.0], [0.4, 0.0, 0.01]], "points": (3, 2, 4), "density": 900.0}
    numbers = {"stiffness": [[2.0]], "damping": [[0.1]], "rest": [0.0], "stations": (0.5,), "moving_base": False}
    elastic = {"young": 1e6, "poisson": 0.4, "density": 1e3, "viscosity": 1.0}
    energy = {"function": lambda F: np.sum(F * F), "density": 1e3, "viscosity": 1.0}

    # a source on the axis would tear it
    tube, wall = sp.HollowCylinder(LENGTH, 0.02, 0.01), [[0.4, 0.015, 0.0], [0.4, 0.02, 0.0], [0.4, 0.0, 0.015]]

    def kept(made: Any, **changes: Any) -> list[Any]:
        return on_base(kinematics=sp.VolumePreserving([made]), n=None, moving_base=True, **changes)

    def blown(made: Any) -> list[Any]:
        return load(made, soft(domain=tube, tip=wall))

    bodily = lambda made: exercise(base(body=made).compile())  # noqa: E731
    twisted = lambda made: kept(sp.Twist(made))  # noqa: E731
    rough = lambda made: on_base(kinematics=made, n=None, material=squeezed, moving_base=True)  # noqa: E731
    modal = {"mesh": sp.Mesh(corners, [[0, 1, 2, 3]]), "modes": 1, "material": sp.NeoHookean(**elastic)}
    hollow = (corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    centres = 0.01 * np.concatenate([np.eye(3), -np.eye(3)])
    cube = (centres + np.array([0.2, 0.0, 0.0]), 0.04 * centres)
    domain = lambda made: on_base(domain=made)  # noqa: E731
    squeezed = sp.Material(young=1e6, poisson=0.4, density=1e3)
    kinematics = lambda made: on_base(kinematics=made, n=None, material=squeezed)  # noqa: E731
    matter = lambda made: on_base(material=made)  # noqa: E731
    return [
        ("SoftBody", sp.SoftBody, {**body, **places, **numbers}, bodily),
        ("Cylinder", sp.Cylinder, {"length": LENGTH, "radius": 0.02}, domain),
        ("HollowCylinder", sp.HollowCylinder, {"length": LENGTH, "outer": 0.02, "inner": 0.01}, domain),
        ("Cone", sp.Cone, {"length": LENGTH, "base_radius": 0.02, "tip_radius": 0.01}, domain),
        ("Block", sp.Block, {"length": LENGTH, "height": 0.02, "width": 0.01}, domain),
        ("Mesh", sp.Mesh, {"vertices": corners, "tetrahedra": [[0, 1, 2, 3]]}, domain),
        ("Points", sp.Points, {"X": points, "weights": np.full(20, 1e-5)}, domain),
        ("NeoHookean", sp.NeoHookean, elastic, matter),
        ("EnergyDensity", sp.EnergyDensity, energy, matter),
        ("ConstantCurvature", sp.ConstantCurvature, {"length": LENGTH, "stretch": True}, kinematics),
        ("VolumePreserving", sp.VolumePreserving, {"primitives": [sp.Twist(parabola)]}, kinematics),
        ("Network", sp.Network, {"weights": layers, "length": LENGTH}, kinematics),
        ("Stretch", sp.Stretch, {"modes": parabola}, kept),
        ("Twist", sp.Twist, {"modes": parabola}, kept),
        ("Shear", sp.Shear, {"modes": parabola, "along": "y"}, kept),
        ("Bend", sp.Bend, {"modes": parabola, "towards": "y"}, kept),
        ("VariableRadius", sp.VariableRadius, {"length": LENGTH, "radius": 0.02, "sharpness": 0.01}, rough),
        ("PolynomialMode", sp.PolynomialMode, {"coefficients": (0.0, 0.1), "length": LENGTH}, twisted),
        ("ModalBody", sp.ModalBody, {**modal, "fixed": [0, 2, 3], "poisson": 0.3}, bodily),
        ("Cavity", sp.Cavity, {"name": "p", "link": "arm", "surface": hollow, "region": None}, blown),
        ("Cavity (bore)", sp.Cavity, {"name": "p", "link": "arm", "surface": None}, blown),
        ("Cavity (wall)", sp.Cavity, {"name": "p", "link": "arm", "wall": cube}, blown),
        ("Cavity (region)", sp.Cavity, {"name": "p", "link": "arm", "region": lambda x: bool(x[0] < 0.2)}, blown),
        ("Source", sp.Source, {"modes": parabola}, lambda made: kept(made, domain=tube, tip=wall)),
    ]
