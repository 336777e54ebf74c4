"""The site of all versions: ``python -m docs.scripts.site [FOLDER]`` builds the pages of this tree and adds them to it.

    FOLDER/
        index.html               leads to the newest release
        versions.json            what the selector in the header of every page lists
        model-file.schema.json   of the newest release, at the address that files name
        latest/                  a copy of the newest release, for links that stay
        0.1.0/ 0.2.0/ ...        a folder per version

Building a version again replaces its folder; others stay as they were built.  The folder is plain files: any server of
files can publish it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.scripts.version import ROOT, package_version

SCHEMA = "model-file.schema.json"
LATEST = "latest"

_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc|\.dev|\.post)\d+)*\Z")
_LEAD = '<meta http-equiv="refresh" content="0; url={0}/"><a href="{0}/">{0}</a>'
_INDEX = f'<!doctype html><meta charset="utf-8">{_LEAD}\n'


def order(version: str) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """What versions are sorted by: numbers, and a release behind what came before it."""
    release = tuple(int(n) for n in re.match(r"[\d.]*\d", version)[0].split("."))  # type: ignore[index]
    rest = version[re.match(r"[\d.]*\d", version).end() :]  # type: ignore[union-attr]
    rank = 2 if rest.startswith(".post") else 1 if not rest else 0 if "dev" not in rest else -1
    return release, rank, tuple(int(n) for n in re.findall(r"\d+", rest))


def is_release(version: str) -> bool:
    """Whether it is no development version or candidate."""
    return not re.search(r"a|b|rc|dev", version)


def publish(pages: Path, site: Path, version: str) -> list[str]:
    """Add built pages to a site as a version; all versions, newest first."""
    if not _VERSION.match(version):
        raise ValueError(f"{version!r} is no version")
    target = site / version
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(pages, target)
    folders = [folder.name for folder in site.iterdir() if folder.is_dir() and _VERSION.match(folder.name)]
    versions = sorted(folders, key=order, reverse=True)
    newest = next((name for name in versions if is_release(name)), versions[0])
    if (site / LATEST).exists():
        shutil.rmtree(site / LATEST)
    shutil.copytree(site / newest, site / LATEST)
    if (site / newest / SCHEMA).exists():
        shutil.copyfile(site / newest / SCHEMA, site / SCHEMA)
    listed = [{"version": name, "title": name, "aliases": [LATEST] if name == newest else []} for name in versions]
    (site / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    (site / "index.html").write_text(_INDEX.format(LATEST), encoding="utf-8")
    return versions


def main() -> int:
    """Build the pages of this tree and add them."""
    parser = argparse.ArgumentParser(prog="python -m docs.scripts.site", description="Pages of all versions.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "site", help="of the site (default: site)")
    site = parser.parse_args().folder
    site.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
        done = subprocess.run(build, cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
        versions = publish(Path(folder), site, package_version())
    print(f"{site}: {', '.join(versions)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
