"""Endpoints that speak the protocol, and all the ways in which they do not."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest
from aiohttp import web

from factmark.errors import EndpointError, InputError, QueryError, QueryTimeoutError
from factmark.http.retries import RetryPolicy
from factmark.stores.endpoint import HttpEndpoint
from factmark.stores.open_store import open_store
from factmark.stores.terms import Term
from servers.scripted import says, scripted

QUERY = "SELECT ?s ?n { ?s ?p ?n }"
LONG = f"{QUERY} #" + "x" * 5_000
FORM = "application/x-www-form-urlencoded"
GOOD = json.dumps(
    {
        "head": {"vars": ["s", "n"]},
        "results": {
            "bindings": [
                {
                    "s": {"type": "uri", "value": "http://e/1"},
                    "n": {"type": "typed-literal", "value": "1", "datatype": "http://e/int"},
                },
                {"s": {"type": "bnode", "value": "b0"}},
                {"n": {"type": "literal", "value": "drei", "xml:lang": "de"}},
            ]
        },
    }
)


def quick(attempts: int = 3) -> tuple[RetryPolicy, list[float]]:
    """A policy whose waits take no time, and the seconds of these."""
    seconds: list[float] = []

    async def sleep(wait: float) -> None:
        seconds.append(wait)

    policy = RetryPolicy(attempts=attempts, first_wait=1, jitter=lambda: 1.0, sleep=sleep)
    return policy, seconds


async def fails(url: str, *, attempts: int = 1, **options: object) -> str:
    """The message of the error that a query ends with."""
    endpoint = HttpEndpoint(url, retry=quick(attempts)[0], **options)  # type: ignore[arg-type]
    async with endpoint:
        with pytest.raises(EndpointError) as caught:
            await endpoint.query(QUERY)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 600
    return message


async def test_every_kind_of_term_is_read_and_a_limit_truncates() -> None:
    async with scripted(says(GOOD)) as server, open_store(url=server.url) as endpoint:
        rows = await endpoint.query(QUERY)
        assert rows.variables == ("s", "n")
        assert rows.rows[0] == (
            Term(kind="iri", value="http://e/1"),
            Term(kind="literal", value="1", datatype="http://e/int"),
        )
        assert rows.rows[1] == (Term(kind="bnode", value="b0"), None)
        assert rows.rows[2] == (None, Term(kind="literal", value="drei", language="de"))
        limited = await endpoint.query(QUERY, max_rows=2)
        assert (len(limited.rows), limited.truncated) == (2, True)
        assert "application/sparql-results+json" in server.requests[0].headers["Accept"]


async def test_short_queries_are_got_long_ones_posted_and_refused_ones_not_sent() -> None:
    short = "SELECT * { ?s ?p 'a+b & c=ü%20' }"
    async with scripted(says(GOOD)) as server:
        async with HttpEndpoint(f"{server.url}?infer=yes") as endpoint:
            for query in (short, LONG):
                await endpoint.query(query)
            with pytest.raises(QueryError):
                await endpoint.query("DROP ALL")
        get, post = server.requests
        assert (get.method, get.query["query"], get.query["infer"]) == ("GET", short, "yes")
        assert (post.method, (await post.post())["query"]) == ("POST", LONG)
        assert (post.headers["Content-Type"], post.query["infer"]) == (FORM, "yes")
        with pytest.raises(EndpointError, match="closed"):
            await endpoint.query(QUERY)


def bound(binding: object) -> str:
    return json.dumps({"head": {"vars": ["a"]}, "results": {"bindings": [binding]}})


HTML = "<!DOCTYPE html><html><head><title>Log &amp; in</title></head><body>no</body></html>"


@pytest.mark.parametrize(
    ("body", "media", "reason"),
    [
        (HTML, "text/html", "HTML page instead of SPARQL JSON results: Log & in"),
        (HTML, "application/json", "no complete SPARQL JSON"),
        ("<sparql/>", "application/sparql-results+xml", r"sparql-results\+xml instead"),
        (GOOD[:-20], "application/sparql-results+json", "no complete .* cut"),
        *(
            (text, "application/json", reason)
            for text, reason in [
                ("", "no complete"),
                ('{"boolean": 1}', "1.* is no bool"),
                ('{"head": {"vars": ["a", "a"]}, "results": {"bindings": []}}', "twice"),
                ('{"head": {"vars": ["a"]}, "results": {"bindings": {}}}', "no list"),
                ("[]", "no SPARQL result"),
                (bound({"a": {"type": "uri", "value": 1}}), "no str"),
                ('{"head": {"vars": []}, "results": {"bindings": [NaN]}}', "NaN"),
                (bound({"b": {"type": "uri", "value": "x"}}), "does not list"),
                (bound({"a": {"type": "url", "value": "x"}}), "url.*, not an IRI"),
            ]
        ),
    ],
)
async def test_answers_that_are_no_results(body: str | bytes, media: str, reason: str) -> None:
    async with scripted(says(body, media=media)) as server:
        message = await fails(server.url)
        assert server.url in message
        assert re.search(reason, message), message


async def test_partial_results_are_a_timeout() -> None:
    async with scripted(says(GOOD, X_SQL_State="S1TAT")) as server:
        async with HttpEndpoint(server.url) as endpoint:
            with pytest.raises(QueryTimeoutError, match="its own time limit"):
                await endpoint.query(QUERY)


@pytest.mark.parametrize(
    ("status", "body", "shown"),
    [
        (400, "\n\n Parse error: 1\nsecret trace", "400 Bad Request: Parse error: 1"),
        (401, HTML, "401 Unauthorized: Log & in; name the environment"),
        (500, "bell\x07 \x1b[31mred " + "x" * 5000, "500 Internal Server Error: bell [31mred xxx"),
    ],
)
async def test_an_error_status_is_reported_after_one_request(
    status: int, body: str, shown: str
) -> None:
    async with scripted(says(body, status=status, media="text/plain")) as server:
        message = await fails(server.url, attempts=3)
        assert shown in message
        assert "secret" not in message
        assert len(server.requests) == 1  # nothing to gain by asking again


@pytest.mark.parametrize(("status", "named"), [(400, True), (500, False)])
async def test_a_refused_query_names_the_prefix_that_it_does_not_declare(
    status: int, named: bool
) -> None:
    async with scripted(says("Bad", status=status, media="text/plain")) as server:
        async with HttpEndpoint(server.url, retry=quick(1)[0]) as endpoint:
            with pytest.raises(EndpointError) as caught:
                await endpoint.query("SELECT ?n { ?s foaf:name ?n }")
    assert ("add PREFIX foaf: <…>, unless" in str(caught.value)) == named


async def hang_up(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def break_off(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    response.content_type = "application/json"
    await response.prepare(request)
    await response.write(GOOD[:50].encode())
    return await hang_up(request)


async def test_failures_that_pass_are_repeated_and_that_ends() -> None:
    policy, waits = quick(attempts=5)
    later = says("", status=503, Retry_After="7")
    async with scripted(hang_up, says("", status=429), break_off, later, says(GOOD)) as server:
        async with HttpEndpoint(server.url, retry=policy) as endpoint:
            assert len((await endpoint.query(QUERY)).rows) == 3
            assert waits == [1, 2, 7]  # aiohttp itself sends a GET again when hung up on
            server.script[:] = [says("busy", status=504, media="text/plain")]
            with pytest.raises(EndpointError, match=r"504 .*busy \(gave up after 5 attempts\)"):
                await endpoint.query(QUERY)
            server.script[:] = [says("", status=429, Retry_After="9")]
            with pytest.raises(EndpointError, match="after 1 attempt"):
                await endpoint.query(QUERY, timeout=8)  # the wait would not fit
    async with scripted(break_off) as server:
        assert "middle of its answer" in await fails(server.url)


async def test_a_server_that_drips_is_a_timeout() -> None:
    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_type = "application/json"
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.02)

    async with scripted(drip) as server, HttpEndpoint(server.url) as endpoint:
        with pytest.raises(QueryTimeoutError, match=r"0\.3 s"):
            await endpoint.query(QUERY, timeout=0.3)


async def test_a_result_that_is_too_large() -> None:
    async with scripted(says(GOOD + " " * 100_000)) as server:
        assert "more than 50,000 bytes" in await fails(server.url, max_bytes=50_000)


@pytest.mark.parametrize("status", [302, 307, 308])
async def test_redirects_are_told_and_not_followed(status: int) -> None:
    place = "https://user:secret@e.example/sparql?key=secret"
    async with scripted(says("", status=status, Location=place)) as server:
        message = await fails(server.url)
        assert "redirects to https://e.example/sparql" in message
        assert "secret" not in message
        assert len(server.requests) == 1


async def test_credentials_are_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EP_USER", "anna")
    monkeypatch.setenv("EP_PASSWORD", "t0p:secrét")

    async def echo(request: web.Request) -> web.StreamResponse:
        header = request.headers.get("Authorization", "none")
        return web.Response(status=400, text=f"you sent {header} t0p:secrét")

    async with scripted(echo) as server:
        message = await fails(server.url, user_env="EP_USER", password_env="EP_PASSWORD")
        assert "you sent Basic *** ***" in message
        address = server.url.replace("http://", "http://bob:hush@") + "?apikey=hush2"
        message = await fails(address)
        assert "hush" not in message
        assert "you sent Basic ***" in message
        assert "hush" not in HttpEndpoint(address).identity
        assert HttpEndpoint(address).identity == f"endpoint:{server.url}"
    monkeypatch.delenv("EP_USER")
    with pytest.raises(InputError, match="EP_USER"):
        HttpEndpoint("http://e/", user_env="EP_USER")


@pytest.mark.parametrize("url", ["", "e", "ftp://e/", "file:///x", "http://", "http://e:x/"])
def test_what_is_no_http_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="URL such as"):
        HttpEndpoint(url)


async def test_an_unreachable_server_is_reported_after_all_attempts() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening
        message = await fails(f"http://127.0.0.1:{taken.getsockname()[1]}/sparql", attempts=3)
    assert "cannot be reached" in message
    assert "gave up after 3 attempts" in message
    assert "does not resolve" in await fails("http://nobody.invalid/sparql")


@pytest.mark.skipif(
    shutil.which("openssl") is None, reason="no openssl found; install Debian's package openssl"
)
async def test_a_server_without_a_trusted_certificate_is_refused(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    await asyncio.to_thread(
        subprocess.run,
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    runner = web.AppRunner(web.Application())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    port = runner.addresses[0][1]
    assert "no trusted TLS connection" in await fails(f"https://localhost:{port}/sparql")
    await runner.cleanup()
