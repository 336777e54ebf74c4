"""Files are there whole or not at all."""

import numpy as np
import pytest

from supple.errors import StorageError
from supple.storage import read_npz, replacing, write_npz, write_text


def test_what_is_written_can_be_read(tmp_path):
    file = write_npz(tmp_path / "x", {"kind": "thing", "a": np.arange(3)})
    assert file == tmp_path / "x.npz"
    np.testing.assert_array_equal(read_npz(file, "thing")["a"], [0, 1, 2])
    assert write_text(tmp_path / "x.txt", "näher").read_text(encoding="utf-8") == "näher"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.npz", "x.txt"]


def test_a_failure_leaves_what_was_there(tmp_path):
    file = write_text(tmp_path / "x.txt", "old")

    def fail():
        with replacing(file) as new:
            new.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with pytest.raises(StorageError, match=r"cannot write .*x.txt: No space left on device"), replacing(file):
        raise OSError(28, "No space left on device")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(StorageError, match=r"cannot write .*/x.txt: No such file or directory"):
        write_text(tmp_path / "nowhere" / "x.txt", "")
