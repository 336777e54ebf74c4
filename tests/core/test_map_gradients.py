"""Gradients by the data of maps: splines of joints as parameters of a design."""

import numpy as np
import pytest

import supple as sp
from helpers import random_frames, random_rigid, random_surface

FRAMES, VALUES = random_frames(np.random.default_rng(5)), random_surface(np.random.default_rng(6))


def slider(kind):
    def build(shape=(0.1, -0.2, 0.05)):
        x, y, z = shape
        rng = np.random.default_rng(0)
        frames = [g.copy() for g in FRAMES]
        frames[1] = frames[1] @ sp.pose((x, y, z), (y, z, x))
        values = VALUES.copy()
        values[:, 1, 2] += (x, y, z, y, z, x)
        joint = {
            "curve": sp.CurveJoint(frames, stiffness=2.0, rest=0.5),
            "surface": sp.SurfaceJoint(values, stiffness=2.0, rest=0.4),
            "series": sp.Composite(sp.CurveJoint(frames, stiffness=2.0), sp.Revolute("x", stiffness=1.0)),
        }[kind]
        robot = sp.Robot("slider")
        robot.add_link("swing", random_rigid(rng), sp.Revolute("y", stiffness=30.0))
        robot.add_link("body", random_rigid(rng), joint, parent="swing", at=sp.pose((0.1, 0.2, 0.3), (0.1, 0.2, 0.3)))
        robot.add_link("tail", random_rigid(rng), sp.Revolute("z", stiffness=20.0), parent="body")
        return robot

    return sp.Design(build, shape=np.array([0.1, -0.2, 0.05]))


@pytest.mark.parametrize("kind", ["curve", "surface", "series"])
def test_motions_and_poses_by_splines(kind):
    design = slider(kind)
    model = design.model()
    rng = np.random.default_rng(1)
    method, q0, v0 = sp.GeneralizedAlpha(dt=1e-2), 0.3 * rng.standard_normal(model.n), rng.standard_normal(model.n)
    motion = model.simulate(0.05, q0=q0, v0=v0, method=method, record=True)
    bar, tip = rng.standard_normal(motion.q.shape), rng.standard_normal((len(motion.t), 3))
    found = motion.vjp(q=bar, tip={"tail": tip}).p["shape"]

    def loss(shape):
        other = design.model(shape=shape).simulate(0.05, q0=q0, v0=v0, method=method)
        return np.sum(other.q * bar) + np.sum(other.tip("tail") * tip)

    for k, e in enumerate(1e-4 * np.eye(3)):
        numbers = (loss(design.values["shape"] + e) - loss(design.values["shape"] - e)) / 2e-4
        assert found[k] == pytest.approx(numbers, rel=1e-5, abs=1e-6)


def test_equilibria_by_splines():
    design = slider("curve")
    model = design.model()
    found = model.statics()
    gradient = found.vjp(q=np.ones(model.n)).p["shape"]
    for k, e in enumerate(1e-5 * np.eye(3)):
        high, low = (design.model(shape=design.values["shape"] + x * e).statics(q0=found.q).q for x in (1.0, -1.0))
        assert gradient[k] == pytest.approx(np.sum(high - low) / 2e-5, rel=1e-4, abs=1e-6)
