"""A folder of runs: one file per run, written whole or not at all, and an index that says what they are.

The index (``index.json``) tells what the runs have in common by digests, what is special to each, and which failed.
Whether a run is done is told by its file alone, so nothing is lost with a process that dies; the index is written now
and then, and at the end.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from supple.batch.failure import Failure
from supple.checks import file_path, shown
from supple.errors import StorageError, warn
from supple.fingerprint import fingerprint
from supple.storage import write_text

INDEX = "index.json"
FORMAT = 1
#: Seconds between two writings of the index.
PAUSE = 2.0


class RunFolder:
    """Files and index of many runs.

    Parameters
    ----------
    path : path
        The folder; it is made if it is not there.
    kind : str
        What the runs are, such as "motions".
    content : mapping of str to str
        What all runs have in common: name and digest.
    keys : sequence of str
        Digest of what is special to each run; "" where that cannot be told (`key_of`): such runs are made again.
    resume : bool
        Whether runs that are there with the same digest are kept; if not, everything begins anew.
    further : mapping, optional
        What else the index holds, as JSON.
    unknown : sequence of str
        What digests of ``content`` could not look into: who goes on is warned.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        kind: str,
        content: Mapping[str, str],
        keys: Sequence[str],
        resume: bool,
        further: Mapping[str, Any] | None = None,
        unknown: Sequence[str] = (),
    ) -> None:
        self.path = file_path(path, "folder", StorageError)
        self.kind, self.content, self.keys, self.further = kind, dict(content), list(keys), dict(further or {})
        self._lock, self._written, self._pause = threading.Lock(), time.monotonic(), PAUSE
        self.failures: dict[int, Failure] = {}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make the folder {self.path}: {error.strerror or error}") from error
        before = read_index(self.path, kind) if (self.path / INDEX).exists() else None
        if before is not None and resume:
            self._compare(before)
        old = before["keys"] if before is not None and resume else []
        #: numbers of the runs that are there already
        self.there = {i for i, key in enumerate(self.keys) if key and key in old[i : i + 1] and self.file(i).exists()}
        self._warn_of_unknown(len(old), unknown)
        for i in range(max(len(self.keys), len(before["keys"]) if before is not None else 0)):
            if i not in self.there:  # of other runs: a file says that its run is done
                _remove(self.file(i))
                _remove(self.part(i))
        self._write()

    def file(self, i: int) -> Path:
        """Where the result of a run is."""
        return run_file(self.path, i)

    def part(self, i: int) -> Path:
        """Where that is which a run left that failed."""
        return part_file(self.path, i)

    def note(self, failure: Failure | None = None) -> None:
        """Note that a run has ended; the index is written if that is long ago.  A disk that is full ends nothing."""
        with self._lock:
            if failure is not None:
                self.failures[failure.run] = failure
            if time.monotonic() - self._written < self._pause:
                return
            try:
                self._write()
            except StorageError:
                self._written = time.monotonic()  # at the end, it is told

    def close(self) -> None:
        """Write the index for the last time; a warning tells if that cannot be done."""
        with self._lock:
            try:
                self._write()
            except StorageError as error:
                warn(f"the index of {self.path} is not up to date: {error}; files of runs are whole")

    def _write(self) -> None:
        from supple import __version__

        began = time.monotonic()
        failures = [self.failures[i]._asdict() for i in sorted(self.failures)]
        index = {
            "kind": self.kind,
            "format": FORMAT,
            "version": __version__,
            "count": len(self.keys),
            "content": self.content,
            "failures": failures,
            **self.further,
            "keys": self.keys,
        }
        write_text(self.path / INDEX, json.dumps(index, indent=1))
        self._written = time.monotonic()
        self._pause = max(PAUSE, 20.0 * (self._written - began))  # a long index is written less often

    def _warn_of_unknown(self, old: int, unknown: Sequence[str]) -> None:
        """Say what could not be compared with the ``old`` runs that were there before."""
        again = sum(not key and self.file(i).exists() for i, key in enumerate(self.keys[:old]))
        if again:
            warn(f"{self.path}: {again} runs hold what cannot be looked into (a generator, say), and are made again")
        if unknown and self.there:
            warn(
                f"{self.path}: cannot tell whether all is as it was when its runs were made: {', '.join(unknown)} "
                "cannot be looked into; resume=False begins anew"
            )

    def _compare(self, before: Mapping[str, Any]) -> None:
        """Refuse to mix runs of different kinds in one folder."""
        different = [name for name, digest in self.content.items() if before["content"].get(name) != digest]
        if different:
            raise StorageError(
                f"{self.path} holds other {self.kind}: they differ in {', '.join(different)}; take another folder, or "
                "resume=False, which begins anew"
            )


def key_of(value: Any) -> str:
    """Digest of what is special to a run, to the last bit; "" if it holds what cannot be looked into."""
    digest, unknown = fingerprint(value, exact=True)
    return "" if unknown else digest


def run_file(folder: Path, i: int) -> Path:
    """Where the result of a run is."""
    return folder / f"run-{i:06d}.npz"


def part_file(folder: Path, i: int) -> Path:
    """Where that is which a run left that failed."""
    return folder / f"part-{i:06d}.npz"


def _remove(file: Path) -> None:
    """Delete a file, if it is there."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot delete {file}, which is of another run: {error.strerror or error}; take another folder"
        ) from error


def read_index(path: Path, kind: str) -> dict[str, Any]:
    """The index of a folder, with its main entries checked."""
    file = path / INDEX
    try:
        index = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"cannot read {file}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise StorageError(f"{file} is damaged: {error}") from None
    if not isinstance(index, dict) or index.get("kind") != kind:
        raise StorageError(f"{file} is no index of {kind}")
    if index.get("format") != FORMAT:
        raise StorageError(f"{file} is of format {index.get('format')!r}, which this version of supple does not know")
    keys, content = index.get("keys"), index.get("content")
    if not (isinstance(keys, list) and all(isinstance(key, str) for key in keys) and isinstance(content, dict)):
        raise StorageError(f"{file} is damaged: 'keys' or 'content' is missing")
    entries = index.get("failures", [])
    if not isinstance(entries, list):
        raise StorageError(f"{file} is damaged: 'failures' is {shown(entries)}, no list")
    failures = [Failure.read(entry) for entry in entries]
    count = len(keys)
    index["failures"] = {failure.run: failure for failure in failures if failure and 0 <= failure.run < count}
    return index
