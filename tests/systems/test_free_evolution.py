"""Two soft bodies with four models of strains: they begin where the paper says and agree where they should."""

import numpy as np
import pytest

import supple as sp
from supple.systems import free_evolution, pac_arm, pcc_arm, pcs_arm, pgc_arm


def test_affine_curvatures_begin_where_constant_ones_do():
    constant, affine = pcc_arm(), pac_arm()
    for s in (0.0, 0.3, 1.0):
        ends = [made.compile().pose(made.q0, "body2", s) for made in (constant, affine)]
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


def test_they_come_to_rest_where_statics_says():
    for make in (pcc_arm, pac_arm, pcs_arm):
        system = make()
        model = system.compile()
        motion = system.simulate(model, [0.0, 20.0], progress=False)
        np.testing.assert_allclose(motion.q[-1], model.statics(q0=motion.q[-1]).q, atol=1e-3)


def test_curvatures_at_rest_are_alike():
    """As the paper says: constant curvatures agree, with all strains or not; affine ones nearly, in the middle."""
    rest = {make: make().compile().statics() for make in (pcc_arm, pac_arm, pcs_arm)}
    assert all(found.converged for found in rest.values())
    constant, affine, all_six = (rest[make].q.reshape(2, -1) for make in (pcc_arm, pac_arm, pcs_arm))
    np.testing.assert_allclose(all_six[:, 1:3], constant[:, :2], atol=0.02)
    middle = np.stack([affine[:, 0] + 0.5 * affine[:, 1], affine[:, 2] + 0.5 * affine[:, 3]], axis=1)
    np.testing.assert_allclose(middle, constant[:, :2], atol=0.2)


def test_the_tentacle_falls_over():
    system = pgc_arm()
    model = system.compile()
    assert model.pose(model.rest, "body2")[2, 3] == pytest.approx(0.4)
    motion = system.simulate(model, [0.0, 5.0], progress=False)
    assert motion.tip("body2")[-1, 2] < 0.1


def test_kinds():
    assert free_evolution("pac").name == "pac-arm"
    with pytest.raises(sp.ModelError, match="kind is 'pqr', must be one of: pgc, pcc, pac, pcs"):
        free_evolution("pqr")
