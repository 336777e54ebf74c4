"""Measuring: timing of functions, and tables of results."""
