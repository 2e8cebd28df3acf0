"""JSON files in a zip from elsewhere: nothing is unpacked to disk, and no more read than fits."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from factmark.errors import InputError

MEMBER_LIMIT = 2**26
LOG_LIMIT = 2**30
VALUES_LIMIT = 2**21
MEMBERS_LIMIT = 1_000_000
_ZSTD = 93
_CHUNK = 2**20


class Room:
    """How much of a log may still be unpacked.

    Attributes:
        left: bytes.
    """

    def __init__(self) -> None:
        self.left = LOG_LIMIT

    def take(self, size: int, where: str) -> None:
        """Counts unpacked bytes.

        Raises:
            InputError: if there is no room for them.
        """
        self.left -= size
        if self.left < 0:
            raise InputError(
                f"{where}: the log is larger than {LOG_LIMIT // 2**20:,} MiB unpacked."
            )


def json_members(path: Path) -> tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]:
    """The opened zip and its JSON files by name; the last of several with one name.

    Raises:
        InputError: if it is no zip.
    """
    try:
        opened = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read as a log ({why}); is it whole?") from error
    entries = opened.infolist()
    if len(entries) > MEMBERS_LIMIT:
        opened.close()
        raise InputError(f"{path}: holds more than {MEMBERS_LIMIT:,} files.")
    return opened, {info.filename: info for info in entries if info.filename.endswith(".json")}


def member_json(path: Path, opened: zipfile.ZipFile, info: zipfile.ZipInfo, room: Room) -> Any:
    """The value of a JSON file in a zip, of at most 64 MiB and about two million objects and lists.

    Raises:
        InputError: if it is broken, too large, encrypted or compressed in a way not known here.
    """
    where = f"{path}, {info.filename!r}"
    if info.flag_bits & 1:
        raise InputError(f"{where}: is encrypted.")
    try:
        data = b"".join(_bounded(_pieces(path, opened, info), where, room))
        if zlib.crc32(data) != info.CRC:
            raise InputError(f"{where}: is damaged (its checksum differs).")
        # Empty lists take 50 times the memory that they take in the file.
        if data.count(b"{") + data.count(b"[") > VALUES_LIMIT:
            raise InputError(f"{where}: holds more than {VALUES_LIMIT:,} objects and lists.")
        return json.loads(data)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise InputError(f"{where}: cannot be read ({error}).") from error
    except RecursionError as error:
        raise InputError(f"{where}: nested too deeply.") from error
    except ValueError as error:
        raise InputError(f"{where}: is no JSON ({error}).") from error


def _bounded(pieces: Iterator[bytes], where: str, room: Room) -> Iterator[bytes]:
    """The pieces; what the zip says of their size is not relied on."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MEMBER_LIMIT:
            raise InputError(f"{where}: is larger than {MEMBER_LIMIT // 2**20} MiB unpacked.")
        room.take(len(piece), where)
        yield piece


def _pieces(path: Path, opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    if info.compress_type == _ZSTD:
        yield from _unpacked(path, BytesIO(_raw(path, info)))
        return
    with opened.open(info) as member:
        yield from _read(member)


def _read(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(_CHUNK):
        yield piece


def _raw(path: Path, info: zipfile.ZipInfo) -> bytes:
    """A member as it is stored: Python's zip files know no Zstandard before 3.14."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        head = file.read(30)
        if head[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile("no file where one should be")
        names = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        file.seek(names, 1)
        if info.compress_size > MEMBER_LIMIT:
            raise zipfile.BadZipFile("larger than it may be")
        return file.read(info.compress_size)


def _unpacked(path: Path, packed: BytesIO) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError as error:
        raise InputError(
            f"{path}: is compressed with Zstandard, as inspect_ai does it. To read it: "
            "pip install zstandard"
        ) from error
    try:
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
            packed, read_across_frames=True
        ) as stream:
            yield from _read(stream)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error
