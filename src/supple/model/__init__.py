"""The description of a robot, its checks, and the model compiled from it."""
