"""A real Label Studio server, people who sign up there as newcomers do, and what they submit.

Fixtures (in every test module): `label_studio`, one server for the whole session;
`label_studio_of_own`, which starts one that a test may kill; and `label_studio_forked`, one that a
test may kill often. Making the data of a server takes up to a minute, so all processes of a run
share them. The command is that of the variable FACTMARK_LABEL_STUDIO, or stands beside this Python
or on the PATH; without one the tests are skipped, or fail if FACTMARK_REQUIRE_LABEL_STUDIO=1.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from factmark.errors import InputError
from factmark.people.labelstudio.local import LocalServer, credentials, executable, running

_FORKED = Path(__file__).with_name("label_studio_forked.py")
_CSRF = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass(slots=True, kw_only=True)
class RealServer:
    """A server on a folder and a port of its own, which it keeps over kills.

    Attributes:
        url: `http://127.0.0.1:port`.
        email, password, token: the owner's.
    """

    program: str
    folder: Path
    port: int
    url: str
    email: str
    password: str
    token: str
    _running: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _server: LocalServer | None = None

    def start(self) -> None:
        """Starts it (about 6 s), after a kill too."""
        self._server = self._running.enter_context(
            running(self.folder, port=self.port, program=self.program)
        )

    def kill(self) -> None:
        """Kills it at once (SIGKILL), with all that it started."""
        assert self._server is not None
        os.killpg(self._server.pid, signal.SIGKILL)
        self._server.wait()
        self.stop()

    def stop(self) -> None:
        """Ends it."""
        self._running.close()
        self._server = None

    @property
    def pid(self) -> int:
        """The process, which leads its own group."""
        assert self._server is not None
        return self._server.pid

    def kill_serving(self) -> None:
        """Kills the process that serves, of a server with forks, and waits until it is gone."""
        number = int((self.folder / "serving").read_text())
        os.kill(number, signal.SIGKILL)
        while Path(f"/proc/{number}").exists():  # until its parent has taken note
            time.sleep(0.005)

    def serve_again(self) -> None:
        """Has another process serve; returns when it does."""
        before = (self.folder / "serving").read_text()
        os.kill(self.pid, signal.SIGUSR1)
        deadline = time.monotonic() + 60
        while (self.folder / "serving").read_text() == before or not self._healthy():
            assert time.monotonic() < deadline, (self.folder / "server.log").read_text()[-2000:]
            time.sleep(0.02)

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


def free_port() -> int:
    """A port that was free just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _command() -> str:
    named = os.environ.get("FACTMARK_LABEL_STUDIO")
    try:
        return named or executable()
    except InputError as error:
        if os.environ.get("FACTMARK_REQUIRE_LABEL_STUDIO") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


def _server(program: str, folder: Path) -> RealServer:
    owner = credentials(folder)
    port = free_port()
    return RealServer(
        program=program,
        folder=folder,
        port=port,
        url=f"http://127.0.0.1:{port}",
        email=owner.email,
        password=owner.password,
        token=owner.token,
    )


@pytest.fixture(scope="session")
def label_studio_command() -> str:
    """The `label-studio` command."""
    return _command()


def _room(factory: pytest.TempPathFactory) -> Path:
    """A folder of this run of pytest, the same in all its processes."""
    base = factory.getbasetemp()
    room = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "label-studio-once"
    room.mkdir(exist_ok=True)
    return room


def _set_up(room: Path, program: str) -> Path:
    """The data of a server that was started once and ended; who comes second waits for it."""
    folder, done = room / "migrated", room / "done"
    with (room / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            with running(folder, port=free_port(), program=program):
                pass
            done.touch()
    return folder


@pytest.fixture(scope="session", autouse=True)
def label_studio_in_time(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Where a test will need a server, its data are made beside the tests that come before."""
    needed = any(
        "label_studio_folder" in getattr(item, "fixturenames", ()) for item in request.session.items
    )
    try:
        program = os.environ.get("FACTMARK_LABEL_STUDIO") or executable()
    except InputError:
        needed = False
    if not needed:
        yield
        return

    def work() -> None:
        with contextlib.suppress(Exception):  # the fixture that needs it tries again, and tells
            _set_up(_room(tmp_path_factory), program)

    beside = threading.Thread(target=work, name="label-studio-in-time")
    beside.start()
    yield
    beside.join()


@pytest.fixture(scope="session")
def label_studio_folder(
    label_studio_command: str, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The data of a server that was started once in this run, and ended. Copy it."""
    return _set_up(_room(tmp_path_factory), label_studio_command)


@pytest.fixture(scope="session")
def label_studio(
    label_studio_command: str, label_studio_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealServer]:
    """A server for the whole session. Make projects and people of your own; kill none."""
    folder = tmp_path_factory.mktemp("label-studio-shared") / "data"
    shutil.copytree(label_studio_folder, folder)
    server = _server(label_studio_command, folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def label_studio_of_own(
    label_studio_command: str, label_studio_folder: Path, tmp_path: Path
) -> Iterator[Callable[[], RealServer]]:
    """Starts servers that the test may kill and start again."""
    servers: list[RealServer] = []

    def start() -> RealServer:
        folder = tmp_path / f"label-studio-{len(servers)}"
        shutil.copytree(label_studio_folder, folder)
        server = _server(label_studio_command, folder)
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def label_studio_forked(
    label_studio_command: str, label_studio_folder: Path, tmp_path: Path
) -> Iterator[RealServer]:
    """A running server whose serving process a test may kill and replace within half a second."""
    folder = tmp_path / "label-studio-forked"
    shutil.copytree(label_studio_folder, folder)
    program = tmp_path / "label-studio-forked.py"
    python = Path(label_studio_command).read_text("utf-8").partition("\n")[0]
    program.write_text(f"{python}\n{_FORKED.read_text('utf-8')}", "utf-8")
    program.chmod(0o700)
    server = _server(str(program), folder)
    server.start()
    yield server
    server.stop()
