"""Derivatives along a tape: linear maps on what a scheme remembers, linearised stages, moves between charts."""
