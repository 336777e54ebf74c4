"""Kinds of blocks: a file each with its local pass, and `kinds`, which alone asks which kind a block is.

A kind says how its coordinates move the end of a segment against its start: the pose g, the motion subspace S with two
time derivatives, S^T F of a wrench, and d(S^T F)/dq.  The sweeps over the tree do all else, and know no kind.
"""
