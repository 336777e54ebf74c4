"""Scripts that compute what pages show: run them from the root, as in ``python -m docs.scripts.basis_study``."""
