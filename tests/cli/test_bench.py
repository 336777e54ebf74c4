"""``supple bench paper``: prints the tables of `supple.published`, and writes its numbers."""

import json
import sys
from types import SimpleNamespace

from command import inside


def test_tables_and_file(capfd, tmp_path, monkeypatch):
    def run(systems, quick, progress):
        progress("measuring")
        table = SimpleNamespace(title="Times", columns=("system", "s"), rows=[(systems[0], 1.5)])
        return SimpleNamespace(tables=[table], as_json=lambda: {"quick": quick})

    monkeypatch.setitem(sys.modules, "supple.published", SimpleNamespace(run=run))
    file = tmp_path / "x.json"
    result = inside(capfd, "bench", "paper", "--quick", "--system", "Fin_Ray", "--json", str(file))
    assert result.code == 0, result.err
    assert result.out.split() == ["Times", "system", "s", "fin-ray", "1.5", "saved", str(file)]
    assert result.err == "measuring\n"
    assert json.loads(file.read_text()) == {"quick": True}
