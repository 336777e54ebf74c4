"""Arrays of a gradient stand one after the other in one buffer."""

import numpy as np

from supple.core.gradient_arrays import shaped_like, words_of
from supple.core.records import node_t, pose_t


def test_arrays_share_one_buffer_and_have_the_shapes_of_others():
    like = [np.zeros((2, 3)), np.zeros(2, pose_t), np.zeros((0, 4)), np.zeros(3, node_t), np.zeros(1, np.int64)]
    buffer = np.zeros(words_of(like))
    made = shaped_like(like, buffer)
    assert [(x.dtype, x.shape) for x in made] == [(x.dtype, x.shape) for x in like]
    assert all(x.flags.c_contiguous for x in made)
    made[1]["p"][1, 2] = 7.0
    assert buffer.sum() == 7.0
    assert len(buffer) == 6 + 24 + 27 + 1
