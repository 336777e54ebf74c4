"""Soft bodies inside kernels: programs of their kinematics, run over all their points."""
