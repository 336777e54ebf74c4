"""Derivatives of what a robot does: linear systems about a state."""
