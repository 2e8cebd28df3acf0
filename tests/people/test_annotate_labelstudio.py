"""`push`, `pull` and `status` with a real Label Studio server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from campaigns import people, rating_campaign
from factmark.cli.main import app
from factmark.errors import EndpointError, InputError
from factmark.ledger.ledger import Ledger
from servers.label_studio import RealServer, choice, sign_up


def run(*words: str, token: str = "") -> str:
    """What a command prints, on stdout and stderr."""
    env = {"LABEL_STUDIO_API_KEY": token, "COLUMNS": "200"}
    result = CliRunner().invoke(app, ["annotate", *words], env=env, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    with Ledger(path) as opened:
        rating_campaign(opened, annotators=people("Ada", "Ben\x1b[2J"), documents=1)
    return path


@pytest.mark.label_studio
def test_a_campaign_from_push_to_status(ledger: Path, label_studio: RealServer) -> None:
    token = label_studio.token
    url = ("--url", label_studio.url)
    said = run("push", str(ledger), *url, "--dry-run", "--json", token=token)
    dry, end = json.JSONDecoder().raw_decode(said)
    assert "nothing was written" in said[end:]
    assert [(box["created"], box["imported"]) for box in dry["rows"]] == [(True, 3)] * 2
    said = run("push", str(ledger), *url, token=token)
    assert "A1 Ada: " + label_studio.url + "/projects/" in said
    assert "new project; 3 tasks imported" in said
    assert f"sign up at {label_studio.url}/user/signup/?token=" in said
    assert "\x1b" not in said
    again = json.loads(run("push", str(ledger), "--json", token=token))  # knows the server
    assert again["details"]["writes"] == 0
    project = again["rows"][0]["project"]
    ada = sign_up(label_studio, "ada.cli@example.org", "a-long-password-1", "Ada")
    tasks = ada.done("GET", f"/api/tasks/?project={project}")["tasks"]
    ada.annotate(tasks[0]["id"], [choice("label", "4", of="text")])
    ada.annotate(tasks[1]["id"], [choice("label", "9", of="text")])
    said = run("pull", str(ledger), token=token)
    assert "A1 Ada (by ada.cli@example.org): 1 of 3 answered, 1 new or changed" in said
    assert "does not count: project " in said
    assert "'9', not one of 0, 1, 2, 3, 4, 5" in said
    pulled = json.loads(run("pull", str(ledger), "--json", token=token))
    counts = [pulled["details"][name] for name in ("new", "done", "refused_new")]
    assert counts == [0, False, 0]
    said = run("status", str(ledger))
    assert "1 answer came in that does not count" in said
    told = json.loads(run("status", str(ledger), "--json", "--stall", "0"))
    state = {row["code"]: row for row in told["rows"]}
    assert [state[code]["done"] for code in ("A1", "A2")] == [1, 0]
    assert state["all"]["left"] == 5
    assert state["A2"]["stalls"]
    files = [path.read_bytes() for path in ledger.parent.iterdir()]
    assert files
    assert not any(token.encode() in one for one in files)


def test_without_token_or_server_the_next_step_is_told(ledger: Path) -> None:
    with pytest.raises(InputError, match="on no Label Studio server yet; name one by --url"):
        run("pull", str(ledger), token="0" * 40)
    with pytest.raises(InputError, match="no LABEL_STUDIO_API_KEY"):
        run("push", str(ledger), "--url", "http://127.0.0.1:9")
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:9"):
        run("push", str(ledger), "--url", "http://127.0.0.1:9", token="0" * 40)
    with pytest.raises(InputError, match=r"write it as 'Ada=ada@example\.org'"):
        run("pull", str(ledger), "--who", "Ada", token="0" * 40)


def test_status_needs_no_server(ledger: Path) -> None:
    said = run("status", str(ledger))
    assert [line.split()[:4] for line in said.splitlines() if line.strip()[:2] in ("A1", "al")] == [
        ["A1", "Ada", "0", "3"],
        ["all", "0", "6", "–"],
    ]
    assert "\x1b" not in said
