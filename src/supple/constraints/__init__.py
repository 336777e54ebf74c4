"""Constraints: closed loops and prescribed joints, held by multipliers."""
