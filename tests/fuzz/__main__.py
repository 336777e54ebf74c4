"""``python -m tests.fuzz NAME --count N --seed S``: a campaign of any length; exit code 1 if something failed."""

import argparse
import importlib
import sys
import warnings
from functools import partial
from pathlib import Path

from . import CAMPAIGNS


def main() -> int:
    """Run a campaign and print what it found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("name", choices=[*CAMPAIGNS], help="; ".join(f"{k}: {v}" for k, v in CAMPAIGNS.items()))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1]))  # where `helpers` is, as for pytest
    warnings.simplefilter("ignore")
    campaign = importlib.import_module(f".{given.name}", __package__).campaign
    report = campaign(given.count, given.seed, partial(print, flush=True))
    print(report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
