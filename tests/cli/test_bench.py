"""``supple bench paper``: prints the tables of `supple.published`, and writes its numbers."""

import json
import sys
from types import SimpleNamespace

from command import inside

TIMES = [SimpleNamespace(key=key, heading=key, style="seconds") for key in ("ours", "paper")]


def text(value, style):
    return value if style == "text" else "-" if value is None else f"{value:.2f}"


def test_tables_and_file(capfd, tmp_path, monkeypatch):
    def run(systems, quick, progress):
        progress("measuring")
        columns = SimpleNamespace(key="system", heading="system", style="text"), *TIMES
        table = SimpleNamespace(
            title="Times", columns=columns, rows=[{"system": systems[0], "ours": 1.5}], note="quick"
        )
        return SimpleNamespace(tables=[table], as_json=lambda: json.dumps({"quick": quick}))

    monkeypatch.setitem(sys.modules, "supple.published", SimpleNamespace(run=run))
    monkeypatch.setitem(sys.modules, "supple.measure.tables", SimpleNamespace(text=text))
    file = tmp_path / "x.json"
    result = inside(capfd, "bench", "paper", "--quick", "--system", "Fin_Ray", "--json", str(file))
    assert result.code == 0, result.err
    assert result.out.split() == [
        *("Times", "system", "ours", "paper", "fin-ray", "1.50", "-", "quick", "saved", str(file))
    ]
    assert result.err == "measuring\n"
    assert json.loads(file.read_text()) == {"quick": True}
