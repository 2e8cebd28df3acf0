"""People who come from a platform by one link: consent, pseudonyms, what is dealt, screening, the
code at the end."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.people.crowd.platforms import PLATFORMS, read_visit
from factmark.people.crowd.screening import reason_to_screen
from factmark.people.practice.scores import PracticeScore
from factmark.people.status import campaign_status
from forked_command import ForkedCommand
from served_page import fetch
from shell import Done, run

CONSENT = "# About this study\n\nWe keep **ratings**. <script>alert(1)</script>\n"
CODE = "C1ABC23"


def files(folder: Path, documents: int = 6) -> Path:
    """Summaries, gold (one right by 5, one by 0), a consent text."""
    rows = []
    for number in range(documents):
        texts = {"article": f"Document {number}. Forty took part.", "sysA": f"Forty in {number}."}
        rows.append(json.dumps({"id": f"d{number}", **texts, "sysB": f"Nobody in {number}."}))
    (folder / "s.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    gold = "source,summary,label,why\nThe sky was blue.,Blue sky.,5,\n"
    gold += "The sky was blue.,Green sky.,0,\n"
    (folder / "gold.csv").write_text(gold, "utf-8")
    (folder / "consent.md").write_text(CONSENT, "utf-8")
    return folder / "s.jsonl"


def create(folder: Path, *options: str, crowd: str = "prolific", status: int = 0) -> Done:
    source = files(folder)
    done = run(
        *("annotate", "create", source, "--ledger", folder / "c.db", "--crowd", crowd),
        *("--consent", folder / "consent.md", *options),
    )
    assert done.returncode == status, done.stderr
    return done


class Study:
    """A served study and its links."""

    def __init__(self, lines: str) -> None:
        links = re.findall(r"(http\S+?/([co])/(\w+))", lines)
        self.links = {kind: url for url, kind, _ in links}
        self.base = self.links["c"].partition("/c/")[0]

    def come(self, number: int, *, agree: bool = True, session: int = 1) -> Person:
        """Somebody who comes with this id, and agrees where they are asked."""
        ids = f"?PROLIFIC_PID={number:024x}&STUDY_ID={9:024x}&SESSION_ID={session:024x}"
        status, headers, body = fetch(f"{self.links['c']}/{ids}")
        if agree and (form := re.search(rb'action="(agree/\w+)\?', body)):
            action = f"{self.links['c']}/{form[1].decode()}{ids}"
            status, headers, body = fetch(action, b"")
        return Person(self, status, headers, body.decode())


class Person:
    """Somebody of a crowd, without a browser."""

    def __init__(self, study: Study, status: int, headers: dict[str, str], body: str) -> None:
        self.study, self.status, self.headers, self.body = study, status, headers, body
        self.cookie = headers.get("set-cookie", "").partition(";")[0]
        place = re.search(r"/(w/\w+/)", headers.get("set-cookie", ""))
        self.box = f"{study.base}/{place[1]}" if place else ""
        self.sent: dict[str, tuple[str, str]] = {}  # text -> its key, and the revision sent

    def get(self, what: str) -> tuple[int, str]:
        status, _, body = fetch(self.box + what, headers={"Cookie": self.cookie})
        return status, body.decode()

    def post(self, what: str, value: object) -> tuple[int, Any]:
        headers = {"Cookie": self.cookie, "Content-Type": "application/json"}
        headers["X-Factmark-Request"] = json.loads(self.get("answers")[1])["token"]
        status, _, body = fetch(self.box + what, json.dumps(value).encode(), headers)
        return status, json.loads(body)

    def rate(self, *labels: str) -> list[str]:
        """Draws and rates until nothing is left, each with these labels in turn; what gold says is
        given where it is one of them. Returns the texts."""
        texts = []
        while True:
            status, told = self.post("next", {})
            assert status == 200, told
            open_units = [
                unit
                for document in told["documents"]
                for unit in document["units"]
                if unit["key"] not in told["answers"]
            ]
            if not open_units or told["closed"]:
                return texts
            for unit in open_units:
                texts.append(unit["text"])
                label = labels[len(texts) % len(labels)]
                if "sky" in unit["text"] and len(labels) > 1:
                    label = "5" if "Blue" in unit["text"] else "0"
                self.save(unit["text"], unit["key"], label)

    def save(self, text: str, key: str, label: str, base: str | None = None) -> None:
        """Sends a rating, or a change of the one that is its base."""
        change = {"id": str(uuid4()), "key": key, "base": base}
        change |= {"answer": {"label": label}, "seconds": 1.0}
        change["at"] = "2026-11-29T05:00:00Z"
        self.sent[text] = (key, str(change["id"]))
        self.post("save", {"revisions": [change]})


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    create(
        tmp_path,
        *("--completion", CODE, "--per-person", "2", "--overlap", "1"),
        *("--gold", str(tmp_path / "gold.csv"), "--screen", "0.6", "--screened-completion", "S0XX"),
    )
    with serving(tmp_path / "c.db") as one:
        yield one


class serving:  # noqa: N801  # a context
    """Serves the ledger of a study while the block runs."""

    def __init__(self, path: Path, port: int = 0) -> None:
        self.process = ForkedCommand("annotate", "serve", str(path), "--port", str(port))

    def __enter__(self) -> Study:
        process = self.process.__enter__()
        assert process.stdout is not None
        return Study("".join(process.stdout.readline() for _ in range(3)))

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.__exit__(None, None, None)


def results(path: Path) -> dict[str, Any]:
    done = run("annotate", "results", path, "--resamples", "100", "--json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_consent_comes_before_anything(study: Study, tmp_path: Path) -> None:
    """Nothing is kept of who has not agreed; of who has, the text's version and the time."""
    stranger = study.come(1, agree=False)
    assert "We keep <strong>ratings</strong>" in stranger.body
    assert "<script>alert" not in stranger.body
    assert not stranger.cookie
    assert rows(tmp_path, "annotators") == []
    assert study.come(1).cookie
    ((version, at),) = rows(tmp_path, "arrivals", "consent, at")
    assert re.fullmatch("[0-9a-f]{12}", version)
    assert at > "2026"


