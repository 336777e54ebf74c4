"""Pairs of Nyström's kind, of order 5 (3) and 4 (3), for robots that vibrate and are hardly damped.

Velocities and internal states move by a formula of Runge and Kutta, positions by a matrix P of their own,

    q_i = q + c_i h v + h^2 sum_j p_ij a_j,    v_i = v + h sum_j a_ij a_j,    a_i = a(t + c_i h, q_i, v_i),

and accelerations may depend on velocities, unlike in most of his formulas ([NYSTROM]).  The end is such a stage, too,
with weights b_i for velocities and b_i (1 - c_i) for positions.  Conditions of order are those of Runge and Kutta, of
trees in which an edge may also be one of P ([NYSTROM] gives them), and sum_j p_ij = c_i^2 / 2.

What conditions leave free is spent on vibrations, q'' = -omega^2 q.  Of order 5 twelve numbers are free; they were
searched, by Gauss and Newton within the conditions, for a formula that follows vibrations far more closely than its
order asks and stays bounded in long steps.  Of order 4, four are free (c_2, c_3, p_32, p_42), and are round numbers
near the longest steps that were found.  Per evaluation:

| | omega h at most | to 1e-3 | to 1e-4 | to 1e-5 |
|---|---|---|---|---|
| order 5 | 0.83 | 0.50 | 0.41 | 0.27 |
| order 4 | 1.32 | 0.26 | 0.15 | 0.07 |
| DOP853 | 0.50 | 0.27 | 0.20 | 0.15 |
| RK45 | 0.22 | | | |

A vibration is followed to x where a step takes it no more than x omega h off its place in (q, v / omega).  Where
steps are longer, it loses amplitude: by order 5 0.01 % a step at omega h = 2.5, 6 % at 4; by order 4 2 % at 2, 17 % at
3.  By order 5 a vibration without any damping may grow by 3e-6 a step; a damping ratio of 1e-5 suffices against that.
Damped by a tenth of the critical damping, omega h is at most 4.61 and 3.65 in a step of order 5 and 4; by half of it
3.67 and 2.42.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.checks import whole_number
from supple.solvers.integrators.explicit import Explicit, Pair
from supple.solvers.integrators.option_checks import keep


class _Tableau(NamedTuple):
    """Rows of A and P below their diagonals, b, and an estimate of the error, by which weights of the end differ.

    All formulas of order 3 on the stages of order 4 differ so, up to a factor; of those of order 5 the one that is
    nearest to order 4.  ``shown`` is how large an error is said to be.
    """

    A: list[list[float]]
    P: list[list[float]]
    b: list[float]
    difference: list[float]
    shown: float


_FOUR = _Tableau(
    A=[[3 / 10], [-19 / 54, 55 / 54], [37 / 30, -91 / 66, 63 / 55]],
    P=[[9 / 200], [103 / 1800, 33 / 200], [789 / 10000, 11 / 40, 1461 / 10000]],
    b=[1 / 9, 250 / 693, 9 / 22, 5 / 42],
    difference=[-1 / 3, 200 / 231, -9 / 11, -5 / 7, 1],
    shown=0.05,  # of 0.02, 0.05 and 0.1 on three robots: errors at one tolerance are then about those of `NDF`
)
_FIVE = _Tableau(
    A=[
        [0.14619673578772113],
        [-0.22427385680621653, 0.7071924558613316],
        [-0.36456592104027513, 1.0440453104131253, -0.19991153920683663],
        [0.13569900141215124, 0.16231089013185152, 1.0309799374058561, -0.5516649744896525],
        [-0.3890240350545978, 1.0251854662840478, -0.3388409152507869, -0.13185972911112384, 0.8345392131324589],
    ],
    P=[
        [0.010686742777492366],
        [-0.11225338328663427, 0.22885856994331175],
        [-0.24001072390065883, 0.3666540416294645, -0.011650656272379711],
        [0.003974833419484066, 0.18707286102764756, 0.22287164252391128, -0.11180237229025237],
        [0.08149069638743003, 0.19838749263139616, 0.2769712447421537, -0.13247398009473935, 0.07562454633375756],
    ],
    b=[
        *(0.02397707321964426, 0.28742951711384485, 0.6485555873330803),
        *(-0.32431872469788303, 0.2876141660060794, 0.07674238102523424),
    ],
    difference=[
        *(0.09908055250554766, -0.26319044331219404, 1.0, -0.5641834216295012),
        *(-0.4393391215014847, -0.5943559128405247, 0.7619883467781567),
    ],
    shown=0.02,  # of 0.02, 0.03 and 0.1 on the same robots
)
_TABLEAUS = {5: _FIVE, 4: _FOUR}


def _below_diagonal(rows: list[list[float]]) -> np.ndarray:
    """The square matrix of which these are the rows below the diagonal, from the second on."""
    matrix = np.zeros((len(rows) + 1, len(rows) + 1))
    for i, row in enumerate(rows):
        matrix[i + 1, : i + 1] = row
    return matrix


@dataclass(frozen=True)
class Nystrom(Explicit, name="nystrom"):
    """An explicit pair for robots that vibrate and are hardly damped.

    A step of order 5 takes six evaluations and may be 5 / omega long, one of order 4 four evaluations and 5.3 / omega,
    omega being the highest natural frequency in rad/s. Where vibrations bound steps, order 5 needs half the evaluations
    of `DOP853`, or fewer, down to some parts in 10^5; order 4 fewer still where only slow motions matter. Where much is
    damped or stiff, take an implicit method.

    Parameters
    ----------
    rtol, atol : float
        The error of a step in q and v is kept below atol + rtol |y|; ``atol`` may be (n,), for q and v alike, or
        (2 n,).
    max_step, first_step : float, optional
        In seconds.
    baumgarte : float
        Time constant, s, by which loops that drift are pulled back; 0 lets them drift.
    order : {5, 4}
        Order of the pair.
    """

    order: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        keep(self, "order", whole_number(self.order, "Nystrom: order", min(_TABLEAUS), max(_TABLEAUS)))

    def pair(self) -> Pair:
        """The tableau; positions end at q + h v + h^2 sum b_i (1 - c_i) a_i."""
        own = _TABLEAUS[self.order]
        A, P, b = _below_diagonal(own.A), _below_diagonal(own.P), np.array(own.b)
        c = A.sum(axis=1)
        error = own.shown * np.array(own.difference)
        return Pair(A, b, c, [error], 3, np.vstack([P, b * (1.0 - c)]))
