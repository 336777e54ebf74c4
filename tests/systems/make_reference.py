"""Write tests/data/systems.json: where the systems go, and their energies, by converged runs.

``python tests/systems/make_reference.py [name ...]`` from the project's root; other systems keep their entries.
"""

import json
import sys
from pathlib import Path

import numpy as np

import supple as sp
from supple.systems import SYSTEMS

TARGET = Path(__file__).parent.parent / "data" / "systems.json"

#: Converged methods where a tight NDF would take too long.
CONVERGED = {"fin-ray": sp.GeneralizedAlpha(dt=5e-4)}


def reference(name):
    """Times, positions of watched stations, energies."""
    system = SYSTEMS[name]()
    model = system.compile()
    times = np.linspace(0.0, system.t_end, 21)
    motion = system.simulate(model, times, CONVERGED.get(name, sp.NDF(rtol=1e-7, atol=1e-9)), progress=False)
    return {
        "t": times.tolist(),
        "paths": system.paths(motion).round(8).tolist(),
        "energy": motion.energy()[:, :3].round(8).tolist(),
    }


if __name__ == "__main__":
    entries = json.loads(TARGET.read_text()) if TARGET.exists() else {}
    for name in sys.argv[1:] or SYSTEMS:
        print(name, flush=True)
        entries[name] = reference(name)
    lines = ",\n".join(f' "{name}": {json.dumps(entries[name])}' for name in entries)
    TARGET.write_text("{\n" + lines + "\n}\n")
