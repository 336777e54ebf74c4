"""``supple list``: names first, for people and for pipes."""

import json
import subprocess
import sys

from command import ENVIRONMENT, inside, process
from supple.cli.gallery import NAMES
from supple.systems import SYSTEMS


def test_every_line_of_a_pipe_begins_with_the_bare_name(tmp_path):
    result = process("list", folder=tmp_path)
    assert result.code == 0
    assert result.err == ""
    lines = result.out.splitlines()
    assert [line.split("\t")[0] for line in lines] == list(SYSTEMS)
    assert all(len(line.split("\t")) == 4 for line in lines)
    (line,) = [line for line in lines if line.startswith("fin-ray")]
    assert "17 links, 74 coordinates, 6 loops" in line
    assert "GVS-AD, Fig. 10" in line


def test_json(capfd):
    entries = json.loads(inside(capfd, "list", "--json").out)
    assert [entry["name"] for entry in entries] == list(SYSTEMS)
    assert all(entry["description"] and entry["coordinates"] > 0 for entry in entries)


def test_nothing_is_compiled_or_loaded_for_a_list():
    """Neither kernels nor SciPy, which take longer than all the rest."""
    heavy = {"scipy.interpolate", "scipy.optimize", "scipy.linalg", "scipy.sparse", "supple.bench", "viser"}
    script = f"import sys; from supple.cli.main import main; main(['list']); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
    assert done.stderr == ""


def test_names_are_known_before_the_systems_are():
    assert tuple(SYSTEMS) == NAMES
