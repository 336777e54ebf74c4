"""``supple bench paper``: prints the tables of `supple.bench`, and writes its numbers."""

import json

from command import inside
from supple.bench import Report
from supple.bench.tables import Column, Table


def test_tables_and_file(capfd, tmp_path, monkeypatch):
    def run(systems, quick, progress):
        progress("measuring")
        columns = [Column("system", "system"), Column("ours", "ours", "seconds"), Column("paper", "paper", "seconds")]
        table = Table("Times", columns, [{"system": systems[0], "ours": 1.5}], "quick" if quick else "")
        return Report([table], {"cores": 2})

    monkeypatch.setattr("supple.bench.run", run)
    file = tmp_path / "x.json"
    result = inside(capfd, "bench", "paper", "--quick", "--system", "Fin_Ray", "--json", str(file))
    assert result.code == 0, result.err
    assert result.out.split() == [*("Times", "system", "ours", "paper", "fin-ray", "1.50", "quick", "saved", str(file))]
    assert result.err == "measuring\n"
    assert json.loads(file.read_text())["machine"] == {"cores": 2}


def test_a_system_without_a_table(capfd):
    result = inside(capfd, "bench", "paper", "--system", "drones")
    assert result.code == 2
    assert "no table of the papers has the system 'drones'" in result.err
