"""Writing the replica: complete or not there, with errors that say what to do."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Store

from factmark.dataspace import nquads, plan
from factmark.errors import InputError, StoreError
from factmark.io import dataspace
from factmark.io.dataspace import build_store, memory_store, write_nquads, write_trig

SCALE = 0.0005
DEMENTIA = NamedNode("https://ehds-prototype.example.org/graph/dementia")


def test_store_on_disk_holds_all_triples_and_the_empty_graph(tmp_path: Path) -> None:
    triples = build_store(tmp_path / "ehds", scale=SCALE)
    store = Store.read_only(str(tmp_path / "ehds"))
    assert len(store) == triples == "".join(nquads(plan(SCALE))).count("\n")
    assert store.contains_named_graph(DEMENTIA)
    assert [entry.name for entry in tmp_path.iterdir()] == ["ehds"]


def test_nquads_and_trig_files_load_to_the_same_number(tmp_path: Path) -> None:
    assert write_nquads(tmp_path / "a.nq", scale=SCALE) == write_trig(
        tmp_path / "a.trig", scale=SCALE
    )
    for name in ("a.nq", "a.trig"):
        store = Store()
        store.bulk_load(path=str(tmp_path / name))
        assert len(store) == len(memory_store(scale=SCALE))


def test_memory_store_has_the_empty_graph() -> None:
    assert memory_store(scale=SCALE).contains_named_graph(DEMENTIA)


def test_two_files_are_the_same(tmp_path: Path) -> None:
    for name in ("a.nq", "b.nq"):
        write_nquads(tmp_path / name, scale=SCALE, seed=2)
    assert (tmp_path / "a.nq").read_bytes() == (tmp_path / "b.nq").read_bytes()


def test_an_existing_target_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "a.nq"
    target.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        write_nquads(target, scale=SCALE)
    assert target.read_text() == "mine"


def test_an_existing_target_is_replaced_on_request(tmp_path: Path) -> None:
    build_store(tmp_path / "ehds", scale=SCALE)
    triples = build_store(tmp_path / "ehds", scale=0.002, replace=True)
    assert len(Store.read_only(str(tmp_path / "ehds"))) == triples
    assert [entry.name for entry in tmp_path.iterdir()] == ["ehds"]


@pytest.mark.parametrize("write", [build_store, write_nquads])
def test_an_interrupted_build_leaves_nothing(tmp_path: Path, write: object) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "x", scale=SCALE, progress=interrupt)  # type: ignore[operator]
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_replacement_keeps_the_old_one(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    write_nquads(tmp_path / "x.nq", scale=SCALE)
    before = (tmp_path / "x.nq").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        write_nquads(tmp_path / "x.nq", scale=SCALE, seed=9, replace=True, progress=interrupt)
    assert (tmp_path / "x.nq").read_bytes() == before


def test_what_a_killed_build_left_is_cleared(tmp_path: Path) -> None:
    left = tmp_path / ".ehds.part" / "new"
    left.mkdir(parents=True)
    (left / "CURRENT").write_text("half a store")
    build_store(tmp_path / "ehds", scale=SCALE)
    assert [entry.name for entry in tmp_path.iterdir()] == ["ehds"]


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

    def full(store: Store, wanted: object, progress: object) -> int:
        with Path("/dev/full").open("w") as file:
            file.write("x")
        return 0

    monkeypatch.setattr(dataspace, "_load", full)
    with pytest.raises(StoreError, match="disk is full"):
        build_store(tmp_path / "ehds", scale=SCALE)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        build_store(tmp_path / "file" / "ehds", scale=SCALE)


def test_progress_rises_to_the_total(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    write_nquads(tmp_path / "a.nq", scale=SCALE, progress=lambda *call: calls.append(call))
    write_trig(tmp_path / "a.trig", scale=SCALE, progress=lambda *call: calls.append(call))
    total = plan(SCALE).blocks
    assert calls[-1] == (total, total)
    assert all(done <= of == total for done, of in calls)
    assert calls.count((total, total)) == 2
