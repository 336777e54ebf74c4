"""What counts as rounding in solvers: the one home of small numbers that recur."""

#: The smallest positive number that matters: keeps what is compared with a part of zero above it, and quotients finite.
NOTHING = 1e-300
#: Steps below this part of the time are rounding of the time.
ROUNDED_TIME = 1e-14
#: Times that differ by less, relatively, do so by rounding of a few operations.
SAME_TIME = 1e-15
#: Changes of a motion that are rounding, relatively: some hundred units in the last place.
ROUNDED_MOTION = 1e-13
#: Steps in time that differ by less, relatively, are the same: factors serve on, and an end is reached.
SAME_STEP = 1e-10
#: Corrections of accelerations that are rounding, and the part of the forces that meet in a coordinate that is.
ROUNDED_FORCE = 1e-10
#: Singular values of a matrix, and pivots, below this part of its size are none.
NO_RANK = 1e-14
#: Stiffnesses, and diagonals of matrices, below this part of the largest are rounding beside it.
ROUNDED_STIFFNESS = 1e-12
#: Directions weaker than this part of the strongest are omitted from least squares; nothing resists them.
WEAK = 1e-10
#: How well points of a path of equilibria are solved, and how close two are that are one, relative to its scales.
ON_PATH, SAME_POINT = 1e-11, 1e-10
#: Relative steps of differences of functions that know all digits, one-sided and central: errors by the step and by
#: rounding meet there.
ONE_SIDED_STEP, CENTRAL_STEP = 1e-7, 6e-6
#: Entries of a matrix that differ by less from their mirror image, relative to its largest, do so by rounding.
SYMMETRIC = 1e-9
#: Errors of a step below this, in units of the tolerance, are none.
NO_ERROR = 1e-30
