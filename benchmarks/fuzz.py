"""Do damaged inputs get past a reader? `python benchmarks/fuzz.py [TARGET ...]` (`make fuzz`).

Each target is a group of readers (`fuzz_targets.py`) and runs in a process of its own, guided by
the lines that an input reaches (atheris): valid inputs are cut at any byte, put into other
encodings, nested, repeated and mixed with pieces of their format. What reaches something new is
kept in `.fuzz/TARGET/inputs`, where the next run begins.

An escape is any exception but factmark's own errors, a process that dies, or an input (of at most
4 kB, a text 600 bytes: `long_texts.py` has the long ones) that takes over 4 s. In
`.fuzz/TARGET/escapes` is one input for each place that raises; each is tried once more without
instrumentation, and printed if it escapes again: then the status is 1.

`--minutes N` for all targets together (10); `TARGET --replay FILE -v` shows what it does with one.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / ".fuzz"
SECONDS, MEGABYTES = 4, 3_000
SLOWED = 5  # how much slower instrumented code is, at most
NAMES = ("replies", "answers", "prose", "tables", "objects", "columns", "graphs", "queries")
Move = Callable[[bytes, random.Random], bytes]


class TooSlowError(Exception):
    """A reader took longer than an input may."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Ends what is in it after so many seconds of the processor.

    Raises:
        TooSlowError: it took longer.
    """

    def end(number: int, frame: object) -> None:
        raise TooSlowError(f"over {seconds} s")

    signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def cut(data: bytes, dice: random.Random) -> bytes:
    """As a file that was not written to its end."""
    return data[: dice.randrange(len(data) + 1)]


def end_in_a_word(data: bytes, dice: random.Random) -> bytes:
    """As a text that was cut at a limit of words, with or without a sign behind the last one."""
    ends = [at for at, sign in enumerate(data) if sign in b" \n,.;"]
    end = dice.choice(ends) if ends else len(data)
    return data[:end] + dice.choice((b"", b"", b".", b",", b" "))


def drop(data: bytes, dice: random.Random) -> bytes:
    """Without a piece of it."""
    start, end = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def repeat(data: bytes, dice: random.Random) -> bytes:
    """With a piece of it many times."""
    start = dice.randrange(len(data) + 1)
    piece = data[start : start + dice.randint(1, 40)]
    return data[:start] + piece * dice.choice((2, 3, 20, 200)) + data[start:]


def rename(data: bytes, dice: random.Random) -> bytes:
    """With another name, the same wherever it stands."""
    start = dice.randrange(len(data) + 1)
    name = data[start : start + dice.randint(2, 6)]
    return data.replace(name, alter(name, dice)) if name else data


def nest(data: bytes, dice: random.Random) -> bytes:
    """Inside of many brackets, with or without those that close."""
    opening, closing = dice.choice(
        [
            (b"[", b"]"),
            (b'{"a":', b"}"),
            (b"(", b")"),
            (b"<a>", b"</a>"),
            (b'"', b'"'),
            (b"{", b"}"),
        ]
    )
    depth, at = dice.choice((1, 5, 200, 1_000)), dice.randrange(len(data) + 1)
    return opening * depth + data[at:] + closing * dice.choice((0, depth))


def encode(data: bytes, dice: random.Random) -> bytes:
    """In another encoding, or read in a wrong one."""
    text = data.decode("utf-8", "replace")
    to = dice.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252", "cp037"))
    if dice.random() < 0.3:
        return data.decode("latin-1").encode("utf-8")
    return text.encode(to, "replace")


def alter(data: bytes, dice: random.Random) -> bytes:
    """With a few other bytes."""
    out = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 8)) if out else 0):
        at = dice.randrange(len(out))
        out[at] = (
            dice.choice((out[at] ^ 1 << dice.randrange(8), dice.randrange(256), out[at] + 1)) % 256
        )
    return bytes(out)


MOVES: tuple[Move, ...] = (
    cut,
    cut,
    end_in_a_word,
    end_in_a_word,
    drop,
    rename,
    repeat,
    nest,
    encode,
)


def mutator(words: Sequence[bytes]) -> Callable[..., bytes]:
    """A mutator of inputs: the moves, words of the format, and other bytes."""

    def changed(data: bytes, max_size: int, seed: int) -> bytes:
        dice = random.Random(seed)
        first, rest = data[:1], data[1:]
        for _ in range(dice.choice((1, 1, 2, 4))):
            chance = dice.random()
            if chance < 0.4:
                rest = dice.choice(MOVES)(rest, dice)
            elif chance < 0.7:
                at = dice.randrange(len(rest) + 1)
                rest = rest[:at] + dice.choice(words) + rest[at + dice.choice((0, 0, 1, 5)) :]
            else:
                rest = alter(rest, dice)
        return (first + rest)[:max_size]

    return changed


def place_of(error: BaseException) -> str:
    """What was raised and by which line of the package: what makes two escapes one."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "factmark" in Path(frame.filename).parts]
    last = (ours or frames)[-1]
    if isinstance(error, TooSlowError | RecursionError):  # it ends anywhere
        readers = [frame for frame in frames if Path(frame.filename).stem == "fuzz_targets"]
        after = frames.index(readers[-1]) + 1 if readers else 0
        last = frames[min(after, len(frames) - 1)]
    return f"{type(error).__name__} {Path(last.filename).stem}.{last.name}:{last.lineno}"


