"""Simulations: runs from start to end, events, checkpoints, and the trajectories they return."""
