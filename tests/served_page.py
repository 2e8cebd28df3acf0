"""The page as a process of its own on a port of loopback, and a client of it."""

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

import campaigns
from campaigns import Documents, campaign_in, revised
from factmark.campaign_model import Campaign
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from forked_command import ForkedCommand

COMMAND = (sys.executable, "-c", "from factmark.cli.main import main; main()", "annotate")


def make(path: Path, documents: Documents, *, people: Sequence[str] = (), **kind: Any) -> Campaign:
    """A campaign in a ledger of its own, for Ada and Ben; see `campaign_in`."""
    with Ledger(path) as ledger:
        annotators = campaigns.people(*(people or ("Ada", "Ben")))
        return campaign_in(ledger, documents, annotators=annotators, **kind)


@dataclass
class Served:
    """A running page: its process and the links that it printed, by name."""

    process: ForkedCommand | subprocess.Popen[str]
    links: dict[str, str]
    port: int
    printed: list[str] = field(default_factory=list)

    @property
    def owner(self) -> str:
        """The link of the campaign's owner, which stands last."""
        return self.printed[-1].rpartition(" ")[2].strip()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(self, name: str) -> str:
        return self.links[name].rpartition("/")[2]


def _started(*arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*COMMAND, *arguments], stdout=pipe, stderr=pipe, text=True, bufsize=1)


@contextmanager
def served(
    path: Path, *options: str, port: int = 0, people: int = 2, fresh: bool = False
) -> Iterator[Served]:
    """Serves the campaign of a ledger until the block ends; `fresh` starts a Python for it."""
    arguments = ("serve", str(path), "--port", str(port), *options)
    with _started(*arguments) if fresh else ForkedCommand("annotate", *arguments) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(people + 2)]
            if not all(lines):
                raise AssertionError(f"it did not start: {process.communicate()}")
            found = [
                re.fullmatch(r"[AD]\d+ (.*), \d+ of \d+ done: (\S+)\n", one) for one in lines[1:]
            ]
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
            "Cookie": self.cookie,
            "Content-Type": "application/json",
            "X-Factmark-Request": self.told["token"],
            "Origin": self.at.base,
        }
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
        "id": str(uuid4()),
        "key": key,
        "answer": {"label": label, "comment": ""},
        "seconds": 1.5,
        "at": "2126-01-01T00:00:00.000Z",
    }
    return made | given


def rated(path: Path, name: str | None = None) -> list[tuple[str, str, str | None, str]]:
    """Annotator, unit, label and comment of every revision in a ledger, in their order."""
    with Ledger(path, read_only=True) as ledger:
        return [
            (task.annotator, task.unit, last.response.label, last.response.comment)
            for task, last in revised(ledger, campaign_named(ledger, name))
        ]