def test_ids_are_in_no_file_of_ours(study: Study, tmp_path: Path) -> None:
    person = study.come(0xFEEDFACE0BADF00D)
    person.rate("5", "4")
    assert person.get("")[0] == 200
    for path in tmp_path.iterdir():
        if path.name.startswith("c.db"):
            assert b"feedface0badf00d" not in path.read_bytes(), path
    (name,) = rows(tmp_path, "annotators", "name")[0]
    assert re.fullmatch("prolific-[0-9a-f]{12}", name)


def test_the_same_link_goes_on_where_one_was(study: Study, tmp_path: Path) -> None:
    first = study.come(1)
    told = first.post("next", {})[1]
    again = study.come(1, agree=False, session=2)  # it is not asked for again
    assert again.box == first.box
    keys = [unit["key"] for one in told["documents"] for unit in one["units"]]
    listed = json.loads(again.get("tasks")[1])["documents"]
    assert [unit["key"] for one in listed for unit in one["units"]] == keys
    assert first.get("tasks")[0] == 200  # the other browser stays open
    assert len(rows(tmp_path, "annotators")) == 1


def test_nobody_gets_more_than_was_said(study: Study) -> None:
    """Two documents of two summaries, and gold among them, which is two."""
    texts = study.come(1).rate("5", "4")
    assert len(texts) == 6
    assert sum("sky" in text for text in texts) == 2


def test_the_code_is_shown_when_all_is_rated(study: Study) -> None:
    person = study.come(1)
    assert CODE not in person.get("done")[1]
    assert "Not yet" in person.get("done")[1]
    person.rate("5", "4")
    page = person.get("done")[1]
    assert CODE in page
    assert f"https://app.prolific.com/submissions/complete?cc={CODE}" in page


def test_who_answers_known_ones_wrong_counts_in_nothing_else(study: Study, tmp_path: Path) -> None:
    good, bad = study.come(1), study.come(2)
    good.rate("5", "4")
    bad.rate("2", "2")  # gold rightly, wherever it comes, so that there is work of theirs
    assert CODE in bad.get("done")[1]
    key, revision = bad.sent["Blue sky."]
    bad.save("Blue sky.", key, "2", revision)
    page = bad.get("done")[1]
    assert CODE not in page
    assert "S0XX" in page
    assert study.come(2).get("done")[1] == page  # by the link again, too
    told = results(tmp_path / "c.db")
    assert any("Screened out by known answers: A2" in problem for problem in told["problems"])
    (part,) = told["details"]["dimensions"]
    assert list(part["screened"]["reasons"]) == ["A2"]
    assert (part["screened"]["n_people"], {row["annotator"] for row in told["rows"]}) == (
        2,
        {"A1", ""},
    )
    for figure in part["screened"]["figures"][:2]:
        assert figure["with_all"]["value"] < figure["counted"]["value"]
    verdicts = rows(tmp_path, "verdicts v JOIN judges j ON j.id = v.judge", "j.name, v.label")
    assert {label for name, label in verdicts} <= {"5", "4"}
    # Their places are free again, and their owner may count them after all.
    run("annotate", "withdraw", tmp_path / "c.db", f"{2:024x}", "--back")
    (part,) = results(tmp_path / "c.db")["details"]["dimensions"]
    assert part["screened"] is None
    assert [row["n_answered"] > 0 for row in part["annotators"]] == [True, True]


