"""Writing the replica: complete or not there, with errors that say what to do."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, Store

from factmark.ehds import write
from factmark.ehds.replica.generate import nquads
from factmark.ehds.replica.plan import plan
from factmark.ehds.write import build_store, memory_store, write_nquads, write_trig
from factmark.errors import InputError, StoreError
from factmark.stores.folder import FolderStore

SCALE = 0.0005
DEMENTIA = NamedNode("https://ehds-prototype.example.org/graph/dementia")
NEW = NamedNode("urn:a")


def copied(replica: Path, folder: Path) -> Path:
    return Path(shutil.copytree(replica, folder / "ehds"))


def test_store_on_disk_holds_all_triples_and_the_empty_graph(replica: Path) -> None:
    store = Store.read_only(str(replica))
    assert len(store) == "".join(nquads(plan(0.002))).count("\n")
    assert store.contains_named_graph(DEMENTIA)
    assert [entry.name for entry in replica.parent.iterdir()] == ["ehds"]


def test_nquads_and_trig_files_load_to_the_same_number(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    for make, name in ((write_nquads, "a.nq"), (write_trig, "a.trig")):
        make(tmp_path / name, scale=SCALE, progress=lambda *told: seen.append(told))
        store = Store()
        store.bulk_load(path=str(tmp_path / name))
        assert len(store) == len(memory_store(scale=SCALE))
        assert seen[-1] == (plan(SCALE).blocks, plan(SCALE).blocks)
    assert all(done <= total for done, total in seen)


def test_a_store_is_known_by_its_data(replica: Path, tmp_path: Path) -> None:
    before = FolderStore(replica).identity
    assert build_store(tmp_path / "ehds", scale=0.002) > 0
    assert FolderStore(tmp_path / "ehds").identity == before
    assert before.startswith("folder:ehds@replica-0.002-0-")
    Store(str(tmp_path / "ehds")).add(Quad(NEW, NEW, NEW))
    assert "replica" not in FolderStore(tmp_path / "ehds").identity


def test_a_broken_description_is_passed_over(replica: Path, tmp_path: Path) -> None:
    copy = copied(replica, tmp_path)
    for text in ("", "[]", "{", "{}", '{"content": 1, "files": "x"}', "[" * 9999):
        (copy / "factmark.json").write_text(text)
        assert "replica" not in FolderStore(copy).identity


def test_an_existing_target_is_replaced_on_request_only(tmp_path: Path) -> None:
    target = tmp_path / "a.nq"
    target.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        write_nquads(target, scale=SCALE)
    assert target.read_text() == "mine"
    triples = write_nquads(target, scale=SCALE, replace=True)
    assert target.read_text().count("\n") == triples


def test_an_empty_folder_and_a_store_that_was_written_to_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "ehds"
    folder.mkdir()
    build_store(folder, scale=SCALE, replace=True)
    Store(str(folder)).add(Quad(NEW, NEW, NEW))
    triples = build_store(folder, scale=SCALE, seed=1, replace=True)
    assert len(Store.read_only(str(folder))) == triples
    assert [entry.name for entry in tmp_path.iterdir()] == ["ehds"]


def test_what_is_not_ours_is_never_replaced(replica: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    store = copied(replica, tmp_path)
    (store / "notes.txt").write_text("mine too")
    for target in (mine, store, mine / "thesis.tex"):
        with pytest.raises(InputError, match="not replaced"):
            build_store(target, scale=SCALE, replace=True)
    assert (mine / "thesis.tex").read_text() == "years of work"
    assert (store / "notes.txt").exists()


def interrupt(_done: int, _total: int) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_build_leaves_nothing(tmp_path: Path) -> None:
    for make in (build_store, write_nquads):
        with pytest.raises(KeyboardInterrupt):
            make(tmp_path / "x", scale=SCALE, progress=interrupt)
        assert list(tmp_path.iterdir()) == []


def test_an_interrupted_replacement_keeps_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "x.nq"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_nquads(target, scale=SCALE, seed=9, replace=True, progress=interrupt)
    assert target.read_text() == "old"


def test_what_a_killed_build_left_is_cleared(tmp_path: Path) -> None:
    left = tmp_path / ".a.nq.part" / "new"
    left.mkdir(parents=True)
    (left / "CURRENT").write_text("half a store")
    write_nquads(tmp_path / "a.nq", scale=SCALE)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.nq"]


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


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")

    def full(*_: object) -> int:
        with Path("/dev/full").open("w") as file:
            file.write("x")
        return 0

    monkeypatch.setattr(write, "_load", full)
    with pytest.raises(StoreError, match="disk is full"):
        build_store(tmp_path / "ehds", scale=SCALE)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        build_store(tmp_path / "file" / "ehds", scale=SCALE)