def fuzz(name: str, seconds: int) -> None:
    """Fuzzes a target in this process, which ends with it."""
    import atheris

    work = Path(tempfile.mkdtemp(prefix="fuzz-"))
    with atheris.instrument_imports(include=["factmark"]):
        from fuzz_targets import targets

        target = targets()[name]
        for seed in target.inputs():
            target.read(seed, work)  # what is imported late, too
    home = KEPT / name
    inputs, escapes = home / "inputs", home / "escapes"
    for folder in (inputs, escapes):
        folder.mkdir(parents=True, exist_ok=True)
    for seed in target.inputs():
        (inputs / hashlib.sha256(seed).hexdigest()[:20]).write_bytes(seed)

    def attempt(data: bytes) -> None:
        try:
            with limited(SECONDS * SLOWED):
                target.read(data, work)
        except Exception as error:
            place = place_of(error).replace("/", "_").replace(" ", "_")
            if not (escapes / place).exists():
                (escapes / place).write_bytes(data)

    options = [
        f"-max_total_time={seconds}",
        f"-max_len={target.longest}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-artifact_prefix={escapes}/",
        f"-timeout={SECONDS * SLOWED * 3}",
        str(inputs),
    ]
    atheris.Setup([sys.argv[0], *options], attempt, custom_mutator=mutator(target.words))
    atheris.Fuzz()


def replay(name: str, path: Path) -> int:
    """Gives an input to a target as users' files are given, and prints what it raises."""
    from fuzz_targets import targets

    with tempfile.TemporaryDirectory() as folder:
        try:
            with limited(SECONDS):
                targets()[name].read(path.read_bytes(), Path(folder))
        except Exception as error:
            print(place_of(error), str(error)[:200])
            if "-v" in sys.argv:
                traceback.print_exc()
            return 1
    return 0


def escapes_of(name: str, seconds: int) -> list[str]:
    """What escaped from a target, and does so again: file and what was raised."""
    home = KEPT / name
    home.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    own = [sys.executable, str(Path(__file__))]
    with (home / "log").open("wb") as log:
        subprocess.run(
            [*own, name, "--seconds", str(seconds)],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            check=False,
        )
    out = []
    for path in sorted((home / "escapes").iterdir()):
        again = [*own, name, "--replay", str(path)]
        done = subprocess.run(again, capture_output=True, encoding="utf-8", env=environment)
        if done.returncode == 0:
            path.unlink()
        else:
            why = done.stdout.strip() or f"the process ended with {done.returncode}"
            out.append(f"{path.relative_to(ROOT)}: {why}")
    return out


def executions(name: str) -> str:
    """How many inputs a target read, as libFuzzer's last line tells it."""
    lines = (KEPT / name / "log").read_text("utf-8", "replace").splitlines()
    counts = [line.split()[0].strip("#") for line in lines if line.startswith("#")]
    return counts[-1] if counts else "no"


def main() -> int:
    """Fuzzes targets, two at a time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--replay", type=Path, metavar="FILE")
    parser.add_argument("-v", action="store_true", help="with the traceback of a replay")
    parser.add_argument("--seconds", type=int, help=argparse.SUPPRESS)
    options: Any = parser.parse_args()
    for name in options.targets:
        if name not in NAMES:
            parser.error(f"{name}: none of {', '.join(NAMES)}")
    if options.replay:
        return replay(options.targets[0], options.replay)
    if options.seconds:
        fuzz(options.targets[0], options.seconds)
    names = options.targets or NAMES
    seconds = max(1, int(options.minutes * 60 * options.processes / len(names)))
    failed = 0
    with ThreadPoolExecutor(options.processes) as pool:
        found = pool.map(lambda name: escapes_of(name, seconds), names)
        for name, escapes in zip(names, found, strict=True):
            print(f"{name:8} {executions(name):>8} inputs, {len(escapes)} escapes", flush=True)
            print(*(f"    {escape}\n" for escape in escapes), sep="", end="", flush=True)
            failed += len(escapes)
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
