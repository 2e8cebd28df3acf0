"""Links: hashes in the ledger, tokens in a file of the owner's; the same ones at every start."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest

from campaigns import campaign_in, people, summaries
from factmark.errors import LedgerError
from factmark.ledger.campaigns import campaign_named, keyed_hash, links_of, secret_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.links import annotator_of, issue_links, link_file
from served_page import fetch, served
from shell import kept_ledger, run

SUMMARIES = Path(__file__).parents[2] / "examples" / "summaries" / "summaries.jsonl"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "c.db"
    with Ledger(path) as ledger:
        campaign_in(ledger, summaries(1), annotators=people("Ada", "Ben"))
    return path


def links(path: Path, *options: str, status: int = 0) -> dict[str, str | None]:
    done = run("annotate", "links", path, *options, "--json")
    assert done.returncode == status, done.stderr
    return {row["name"]: row["url"] for row in json.loads(done.stdout)["rows"]}


def issued(path: Path) -> dict[str, str]:
    with Ledger(path) as ledger:
        return issue_links(ledger, campaign_named(ledger))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_links_are_the_same_each_time_and_the_ledger_has_none(path: Path) -> None:
    first = links(path)
    assert links(path) == first
    assert len(set(first.values())) == 2
    tokens = [str(url).rpartition("/")[2].encode() for url in first.values()]
    held = path.read_bytes()
    assert not [token for token in tokens if token in held]
    assert all(hashlib.sha256(token).hexdigest().encode() in held for token in tokens)
    assert mode(link_file(path)) == 0o600
    with served(path) as page:
        assert {name: page.token(name).encode() for name in page.links} == dict(
            zip(first, tokens, strict=True)
        )


def test_links_of_a_lost_file_still_open_and_are_made_anew_on_demand(path: Path) -> None:
    before = issued(path)
    link_file(path).unlink()
    assert links(path) == {"Ada": None, "Ben": None}
    shown = run("annotate", "links", path).stdout
    assert "A2 Ben, 0 of 3 done: not in the file of links; --renew A2 makes another" in shown
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        assert annotator_of(ledger, known, before["A2"]) == known.annotators[1]
    after = links(path, "--renew", "Ada")
    assert after["Ben"] is None
    assert after["Ada"]
    assert before["A1"] not in str(after["Ada"])
    with Ledger(path) as ledger:
        assert annotator_of(ledger, campaign_named(ledger), before["A1"]) is None


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 3}', "\udcff"])
def test_a_damaged_file_of_links_is_told(path: Path, content: str) -> None:
    issued(path)
    link_file(path).write_bytes(content.encode("utf-8", "surrogateescape"))
    done = run("annotate", "links", path)
    assert (done.returncode, "c.db.links: cannot be read" in done.stderr) == (2, True)
    assert "--renew" in done.stderr


def test_an_empty_token_opens_nothing(path: Path) -> None:
    """Also where no link was given out yet."""
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        assert annotator_of(ledger, known, "") is None
        issue_links(ledger, known)
        (held,) = ledger.rows("SELECT link FROM annotators WHERE code = 'A1'").fetchone()
        assert annotator_of(ledger, known, held) is None  # what the ledger tells is no token


def test_who_joins_gets_a_link_and_others_keep_theirs(path: Path) -> None:
    before = links(path)
    assert run("annotate", "add", path, "--annotators", "Dora").returncode == 0
    after = links(path)
    assert {name: after[name] for name in before} == before
    assert after["Dora"]


@pytest.mark.parametrize("command", ["withdraw", "forget"])
def test_who_leaves_has_no_link(path: Path, command: str) -> None:
    token = issued(path)["A1"]
    assert run("annotate", command, path, "Ada").returncode == 0
    with Ledger(path) as ledger:
        assert annotator_of(ledger, campaign_named(ledger), token) is None


def test_links_of_an_earlier_version_still_open_and_leave_the_ledger(tmp_path: Path) -> None:
    path = kept_ledger("campaign", tmp_path / "c.db")
    with Ledger(path) as ledger:  # as that version made them
        known = campaign_named(ledger)
        secret, counts = secret_of(ledger, known), links_of(ledger, known)
        before = {
            c.code: keyed_hash(secret, "link", c.code, str(counts[c.code])) for c in known.active
        }
        keys = [task.key for task in tasks_of(ledger, known)]
    assert issued(path) == before
    assert issued(path) == before
    held = path.read_bytes()
    assert secret not in held
    assert not [token for token in before.values() if token.encode() in held]
    assert mode(path) == mode(link_file(path)) == 0o600
    with Ledger(path) as ledger:
        assert [task.key for task in tasks_of(ledger, known)] == keys
        for person in known.active:
            assert annotator_of(ledger, known, before[person.code]) == person
    with served(path, people=len(before)) as page:
        assert fetch(page.links[known.active[0].name])[0] == 200
    # Keys of tasks that there are were made by the earlier secret.
    assert run("annotate", "reassign", path).returncode == 0


def test_a_ledger_with_people_is_its_owners_alone(tmp_path: Path) -> None:
    arguments = ("annotate", "create", SUMMARIES, "--annotators", "Ada,Ben", "--ledger")
    path = tmp_path / "new.db"
    assert "may read" not in run(*arguments, path).stderr
    assert mode(path) == 0o600
    shared = tmp_path / "study.db"
    Ledger(shared).close()
    shared.chmod(0o644)
    done = run(*arguments, shared)
    assert f"note: {shared} now holds people's names; only this account may read it" in done.stderr
    assert mode(shared) == 0o600
    shared.chmod(0o640)  # the owner's decision, which stands
    done = run(*arguments, shared, "--name", "two")
    assert f"note: other accounts may read {shared}" in done.stderr
    assert mode(shared) == 0o640


def test_the_file_of_links_of_another_account_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued(path)

    def denied(*_: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", denied)
    with pytest.raises(LedgerError, match=r"c\.db\.links: .*Permission denied"):
        issued(path)
