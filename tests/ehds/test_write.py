"""The replica: the same bytes always, complete or not there, with errors that say what to do."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, RdfFormat, Store, parse

from factmark.ehds import write
from factmark.ehds.replica.facts import COHORTS
from factmark.ehds.replica.generate import nquads, trig
from factmark.ehds.replica.patients import assign_patients
from factmark.ehds.replica.plan import plan
from factmark.ehds.replica.writing import EHDS
from factmark.ehds.write import build_store, write_quads
from factmark.errors import InputError, StoreError
from factmark.stores.folder import FolderStore

SCALE = 0.0005
NEW = NamedNode("urn:a")
BYTES = {
    0: "fd184cdde5adf151f6e9364ce95096f943cf6834ef1ce0b26c8ed7075ae56c0f",
    3: "b3e87ed0d90f8ec84066e6f00544dfcb170826477a87f901aa974b636b844b73",
}
PRINT_HASH = f"""
import hashlib
from factmark.ehds.replica.generate import nquads
from factmark.ehds.replica.plan import plan
print(hashlib.sha256("".join(nquads(plan({SCALE}, 3))).encode()).hexdigest())
"""


def test_the_bytes_are_those_of_all_versions() -> None:
    """Recorded ground truths and identities of stores rest on them."""
    assert hashlib.sha256("".join(nquads(plan(SCALE, 0))).encode()).hexdigest() == BYTES[0]
    done = subprocess.run(
        [sys.executable, "-c", PRINT_HASH],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == BYTES[3]


def test_each_line_is_a_quad_told_once_in_both_syntaxes() -> None:
    small = plan(SCALE, 1)
    text = "".join(nquads(small))
    quads = set(parse(text, format=RdfFormat.N_QUADS))
    assert len(quads) == text.count("\n")
    written = "".join(trig(small))
    assert set(parse(written, format=RdfFormat.TRIG)) == quads
    assert "/graph/dementia> {}" in written


@pytest.mark.parametrize("scale", [0, -1, 1.01, float("nan"), float("inf")])
def test_a_scale_out_of_range_is_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        plan(scale)


@settings(max_examples=5, deadline=None)
@given(st.integers())
def test_published_figures_of_patients_hold_for_every_seed(seed: int) -> None:
    members = assign_patients(seed)
    everybody = {p.id: p for patients in members.values() for p in patients}
    assert len(everybody) == 573
    assert {c: len({p.id for p in patients}) for c, patients in members.items()} == {
        c.id: c.patients for c in COHORTS if c.patients
    }
    assert sum(p.no_ai_training for p in everybody.values()) == 168
    assert sum(p.no_ai_training for p in members["breast-cancer"]) == 2
    assert sum(p.gender == "female" for p in members["ptsd"]) == 1
    assert sum(p.gender == "female" for p in members["obesity"]) == 25
    assert min(p.birth_year for p in members["alzheimers"]) == 1916
    assert {p.race for p in members["chronic-pain"]} == {"White"}


def test_all_forms_hold_the_same_triples(replica: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    wanted = plan(0.0002)
    triples = 0
    for form, text, name in (("nquads", nquads, "a.nq"), ("trig", trig, "a.trig")):
        triples = write_quads(
            tmp_path / name, form=form, scale=0.0002, progress=lambda *told: seen.append(told)
        )
        assert (tmp_path / name).read_text() == "".join(text(wanted))
        assert seen[-1] == (wanted.blocks, wanted.blocks)
    store = Store.read_only(str(replica))
    assert len(store) == triples
    assert store.contains_named_graph(NamedNode(f"{EHDS}graph/dementia"))
    assert {entry.name for entry in tmp_path.iterdir()} == {"a.nq", "a.trig"}


def test_other_data_under_the_same_names_make_another_store(replica: Path, tmp_path: Path) -> None:
    build_store(tmp_path / "ehds", scale=0.0002, seed=1)
    identities = [FolderStore(path).identity for path in (replica, tmp_path / "ehds")]
    assert identities[0][-12:] != identities[1][-12:]  # the digest of what is in it


def test_a_store_is_known_by_its_data(replica: Path, tmp_path: Path) -> None:
    before = FolderStore(replica).identity
    copy = tmp_path / "ehds"
    copy.mkdir()  # what is empty is replaced
    build_store(copy, scale=0.0002, replace=True)
    assert FolderStore(copy).identity == before
    assert before.startswith("folder:ehds@replica-0.0002-0-")
    Store(str(copy)).add(Quad(NEW, NEW, NEW))
    assert "replica" not in FolderStore(copy).identity
    for text in ("", "[]", "{", '{"content": 1, "files": "x"}', "[" * 9999):
        (copy / "factmark.json").write_text(text)
        assert "replica" not in FolderStore(copy).identity
    triples = write_quads(copy, scale=0.0002, replace=True)  # though it was written to
    assert copy.read_text().count("\n") == triples
    assert [entry.name for entry in tmp_path.iterdir()] == ["ehds"]


def test_an_existing_target_is_replaced_on_request_only(tmp_path: Path) -> None:
    target = tmp_path / "a.nq"
    target.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        write_quads(target, scale=SCALE)
    assert target.read_text() == "mine"
    triples = write_quads(target, scale=SCALE, replace=True)
    assert target.read_text().count("\n") == triples


def test_what_is_not_ours_is_never_replaced(replica: Path, tmp_path: Path) -> None:
    thesis = tmp_path / "mine" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("years of work")
    store = Path(shutil.copytree(replica, tmp_path / "ehds"))
    (store / "notes.txt").write_text("mine too")
    for target in (thesis.parent, store, thesis):
        with pytest.raises(InputError, match="not replaced"):
            build_store(target, scale=SCALE, replace=True)
    assert thesis.read_text() == "years of work"
    assert (store / "notes.txt").exists()


def interrupt(_done: int, _total: int) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_build_changes_nothing(tmp_path: Path) -> None:
    for make in (build_store, write_quads):
        with pytest.raises(KeyboardInterrupt):
            make(tmp_path / "x", scale=SCALE, progress=interrupt)
        assert list(tmp_path.iterdir()) == []
    target = tmp_path / "x.nq"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_quads(target, scale=SCALE, seed=9, replace=True, progress=interrupt)
    assert target.read_text() == "old"


KILLED = """
import os, signal, sys
from factmark.ehds.write import write_quads
write_quads(sys.argv[1], scale=0.001, progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_what_a_killed_build_left_is_cleared(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.nq")], check=False)
    assert (tmp_path / ".a.nq.part" / "new").stat().st_size
    write_quads(tmp_path / "a.nq", scale=SCALE)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.nq"]


@pytest.mark.parametrize("kind", ["folder", "empty folder", "file", "link"])
def test_what_stands_where_it_builds_is_kept(tmp_path: Path, kind: str) -> None:
    folder, mine = tmp_path / ".a.nq.part", tmp_path / "mine" / "thesis.tex"
    mine.parent.mkdir()
    mine.write_text("years of work")
    if kind == "link":
        folder.symlink_to(mine.parent)
    elif kind == "file":
        folder.write_text("mine")
    else:
        folder.mkdir()
        if kind == "folder":
            (folder / "notes.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError, match="in the way"):
        write_quads(tmp_path / "a.nq", scale=SCALE)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_store_that_factmark_did_not_build_is_not_replaced(tmp_path: Path) -> None:
    """The demo replaces `dataspace` in its folder without being asked to."""
    Store(str(tmp_path / "dataspace")).add(Quad(NEW, NEW, NEW))
    with pytest.raises(InputError, match="not replaced"):
        build_store(tmp_path / "dataspace", scale=SCALE, replace=True)
    assert len(Store.read_only(str(tmp_path / "dataspace"))) == 1


def test_two_builds_of_one_target_do_not_meet(tmp_path: Path) -> None:
    folder = tmp_path / ".ehds.part"
    folder.mkdir()
    other = os.open(folder, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    try:
        with pytest.raises(StoreError, match="Another process"):
            build_store(tmp_path / "ehds", scale=SCALE)
    finally:
        os.close(other)
    assert folder.exists()


def test_a_place_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        build_store(tmp_path / "file" / "ehds", scale=SCALE)

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(write, "_load_graphs", full)
    with pytest.raises(StoreError, match="disk is full"):
        build_store(tmp_path / "ehds", scale=SCALE)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
