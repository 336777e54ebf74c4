"""Coordinates that follow others, eliminated: q = c(x) of the coordinates x that are left ([REDMAX] 2.6)."""
