"""Cotangents of whatever a motion gives: tips, poses, energies, inputs."""

import numpy as np
import pytest

from motion_cases import along, feedback, small

RESULTS = {
    "tip": lambda m, w: ({"tip": {"arm": w(m.tip("arm"))}}, lambda x: x.tip("arm")),
    "energy": lambda m, w: ({"energy": w(m.energy()[:, 3])}, lambda x: x.energy()[:, 3]),
    "u": lambda m, w: ({"u": w(m.u)}, lambda x: x.u),
    "a": lambda m, w: ({"a": w(m.a)}, lambda x: x.a),
}


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("followed", [False, True], ids=["samples", "feedback"])
def test_results_of_all_kinds(result, followed):
    u = feedback if followed else np.random.default_rng(1).uniform(0.07, 0.09, (5, 2))
    model, q0, v0, run = small()
    rng, kept = np.random.default_rng(5), []

    def weights(values):
        kept.append(rng.normal(size=values.shape))
        return kept[-1]

    motion = run(q0, v0, u)
    cotangent, look = RESULTS[result](motion, weights)
    gradient = motion.vjp(**cotangent)
    dq, dv = rng.normal(size=model.n), rng.normal(size=model.n)
    expected = along(lambda x: (kept[0] * look(run(q0 + x * dq, v0 + x * dv, u))).sum())
    assert gradient.q0 @ dq + gradient.v0 @ dv == pytest.approx(expected, rel=2e-7, abs=1e-9)
    if not followed:
        du = rng.normal(size=u.shape)
        expected = along(lambda x: (kept[0] * look(run(q0, v0, u + x * du))).sum(), 1e-4)
        assert (gradient.u * du).sum() == pytest.approx(expected, rel=2e-7, abs=1e-9)


def test_poses_are_body_wrenches():
    model, q0, v0, run = small()
    motion, rng = run(q0, v0, np.array([1.0, 0.07])), np.random.default_rng(6)
    wrenches, dv = rng.normal(size=(5, 6)), rng.normal(size=model.n)
    found = motion.vjp(pose={("arm", 0.6): wrenches}).v0 @ dv
    ends = [run(q0, v0 + x * dv, np.array([1.0, 0.07])).pose("arm", 0.6) for x in (1e-5, -1e-5)]
    twists = np.linalg.inv(motion.pose("arm", 0.6)) @ (ends[0] - ends[1]) / 2e-5
    body = np.stack([twists[:, 2, 1], twists[:, 0, 2], twists[:, 1, 0], *twists[:, :3, 3].T], axis=1)
    assert found == pytest.approx((wrenches * body).sum(), rel=1e-7)
