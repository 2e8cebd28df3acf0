"""The page's server: who may do what, what is kept, and what happens where it cannot be."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import summaries
from factmark.ledger.campaigns import campaign_named, close_campaign
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from mcp_setup import free_port
from served_page import Client, Served, fetch, make, rated, revision, served
from shell import run


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "ledger.db"
    make(path, summaries(4))
    return path


@pytest.fixture(scope="module")
def page(ledger: Path) -> Iterator[Served]:
    with served(ledger) as running:
        yield running


def test_a_link_opens_the_box_and_leaves_no_token_behind(page: Served) -> None:
    status, headers, body = fetch(page.links["Ada"])
    cookie = headers["set-cookie"]
    assert status == 200
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert "Path=/w/A1/" in cookie
    assert "secure" not in cookie.lower()  # loopback speaks no TLS
    assert headers["referrer-policy"] == "no-referrer"
    assert page.token("Ada").encode() not in body
    status, _, body = fetch(f"{page.base}/w/A1/", headers={"Cookie": cookie.partition(";")[0]})
    assert status == 200
    assert b"<h2>Rating summaries</h2>" in body
    assert page.token("Ada").encode() not in body


def test_every_reply_forbids_scripts_of_others_frames_and_caches(page: Served) -> None:
    for path in ("/", "/health", "/a/x", "/w/A1/", "/w/A1/tasks", "/static/main.js", "/nowhere"):
        _, headers, _ = fetch(page.base + path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    assert fetch(f"{page.base}/health")[0] == 200


def test_a_box_opens_to_its_own_annotator_only(page: Served) -> None:
    ada = Client(page, "Ada", "A1")
    assert fetch(f"{page.base}/w/A1/tasks")[0] == 403
    for code in ("A2", "A3", "A1%2F..%2FA2"):
        cookie = {"Cookie": ada.cookie}
        assert fetch(f"{page.base}/w/{code}/tasks", headers=cookie)[0] in (403, 404)


def test_the_list_does_not_tell_whose_a_unit_is(page: Served) -> None:
    told = Client(page, "Ada", "A1").told
    assert [len(one["units"]) for one in told["documents"]] == [3, 3, 3, 3]
    text = json.dumps(told)
    for hidden in ("d0-0", '"s0"', "system", page.token("Ada"), "Ben"):
        assert hidden not in text


def test_what_is_wrong_is_told_and_the_rest_is_kept(page: Served, ledger: Path) -> None:
    ada, ben = Client(page, "Ada", "A1"), Client(page, "Ben", "A2")
    key = ada.keys[1]
    wrong = {
        "none of your tasks": revision(ben.keys[1], "4"),
        "not one of 0, 1, 2, 3, 4, 5": revision(key, "6"),
        "no label": revision(key, "4", answer={"comment": "only"}),
        "longer than": revision(key, "4", answer={"label": "1", "comment": "x" * 10_001}),
        "no UUID": revision(key, "4", id="1"),
        "no time": revision(key, "4", at="yesterday"),
        "time zone": revision(key, "4", at="2026-01-01T00:00:00"),
        "unknown field": revision(key, "4", judge="x"),
        "no object": revision(key, "4", answer=None),
        "marks where a label": revision(key, "4", answer={"label": "1", "marking": {}}),
    }
    right = revision(key, "3")
    before = len(rated(ledger))
    status, reply = ada.save(*wrong.values(), right)
    assert status == 422
    assert reply["saved"] == [right["id"]]
    assert len(reply["refused"]) == len(wrong)
    for told, one in zip(wrong, reply["refused"], strict=True):
        assert told in one["reason"]
    assert len(rated(ledger)) == before + 1
    assert ada.save("text")[1]["refused"] == [{"id": "", "reason": "a revision is no object"}]


def test_changes_are_taken_from_the_page_only(page: Served, ledger: Path) -> None:
    ada, ben = Client(page, "Ada", "A1"), Client(page, "Ben", "A2")
    made = revision(ada.keys[2], "1")
    before = rated(ledger)
    for status, headers in (
        (403, {"X_Factmark_Request": ""}),
        (403, {"X_Factmark_Request": ben.told["token"]}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": f"http://127.0.0.1:{page.port + 1}"}),
        (403, {"Sec_Fetch_Site": "cross-site"}),
        (403, {"Sec_Fetch_Site": "same-site"}),
        (403, {"Cookie": ben.cookie}),
        (403, {"Cookie": ""}),
        (415, {"Content_Type": "text/plain"}),
        (415, {"Content_Type": "application/x-www-form-urlencoded"}),
    ):
        assert ada.save(made, **headers)[0] == status, headers
    assert fetch(f"{ada.box}save", headers={"Cookie": ada.cookie})[0] == 405  # a GET
    assert rated(ledger) == before
    assert ada.save(made, Sec_Fetch_Site="same-origin")[0] == 200


def test_hosts_of_others_are_refused(page: Served) -> None:
    for host in ("evil.example", f"evil.example:{page.port}", "127.0.0.1.evil.example", ""):
        assert fetch(f"{page.base}/health", headers={"Host": host})[0] in (400, 421), host
    assert fetch(f"{page.base}/health", headers={"Host": f"localhost:{page.port}"})[0] == 200


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b"{"),
        (400, b"[]"),
        (400, b"null"),
        (400, b'{"revisions": {}}'),
        (400, b"\xff\xfe"),
        (400, b"[" * 100_000),
        (400, json.dumps({"revisions": [1] * 201}).encode()),
        (413, b'{"revisions": "' + b"x" * 1_000_001 + b'"}'),
    ],
    ids=["cut off", "list", "null", "no list", "no UTF-8", "deep", "many", "large"],
)
def test_a_body_that_is_none(page: Served, status: int, body: bytes) -> None:
    ada = Client(page, "Ada", "A1")
    headers = {
        "Cookie": ada.cookie,
        "Content-Type": "application/json",
        "X-Factmark-Request": ada.told["token"],
    }
    told, _, reply = fetch(f"{ada.box}save", body, headers)
    assert told == status
    assert json.loads(reply)["error"]


def test_times_are_kept_within_what_can_be(page: Served, ledger: Path) -> None:
    ada = Client(page, "Ada", "A1")
    late = revision(ada.keys[8], "1", at="9999-12-31T23:59:59-12:00")
    early = revision(ada.keys[9], "1", at="1999-01-01T00:00:00Z", seconds=-3)
    status, reply = ada.save(late, early)
    assert reply["refused"] == [{"id": late["id"], "reason": "its time is out of range"}]
    assert status == 422
    with Ledger(ledger, read_only=True) as opened:
        campaign = campaign_named(opened)
        kept = revisions_of(opened, campaign, "A1")[ada.keys[9]][-1]
    assert (kept.at, kept.seconds) == (campaign.created, None)


def test_a_correction_that_is_saved_counts_whatever_the_clocks_say(
    page: Served, ledger: Path
) -> None:
    """The server's clock has gone back since the first answer, or the browser's is wrong."""
    ada = Client(page, "Ada", "A1")
    first = revision(ada.keys[10], "4", at="9998-01-01T00:00:00Z")
    correction = revision(ada.keys[10], "2", at="1999-01-01T00:00:00Z")
    assert ada.save(first)[0] == 200
    assert ada.save(correction)[1]["saved"] == [correction["id"]]
    assert ada.get("answers")[1]["answers"][ada.keys[10]]["answer"]["label"] == "2"
    with Ledger(ledger, read_only=True) as opened:
        kept = revisions_of(opened, campaign_named(opened), "A1")[ada.keys[10]]
        assert [one.response.label for one in kept] == ["4", "2"]
        newest = opened.rows(
            "SELECT label FROM newest_verdicts v JOIN assignments a "
            "ON a.unit = v.unit WHERE a.key = ?",
            ada.keys[10],
        ).fetchall()
        assert ("2",) in newest


def test_a_closed_campaign_takes_nothing_and_a_server_ends_quietly(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    campaign = make(path, summaries(1))
    with served(path, fresh=True) as page:
        ada = Client(page, "Ada", "A1")
        with Ledger(path) as ledger:
            close_campaign(ledger, campaign)
        status, reply = ada.save(revision(ada.keys[0], "5"))
        assert (status, "closed" in reply["error"]) == (409, True)
        assert ada.get("answers")[1]["closed"] is True
        page.process.send_signal(signal.SIGTERM)
        out, errors = page.process.communicate(timeout=30)
    assert (page.process.returncode, out, errors) == (0, "", "")
    assert rated(path) == []


def test_a_renewed_link_shuts_out_the_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    make(path, summaries(1))
    with served(path) as page:
        ada, ben = Client(page, "Ada", "A1"), Client(page, "Ben", "A2")
        command = ("annotate", "links", path, "--base-url", page.base, "--json")
        before = json.loads(run(*command).stdout)["rows"]
        after = json.loads(run(*command, "--renew", "Ada").stdout)["rows"]
        assert before[0]["url"] == page.links["Ada"]
        assert after[0]["url"] != before[0]["url"]
        assert after[1] == before[1]
        assert fetch(page.links["Ada"])[0] == 403
        assert ada.save(revision(ada.keys[0], "5"))[0] == 403
        assert ben.save(revision(ben.keys[0], "5"))[0] == 200
        assert fetch(after[0]["url"])[0] == 200


def test_a_locked_ledger_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    make(path, summaries(1))
    with served(path, fresh=True) as page:
        ada = Client(page, "Ada", "A1")
        made = revision(ada.keys[0], "5")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        status, reply = ada.save(made)
        assert status == 503
        assert "tries again" in reply["error"]
        other.execute("ROLLBACK")
        other.close()
        status, reply = ada.save(made)
        assert (status, reply["saved"], reply["refused"]) == (200, [made["id"]], [])
        page.process.send_signal(signal.SIGINT)
        _, errors = page.process.communicate(timeout=30)
    assert page.process.returncode == 0
    assert errors.startswith("note: ")
    assert "Traceback" not in errors
    assert page.token("Ada") not in errors


@pytest.mark.parametrize(
    ("told", "options"),
    [
        ("unencrypted", ["--host", "0.0.0.0"]),
        ("unencrypted", ["--host", "192.0.2.1"]),
        ("which one", ["--host", "0.0.0.0", "--insecure"]),
        ("--behind-proxy", ["--behind-proxy"]),
        ("--behind-proxy", ["--behind-proxy", "--base-url", "http://rate.example.org"]),
        ("is https", ["--base-url", "https://rate.example.org"]),
        ("no web address", ["--base-url", "rate.example.org"]),
        ("no web address", ["--base-url", "https://a:b@rate.example.org/?x"]),
        ("--certfile", ["--keyfile", "key.pem"]),
        ("both as PEM", ["--certfile", "nowhere.pem"]),
        ("has 'one'", ["--campaign", "two"]),
    ],
)
def test_set_ups_that_cannot_work(ledger: Path, told: str, options: list[str]) -> None:
    done = run("annotate", "serve", str(ledger), "--port", "0", *options)
    assert done.returncode == 2
    assert done.stderr.startswith("factmark: ")
    assert told.replace("which one", "by which one") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_busy_port_and_a_missing_ledger(ledger: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        done = run("annotate", "serve", str(ledger), "--port", str(busy.getsockname()[1]))
    assert (done.returncode, "choose another with --port" in done.stderr) == (2, True)
    for command in ("serve", "links"):
        done = run("annotate", command, str(tmp_path / "none.db"))
        assert (done.returncode, "there is no such ledger" in done.stderr) == (2, True)
    assert not (tmp_path / "none.db").exists()
    done = run("annotate", "links", str(ledger), "--renew", "Nobody")
    assert (done.returncode, "no annotator of 'one'" in done.stderr) == (2, True)


def test_behind_a_proxy(ledger: Path) -> None:
    address = "https://rate.example.org/one"
    with served(ledger, "--behind-proxy", "--base-url", f"{address}/", port=free_port()) as page:
        link = page.links["Ada"]
        assert link.startswith(f"{address}/a/")
        for path in (link.removeprefix(address), link.removeprefix("https://rate.example.org")):
            status, headers, _ = fetch(page.base + path, headers={"Host": "rate.example.org"})
            assert status == 200
            assert "; Secure" in headers["set-cookie"]
            assert "Path=/one/w/A1/" in headers["set-cookie"]
            status, headers, _ = fetch(f"{page.base}{path}/", headers={"Host": "rate.example.org"})
            assert (status, headers.get("location")) == (404, None)  # no way to plain http
        page.links["Ada"] = f"{page.base}/a/{page.token('Ada')}"
        ada = Client(page, "Ada", "A1")
        made = revision(ada.keys[5], "2")
        assert ada.save(made)[0] == 403  # of the origin of loopback
        assert ada.save(made, Origin="https://rate.example.org")[0] == 200


def test_speaks_tls(ledger: Path, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl found; install Debian's package openssl")
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=page"
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(
        ["openssl", *made.split(), *files], cwd=tmp_path, check=True, capture_output=True
    )
    cert = str(tmp_path / "cert.pem")
    options = ["--certfile", cert, "--keyfile", str(tmp_path / "key.pem")]
    with served(ledger, *options) as page:
        assert page.links["Ada"].startswith("https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=cert)
        with urllib.request.urlopen(page.links["Ada"], timeout=30, context=trusting) as reply:
            assert "; Secure" in reply.headers["set-cookie"]


def test_starts_without_what_it_does_not_need() -> None:
    code = (
        "import sys, factmark.cli.main; before = set(sys.modules); "
        "import factmark.people.desk.app; print(*sys.modules.keys() - before)"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    heavy = ("numpy", "rich.table", "factmark.answers", "factmark.graphs", "factmark.stats")
    assert [name for name in loaded if name.startswith(heavy)] == []


def test_a_missing_extra_names_the_command_that_installs_it(ledger: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from factmark.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "annotate", "serve", str(ledger)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert 'pip install "factmark[annotate]"' in done.stderr
