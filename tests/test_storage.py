"""Files are there whole or not at all."""

import io
import tracemalloc
from zipfile import ZIP_DEFLATED, ZipFile

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


# ---------------------------------------------------------------------- suspicious files


def bomb(path):
    """Ten gigabytes of zeros in ten megabytes."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive, archive.open("q.npy", "w", force_zip64=True) as member:
        member.write(header((10**9,)))
        for _ in range(10):
            member.write(bytes(10**6))


def header(shape, kind="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def archive(path, **members):
    with ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)


def objects(path):
    np.savez(path, kind=np.array("thing"), a=np.array([print], dtype=object))


def shared(path):
    """Two entries of the directory for the same bytes."""
    archive(path, **{"a.npy": header((100,)) + bytes(800)})
    content = bytearray(path.read_bytes())
    begin, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    entry, rest = content[begin:end], content[end:]
    rest[8:12] = (2).to_bytes(2, "little") * 2
    rest[12:16] = (2 * len(entry)).to_bytes(4, "little")
    path.write_bytes(content[:begin] + entry + entry.replace(b"a.npy", b"b.npy") + rest)


SUSPICIOUS = {
    "compressed": (bomb, "members are larger than the file|is compressed"),
    "huge shape": (lambda p: archive(p, **{"a.npy": header((10**15,))}), r"'a' should have shape \(10{15},\)"),
    "negative shape": (lambda p: archive(p, **{"a.npy": header((-5,)) + bytes(40)}), "cannot read"),
    "nested shape": (lambda p: archive(p, **{"a.npy": b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535}), "cannot read"),
    "objects": (objects, "'a' holds object, no plain numbers"),
    "shared bytes": (shared, "members are larger than the file|Overlapped|differ"),
    "bare array": (lambda p: p.write_bytes(header((3,)) + bytes(24)), "cannot read .*: File is not a zip file"),
    "another member": (lambda p: archive(p, **{"a.txt": b"hello"}), "it has a member 'a.txt'"),
    "no array": (lambda p: archive(p, **{"a.npy": b"hello"}), "cannot read"),
    "old format": (lambda p: archive(p, **{"a.npy": b"\x93NUMPY\x09\x00" + bytes(80)}), "cannot read"),
    "empty": (lambda p: p.write_bytes(b""), "cannot read"),
    "empty archive": (lambda p: archive(p), "'kind' is missing"),
    "kind of numbers": (lambda p: np.savez(p, kind=np.zeros(3)), "'kind' is no text"),
    "another kind": (lambda p: write_npz(p, {"kind": "dog"}), "is not a thing of supple"),
    "folder": (lambda p: p.mkdir(), "it is not a file"),
    "nothing": (lambda p: None, "there is no such file"),
}


@pytest.mark.parametrize("what", SUSPICIOUS)
def test_what_is_no_file_of_ours_is_refused_quickly(what, tmp_path):
    path, (make, message) = tmp_path / "x.npz", SUSPICIOUS[what]
    make(path)
    tracemalloc.start()
    with pytest.raises(StorageError, match=message):
        read_npz(path, "thing")
    assert tracemalloc.get_traced_memory()[1] < 2e7
    tracemalloc.stop()


def test_every_bit_is_guarded(tmp_path):
    """Whatever bit of a file flips: it is refused, or what is read is what was written."""
    arrays = {"kind": "thing", "a": np.arange(6.0).reshape(2, 3), "b": np.arange(3), "c": np.zeros((0, 4))}
    path = write_npz(tmp_path / "x", arrays)
    whole, refused = path.read_bytes(), 0
    places = range(0, 8 * len(whole), 23)
    for place in places:
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        try:
            found = read_npz(path, "thing")
        except StorageError:
            refused += 1
        else:
            assert sorted(found) == ["a", "b", "c", "format", "kind"]
            for key, value in arrays.items():
                np.testing.assert_array_equal(found[key], np.asarray(value))
    assert refused > 0.5 * len(places)