def test_a_person_is_forgotten_by_the_id_of_the_platform(study: Study, tmp_path: Path) -> None:
    study.come(7).rate("5", "4")
    done = run("annotate", "forget", tmp_path / "c.db", f"{7:024x}")
    assert done.returncode == 0, done.stderr
    ((name,),) = rows(tmp_path, "annotators", "name")
    assert name.startswith("forgotten-")
    assert rows(tmp_path, "arrivals", "study, session") == [("", "")]
    assert results(tmp_path / "c.db")["details"]["dimensions"][0]["annotators"][0]["n_answered"] > 0


def test_who_left_does_not_come_back_by_the_link(study: Study, tmp_path: Path) -> None:
    person = study.come(3)
    run("annotate", "withdraw", tmp_path / "c.db", f"{3:024x}", "--delete")
    assert person.get("tasks")[0] == 403
    assert study.come(3).status == 403
    assert rows(tmp_path, "arrivals", "study, session") == [("", "")]


def test_nothing_is_left_for_who_comes_too_late(tmp_path: Path) -> None:
    create(tmp_path, "--per-person", "6", "--overlap", "0")
    with serving(tmp_path / "c.db") as study:
        study.come(1).rate("4")
        late = study.come(2)
        assert late.status == 409
        assert "Nothing is left" in late.body
        assert len(rows(tmp_path, "annotators")) == 1
        assert "Not yet" not in study.come(1).get("done")[1]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "no PROLIFIC_PID"),
        ("?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID=1&SESSION_ID=1", "no PROLIFIC_PID"),
        (f"?PROLIFIC_PID={'a' * 24}&PROLIFIC_PID={'b' * 24}", "PROLIFIC_PID twice"),
        (f"?PROLIFIC_PID={'a' * 24}&STUDY_ID=<script>&SESSION_ID=1", "no STUDY_ID"),
    ],
)
def test_ids_are_checked(study: Study, query: str, told: str) -> None:
    status, _, body = fetch(study.links["c"] + "/" + query.replace("{{%", "%7B%7B%25"))
    assert status == 400
    assert told in body.decode()
    assert "<script>" not in body.decode()


def test_the_owners_page_and_status_tell_the_same(study: Study, tmp_path: Path) -> None:
    """One reckoning; the page has names besides, and the time."""
    study.come(1).rate("5", "4")
    study.come(2).rate("2")
    _, headers, _ = fetch(study.links["o"])
    cookie = headers["set-cookie"].partition(";")[0]
    page = rounded(fetch(f"{study.base}/owner/state", headers={"Cookie": cookie})[2])
    told = rounded(run("annotate", "status", tmp_path / "c.db", "--json").stdout)
    assert [told["details"][name] for name in told["details"]] == [
        page[name] for name in told["details"]
    ]
    for row, person in zip(told["rows"], page["people"], strict=True):
        same = {name: person[name] for name in row if name != "idle"}
        assert same == {name: value for name, value in row.items() if name != "idle"}
    assert [one["code"] for one in page["screened"]] == ["A2"]


def test_what_the_owners_page_asks_for_is_read_once(study: Study, tmp_path: Path) -> None:
    """It asks every few seconds: no statement reads anything twice."""
    study.come(1).rate("5", "4")
    study.come(2).rate("2")
    statements: Counter[str] = Counter()
    with Ledger(tmp_path / "c.db", read_only=True) as ledger:
        known = campaign_named(ledger)
        ledger.connection.set_trace_callback(lambda text: statements.update([text]))
        status = campaign_status(ledger, known)
        ledger.connection.set_trace_callback(None)
    assert status.progress["all"].done > 0
    assert [text for text, times in statements.items() if times > 1] == []


def rounded(text: str | bytes) -> dict[str, Any]:
    """JSON with fractions to nine digits: files carry twelve."""
    return dict(json.loads(text, parse_float=lambda digits: round(float(digits), 9)))


