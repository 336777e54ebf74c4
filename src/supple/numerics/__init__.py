"""Numerical tools that know nothing of robots."""
