"""An operation: what a robot does with some arrays, and how a scalar made of the results changes with them.

An operation is pure: the same inputs give the same outputs, bit for bit.  It speaks of one row; leading axes are the
business of `bridges.rows`, arguments as users write them that of `bridges.calls`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from supple.bridges.subject import Subject

Array = np.ndarray
#: Jacobians [output][input], each (size of the output, size of the input), entries in C order.
Blocks = list[list[Array]]


class Port(NamedTuple):
    """An input or an output of an operation."""

    name: str
    shape: tuple[int, ...]  #: of one row
    default: Array | None = None  #: what an input is if it is omitted; None: it must be given
    series: bool = False  #: whether its first axis is time

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.shape)


class Operation(ABC):
    """What a robot does with some arrays, with derivatives.

    Attributes
    ----------
    name : str
        As users call it.
    own : tuple of Port
        Inputs besides the parameters of a design.
    inputs, outputs : tuple of Port
        ``own`` and then the parameters; results.
    grain : int
        So many rows are worth a thread of their own.
    """

    name: ClassVar[str]
    grain: ClassVar[int] = 1

    def __init__(self, subject: Subject, own: Sequence[Port], outputs: Sequence[Port]) -> None:
        self.subject, self.own, self.outputs = subject, tuple(own), tuple(outputs)
        self.inputs = (*self.own, *(Port(name, shape, value) for name, shape, value in subject.parameters))

    def __repr__(self) -> str:
        def listed(ports: Sequence[Port]) -> str:
            return ", ".join(f"{port.name} {port.shape}" for port in ports)

        return f"{self.name} of {self.subject.nominal.name!r}: {listed(self.inputs)} -> {listed(self.outputs)}"

    @abstractmethod
    def evaluate(self, inputs: Sequence[Array], record: bool) -> tuple[tuple[Array, ...], Any]:
        """Outputs, and a memory from which `pull` takes derivatives (None is enough unless ``record``)."""

    @abstractmethod
    def pull(self, memory: Any, cotangents: Sequence[Array]) -> tuple[Array, ...]:
        """The gradient, shaped as the inputs, of a scalar with these derivatives by the outputs."""

    def push(self, memory: Any, tangents: Sequence[Array]) -> tuple[Array, ...]:
        """How the outputs change along changes of the inputs; from Jacobians, unless an operation knows better."""
        flat, blocks = [tangent.ravel() for tangent in tangents], self.jacobian(memory)
        sums = [sum(block @ x for block, x in zip(row, flat, strict=True)) for row in blocks]
        return tuple(np.reshape(x, port.shape) for x, port in zip(sums, self.outputs, strict=True))

    def jacobian(self, memory: Any) -> Blocks:
        """All Jacobians; of operations that know none, row by row from unit cotangents."""
        blocks = [[np.zeros((out.size, port.size)) for port in self.inputs] for out in self.outputs]
        cotangents = [np.zeros(out.shape) for out in self.outputs]
        for row_blocks, cotangent in zip(blocks, cotangents, strict=True):
            for k, place in enumerate(np.ndindex(cotangent.shape)):
                cotangent[place] = 1.0
                for block, gradient in zip(row_blocks, self.pull(memory, cotangents), strict=True):
                    block[k] = gradient.ravel()
                cotangent[place] = 0.0
        return blocks


class JacobianOperation(Operation):
    """An operation whose memory is its Jacobians: `differentiate` gives them, and derivatives are products."""

    grain = 32  # a row takes microseconds, most of it in Python

    @abstractmethod
    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Outputs."""

    @abstractmethod
    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """Jacobians at these inputs."""

    def evaluate(self, inputs: Sequence[Array], record: bool) -> tuple[tuple[Array, ...], Any]:
        """Outputs; what is remembered are the inputs, and Jacobians once they are asked for."""
        return self.compute(inputs), {"inputs": inputs} if record else None

    def pull(self, memory: Any, cotangents: Sequence[Array]) -> tuple[Array, ...]:
        """Transposed Jacobians times cotangents."""
        blocks = self.jacobian(memory)
        flat = [cotangent.ravel() for cotangent in cotangents]
        sums = [sum(y @ row[i] for y, row in zip(flat, blocks, strict=True)) for i in range(len(self.inputs))]
        return tuple(np.reshape(x, port.shape) for x, port in zip(sums, self.inputs, strict=True))

    def jacobian(self, memory: Any) -> Blocks:
        """Jacobians, computed once."""
        if "blocks" not in memory:
            memory["blocks"] = self.differentiate(memory["inputs"])
        blocks: Blocks = memory["blocks"]
        return blocks
