"""A real Label Studio server, people who sign up there as newcomers do, and what they submit.

The fixture `label_studio` (in `conftest.py`) is one server for the whole session; all processes of
a run start theirs from the same empty data. The command is that of the variable
FACTMARK_LABEL_STUDIO, or stands beside this Python or on the PATH; without one the tests are
skipped, or fail if FACTMARK_REQUIRE_LABEL_STUDIO=1.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from factmark.campaign_model import Campaign
from factmark.http.retries import RetryPolicy
from factmark.ledger.campaigns import projects_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import LabelStudio
from judging_setup import at_once
from mcp_setup import free_port

_CSRF = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


EMAIL, PASSWORD = "owner@example.org", "the-owners-password"
TOKEN = "0123456789abcdef0123456789abcdef01234567"
TABLES = Path(__file__).with_name("label_studio_tables.py")
_ENVIRONMENT = {
    "USERNAME": EMAIL,
    "PASSWORD": PASSWORD,
    "USER_TOKEN": TOKEN,
    "DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
}


def _environment(program: str, folder: Path) -> dict[str, str]:
    """All that the server sees: it also reads bare HOST, PORT, USERNAME and CI."""
    settings = {**_ENVIRONMENT, "BASE_DATA_DIR": str(folder)}
    return {
        "PATH": f"{Path(program).parent}{os.pathsep}{os.defpath}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        **{f"LABEL_STUDIO_{name}": value for name, value in settings.items()},
    }


@dataclass(slots=True, kw_only=True)
class RealServer:
    """A server on a folder and a port of its own, which it keeps over kills."""

    program: str
    folder: Path
    port: int = field(default_factory=free_port)
    email: str = EMAIL
    password: str = PASSWORD
    token: str = TOKEN
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """`http://127.0.0.1:port`."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts it (about 6 s, a minute on a new folder), after a kill too."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [self.program, "start", "--no-browser", "--enable-legacy-api-token"]
        command += ["--internal-host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                [*command, "--data-dir", str(self.folder)],
                env=_environment(self.program, self.folder),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._until(self._healthy, seconds=300)
        settings = {"api_tokens_enabled": True, "legacy_api_tokens_enabled": True}
        self.owner().done("POST", "/api/jwt/settings", settings)

    def stop(self) -> None:
        """Ends it."""
        if self._process is not None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=10)
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _signal(self, number: int) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    def _until(self, ready: Callable[[], bool], *, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not ready():
            alive = self._process is not None and self._process.poll() is None
            log = (self.folder / "server.log").read_text()[-2000:]
            assert alive and time.monotonic() < deadline, log  # noqa: PT018
            time.sleep(0.05)

    def _healthy(self) -> bool:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.url}/health", timeout=10) as reply:
                return bool(json.load(reply)["status"] == "UP")
        except OSError:
            return False

    def owner(self) -> Person:
        """The owner, by the token."""
        return Person(url=self.url, email=self.email, password=self.password, token=self.token)


@dataclass(slots=True, kw_only=True)
class Person:
    """Somebody with an account, who works through the API with a token of their own."""

    url: str
    email: str
    password: str
    token: str

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON (or bytes) of a request, good or bad."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                status, said = reply.status, reply.read()
        except urllib.error.HTTPError as error:
            status, said = error.code, error.read()
        try:
            return status, json.loads(said)
        except ValueError:
            return status, said

    def done(self, method: str, path: str, body: Any = None) -> Any:
        """As `call`, for what has to go well."""
        status, said = self.call(method, path, body)
        assert 200 <= status < 300, (status, said)
        return said

    @property
    def id(self) -> int:
        """The user's id on the server."""
        found: int = self.done("GET", "/api/current-user/whoami")["id"]
        return found

    def annotate(self, task: int, result: list[Any], **fields: Any) -> int:
        """Submits an annotation; gives its id."""
        body = {"result": result, "lead_time": 60.0, **fields}
        found: int = self.done("POST", f"/api/tasks/{task}/annotations/", body)["id"]
        return found

    def change(self, annotation: int, **fields: Any) -> None:
        """Overwrites fields of an annotation, one's own or another's."""
        self.done("PATCH", f"/api/annotations/{annotation}/", fields)

    def personal_token(self) -> str:
        """A personal access token; the server gives it once."""
        found: str = self.done("POST", "/api/token/", {})["token"]
        return found


def choice(control: str, value: str, *, of: str = "summary") -> dict[str, Any]:
    """A region of a result: one option of a `<Choices>` control for the object named `of`."""
    chosen = {"choices": [value]}
    return {"from_name": control, "to_name": of, "type": "choices", "value": chosen}


def sign_up(server: RealServer, email: str, password: str, name: str = "") -> Person:
    """Signs up by the invite link as a browser does, with cookies and CSRF token."""
    link = server.url + server.owner().done("GET", "/api/invite")["invite_url"]
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
    )
    page = opener.open(link, timeout=60).read().decode()
    found = _CSRF.search(page)
    assert found, page[:500]
    form = {"csrfmiddlewaretoken": found[1], "email": email, "password": password}
    data = urllib.parse.urlencode(form).encode()
    opener.open(urllib.request.Request(link, data=data, headers={"Referer": link}), timeout=60)
    with opener.open(f"{server.url}/api/current-user/token", timeout=60) as reply:
        token = json.load(reply)["token"]
    person = Person(url=server.url, email=email, password=password, token=token)
    first, _, last = name.partition(" ")
    person.done("PATCH", f"/api/users/{person.id}/", {"first_name": first, "last_name": last})
    return person


def studio(server: RealServer, url: str = "", token: str = "", attempts: int = 5) -> LabelStudio:
    """A client of the server, or of what stands before it, that waits for nothing."""
    retry = RetryPolicy(attempts=attempts, sleep=at_once)
    return LabelStudio(url or server.url, token or server.token, retry=retry)


async def assert_there(ledger: Ledger, campaign: Campaign, client: LabelStudio) -> None:
    """Each annotator has one project with each task once, in order."""
    mine = [p for p in await client.projects() if campaign.id in (p.description or "")]
    kept = projects_of(ledger, campaign, client.url)
    assert sorted(p.id for p in mine) == sorted(one.project for one in kept.values())
    assert kept.keys() == {one.code for one in campaign.annotators}
    for code, one in kept.items():
        found = [task.key for task in await client.tasks(one.project)]
        assert found == [task.key for task in tasks_of(ledger, campaign, code)]


def installed() -> str | None:
    beside = Path(sys.executable).parent / "label-studio"
    named = os.environ.get("FACTMARK_LABEL_STUDIO")
    return named or (str(beside) if beside.exists() else shutil.which("label-studio"))


def room_of_run(factory: pytest.TempPathFactory) -> Path:
    """A folder of this run of pytest, the same in all its processes."""
    base = factory.getbasetemp()
    room = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "label-studio-once"
    room.mkdir(exist_ok=True)
    return room


def set_up(room: Path, program: str) -> Path:
    """The data of a server without users and projects; who comes second waits for it."""
    folder, done = room / "empty", room / "done"
    with (room / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            command = [Path(program).resolve().with_name("python"), "-P", TABLES]
            subprocess.run(command, env=_environment(program, folder), cwd=folder, check=True)
            done.touch()
    return folder
