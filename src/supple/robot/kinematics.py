"""Kinematics of soft bodies, ready-made: functions f(x, q) of a material point and coordinates, for `SoftBody`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from supple.checks import Array, choice, finite_array, flag, positive_float, real_array, real_vector, shown
from supple.errors import ModelError
from supple.numerics.quadrature import gauss_legendre

#: Gauss nodes of integrals along the axis: exact to rounding for angles below 2.
NODES = 16

#: Most coefficients of a polynomial.
MOST_COEFFICIENTS = 100

#: A mode: a NumPy function of the place x along the axis, m.
Mode = Callable[[Any], Any]


@dataclass(frozen=True)
class ConstantCurvature:
    """A straight body that bends into an arc of constant curvature, whose sections stay plane and rigid.

    Coordinates: the angles ``bend_y``, ``bend_z`` of the arc about y and z (curvature times length) and, if asked for,
    the strain ``stretch`` of the axis, as of a rod with ``Legendre(bend_y=0, bend_z=0, stretch=0)``.

    Parameters
    ----------
    length : float
        m.
    stretch : bool
        Whether the axis stretches.
    """

    length: float
    stretch: bool = False
    rigid_sections: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", positive_float(self.length, "ConstantCurvature: length", "m"))
        object.__setattr__(self, "stretch", flag(self.stretch, "ConstantCurvature: stretch"))

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return ("bend_y", "bend_z", "stretch") if self.stretch else ("bend_y", "bend_z")

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.labels)

    def __call__(self, x: Any, q: Any) -> Any:
        """Place of a material point."""
        # exp of the strain (0, k_y, k_z, e, 0, 0) times x, with theta^2 = (k_y^2 + k_z^2) x^2
        a, b = q[0] * x[0] / self.length, q[1] * x[0] / self.length
        along = x[0] * (1.0 + q[2]) if self.stretch else x[0]
        theta = np.sqrt(a * a + b * b)
        s, h = np.sinc(theta / np.pi), np.sinc(0.5 * theta / np.pi)
        c = 0.5 * h * h  # (1 - cos theta) / theta^2
        axis = np.stack([along * s, along * c * b, -along * c * a])
        # columns y and z of the rotation 1 + s w~ + c w~^2, w = (0, a, b)
        ey = np.stack([-s * b, 1.0 - c * b * b, c * a * b])
        ez = np.stack([s * a, c * a * b, 1.0 - c * a * a])
        return axis + x[1] * ey + x[2] * ez


@dataclass(frozen=True)
class VariableRadius:
    """A round body that bends about y into an arc of constant curvature, stretches, and bulges on either side.

    Coordinates: the angle ``bend_y`` of the arc, its ``elongation``, m, and how far it bulges where the angle from y
    towards z lies in (0, pi) and beyond, ``bulge_up`` and ``bulge_down``, m at the outer radius: sections are scaled by
    1 + q b(x, phi) / radius with the smooth bump

        b = exp(-sharpness length / (x (length - x))) exp(-1 / (phi (pi - phi))).

    Parameters
    ----------
    length, radius : float
        m.
    sharpness : float
        Of the bump along the axis; the smaller, the closer to the ends it begins.

    Notes
    -----
    The bump is not analytic: let ``points`` be some (40, 3, 24).
    """

    length: float
    radius: float
    sharpness: float = 0.01

    def __post_init__(self) -> None:
        for name, unit in (("length", "m"), ("radius", "m"), ("sharpness", "")):
            object.__setattr__(self, name, positive_float(getattr(self, name), f"VariableRadius: {name}", unit))

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return ("bend_y", "elongation", "bulge_up", "bulge_down")

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return 4

    def bumps(self, x: Any) -> tuple[Any, Any]:
        """b at a material point, above and below."""
        within = x[0] * (self.length - x[0])
        along = np.where(within > 0.0, np.exp(-self.sharpness * self.length / np.where(within > 0.0, within, 1.0)), 0.0)
        angle = np.arctan2(x[2], x[1])
        up, down = angle * (np.pi - angle), -angle * (np.pi + angle)
        return tuple(
            along * np.where(side > 0.0, np.exp(-1.0 / np.where(side > 0.0, side, 1.0)), 0.0) for side in (up, down)
        )  # type: ignore[return-value]

    def __call__(self, x: Any, q: Any) -> Any:
        """Place of a material point."""
        angle, stretch = q[0] * x[0] / self.length, 1.0 + q[1] / self.length
        up, down = self.bumps(x)
        scale = 1.0 + (q[2] * up + q[3] * down) / self.radius
        along = stretch * x[0] * np.sinc(angle / np.pi)
        across = -stretch * x[0] * np.sin(0.5 * angle) * np.sinc(0.5 * angle / np.pi)
        y, z = scale * x[1], scale * x[2]
        return np.stack([along + z * np.sin(angle), y, across + z * np.cos(angle)])


class Primitive(ABC):
    """A map of points that keeps volumes, whatever its modes are; they are taken where the primitive before it left x.

    Its mode function is the sum of its coordinates times ``modes``.
    """

    noun: ClassVar[str]
    modes: Mode | Sequence[Mode]

    def __post_init__(self) -> None:
        object.__setattr__(self, "modes", _modes(self.modes, type(self).__name__))

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self._functions)

    @property
    def _functions(self) -> tuple[Mode, ...]:
        return self.modes  # type: ignore[return-value]  # as made by __post_init__

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return tuple(f"{self.noun}_{i + 1}" for i in range(self.n))

    def value(self, x: Any, q: Any) -> Any:
        """The mode function at x."""
        return sum(q[i] * mode(x) for i, mode in enumerate(self._functions))

    def integral(self, x: Any, q: Any) -> Any:
        """Its integral from 0 to x."""
        return sum(q[i] * _integral(mode, x) for i, mode in enumerate(self._functions))

    @abstractmethod
    def __call__(self, p: Any, q: Any) -> Any:
        """Where a point p (3,) goes, with the primitive's own coordinates q."""


