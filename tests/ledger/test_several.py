"""Several ledgers read as one, and one divided: what all commands say of parts is what they say of
the whole."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from factmark.files.shards import Shard
from factmark.ledger.ledger import Ledger
from factmark.ledger.shards.merge import merge_ledgers
from factmark.ledger.shards.split import split_ledger
from servers.model_server import Running
from shell import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A graph of forty triples with ten passages, judged whole and in three parts."""
    with (tmp_path / "t.csv").open("w", newline="") as triples:
        write = csv.writer(triples).writerow
        write(["id", "head", "relation", "tail", "passage"])
        for n in range(40):
            text = f"Passage {n // 4}: Drug {n} treats illness {n}."
            write([n, f"Drug {n}", "treats", f"illness {n + n % 3}", text])
    judge(tmp_path, "as_one1.db")
    for part in (1, 2, 3):
        judge(tmp_path, f"parts/{part}.db", "--shard", f"{part}/3")
    return tmp_path


def judge(folder: Path, ledger: str, *more: object) -> dict[str, Any]:
    """Judges the graph by rules."""
    command = ("graph", "factscore", "t.csv", "--ledger", ledger, "--json", *more)
    done = run(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def contents(path: Path) -> list[list[tuple[object, ...]]]:
    """What a ledger holds, but its numbers."""
    queries = (
        "SELECT * FROM items ORDER BY id",
        "SELECT id, item, kind, text, data FROM whole_units ORDER BY id",
        "SELECT unit, judge, status, label, reason, call FROM verdicts "
        "ORDER BY unit, judge, number",
        "SELECT source, place, id, unit FROM user_rows ORDER BY source, place",
        "SELECT key, text, cost FROM calls ORDER BY key, number",
        "SELECT calls, tokens FROM spends ORDER BY run",
    )
    with Ledger(path, read_only=True) as ledger:
        return [ledger.rows(query).fetchall() for query in queries]


@pytest.mark.parametrize(
    "command",
    [
        ("plan", "--ledger", "LEDGER", "--half-width", "0.05"),
        ("compare", "LEDGER", "other.db"),
        ("ledger", "export", "LEDGER", "out.jsonl"),
    ],
    ids=lambda command: command[0],
)
def test_a_command_reads_parts_as_the_whole(folder: Path, command: tuple[str, ...]) -> None:
    judge(folder, "other.db", "--judge", "rules")
    printed = []
    for name in ("as_one1.db", "parts/*.db"):
        given = [name if word == "LEDGER" else word for word in command]
        done = run(*given, cwd=folder)
        text = done.stdout.replace(name, "LEDGER")
        if (folder / "out.jsonl").exists():
            rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
            for row in rows:
                del row["time"]
            text = sorted(map(json.dumps, rows))
        printed.append((done.returncode, text))
    assert printed[0] == printed[1]
    assert printed[0][0] in (0, 1)
    assert printed[0][1], done.stderr


def test_info_sums_what_parts_hold_and_what_their_runs_took(folder: Path) -> None:
    done = run("ledger", "info", "parts/*.db", "--json", cwd=folder)
    held = json.loads(done.stdout)
    assert held["details"]["rows"]["verdicts"] == 40
    assert held["details"]["bytes"] == sum(
        path.stat().st_size for path in (folder / "parts").glob("*.db")
    )


def test_what_models_cost_in_parts_is_summed(folder: Path, server: Running) -> None:
    (folder / "prices.toml").write_text('[models."m"]\ninput = 10.0\noutput = 10.0\n')
    asked = ("--judge", "openai:m", "--base-url", server.base_url, "--prices", "prices.toml")
    for part in (1, 2, 3):
        judge(folder, f"asked/{part}.db", "--shard", f"{part}/3", *asked)
    held = json.loads(run("ledger", "info", "asked/*.db", "--json", cwd=folder).stdout)["details"]
    assert held["runs"]["runs"] == 3
    assert held["runs"]["calls"] == held["calls"]["replies"] == server.stats()["requests"] == 40
    assert held["runs"]["cost"] == pytest.approx(held["calls"]["cost"])


@pytest.mark.parametrize(
    "command",
    [
        ("graph", "factscore", "t.csv", "--ledger", "parts/*.db"),
        ("ledger", "reparse", "parts/*.db"),
        ("ledger", "compact", "parts/*.db"),
    ],
)
def test_a_command_that_writes_says_what_to_do(folder: Path, command: tuple[str, ...]) -> None:
    before = sorted(path.name for path in (folder / "parts").iterdir())
    done = run(*command, cwd=folder)
    assert done.returncode == 2
    assert "factmark ledger merge 'parts/*.db'" in done.stderr
    assert sorted(path.name for path in (folder / "parts").iterdir()) == before


def test_a_pattern_that_names_nothing_is_bad_input(folder: Path) -> None:
    done = run("ledger", "info", "lost/*.db", cwd=folder)
    assert (done.returncode, "no file has such a name" in done.stderr) == (2, True)


def test_parts_that_are_missing_stop_a_merge_that_knows_their_number(folder: Path) -> None:
    (folder / "parts" / "2.db").unlink()
    command = ("ledger", "merge", "parts/*.db", "--out", "all.db", "--parts", 3)
    done = run(*command, cwd=folder)
    assert done.returncode == 2
    assert "there are 2" in done.stderr
    assert not (folder / "all.db").exists()


def test_a_ledger_that_was_split_is_the_same_when_it_is_merged(
    folder: Path, server: Running
) -> None:
    asked = ("--judge", "openai:m", "--base-url", server.base_url, "--batch", "3")
    judge(folder, "as_one1.db", *asked)
    parts = split_ledger(folder / "as_one1.db", 5, folder / "five")
    assert sum(len(contents(part)[1]) for part in parts) == 40
    merge_ledgers(reversed(parts), folder / "again.db")
    assert contents(folder / "again.db") == contents(folder / "as_one1.db")
    assert run("ledger", "check", "five/*.db", cwd=folder).returncode == 0


def test_a_part_goes_on_with_its_ledger_and_asks_nothing(folder: Path, server: Running) -> None:
    asked = ("--judge", "openai:m", "--base-url", server.base_url)
    judge(folder, "asked.db", *asked)
    done = run("ledger", "split", "asked.db", "--parts", 3, "--out", "three", cwd=folder)
    assert done.returncode == 0, done.stderr
    server.reset()
    for part in (1, 2, 3):
        of_part = (*asked, "--shard", f"{part}/3")
        judged = judge(folder, f"three/{part}-of-3.db", *of_part)
        assert judged["details"]["judged_before"] == judged["details"]["units"] > 0
    assert server.stats()["requests"] == 0


def test_parts_of_a_ledger_never_take_the_place_of_files(folder: Path) -> None:
    (folder / "parts" / "2-of-2.db").write_bytes(b"mine")
    done = run("ledger", "split", "as_one1.db", "--parts", 2, "--out", "parts", cwd=folder)
    assert done.returncode == 2
    assert (folder / "parts" / "2-of-2.db").read_bytes() == b"mine"
    assert not (folder / "parts" / "1-of-2.db").exists()


def test_parquet_files_by_kind_and_judge_hold_every_row(folder: Path) -> None:
    run("ledger", "export", "as_one1.db", "all.jsonl", cwd=folder)
    done = run("ledger", "export", "parts/*.db", "parquet", "--format", "parquet", cwd=folder)
    assert done.returncode == 0, done.stderr
    with duckdb.connect() as db:
        query = f"SELECT * FROM read_parquet('{folder}/parquet/**/*.parquet', hive_partitioning=1)"
        read = db.execute(query).fetchall()
        names = [column[0] for column in db.description or ()]
    rows = [json.loads(line) for line in (folder / "all.jsonl").read_text().splitlines()]

    def sorted_rows(given: list[dict[str, Any]]) -> list[str]:
        return sorted(json.dumps({**row, "time": ""}, sort_keys=True) for row in given)

    assert sorted_rows([dict(zip(names, row, strict=True)) for row in read]) == sorted_rows(rows)
    again = run("ledger", "export", "as_one1.db", "parquet", "--format", "parquet", cwd=folder)
    assert again.returncode == 2


def test_every_group_is_in_one_part() -> None:
    groups = [f"passage {n}" for n in range(1000)]
    parts = [Shard(index=index, of=7) for index in range(1, 8)]
    held = [[group for group in groups if part.holds(group)] for part in parts]
    assert sorted(group for part in held for group in part) == sorted(groups)
    assert min(map(len, held)) > 100
