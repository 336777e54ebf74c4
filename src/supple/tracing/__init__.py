"""Users' NumPy functions, run once on symbols and kept as short programs with exact derivatives."""
