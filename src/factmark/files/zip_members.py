"""JSON files in a zip from elsewhere: nothing is unpacked to disk, and no more read than fits."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import path_to_open

MEMBER_LIMIT = 2**26
LOG_LIMIT = 2**30
VALUES_LIMIT = 2**21
MEMBERS_LIMIT = 1_000_000
_ZSTD = 93
_CHUNK = 2**20


class ZippedJson:
    """The JSON files of a zip; close its `zip`.

    Attributes:
        members: by name; the last of several with one name.

    Raises:
        InputError: it is no zip, or has too many files.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left = LOG_LIMIT
        try:
            self.zip = zipfile.ZipFile(path_to_open(path))
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"{path}: cannot be read as a log ({why}); is it whole?") from error
        entries = self.zip.infolist()
        if len(entries) > MEMBERS_LIMIT:
            self.zip.close()
            raise InputError(f"{path}: holds more than {MEMBERS_LIMIT:,} files.")
        self.members = {info.filename: info for info in entries if info.filename.endswith(".json")}

    def value(self, name: str) -> Any:
        """Returns the value of a file, of at most 64 MiB and about two million objects and lists.

        Raises:
            InputError: it is broken, too large (or all that were read are), encrypted, or
                compressed in a way not known here.
        """
        where = f"{self._path}, {name!r}"
        info = self.members[name]
        if info.flag_bits & 1:
            raise InputError(f"{where}: is encrypted.")
        try:
            data = self._unpack(where, info)
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

    def _unpack(self, where: str, info: zipfile.ZipInfo) -> bytearray:
        """A file's bytes, counted as they come: the size that the zip states is not relied on."""
        data = bytearray()
        if info.compress_type == _ZSTD:
            pieces = self._zstandard_pieces
        else:
            pieces = self._unpacked_pieces
        for piece in pieces(info):
            data += piece
            self._left -= len(piece)
            if len(data) > MEMBER_LIMIT:
                raise InputError(f"{where}: is larger than {MEMBER_LIMIT // 2**20} MiB unpacked.")
            if self._left < 0:
                limit = f"{LOG_LIMIT // 2**20:,} MiB"
                raise InputError(f"{where}: the log is larger than {limit} unpacked.")
        return data

    def _unpacked_pieces(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yields the bytes of a file piece by piece."""
        with self.zip.open(info) as stream:
            yield from iter(partial(stream.read, _CHUNK), b"")

    def _zstandard_pieces(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yields the bytes of a file compressed by Zstandard, which Python's zipfile cannot read
        before 3.14.
        """
        try:
            import zstandard
        except ImportError as error:
            raise InputError(
                f"{self._path}: is compressed with Zstandard, as inspect_ai does it. To read it: "
                "pip install zstandard"
            ) from error
        with self._path.open("rb") as file:
            file.seek(info.header_offset)
            head = file.read(30)
            if head[:4] != b"PK\x03\x04":
                raise zipfile.BadZipFile("no file where one should be")
            names = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
            file.seek(names, 1)
            if info.compress_size > MEMBER_LIMIT:
                raise zipfile.BadZipFile("larger than it may be")
            packed = BytesIO(file.read(info.compress_size))
        try:
            with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
                packed, read_across_frames=True
            ) as stream:
                yield from iter(partial(stream.read, _CHUNK), b"")
        except zstandard.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from error
