"""Campaigns for tests of the page, and the page as a process of its own on a port of loopback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from factmark.campaign_model import Annotator, Assignment, Campaign, Shown
from factmark.ledger.campaigns import campaign_named, create_campaign
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import ratings_of
from factmark.model import Item, Unit

COMMAND = (sys.executable, "-c", "from factmark.cli.main import main; main()", "annotate")
KINDS = {
    "coarse": "summary", "fine": "clause", "support": "pair", "validity": "triple",
    "graphrag": "graphrag", "facts": "answer",
}  # fmt: skip
GUIDELINES = "# Rating summaries\n\nRead **all** of this.\n\n## The scale\n\n- 0: wrong\n- 5: right"


def make(
    path: Path,
    documents: Sequence[tuple[str, Sequence[Shown]]],
    *,
    form: str = "coarse",
    name: str = "one",
    people: Sequence[str] = ("Ada", "Ben"),
    batch: int = 10,
) -> Campaign:
    """A campaign in which everybody is asked about all of the documents, in their order."""
    annotators = tuple(
        Annotator(code=f"A{number}", name=one) for number, one in enumerate(people, 1)
    )
    items = [Item(id=one, cluster=one, data={"source": one}) for one, _ in documents]
    units = {
        f"{name}-{document}-{place}": (
            Unit(
                id=f"{name}-{document}-{place}", item=document, kind=KINDS[form], text=shown.text,
                data={"system": f"s{place}"},
            ),
            shown,
        )
        for document, several in documents
        for place, shown in enumerate(several)
    }  # fmt: skip
    assignments = [
        Assignment(
            annotator=one.code, batch=1 + position // (3 * batch), position=position, unit=unit.id,
            document=unit.item,
        )
        for one in annotators
        for position, (unit, _) in enumerate(units.values())
    ]  # fmt: skip
    with Ledger(path) as ledger:
        return create_campaign(
            ledger,
            Campaign(id="", name=name, form=form, annotators=annotators, guidelines=GUIDELINES),
            items=items,
            units=[unit for unit, _ in units.values()],
            shown={one: shown for one, (_, shown) in units.items()},
            assignments=assignments,
        )


def summaries(count: int, *, source: str = "", text: str = "") -> list[tuple[str, list[Shown]]]:
    """Documents with three summaries each."""
    return [
        (
            f"d{number}",
            [
                Shown(
                    evidence=source or f"Source {number}. Forty adults took part.",
                    text=text or f"Summary {letter} of document {number}.",
                )
                for letter in "xyz"
            ],
        )
        for number in range(count)
    ]


@dataclass
class Served:
    """A running page: its process and the links that it printed, by name."""

    process: subprocess.Popen[str]
    links: dict[str, str]
    port: int
    printed: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(self, name: str) -> str:
        return self.links[name].rpartition("/")[2]


@contextmanager
def served(path: Path, *options: str, port: int = 0, people: int = 2) -> Iterator[Served]:
    """Serves the campaign of a ledger until the block ends."""
    command = [*COMMAND, "serve", str(path), "--port", str(port), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(people + 1)]
            if not all(lines):
                raise AssertionError(f"it did not start: {process.communicate()}")
            found = [re.fullmatch(r"A\d+ (.*), \d+ of \d+ done: (\S+)\n", one) for one in lines[1:]]
            links = {one[1]: one[2] for one in found if one}
            taken = re.search(r":(\d+)/", next(iter(links.values())))
            assert taken or port
            yield Served(process, links, int(taken[1]) if taken else port, lines)
        finally:
            process.kill()


class Client:
    """An annotator without a browser: what the page's script does, by hand."""

    def __init__(self, at: Served, name: str, code: str) -> None:
        self.at = at
        self.box = f"{at.base}/w/{code}/"
        status, headers, _ = fetch(at.links[name])
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        self.told = self.get("tasks")[1]

    def get(self, what: str, **headers: str) -> tuple[int, Any]:
        status, _, body = fetch(self.box + what, headers={"Cookie": self.cookie, **headers})
        return status, json.loads(body)

    @property
    def keys(self) -> list[str]:
        return [unit["key"] for one in self.told["documents"] for unit in one["units"]]

    def save(self, *revisions: Mapping[str, object], **headers: str) -> tuple[int, Any]:
        """Sends revisions as the page does; headers take the place of its own."""
        sent = {
            "Cookie": self.cookie, "Content-Type": "application/json",
            "X-Factmark-Request": self.told["token"], "Origin": self.at.base,
        }  # fmt: skip
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = json.dumps({"revisions": revisions}).encode()
        status, _, reply = fetch(f"{self.box}save", body, headers=sent)
        return status, json.loads(reply)


def fetch(
    url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers in lower case, and body; whatever the status."""
    request = urllib.request.Request(url, body, dict(headers or {}))
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, {k.lower(): v for k, v in reply.headers.items()}, reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read()


def revision(key: str, label: str, **given: object) -> dict[str, object]:
    made = {
        "id": str(uuid4()), "key": key, "answer": {"label": label, "comment": ""}, "seconds": 1.5,
        "at": "2126-01-01T00:00:00.000Z",
    }  # fmt: skip
    return made | given


def rated(path: Path, name: str | None = None) -> list[tuple[str, str, str | None, str]]:
    """Annotator, unit, label and comment of every revision in a ledger, in their order."""
    with Ledger(path, read_only=True) as ledger:
        return [
            (one.annotator, one.unit, one.response.label, one.response.comment)
            for one in ratings_of(ledger, campaign_named(ledger, name))
        ]
