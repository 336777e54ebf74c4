"""How a stage ends."""

#: Solved; did not converge; not finite; singular; a user's function failed; a tendon would push.
CONVERGED, SLOW, NOT_FINITE, NO_PIVOT, PYTHON_RAISED, NEGATIVE_TENSION = 0, 1, 2, 3, 4, 5
