"""Lie groups: one home for every formula of SO(3) and SE(3)."""
