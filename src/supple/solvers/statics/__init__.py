"""Equilibria: searches, paths under a growing load, small motions about them."""
