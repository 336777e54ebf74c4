"""Bodies that move in given modes: displacements of the vertices of a tetrahedral mesh, or its own modes of vibration.

    f(x, q) = x + sum_j q_j phi_j(x),

phi_j linear in every tetrahedron.  With a linear material the stiffness of small strains is that of linear finite
elements, K = Phi^T K_FEM Phi, to rounding; with an energy density it is that of large ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, finite_float, real_array, shown, whole_number
from supple.errors import ModelError
from supple.robot.bodies.soft import SoftBody
from supple.robot.domains import Mesh
from supple.tracing.symbols import Symbol, sampled

#: Points that are looked for at once, and how near its base plane [of the mesh's size] a vertex is held.
CHUNK, NEAR = 256, 1e-6
#: Poisson's ratio of vibrations at most: linear elements lock beyond.
MOST_POISSON = 0.45


@dataclass(eq=False)
class Modal:
    """Kinematics x + sum q_j phi_j(x) of modes on a tetrahedral mesh.

    Parameters
    ----------
    mesh : Mesh
        At rest.
    modes : (n, V, 3)
        Displacements of all vertices, m per unit of each coordinate.
    """

    mesh: Mesh
    modes: Any

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, Mesh):
            raise ModelError(f"Modal: mesh is {shown(self.mesh)}, must be a Mesh(vertices, tetrahedra)")
        given = real_array(self.modes, "Modal: modes")
        vertices, cells = np.asarray(self.mesh.vertices), np.asarray(self.mesh.tetrahedra)
        if given.ndim != 3 or given.shape[1:] != vertices.shape or not len(given):
            raise ModelError(f"Modal: modes has shape {given.shape}, must be (n, {len(vertices)}, 3)")
        self.modes = finite_array(given, given.shape, "Modal: modes")
        self.gradients = shape_gradients(vertices, cells)
        self._cells, self._corners = cells, vertices[cells]
        self._found: tuple[Array, Array, Array] | None = None

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.modes)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return tuple(f"mode_{j + 1}" for j in range(self.n))

    def __call__(self, x: Any, q: Any) -> Any:
        """Place of a material point."""
        return np.stack([x[i] + sum(q[j] * self._component(x, j, i) for j in range(self.n)) for i in range(3)])

    def _component(self, x: Any, j: int, i: int) -> Any:
        """Component i of mode j at a material point; None for a mode that does not have it."""
        if not self.modes[j, :, i].any():
            return 0.0
        if isinstance(x[0], Symbol):
            return sampled(self, (j, i, -1), x)
        return float(self.values(np.asarray(x, dtype=float)[None], (j, i, -1))[0])

    def values(self, x: Array, which: tuple[int, int, int]) -> Array:
        """Values (m,) at material points (m, 3) of component i of mode j (k = -1), or of its slope along axis k."""
        (j, i, k), (cell, weights) = which, self._locate(x)
        corners = self.modes[j, :, i][self._cells[cell]]
        if k < 0:
            return np.asarray(np.einsum("pc,pc->p", weights, corners))
        return np.asarray(np.einsum("pc,pc->p", self.gradients[cell, :, k], corners))

    def slope(self, which: tuple[int, int, int], axis: int) -> tuple[int, int, int] | None:
        """What `values` are the slopes of those along an axis; None: they have none."""
        j, i, k = which
        return (j, i, axis) if k < 0 else None

    def _locate(self, x: Array) -> tuple[Array, Array]:
        """Tetrahedra (m,) that hold points (m, 3), or are nearest to them, and weights (m, 4) of their corners."""
        if self._found is None or not np.array_equal(self._found[0], x):
            cells, weights = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 4))]
            for first in range(0, len(x), CHUNK):
                away = x[first : first + CHUNK, None] - self._corners[None, :, 0]
                inner = np.einsum("tck,ptk->ptc", self.gradients[:, 1:], away)
                own = np.concatenate([1.0 - inner.sum(axis=2, keepdims=True), inner], axis=2)
                best = own.min(axis=2).argmax(axis=1)
                cells.append(best)
                weights.append(own[np.arange(len(best)), best])
            self._found = x.copy(), np.concatenate(cells), np.concatenate(weights)
        return self._found[1], self._found[2]

    def __fingerprint__(self) -> Any:
        return self.mesh.vertices, self.mesh.tetrahedra, self.modes


def ModalBody(
    mesh: Mesh,
    modes: ArrayLike | int,
    material: Any = None,
    *,
    fixed: Sequence[int] | None = None,
    poisson: float | None = None,
    **options: Any,
) -> SoftBody:
    """A soft body that moves in modes on a mesh of tetrahedra.

    Parameters
    ----------
    mesh : Mesh
        At rest; the frame of the body's base is that of its vertices.
    modes : (n, V, 3) or int
        Displacements of all vertices in each mode, m per unit of its coordinate (from a reduced-order model, say); or
        how many: the slowest vibrations of the mesh by linear finite elements, scaled to a largest displacement of 1 m.
    material, options
        As for `SoftBody`: a linear `Material` gives the stiffness of the modes, `NeoHookean` that of large strains.
    fixed : sequence of int, optional
        Vertices that do not move, where modes are computed; default: all with the least x.
    poisson : float, optional
        Poisson's ratio of the vibrations; default: the material's, and 0.45 at most.

    Examples
    --------
    >>> vertices = [(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0), (1, 1, 1)]
    >>> mesh = Mesh(vertices, [(0, 1, 2, 3), (1, 2, 3, 4)])
    >>> from supple import Material
    >>> ModalBody(mesh, 2, Material(young=1e5, poisson=0.3, density=1000.0)).labels
    ('mode_1', 'mode_2')
    """
    if not isinstance(mesh, Mesh):
        raise ModelError(f"ModalBody: mesh is {shown(mesh)}, must be a Mesh(vertices, tetrahedra)")
    if not isinstance(modes, Sequence) and getattr(modes, "ndim", 0) == 0:
        modes = vibrations(mesh, whole_number(modes, "ModalBody: modes", 1), _ratio(material, poisson), fixed)
    return SoftBody(Modal(mesh, modes), mesh, material, moving_base=True, **options)


def _ratio(material: Any, poisson: Any) -> float:
    """Poisson's ratio of vibrations: as given, or the material's, and not so near to 1/2 that elements lock."""
    given = getattr(material, "poisson_ratio", getattr(material, "poisson", MOST_POISSON))
    ratio = finite_float(given if poisson is None else poisson, "ModalBody: poisson")
    if poisson is not None and not -1.0 < ratio <= 0.5:
        raise ModelError(f"ModalBody: poisson is {ratio:g}, must lie in (-1, 0.5]")
    return min(ratio, MOST_POISSON)


def shape_gradients(vertices: Array, cells: Array) -> Array:
    """Gradients (T, 4, 3) of the linear functions that are 1 at one corner of a tetrahedron."""
    a, b, c, d = np.moveaxis(vertices[cells], 1, 0)
    inner = np.linalg.inv(np.stack([b - a, c - a, d - a], axis=1))  # columns: gradients at b, c, d
    gradients = np.swapaxes(inner, 1, 2)
    return np.concatenate([-gradients.sum(axis=1, keepdims=True), gradients], axis=1)


def vibrations(mesh: Mesh, count: int, poisson: float, fixed: Sequence[int] | None = None) -> Array:
    """The ``count`` slowest modes (count, V, 3) of a mesh of unit density, largest displacement 1 m."""
    from scipy.sparse import coo_matrix  # type: ignore[import-untyped]
    from scipy.sparse.linalg import eigsh  # type: ignore[import-untyped]

    vertices, cells, volumes = np.asarray(mesh.vertices), np.asarray(mesh.tetrahedra), mesh.volumes
    held = _held(vertices, fixed)
    free = np.setdiff1d(np.arange(3 * len(vertices)), (3 * held[:, None] + np.arange(3)).ravel())
    if not 0 < count < len(free):
        raise ModelError(
            f"ModalBody: modes is {shown(count)}, must be less than {len(free)}, the numbers that move the mesh"
        )
    G = shape_gradients(vertices, cells)
    # small strains of shear modulus 1: 2 e : e + lambda (tr e)^2, entry (a i, b j) of a tetrahedron
    lame, eye = 2.0 * poisson / (1.0 - 2.0 * poisson), np.eye(3)
    K = np.einsum("tak,tbk,ij->taibj", G, G, eye) + np.einsum("taj,tbi->taibj", G, G)
    K = (K + lame * np.einsum("tai,tbj->taibj", G, G)) * volumes[:, None, None, None, None]
    M = np.einsum("ab,ij,t->taibj", (np.ones((4, 4)) + np.eye(4)) / 20.0, eye, volumes)
    index = (3 * cells[:, :, None] + np.arange(3)).reshape(len(cells), 12)
    rows, columns = np.repeat(index, 12, axis=1).ravel(), np.tile(index, (1, 12)).ravel()
    size = 3 * len(vertices)
    stiff, heavy = (coo_matrix((X.ravel(), (rows, columns)), (size, size)).tocsc()[free][:, free] for X in (K, M))
    if len(free) <= 600 or count > len(free) // 3:
        from scipy.linalg import eigh  # type: ignore[import-untyped]

        shapes = eigh(stiff.toarray(), heavy.toarray(), subset_by_index=(0, count - 1))[1]
    else:
        squares, shapes = eigsh(stiff, count, heavy, sigma=0.0, v0=np.ones(len(free)))
        shapes = shapes[:, np.argsort(squares)]
    flat = np.zeros((count, size))
    flat[:, free] = shapes.T
    modes = flat.reshape(count, -1, 3)
    largest = np.linalg.norm(modes, axis=2)
    at = largest.argmax(axis=1)
    peak = modes[np.arange(count), at]
    signs = np.sign(peak[np.arange(count), np.abs(peak).argmax(axis=1)])
    return np.asarray(modes * (signs / largest.max(axis=1))[:, None, None])


def _held(vertices: Array, fixed: Sequence[int] | None) -> np.ndarray:
    """Vertices that do not move."""
    if fixed is None:
        x = vertices[:, 0]
        held = np.flatnonzero(x <= x.min() + NEAR * np.ptp(vertices, axis=0).max())
    else:
        held = np.asarray(real_array(fixed, "ModalBody: fixed"))
        if held.ndim != 1 or not (held == np.floor(held)).all() or not ((held >= 0) & (held < len(vertices))).all():
            raise ModelError(f"ModalBody: fixed is {shown(fixed)}, must be vertices from 0 to {len(vertices) - 1}")
        held = held.astype(np.int64)
    if np.linalg.matrix_rank(vertices[held] - vertices[held[:1]], tol=1e-9 * np.ptp(vertices)) < 2:
        raise ModelError(
            f"ModalBody: fixed holds {len(held)} vertices on one line or point, about which the mesh would turn; give "
            "three or more that span a plane"
        )
    return held
