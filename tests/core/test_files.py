"""Reading what may be no file: its bytes, or an OSError that says why not."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from nbcomponent.core.files import head_of, read_pieces, read_regular, resolved


def test_the_bytes_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 200_000)
    assert read_regular(tmp_path / "a") == b"x" * 200_000
    assert read_regular(str(tmp_path / "a"), 200_000) == b"x" * 200_000


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert read_regular(tmp_path / "a", 0) == b""


def test_a_file_that_tells_no_size() -> None:
    assert read_regular("/proc/self/status").startswith(b"Name:")


def test_a_file_with_too_many_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    with pytest.raises(OSError, match="it has 5 bytes or more; at most 4 are read") as caught:
        read_regular(tmp_path / "a", 4)
    assert caught.value.errno == errno.EFBIG


def test_a_source_without_an_end() -> None:
    with pytest.raises(OSError, match="at most 100,000 are read"):
        read_pieces(lambda count: b"x" * count, 100_000)


def test_a_source_that_gives_little_at_a_time() -> None:
    left = [b"ab", b"c", b"d"]
    assert read_pieces(lambda _: left.pop(0) if left else b"", 4) == b"abcd"


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(OSError, match=r"null|surrogates") as caught:
        read_regular(path)
    assert caught.value.errno == errno.EINVAL


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a")
    with pytest.raises(OSError, match="it is a pipe, not a file"):
        read_regular(tmp_path / "a")
    with pytest.raises(OSError, match="it is a pipe, not a file"):
        head_of(tmp_path / "a", 10)
    with pytest.raises(OSError, match="No such device or address"):  # nobody reads from it
        os.open(tmp_path / "a", os.O_WRONLY | os.O_NONBLOCK)


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="it is a folder, not a file"):
        read_regular(tmp_path)


def test_the_head_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert head_of(tmp_path / "a", 3) == b"123"


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        read_regular(tmp_path / "a")
    if sys.version_info >= (3, 13):
        assert resolved(tmp_path / "a").parent == tmp_path  # as far as it can be followed
    else:
        with pytest.raises(OSError, match="Too many levels of symbolic links"):
            resolved(tmp_path / "a")