def test_merged_ledgers_keep_who_came_and_who_is_screened(study: Study, tmp_path: Path) -> None:
    study.come(1).rate("5", "4")
    study.come(2).rate("2")
    whole = tmp_path / "c.db"
    copy = tmp_path / "copy.db"
    assert run("ledger", "backup", whole, "--out", copy).returncode == 0
    done = run("ledger", "merge", copy, "--out", tmp_path / "both.db")
    assert done.returncode == 0, done.stderr
    again = run("ledger", "merge", whole, "--out", tmp_path / "both.db")
    assert again.returncode == 0, again.stderr
    arrivals = "annotator, consent, at"
    assert rows(tmp_path, "arrivals", arrivals, "both.db") == rows(tmp_path, "arrivals", arrivals)
    people = "code, name, withdrawn, screened"
    assert rows(tmp_path, "annotators", people, "both.db") == rows(tmp_path, "annotators", people)


def test_a_strangers_link_opens_nothing(study: Study) -> None:
    for path in (f"c/{'0' * 64}/", f"o/{'0' * 64}", "owner/", "owner/state"):
        assert fetch(f"{study.base}/{path}")[0] == 403


def test_mechanical_turk_previews_frames_and_submits(tmp_path: Path) -> None:
    create(tmp_path, "--per-person", "1", "--overlap", "0", crowd="mturk")
    submit = "https://workersandbox.mturk.com"
    with serving(tmp_path / "c.db") as study:
        link = study.links["c"] + "/"
        _, headers, body = fetch(f"{link}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=3HIT99")
        assert b"This is a preview" in body
        assert b"<form" not in body
        ids = f"?assignmentId=3ASSIGN&hitId=3HIT99&workerId=A1WORKER&turkSubmitTo={submit}"
        _, headers, body = fetch(link + ids, headers={"Sec-Fetch-Dest": "iframe"})
        assert f'action="{submit}/mturk/externalSubmit"'.encode() in body
        assert b'name="assignmentId" value="3ASSIGN"' in body
        policy = headers["content-security-policy"]
        assert "frame-ancestors https://worker.mturk.com https://workersandbox.mturk.com" in policy
        elsewhere = ids.replace(submit, "https://evil.example")
        _, _, body = fetch(link + elsewhere, headers={"Sec-Fetch-Dest": "iframe"})
        assert b"evil.example/mturk" not in body
        form = re.search(rb'action="(agree/\w+)\?', fetch(link + ids)[2])
        assert form is not None
        reply = fetch(f"{link}{form[1].decode()}{ids}", b"")
        person = Person(study, reply[0], reply[1], reply[2].decode())
        person.rate("3")
        own = re.search(r"<b>(\w{10})</b>", person.get("done")[1])
        assert own is not None  # a code of the person's own, which status lists
        told = json.loads(run("annotate", "status", tmp_path / "c.db", "--json").stdout)
        assert told["rows"][0]["completion"] == own[1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--screen", "0.5"), "--screen goes with --gold"),
        (("--annotators", "Ada"), "leave out --annotators"),
        (("--completion", "a b"), "is no code"),
        (("--completion", "http://app.prolific.com/?cc=ABCD"), "is no code"),
        (("--screened-completion", "ABCD"), "goes with --screen"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, options: Sequence[str], told: str
) -> None:
    assert told in create(tmp_path, *options, status=2).stderr
    assert not (tmp_path / "c.db").exists()


def test_options_of_a_crowd_need_one(tmp_path: Path) -> None:
    source = files(tmp_path)
    done = run("annotate", "create", source, "--annotators", "Ada", "--per-person", "3")
    assert (done.returncode, "--per-person goes with --crowd" in done.stderr) == (2, True)
    done = run("annotate", "create", source, "--crowd", "prolific")
    assert (done.returncode, "--consent FILE" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("answered", "near", "screened"),
    [(3, 3, False), (1, 0, False), (2, 0, True), (4, 3, False), (4, 2, True)],
)
def test_who_can_no_longer_reach_the_share_is_screened(
    answered: int, near: int, screened: bool
) -> None:
    """Of four, 70 % are wanted: at most one may be wrong."""
    score = PracticeScore(
        code="A1", role="gold", n_asked=4, n_answered=answered, n_right=0, n_near=near, off=None
    )
    assert bool(reason_to_screen(score, 0.7, 4)) is screened


def test_a_visit_is_read() -> None:
    platform = PLATFORMS["prolific"]
    ids = [(name, "a" * 24) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")]
    visit = read_visit(platform, ids)
    assert visit is not None
    assert visit.person == "a" * 24


def rows(folder: Path, table: str, what: str = "*", name: str = "c.db") -> list[Any]:
    with Ledger(folder / name, read_only=True) as ledger:
        return [tuple(row) for row in ledger.connection.execute(f"SELECT {what} FROM {table}")]
