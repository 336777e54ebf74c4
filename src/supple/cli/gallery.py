"""Names of the systems, for commands that must know them before the systems themselves are loaded."""

#: As in `supple.systems.SYSTEMS`, in its order.
NAMES = (
    "cable-manipulator",
    "serial-arm",
    "fin-ray",
    "parallel-robot",
    "contact-cylinder",
    "underwater-vehicle",
    "cantilever",
    "cantilever-stiff",
    "flying-rod",
    "flying-rod-stiff",
    "drones",
    "continuum-parallel-robot",
    "swimmer",
    "trimmed-helicoid",
    "hybrid-arm",
    "pcc-chain",
    "variable-radius",
    "pgc-arm",
    "pcc-arm",
    "pac-arm",
    "pcs-arm",
    "ur10-pcc",
    "pcc-regulation",
)
