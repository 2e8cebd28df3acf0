"""The SPARQL 1.1 Protocol, seen from the server: the query in a request, the format it wants."""

from __future__ import annotations

from collections.abc import Collection

from aiohttp import web
from multidict import MultiMapping

from factmark.errors import QueryError
from factmark.stores.graphs import Graphs

FORM = "application/x-www-form-urlencoded"
DIRECT = "application/sparql-query"
_MOST_GRAPHS = 1_000
_UPDATE_DATASET = ("using-graph-uri", "using-named-graph-uri")


class RefusedRequest(Exception):  # noqa: N818  # an answer to the client, not a failure here
    """What to answer instead of a result: a status, and why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def query_of(request: web.Request) -> tuple[str, Graphs | None]:
    """The query in a GET, in a form, or as the body, and its dataset where the request names one.

    Raises:
        RefusedRequest: there is none or more than one, it is an update, its dataset is named
            in a way that cannot be read, or the body is of another type or not UTF-8.
    """
    if request.method in ("GET", "HEAD"):
        return _one_query(request.query)
    charset = (request.charset or "utf-8").lower()
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise RefusedRequest(415, f"write the query in UTF-8, not in {charset[:40]}")
    if request.content_type == FORM:
        try:
            form = await request.post()
        except ValueError as error:
            raise RefusedRequest(400, "the form cannot be read") from error
        return _one_query(form)  # type: ignore[arg-type]  # this content type has no files
    if request.content_type != DIRECT:
        raise RefusedRequest(415, f"send the query as {FORM} or {DIRECT}")
    _check_parameters(request.query)
    if "query" in request.query:
        raise RefusedRequest(400, "there is a query in the URL and one in the body")
    try:
        return (await request.read()).decode(), _dataset(request.query)
    except UnicodeDecodeError as error:
        raise RefusedRequest(400, "the query is not in UTF-8") from error


def _one_query(parameters: MultiMapping[str]) -> tuple[str, Graphs | None]:
    _check_parameters(parameters)
    queries = parameters.getall("query", [])
    if len(queries) != 1:
        raise RefusedRequest(400, f"there must be one parameter 'query', not {len(queries)}")
    return queries[0], _dataset(parameters)


def _dataset(parameters: MultiMapping[str]) -> Graphs | None:
    default = tuple(parameters.getall("default-graph-uri", []))
    named = tuple(parameters.getall("named-graph-uri", []))
    if not default and not named:
        return None
    if len(default) + len(named) > _MOST_GRAPHS:
        raise RefusedRequest(400, f"a query may name {_MOST_GRAPHS} graphs, not more")
    try:
        return Graphs(default=default, named=named)
    except QueryError as error:
        raise RefusedRequest(400, str(error)) from error


def _check_parameters(parameters: MultiMapping[str]) -> None:
    if "update" in parameters:
        raise RefusedRequest(400, "this endpoint is read-only: updates are refused")
    if any(name in parameters for name in _UPDATE_DATASET):
        raise RefusedRequest(400, "this endpoint is read-only: using-graph-uri is for updates")


def preferred(accept: str, offered: Collection[str]) -> str | None:
    """The offered media type that an Accept header likes best; None when it likes none.

    Among equals the order of `offered` decides. A more exact range overrides a wider one, as in
    `*/*, text/csv;q=0` (RFC 9110, 12.5.1).
    """
    ranges = dict(_range(part) for part in accept.split(",") if part.strip())
    if not ranges:
        return next(iter(offered), None)
    best, best_quality = None, 0.0
    for media in offered:
        wide = media.partition("/")[0] + "/*"
        quality = next((ranges[name] for name in (media, wide, "*/*") if name in ranges), 0.0)
        if quality > best_quality:
            best, best_quality = media, quality
    return best


def _range(part: str) -> tuple[str, float]:
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return media, min(1.0, max(0.0, float(value)))
            except ValueError:
                return media, 0.0
    return media, 1.0
