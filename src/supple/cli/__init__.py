"""The command line: one file per command, and what they share (`main` puts them together).

Modules import what computes inside their functions, so that help and lists come quickly.
"""