def _integral(mode: Mode, x: Any) -> Any:
    """Integral of a mode from 0 to x: by itself if it knows it, else by Gauss nodes."""
    known = getattr(mode, "integral", None)
    if known is not None:
        return known(x)
    return x * sum(wk * mode(x * sk) for sk, wk in zip(*gauss_legendre(NODES), strict=True))


@dataclass(frozen=True)
class PolynomialMode:
    """A mode c_0 + c_1 x/length + c_2 (x/length)^2 + ..., which knows its integral: shorter programs than a function.

    Parameters
    ----------
    coefficients : sequence of float
        c_0, c_1, ...
    length : float
        m.
    """

    coefficients: tuple[float, ...]
    length: float = 1.0

    def __post_init__(self) -> None:
        given = real_vector(self.coefficients, "PolynomialMode: coefficients", MOST_COEFFICIENTS)
        object.__setattr__(self, "coefficients", tuple(given))
        object.__setattr__(self, "length", positive_float(self.length, "PolynomialMode: length", "m"))
        if not any(given):
            raise ModelError(f"PolynomialMode: coefficients are {given}, one at least must not be zero")

    def __call__(self, x: Any) -> Any:
        """Value at the place x along the axis, m."""
        return _horner(self.coefficients, x / self.length)

    def integral(self, x: Any) -> Any:
        """Integral from 0 to x."""
        return x * _horner([c / (k + 1) for k, c in enumerate(self.coefficients)], x / self.length)


def _horner(coefficients: Sequence[float], s: Any) -> Any:
    value = coefficients[-1] + 0.0 * s
    for c in reversed(coefficients[:-1]):
        value = value * s + c
    return value


def _modes(given: Any, what: str) -> tuple[Mode, ...]:
    modes = (given,) if callable(given) else tuple(given) if isinstance(given, Sequence) else ()
    if not modes or not all(callable(mode) for mode in modes):
        raise ModelError(f"{what}: modes is {shown(given)}, must be a function of x, or several")
    return modes


