"""Logs of inspect_ai, as `.eval` or as JSON: their head, and their samples with all their texts.

A log keeps long texts apart, under `attachments`, and names them where they belong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.files.zip_members import ZippedJson

LOG = ".eval"
"""How the name of a log ends that is a zip with a file for each sample."""

# characters of long texts that are put back
SAMPLE_LIMIT = 2**26
LOG_LIMIT = 2**28
_ATTACHED = "attachment://"
_MAX_DEPTH = 60
_HEADS = ("header.json", "_journal/start.json")
_SAMPLES = "samples/"
_NOT_READ = ("attachments", "events", "events_data", "timelines", "store")


def is_log(value: object) -> bool:
    """Whether a JSON value is a log of inspect_ai."""
    return isinstance(value, Mapping) and {"eval", "version"} <= value.keys()


def log_head(path: Path) -> Any:
    """Returns what an `.eval` log says of its run.

    Raises:
        InputError: it is no such log.
    """
    log = ZippedJson(path)
    with log.zip:
        head = next((name for name in _HEADS if name in log.members), None)
        if head is None:
            raise InputError(f"{path}: holds no header.json; it is no log of inspect_ai.")
        return log.value(head)


def log_samples(path: Path) -> Iterator[tuple[str, Any]]:
    """Yields the samples of an `.eval` log, read one at a time, each with its file's name.

    Raises:
        InputError: it is no such log, or the texts of a sample do not fit.
    """
    log = ZippedJson(path)
    with log.zip:
        names = sorted(name for name in log.members if name.startswith(_SAMPLES))
        yield from whole_samples(path, ((name, log.value(name)) for name in names))


def json_samples(path: Path, log: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the samples of a log in JSON, each with its place.

    Raises:
        InputError: the texts of a sample do not fit.
    """
    samples = log.get("samples")
    if isinstance(samples, list):
        named = ((f"sample {number}", sample) for number, sample in enumerate(samples, start=1))
        yield from whole_samples(path, named)


def whole_samples(path: Path, samples: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yields samples with their long texts in place and without lone surrogates, and without what
    nobody reads; what is no object comes as it is.

    Raises:
        InputError: a sample is nested too deeply, or more than 64 Mi characters in a sample or
            256 Mi in a log would be put back: one long text may be named many times.
    """
    attachments = _Attachments()
    for where, sample in samples:
        if isinstance(sample, Mapping):
            try:
                sample = attachments.whole(sample)
            except _UnfitError as error:
                raise InputError(f"{path}, {where}: {error}.") from error
        yield where, sample


class _UnfitError(ValueError):
    """Why the texts of a sample are not put back."""


class _Attachments:
    """Puts long texts back sample by sample, as far as they fit."""

    def __init__(self) -> None:
        self._in_log = 0

    def whole(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a sample with its long texts."""
        given = sample.get("attachments")
        texts = {}
        for name, text in given.items() if isinstance(given, Mapping) else ():
            if isinstance(text, str):
                texts[_ATTACHED + str(name)] = without_surrogates(text)
        before = self._in_log
        limit = min(SAMPLE_LIMIT, LOG_LIMIT - self._in_log)

        def put_back(value: Any, depth: int = 1) -> Any:
            if depth > _MAX_DEPTH:
                raise _UnfitError("is nested too deeply")
            if isinstance(value, dict):
                return {key: put_back(inner, depth + 1) for key, inner in value.items()}
            if isinstance(value, list):
                return [put_back(inner, depth + 1) for inner in value]
            if not isinstance(value, str) or value not in texts:
                if isinstance(value, str):
                    return without_surrogates(value)
                return value
            self._in_log += len(texts[value])
            if self._in_log - before > limit:
                raise _UnfitError("its attachments are named so often that they do not fit")
            return texts[value]

        return {name: put_back(part) for name, part in sample.items() if name not in _NOT_READ}
