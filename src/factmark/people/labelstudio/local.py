"""Starting a Label Studio server of one's own on this machine, without a terminal."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from factmark.errors import EndpointError, InputError

OWNER = "owner@example.org"

_HOST = "127.0.0.1"
_INSTALL = 'python3 -m venv labels && labels/bin/pip install "label-studio>=1.23,<1.24"'
_CREDENTIALS = "credentials.toml"
_HEX = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A running server.

    Attributes:
        url: its address, on this machine only.
        credentials: the file with the owner's e-mail address, password and token.
        pid: of the server, which leads its own process group.
    """

    url: str
    credentials: Path
    pid: int

    def wait(self) -> None:
        """Returns when the server has ended, whoever ended it."""
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Who owns a local server. Its repr shows no secrets."""

    email: str
    password: str
    token: str

    def __repr__(self) -> str:
        return f"Credentials(email={self.email!r})"


@contextlib.contextmanager
def running(
    data_dir: Path,
    *,
    port: int = 8080,
    program: str | None = None,
    seconds: float = 300.0,
    tell: Callable[[str], None] = lambda _line: None,
) -> Iterator[LocalServer]:
    """A server on the loopback address, from its first answer to the end of the block.

    The first start on a folder makes its database, which takes about a minute; later ones take
    seconds. The folder keeps the database, `credentials.toml` (mode 0600) and `server.log`.

    Args:
        data_dir: made where it is missing.
        port: has to be free: the server would take the next one without a word.
        program: the `label-studio` command; see `executable` where None.
        seconds: the longest that the start may take.
        tell: gets a line now and then while the server starts.

    Raises:
        InputError: Label Studio is not installed, the port is taken, or the folder cannot be used.
        EndpointError: the server ended or did not answer in time.
    """
    program = program or executable()
    folder = data_dir.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / ".lock").touch()
    except OSError as error:
        raise InputError(f"{data_dir}: cannot be written ({error.strerror or error}).") from error
    with _alone(folder) as lock, (folder / "server.log").open("wb") as log:
        owner = credentials(folder)
        _free(port)
        process = _started(program, folder, port, owner, log, lock)
        try:
            url = f"http://{_HOST}:{port}"
            _wait(process, url, folder, seconds, tell)
            _allow_legacy(url, owner.token)
            yield LocalServer(url=url, credentials=folder / _CREDENTIALS, pid=process.pid)
        finally:
            _stop(process)


def executable() -> str:
    """The path of the `label-studio` command: beside this Python, else on the PATH.

    Raises:
        InputError: there is none; the message says how to install it.
    """
    beside = Path(sys.executable).parent / "label-studio"
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("label-studio")
    if found is None:
        raise InputError(
            "Label Studio is not installed. It needs an older numpy than factmark, so install it "
            f"apart ({_INSTALL}), and put labels/bin on the PATH."
        )
    return found


def credentials(folder: Path) -> Credentials:
    """The owner of the server in a folder; made up on the first start, and then kept.

    Raises:
        InputError: the file is not what was written.
    """
    path = folder / _CREDENTIALS
    if not path.exists():
        made = Credentials(
            email=OWNER, password=secrets.token_urlsafe(18), token=secrets.token_hex(20)
        )
        lines = (f'{name} = "{getattr(made, name)}"\n' for name in made.__slots__)
        text = "# The owner of this Label Studio server. Keep it to yourself.\n" + "".join(lines)
        partial = path.with_suffix(".part")
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600, exist_ok=False)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    try:
        read = tomllib.loads(path.read_text("utf-8"))
        kept = Credentials(**{name: read[name] for name in Credentials.__slots__})
        usable = all(isinstance(one, str) for one in (kept.email, kept.password))
        usable = usable and _HEX.fullmatch(kept.token) is not None
    except (OSError, ValueError, KeyError, TypeError):
        usable = False
    if not usable:
        raise InputError(
            f"{path}: needs email, password and token (40 hex digits). Put it back as it was, or "
            "choose a new folder."
        )
    return kept


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[IO[str]]:
    """Holds a lock on the folder: two servers on one database would damage it.

    The server holds it too, in case that this process is killed and the server is not.
    """
    with (folder / ".lock").open("a+", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise InputError(
                f"{folder}: another server (process {lock.read(20).strip()}) runs on this folder. "
                "Use that one, or end it first."
            ) from error
        yield lock


def _free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError as error:
            raise InputError(
                f"port {port} of {_HOST} cannot be used ({error.strerror}). "
                "Name another one with --port."
            ) from error


def _started(
    program: str, folder: Path, port: int, owner: Credentials, log: IO[bytes], lock: IO[str]
) -> subprocess.Popen[bytes]:
    command = [program, "start", "--no-browser", "--enable-legacy-api-token"]
    command += ["--internal-host", _HOST, "--port", str(port), "--data-dir", str(folder)]
    process = subprocess.Popen(  # noqa: S603  # our own arguments, no shell
        command,
        env=_environment(program, folder, owner),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=(lock.fileno(),),
    )
    lock.truncate(0)
    lock.write(f"{process.pid}\n")
    lock.flush()
    return process


def _environment(program: str, folder: Path, owner: Credentials) -> dict[str, str]:
    """Only what the server needs: it also reads bare HOST, PORT, USERNAME and CI."""
    paths = f"{Path(program).parent}{os.pathsep}{os.defpath}"
    ours = {
        "BASE_DATA_DIR": str(folder),
        "USERNAME": owner.email,
        "PASSWORD": owner.password,
        "USER_TOKEN": owner.token,
        "DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    named = {f"LABEL_STUDIO_{name}": value for name, value in ours.items()}
    return {"PATH": paths, "HOME": str(folder), "LANG": "C.UTF-8", **named}


def _wait(
    process: subprocess.Popen[bytes],
    url: str,
    folder: Path,
    seconds: float,
    tell: Callable[[str], None],
) -> None:
    """Returns when the server says that it is well."""
    start = time.monotonic()
    told = 0
    while (passed := time.monotonic() - start) < seconds:
        if process.poll() is not None:
            break
        if _healthy(url):
            return
        if passed >= told + 10:
            told = int(passed) // 10 * 10
            tell(f"Label Studio starts ({told} s; the first start takes about a minute)")
        time.sleep(0.1)
    ended = process.poll() is not None
    what = "ended" if ended else f"did not answer within {seconds:g} s"
    raise EndpointError(f"Label Studio {what}; its last words are in {folder / 'server.log'}.")


def _healthy(url: str) -> bool:
    try:
        with _open(f"{url}/health", None, None) as reply:
            return bool(json.load(reply).get("status") == "UP")
    except (OSError, ValueError, AttributeError):
        return False


def _allow_legacy(url: str, token: str) -> None:
    """Legacy tokens stay on where the folder came from elsewhere, if the token is taken at all."""
    body = json.dumps({"api_tokens_enabled": True, "legacy_api_tokens_enabled": True}).encode()
    try:
        _open(f"{url}/api/jwt/settings", body, token).close()
    except urllib.error.HTTPError as error:
        raise EndpointError(
            f"{url} does not take the token in {_CREDENTIALS} ({error.code}). The folder is that "
            "of another owner, or legacy tokens were turned off there; choose a new folder."
        ) from error
    except OSError as error:
        raise EndpointError(f"{url} stopped answering ({error}).") from error


def _open(url: str, body: bytes | None, token: str | None) -> IO[bytes]:
    """Asks the local server, past any proxy."""
    request = urllib.request.Request(url, data=body)  # noqa: S310  # our own loopback address
    if token:
        request.add_header("Authorization", f"Token {token}")
        request.add_header("Content-Type", "application/json")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    found: IO[bytes] = opener.open(request, timeout=10)
    return found


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the server with all that it started; returns when they are gone."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
    with contextlib.suppress(ProcessLookupError):
        for _ in range(100):  # the killed need a moment
            os.killpg(process.pid, 0)
            time.sleep(0.02)