@dataclass(frozen=True, eq=False)
class Stretch(Primitive):
    """Stretch along the axis by lambda = 1 + sum q_i mode_i(x) > 0; sections shrink by 1/sqrt(lambda).

    Parameters
    ----------
    modes : function of x, or several
        One per coordinate.
    """

    noun: ClassVar[str] = "stretch"
    modes: Mode | Sequence[Mode]

    def __call__(self, p: Any, q: Any) -> Any:
        """Where a point goes."""
        shrink = 1.0 / np.sqrt(1.0 + self.value(p[0], q))
        return np.stack([p[0] + self.integral(p[0], q), p[1] * shrink, p[2] * shrink])


@dataclass(frozen=True, eq=False)
class Twist(Primitive):
    """Turn of sections about the axis by the angle sum q_i mode_i(x), rad.

    Parameters
    ----------
    modes : function of x, or several
        One per coordinate.
    """

    noun: ClassVar[str] = "twist"
    modes: Mode | Sequence[Mode]

    def __call__(self, p: Any, q: Any) -> Any:
        """Where a point goes."""
        angle = self.value(p[0], q)
        c, s = np.cos(angle), np.sin(angle)
        return np.stack([p[0], p[1] * c - p[2] * s, p[1] * s + p[2] * c])


@dataclass(frozen=True, eq=False)
class Shear(Primitive):
    """Offset of sections along y or z by sum q_i mode_i(x), m.

    Parameters
    ----------
    modes : function of x, or several
        One per coordinate.
    along : {"y", "z"}
    """

    noun: ClassVar[str] = "shear"
    modes: Mode | Sequence[Mode]
    along: str = "y"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "along", choice(self.along, ("y", "z"), "Shear: along"))

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return tuple(f"shear_{self.along}_{i + 1}" for i in range(self.n))

    def __call__(self, p: Any, q: Any) -> Any:
        """Where a point goes."""
        offset = self.value(p[0], q)
        return np.stack([p[0], p[1] + offset, p[2]]) if self.along == "y" else np.stack([p[0], p[1], p[2] + offset])


@dataclass(frozen=True, eq=False)
class Bend(Primitive):
    """Bending towards y or z with the curvature k = sum q_i mode_i(x), 1/m; fibres move so that volumes stay.

    Parameters
    ----------
    modes : function of x, or several
        One per coordinate. 2 k y must stay below 1.
    towards : {"y", "z"}
    """

    noun: ClassVar[str] = "bend"
    modes: Mode | Sequence[Mode]
    towards: str = "y"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "towards", choice(self.towards, ("y", "z"), "Bend: towards"))

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return tuple(f"bend_{self.towards}_{i + 1}" for i in range(self.n))

    def __call__(self, p: Any, q: Any) -> Any:
        """Where a point goes."""
        x, y, z = p[0], *((p[1], p[2]) if self.towards == "y" else (p[2], p[1]))
        k, angle = self.value(x, q), self.integral(x, q)
        fibre = 2.0 * y / (1.0 + np.sqrt(1.0 - 2.0 * k * y))  # al - k al^2 / 2 = y, without 0/0 at k = 0
        s, w = gauss_legendre(NODES)
        turns = [self.integral(x * sk, q) for sk in s]
        along = x * sum(wk * np.cos(turn) for wk, turn in zip(w, turns, strict=True)) - fibre * np.sin(angle)
        across = x * sum(wk * np.sin(turn) for wk, turn in zip(w, turns, strict=True)) + fibre * np.cos(angle)
        return np.stack([along, across, z]) if self.towards == "y" else np.stack([along, z, across])


@dataclass(frozen=True, eq=False)
class Source(Primitive):
    """Swelling of a hollow body: y^2 + z^2 grows by m = sum q_i mode_i(x), m^2.

    Parameters
    ----------
    modes : function of x, or several
        One per coordinate. y^2 + z^2 + m must stay positive.
    """

    noun: ClassVar[str] = "source"
    modes: Mode | Sequence[Mode]

    def __call__(self, p: Any, q: Any) -> Any:
        """Where a point goes."""
        ratio = np.sqrt(1.0 + self.value(p[0], q) / (p[1] * p[1] + p[2] * p[2]))
        return np.stack([p[0], ratio * p[1], ratio * p[2]])


