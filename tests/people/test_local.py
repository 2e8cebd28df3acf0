"""A Label Studio server started on this machine."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from factmark.errors import EndpointError, InputError
from factmark.people.labelstudio.local import credentials, executable, running
from servers.label_studio import free_port

RUN = """
import sys
from factmark.cli.main import main
sys.argv[1:1] = ["annotate", "labelstudio-up"]
main()
"""


def listening(port: int) -> set[str]:
    """The addresses, as the kernel writes them, on which somebody listens at a port."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            if state == "0A" and int(address.rpartition(":")[2], 16) == port:
                found.add(address.rpartition(":")[0])
    return found


@pytest.mark.label_studio
def test_the_command_runs_until_it_is_stopped(
    label_studio_folder: Path,
    label_studio_command: str,
    tmp_path: Path,
) -> None:
    folder, port = tmp_path / "data", free_port()
    shutil.copytree(label_studio_folder, folder)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONUNBUFFERED": "1",
        "PATH": os.pathsep.join((str(Path(label_studio_command).parent), os.environ["PATH"])),
        "HOST": "http://wrong.invalid",  # what Label Studio would read
        "USERNAME": "wrong",
        "CI": "true",
    }
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "--data-dir", str(folder), "--port", str(port)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = "".join(process.stdout.readline() for _ in range(4))
        assert listening(port) == {"0100007F"}  # the loopback address alone
        assert said.startswith(f"Label Studio runs at http://127.0.0.1:{port} ")
        process.send_signal(signal.SIGTERM)
        more, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    owner = credentials(folder)
    assert str(folder / "credentials.toml") in said
    assert not any(one in said + more + errors for one in (owner.token, owner.password))
    assert listening(port) == set()


def fake(tmp_path: Path, script: str) -> str:
    """A command in the place of label-studio."""
    path = tmp_path / "label-studio"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"port {port} .*Name another one with --port"):
            with running(tmp_path / "data", port=port, program=fake(tmp_path, "touch ran")):
                pytest.fail("started")
    assert not (tmp_path / "data" / "ran").exists()


def test_a_server_that_ends_at_once(tmp_path: Path) -> None:
    with pytest.raises(EndpointError, match=r"ended; its last words are in .*server\.log"):
        with running(tmp_path / "d", port=free_port(), program=fake(tmp_path, "echo no; exit 1")):
            pytest.fail("started")
    assert (tmp_path / "d" / "server.log").read_text() == "no\n"


def test_what_the_server_sees_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOST", "PORT", "CI", "LABEL_STUDIO_HOST", "HTTP_PROXY"):
        monkeypatch.setenv(name, "wrong")
    with pytest.raises(EndpointError):
        with running(tmp_path / "d", port=free_port(), program=fake(tmp_path, "env > seen")):
            pytest.fail("started")
    seen = (tmp_path / "d" / "seen").read_text()
    assert "wrong" not in seen
    assert "LABEL_STUDIO_COLLECT_ANALYTICS=false" in seen


def test_credentials_are_made_once_for_their_owner_only(tmp_path: Path) -> None:
    made = credentials(tmp_path)
    path = tmp_path / "credentials.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert credentials(tmp_path) == made
    assert made.token not in repr(made)
    assert made.password not in repr(made)
    assert credentials((tmp_path / "other").parent) == made
    path.write_text('email = "a@example.org"\npassword = "p"\ntoken = "short"\n')
    with pytest.raises(InputError, match="needs email, password and token"):
        credentials(tmp_path)


def test_a_missing_command_names_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r'pip install "label-studio>='):
        executable()
    assert executable_after_install(tmp_path) == str(tmp_path / "label-studio")


def executable_after_install(folder: Path) -> str:
    fake(folder, "true")
    return executable()
