"""Tendons, cables and chambers: what acts along a line."""