@dataclass(frozen=True, eq=False)
class VolumePreserving:
    """Primitives one after the other, each acting on what the one before left: det(df/dx) = 1 for all q.

    Parameters
    ----------
    primitives : sequence of Primitive
        `Source`, `Twist`, `Stretch`, `Shear`, `Bend`, in the order in which they act; coordinates in the same order.
    """

    primitives: Sequence[Primitive]

    def __post_init__(self) -> None:
        parts = tuple(self.primitives) if isinstance(self.primitives, Sequence) else ()
        object.__setattr__(self, "primitives", parts)
        if not self.primitives or not all(isinstance(part, Primitive) for part in self.primitives):
            raise ModelError("VolumePreserving: primitives must be Stretch, Twist, Shear, Bend or Source, one at least")

    @property
    def labels(self) -> tuple[str, ...]:
        """Of all coordinates; a number tells primitives of the same kind apart."""
        labels = [label for part in self.primitives for label in part.labels]
        seen: dict[str, int] = {}
        for i, label in enumerate(labels):
            seen[label] = seen.get(label, 0) + 1
            if seen[label] > 1:
                labels[i] = f"{label}_{seen[label]}"
        return tuple(labels)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.labels)

    def __call__(self, x: Any, q: Any) -> Any:
        """Place of a material point."""
        first = 0
        for part in self.primitives:
            x = part(x, q[first : first + part.n])
            first += part.n
        return x


@dataclass(frozen=True, eq=False)
class Network:
    """A displacement by a neural network, zero at the base: f = x + x_1/length (N(x, q) - N(x, 0)).

    Parameters
    ----------
    weights : sequence of (matrix (k_out, k_in), bias (k_out,))
        Layers; the first takes (x / length, q), 3 + n numbers, the last gives 3, m. Between them tanh.
    length : float
        m.
    """

    weights: Sequence[tuple[Any, Any]]
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", positive_float(self.length, "Network: length", "m"))
        layers: list[tuple[Array, Array]] = []
        size: int | None = None
        for i, layer in enumerate(self.weights if isinstance(self.weights, Sequence) else [self.weights]):
            if not isinstance(layer, Sequence) or isinstance(layer, str) or len(layer) != 2:
                raise ModelError(f"Network: layer {i + 1} is {shown(layer)}, must be (matrix, bias)")
            matrix, bias = layer
            made = real_array(matrix, f"Network: matrix of layer {i + 1}")
            if made.ndim != 2 or (size is not None and made.shape[1] != size):
                wanted = size or "3 + n"
                raise ModelError(f"Network: matrix of layer {i + 1} has shape {made.shape}, must be (k, {wanted})")
            made = finite_array(made, made.shape, f"Network: matrix of layer {i + 1}")
            layers.append((made, finite_array(bias, (len(made),), f"Network: bias of layer {i + 1}")))
            size = len(made)
        if size != 3 or layers[0][0].shape[1] < 4:
            raise ModelError("Network: the first layer must take 3 + n numbers, n > 0, the last must give 3")
        object.__setattr__(self, "weights", tuple(layers))

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return int(np.shape(self.weights[0][0])[1]) - 3

    def _run(self, x: Any, q: Any) -> Any:
        value = np.concatenate([x / self.length, q])
        for i, (matrix, bias) in enumerate(self.weights):
            value = matrix @ value + bias
            value = np.tanh(value) if i < len(self.weights) - 1 else value
        return value

    def __call__(self, x: Any, q: Any) -> Any:
        """Place of a material point."""
        return x + x[0] / self.length * (self._run(x, q) - self._run(x, 0.0 * q))


def polynomial_modes(length: float, order: int) -> list[Mode]:
    """Modes 1, x/length, ..., (x/length)^order."""
    return [PolynomialMode((0.0,) * k + (1.0,), length) for k in range(order + 1)]
