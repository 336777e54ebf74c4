"""Couplings in files: joints that follow others, by ratios, or by a program of plain operations.

A program is a list of rows ``[operation, operands...]``: an operand counts the leaders from 0 on, then the rows.
``[constant, 2.0]`` has a number, ``[power, 0, 1.5]`` an operand and an exponent; the last row is the result.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import shown
from supple.files.nodes import Node
from supple.robot.couplings import Coupling, make_coupling
from supple.robot.traced import ADD, CONSTANT, DIVIDE, FIRST_UNARY, POWER, UNARY, Program

if TYPE_CHECKING:
    from supple.files.decoding import Decoder
    from supple.robot.robot import Robot

#: Keys of a coupling.
COUPLING_KEYS = ("follower", "to", "offset", "program")

#: Names of operations in the order of their numbers.
OPERATIONS = ("constant", "add", "subtract", "multiply", "divide", "power", *UNARY)

#: Most rows of a program.
MOST_ROWS = 10_000


def plain_coupling(coupling: Coupling) -> dict[str, Any]:
    """A coupling as plain data."""
    data: dict[str, Any] = {"follower": coupling.follower}
    if coupling.program is not None:
        rows = zip(coupling.program.ops.tolist(), coupling.program.numbers.tolist(), strict=True)
        return data | {"to": list(coupling.leaders), "program": [_row(op, a, b, number) for (op, a, b), number in rows]}
    data["to"] = dict(zip(coupling.leaders, coupling.weights.tolist(), strict=True))
    return data | ({"offset": coupling.offset} if coupling.offset else {})


def _row(op: int, a: int, b: int, number: float) -> list[Any]:
    name = OPERATIONS[op]
    if op == CONSTANT:
        return [name, number]
    if op == POWER:
        return [name, a, number]
    return [name, a, b] if ADD <= op <= DIVIDE else [name, a]


def add_coupling(robot: Robot, node: Node, entries: dict[str, Node], decoder: Decoder) -> None:
    """Couple a joint as a node says."""
    follower = decoder.given(node, "follower")
    to: Any = entries["to"].value if "to" in entries else node.refuse("has no 'to'")
    if "program" not in entries:
        leaders = {name: decoder.value(entry) for name, entry in to.items()} if isinstance(to, dict) else None
        offset = decoder.value(entries["offset"]) if "offset" in entries else 0.0
        robot.couple(follower, decoder.value(entries["to"]) if leaders is None else leaders, offset=offset)
        return
    names = [decoder.value(entry) for entry in entries["to"].items("a list of leaders")]
    checked = make_coupling(follower, names, 1.0, 0.0, lambda *leaders: leaders[0])
    robot.follow(replace(checked, program=_program(entries["program"], len(names))))


def _program(node: Node, count: int) -> Program:
    """Rows, checked: compiled code will follow them."""
    ops: list[tuple[int, int, int]] = []
    numbers: list[float] = []
    rows = node.items("a list of rows")
    if not 0 < len(rows) <= MOST_ROWS:
        node.refuse(f"has {len(rows)} rows, must have 1 to {MOST_ROWS}")
    for row in rows:
        words = [entry.value for entry in row.items("a row [operation, operands...]")]
        if not words or words[0] not in OPERATIONS:
            row.unknown("operation", str(words[0]) if words else "", OPERATIONS)
        op = OPERATIONS.index(words[0])
        operands = {CONSTANT: 0, POWER: 1}.get(op, 1 if op >= FIRST_UNARY else 2)
        number = words.pop() if op in (CONSTANT, POWER) and len(words) == operands + 2 else 0.0
        registers = words[1:]
        known = count + len(ops)
        if len(registers) != operands or not all(type(r) is int and 0 <= r < known for r in registers):
            must = f"must have {operands}, each from 0 to {known - 1}"
            row.refuse(f"{words[0]} has the operands {shown(registers)}, {must}")
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not np.isfinite(number):
            row.refuse(f"{shown(number)} is not a finite number")
        a, b = (*registers, 0, 0)[:2]
        ops.append((op, a, b))
        numbers.append(float(number))
    return Program(np.array(ops, dtype=np.int64).reshape(-1, 3), np.array(numbers))
