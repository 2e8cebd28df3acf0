"""Writing the replica: complete or not there, with errors that say what to do."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, Store

from factmark.ehds import write as dataspace
from factmark.ehds.replica.generate import nquads
from factmark.ehds.replica.plan import plan
from factmark.ehds.write import build_store, memory_store, write_nquads, write_trig
from factmark.errors import InputError, StoreError
from factmark.stores.folder import FolderStore

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


def test_a_folder_with_other_files_is_never_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="other files than a store's; it is not replaced"):
        build_store(mine, scale=SCALE, replace=True)
    assert (mine / "thesis.tex").read_text() == "years of work"

    build_store(tmp_path / "ehds", scale=SCALE)
    (tmp_path / "ehds" / "notes.txt").write_text("mine too")
    with pytest.raises(InputError, match="not replaced"):
        build_store(tmp_path / "ehds", scale=SCALE, replace=True)
    assert (tmp_path / "ehds" / "notes.txt").exists()


def test_a_file_of_another_kind_is_never_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "thesis.tex"
    mine.write_text("years of work")
    with pytest.raises(InputError, match=r"does not end in \.nq"):
        write_nquads(mine, scale=SCALE, replace=True)
    assert mine.read_text() == "years of work"


def test_what_is_empty_and_a_store_that_was_written_to_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "ehds"
    folder.mkdir()
    build_store(folder, scale=SCALE, replace=True)
    name = NamedNode("urn:a")
    Store(str(folder)).add(Quad(name, name, name))
    build_store(folder, scale=SCALE, replace=True)
    assert not list(Store.read_only(str(folder)).quads_for_pattern(name, None, None))


def test_two_builds_of_the_same_data_are_told_the_same(tmp_path: Path) -> None:
    names = [tmp_path / place / "ehds" for place in "abc"]
    for folder, seed in zip(names, (3, 3, 4), strict=True):
        build_store(folder, scale=SCALE, seed=seed)
    first, second, third = (FolderStore(folder).identity for folder in names)
    assert first == second != third
    assert first.startswith(f"folder:ehds@replica-{SCALE}-3-")


def test_a_store_that_was_written_to_is_another(tmp_path: Path) -> None:
    build_store(tmp_path / "ehds", scale=SCALE)
    before = FolderStore(tmp_path / "ehds").identity
    assert len(Store.read_only(str(tmp_path / "ehds"))) > 0
    assert FolderStore(tmp_path / "ehds").identity == before
    name = NamedNode("urn:a")
    Store(str(tmp_path / "ehds")).add(Quad(name, name, name))
    after = FolderStore(tmp_path / "ehds").identity
    assert after != before
    assert "replica" not in after


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"content": 1, "files": "x"}', "[" * 9999])
def test_a_broken_description_is_passed_over(tmp_path: Path, text: str) -> None:
    build_store(tmp_path / "ehds", scale=0.0001)
    (tmp_path / "ehds" / "factmark.json").write_text(text)
    assert "replica" not in FolderStore(tmp_path / "ehds").identity


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

    def full(store: Store, *others: object) -> int:
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
