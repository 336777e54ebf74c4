"""What every joint satisfies."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from supple.joints import (
    Composite,
    CurveJoint,
    Cylindrical,
    Euler,
    Fixed,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SurfaceJoint,
    Translational,
    Universal,
)
from supple.joints.factors import JointMap, generic_subspace
from supple.lie.pose import pose

OBLIQUE = (1.0, -2.0, 0.5)
FRAMES = [pose((0.3 * k, 0.1 * k * k, 0.0), (0.2, 0.1 * k, 0.0)) for k in range(5)]
BUMP = np.random.default_rng(0).standard_normal((6, 4, 4))

# a joint, its number of coordinates in each factor
JOINTS = [
    (Fixed(), []),
    (Revolute(OBLIQUE), [1]),
    (Prismatic(OBLIQUE), [1]),
    (Helical(OBLIQUE, 0.1), [1]),
    (Cylindrical(OBLIQUE), [2]),
    (Universal(OBLIQUE, "z"), [1, 1]),
    (Planar(OBLIQUE), [3]),
    (Translational(), [3]),
    (Spherical(), [3]),
    (Free(), [6]),
    (Euler("zyx"), [1, 1, 1]),
    (Euler("zxz"), [1, 1, 1]),
    (Composite(Prismatic(OBLIQUE), Spherical()), [1, 3]),
    (Composite(CurveJoint(FRAMES), Composite(Revolute("x"), Planar("y"))), [1, 1, 3]),
    (CurveJoint(FRAMES), [1]),
    (CurveJoint(FRAMES, cyclic=True), [1]),
    (SurfaceJoint(BUMP), [2]),
]
every_joint = pytest.mark.parametrize(("joint", "sizes"), JOINTS, ids=[type(joint).__name__ for joint, _ in JOINTS])
movable = pytest.mark.parametrize(("joint", "sizes"), JOINTS[1:], ids=[type(joint).__name__ for joint, _ in JOINTS[1:]])


@every_joint
def test_factors_are_blocks_of_independent_screws(joint, sizes):
    factors = joint.factors()
    assert [block.shape for block in factors] == [(6, size) for size in sizes]
    assert all(isinstance(block, JointMap) or block.dtype == np.float64 for block in factors)
    if factors:
        assert np.linalg.matrix_rank(generic_subspace(factors)) == joint.dof


@every_joint
def test_accessors_have_one_entry_per_coordinate(joint, sizes):
    k = sum(sizes)
    assert joint.dof == k
    assert len(joint.labels) == len(set(joint.labels)) == k
    assert_array_equal(joint.stiffness_matrix, np.zeros((k, k)))
    assert_array_equal(joint.damping_matrix, np.zeros((k, k)))
    assert_array_equal(joint.rest_vector, np.zeros(k))
    assert_array_equal(joint.limit_bounds, np.tile([-np.inf, np.inf], (k, 1)))
    assert_array_equal(joint.limit_stiffnesses, np.full(k, 1e3))
    assert_array_equal(joint.limit_widths, np.full(k, 1e-2))
    assert not joint.keeps_chart


@movable
def test_every_movable_joint_takes_the_options(joint, sizes):
    k = sum(sizes)
    arguments = [getattr(joint, name) for name in type(joint).__match_args__]
    arguments = arguments[0] if isinstance(joint, Composite) else arguments
    pairs = [(-1.0, 2.0)] * k
    sprung = type(joint)(*arguments, stiffness=2.0, damping=3.0, rest=0.5, limits=pairs, limit_width=0.1)
    assert_array_equal(sprung.stiffness_matrix, 2.0 * np.eye(k))
    assert_array_equal(sprung.damping_matrix, 3.0 * np.eye(k))
    assert_array_equal(sprung.rest_vector, np.full(k, 0.5))
    assert_array_equal(sprung.limit_bounds, pairs)
    assert_array_equal(sprung.limit_widths, np.full(k, 0.1))
    assert sprung.keeps_chart
