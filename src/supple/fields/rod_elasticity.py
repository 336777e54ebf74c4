"""Nonlinear laws of rods: stress resultants and tangents at Gauss nodes, from a program of the energy per metre.

A law is a traced energy W(e; numbers of the section), e = xi - xi_rest, with its first and second derivatives by e as
further outputs of one program (`supple.robot.bodies.rod_law`).  Its linear part e^T L e / 2 is part of the stiffness K
of the tree, so that here only what goes beyond acts: with the weights w of the nodes

    f = -w (dW/de - L e),     df/dxi = -w (d^2W/de^2 - L),     energy w (W - e^T L e / 2).

Operations of the energy come first, then those of stresses, then those of tangents: as many are done as are asked for.

In gradients by parameters y^T R has -eta . f = w eta . (dW/de - L e) of every node, eta = Psi y.  One pass backward
through the operations gives its derivatives by all numbers of the program.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from supple.core.arrays import space_view
from supple.core.load_data import Columns, Floats, Incidental, Integers, load_view
from supple.core.loads import ENERGY, MEASURE, TANGENT
from supple.fields.functions import function_at
from supple.jit import GradientKernel, LoadKernel, inner, local_array
from supple.tracing.operations import ADD, MULTIPLY, POWER, SQRT, SUBTRACT

#: Nodes of a program at most: numbers on the stack.
MOST_NODES = 4096

#: Outputs of a program: the energy, six stresses, the upper triangle of the tangent row by row.
STRESS, SLOPE, OUTPUTS = 1, 7, 28

_values, _phi, _strain = local_array(MOST_NODES), local_array(4), local_array(6)
_adjoints = local_array(MOST_NODES)


class RodLawData(NamedTuple):
    """Arrays of the law of one rod with k Gauss nodes."""

    where: Integers  #: (k, 1) strain nodes
    numbers: Integers  #: (1, 3) operations of the energy, of energy and stresses, of all
    ops: Integers  #: (m, 3) code and arguments
    outputs: Integers  #: (28, 1) nodes of the program
    weights: Annotated[Floats, Columns(weight="m")]  #: (k, 1)
    rest: Floats  #: (k, 6) rest strain
    linear: Floats  #: (k, 36) L
    constants: Floats  #: (1, c) nodes 0 to c - 1; then the six strains
    tables: Floats  #: (k, t) nodes behind them: what depends on the place alone; then operations
    note: Annotated[Floats, Incidental()]  #: (1, 8) what failed: whether, at which place, at which strains


rod_law_data = load_view(RodLawData)


@inner
def value_of(code, c, x, phi):
    """phi(x) of one argument: x^c, sqrt(x), or a function of `fields.functions`; NaN outside of its domain."""
    if code == POWER:
        return 1.0 / x if c == -1.0 else x * x * x if c == 3.0 else x**c if x > 0.0 or c == math.floor(c) else math.nan
    if code == SQRT:
        return math.sqrt(x) if x >= 0.0 else math.nan
    function_at(code, c, x, phi)
    return phi[0]


@inner
def run_operations(ops, stop, first, values):
    """Operations up to ``stop``, the first of which is node ``first``."""
    phi = _phi()
    for i in range(stop):
        code, x, y = ops[i, 0], values[ops[i, 1]], values[ops[i, 2]]
        if code == MULTIPLY:
            z = x * y
        elif code == ADD:
            z = x + y
        elif code == SUBTRACT:
            z = x - y
        else:
            z = value_of(code, y, x, phi)
        values[first + i] = z


@inner
def add_stress(law, k, values, e, tangent, s):
    """f and E of the strain node s of place k.  Returns their sum, to see whether all is finite."""
    w, total = law.weights[k, 0], 0.0
    for i in range(6):
        f = values[law.outputs[STRESS + i, 0]]
        for j in range(6):
            f -= law.linear[k, 6 * i + j] * e[j]
        s.f[i] -= w * f
        total += f
    if tangent:
        output = SLOPE
        for i in range(6):
            for j in range(i, 6):
                slope = w * (values[law.outputs[output, 0]] - law.linear[k, 6 * i + j])
                s.E[i, j] -= slope
                if j > i:
                    s.E[j, i] -= slope
                output += 1
                total += slope
    return total


@inner
def stored_energy(law, k, values, e):
    """w (W - e^T L e / 2)."""
    energy = values[law.outputs[0, 0]]
    for i in range(6):
        for j in range(6):
            energy -= 0.5 * e[i] * law.linear[k, 6 * i + j] * e[j]
    return law.weights[k, 0] * energy


@inner
def take_note(note, k, e):
    """Remember where a law failed."""
    note[0, 0], note[0, 1] = 1.0, k
    for i in range(6):
        note[0, 2 + i] = e[i]


@inner
def start_values(law, k, s, values, e):
    """Strains and numbers of place k as nodes of the program.  Returns their sum, to see whether all is finite."""
    c, total = law.constants.shape[1], 0.0
    for i in range(6):
        e[i] = s.xi[i] - law.rest[k, i]
        total += e[i]
        values[c + i] = e[i]
    for i in range(law.tables.shape[1]):
        values[c + 6 + i] = law.tables[k, i]
    return total


def _rod_elasticity(tree, space, data, mode):
    """The law of one rod, see `RodLawData`."""
    if mode < 0 or mode == MEASURE:
        return
    scratch, law = space_view(space), rod_law_data(data)
    c, t = law.constants.shape[1], law.tables.shape[1]
    stop = law.numbers[0, 0] if mode == ENERGY else law.numbers[0, 2] if mode == TANGENT else law.numbers[0, 1]
    values, e = _values(), _strain()
    for i in range(c):
        values[i] = law.constants[0, i]
    for k in range(law.where.shape[0]):
        s = scratch.stress[law.where[k, 0]]
        known = start_values(law, k, s, values, e)
        run_operations(law.ops, stop, c + 6 + t, values)
        if mode == ENERGY:
            total = stored_energy(law, k, values, e)
            scratch.energy[0] += total
        else:
            total = add_stress(law, k, values, e, mode == TANGENT, s)
        if math.isfinite(known) and not math.isfinite(total):
            take_note(law.note, k, e)
            if mode != ENERGY:
                for i in range(6):
                    s.f[i] = math.nan  # R tells of it, whether asked for its tangent or not


ROD_ELASTICITY = LoadKernel(_rod_elasticity)


@inner
def pull_operations(ops, stop, first, values, adjoints):
    """Adjoints of all nodes from those of the last, through operations ``stop`` - 1 to 0."""
    phi = _phi()
    for i in range(stop - 1, -1, -1):
        code, a, b, own = ops[i, 0], ops[i, 1], ops[i, 2], adjoints[first + i]
        if own == 0.0:
            continue
        if code == MULTIPLY:
            adjoints[a] += own * values[b]
            adjoints[b] += own * values[a]
        elif code in (ADD, SUBTRACT):
            adjoints[a] += own
            adjoints[b] += own if code == ADD else -own
        elif code == SQRT:
            adjoints[a] += 0.5 * own / values[first + i]
        else:  # exponents are part of the formula
            function_at(code, values[b], values[a], phi)
            adjoints[a] += own * phi[1]


def _rod_elasticity_gradient(tree, space, data, own, everything):
    """Of the power w eta . (dW/de - L e) by weights, rest strains, L, and all numbers of the program."""
    scratch, law, out = space_view(space), rod_law_data(data), rod_law_data(own)
    c, t, stop = law.constants.shape[1], law.tables.shape[1], law.numbers[0, 1]
    values, adjoints, e = _values(), _adjoints(), _strain()
    for i in range(c):
        values[i] = law.constants[0, i]
    for k in range(law.where.shape[0]):
        s, w = scratch.stress[law.where[k, 0]], law.weights[k, 0]
        start_values(law, k, s, values, e)
        run_operations(law.ops, stop, c + 6 + t, values)
        for i in range(c + 6 + t + stop):
            adjoints[i] = 0.0
        for i in range(6):
            x = values[law.outputs[STRESS + i, 0]]
            for j in range(6):
                x -= law.linear[k, 6 * i + j] * e[j]
                out.linear[k, 6 * i + j] -= w * s.eta[i] * e[j]
                out.rest[k, j] += w * s.eta[i] * law.linear[k, 6 * i + j]
            out.weights[k, 0] += s.eta[i] * x
            adjoints[law.outputs[STRESS + i, 0]] += w * s.eta[i]
        pull_operations(law.ops, stop, c + 6 + t, values, adjoints)
        for i in range(6):
            out.rest[k, i] -= adjoints[c + i]
        for i in range(c):
            out.constants[0, i] += adjoints[i]
        for i in range(t):
            out.tables[k, i] += adjoints[c + 6 + i]


ROD_ELASTICITY_GRADIENT = GradientKernel(_rod_elasticity_gradient)
