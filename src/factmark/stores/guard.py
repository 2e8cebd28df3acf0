r"""What a SPARQL query may do here: read, with SELECT or ASK, and fetch nothing.

`check_query` looks at the tokens of a query before it runs. Refused are updates, CONSTRUCT and
DESCRIBE (their results are no rows), SERVICE (the engine would call any address, the local network
included, and cannot be told not to), FROM of anything but http, https and urn, and a query so long
or so deeply nested that it would exhaust the stack of the engine's parser. Some engines ask for no
space after a keyword, so `SERVICEex:x {` and `trueSERVICE<...>` are refused as well.

A query must be cut into tokens as the engine will cut it. Two things make that ambiguous, and a
query can be written to profit from each:

* `\\u0053` outside a string is a letter to some engines (SPARQL 1.1, 19.2) and an error to others:
  the three texts that escapes allow are all read.
* `<` starts an IRI or is the less-than sign: `FILTER(?a<?b#>...` is either, by the grammar. Where
  the two readings do not meet again, nothing that is refused may stand behind it.

Each reading is one pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from factmark.errors import QueryError

MAX_LENGTH = 64 * 1024
"""Longest query, in characters."""
MAX_DEPTH = 100
"""Deepest nesting of brackets (pyoxigraph 0.5.13 overflows its stack between 500 and 2,000)."""
MAX_LINKS = 2_000
"""Most keywords, operators and brackets outside VALUES (the same engine overflows from 2,000 to
10,000 of them in a row: `!!!!...`, `1+1+1+...`, `{} UNION {} UNION ...`)."""

_FORMS = frozenset({"select", "ask"})
_UPDATES = frozenset(
    {"insert", "delete", "load", "clear", "drop", "create", "copy", "move", "add", "with"}
)
_OTHER_FORMS = frozenset({"construct", "describe"})
_SCHEMES = frozenset({"http", "https", "urn"})
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_OPENS = {"{": "}", "(": ")", "[": "]", "v": "}", "d": ")"}
_PATTERN = ("{", "v")  # inside these a bare word is a keyword of a graph pattern
# Where a `<` may hide what follows: what is refused, wherever it stands, unless a name or variable.
_HIDDEN = re.compile(
    rf"(?<![?$:])(?:service(?!\w)|service(?:silent\b|\w*:)|\bfrom(?:\b|named\b|\w*:)"
    rf"|\b(?:{'|'.join(sorted(_UPDATES))})\b)",
    re.IGNORECASE,
)
_OPERATORS = frozenset("!+-*/|^=<>&?") | {"&&", "||"}

_OPERANDS = frozenset({"string", "iri", "var", "lang", "pname", "number", "word"})

_NAME = r"\w\-\u00b7\u0300-\u036f\u200c\u200d\u203f\u2040"
_LOCAL_CHAR = rf"[{_NAME}:]|%[0-9A-Fa-f]{{2}}|\\[_~.\-!$&'()*+,;=/?\#@%]"
_ESCAPE = re.compile(r"\\u+([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_ESCAPE_UNLESS_ESCAPED = re.compile(r"\\\\|" + _ESCAPE.pattern)

# Possessive quantifiers keep each alternative linear, whatever the text.
_TOKEN = re.compile(
    rf"""
      (?P<space>[ \t\r\n]++)
    | (?P<comment>\#[^\r\n]*+)
    | (?P<string>
          \"\"\"(?:[^"\\]++|\\.|"(?!""))*+\"\"\" | '''(?:[^'\\]++|\\.|'(?!''))*+'''
        | "(?:[^"\\\r\n]++|\\[^\r\n])*+"         | '(?:[^'\\\r\n]++|\\[^\r\n])*+'
      )
    | (?P<iri><(?:[^<>"{{}}|^`\\\x00-\x20]++|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*+>)
    | (?P<var>[?$]\w++)
    | (?P<lang>@[A-Za-z]++(?:-++[A-Za-z0-9]++)*+)
    | (?P<pname>(?:[^\W\d][{_NAME}.]*)?:(?:{_LOCAL_CHAR}|\.++(?={_LOCAL_CHAR}))*+)
    | (?P<number>\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)
    | (?P<word>\w++)
    | (?P<bad>["'])
    | (?P<other>&&|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SIGN = re.compile("(?P<other>.)", re.DOTALL)
QueryToken = re.Match[str]
"""A piece of a query; the group that matched is named after its kind."""


class _DeadReadingError(Exception):
    """This reading cannot be the right one: the engine would find a syntax error in it."""


@dataclass(slots=True, kw_only=True)
class _Walk:
    """One way through the tokens: the position, the open brackets, and the little that rules need.

    `stack` has one letter per open bracket; `v` is the block of a VALUES, `d` a row inside it.
    `expect` is what a keyword waits for: an IRI, a prefix, a version or a dataset.
    """

    position: int = 0
    stack: str = ""
    form: str = ""
    dataset: bool = False
    expect: str = ""
    prefix: str = ""
    prefixes: dict[str, bool] = field(default_factory=dict)
    base: bool = False
    values: bool = False
    previous: QueryToken | None = None
    before: QueryToken | None = None
    links: int = 0


def check_query(sparql: str) -> bool:
    """Returns whether a query names its dataset (FROM); raises QueryError if it may not run."""
    check_length(sparql)
    try:
        sparql.encode()
    except UnicodeEncodeError as error:
        raise QueryError("the query holds half a character (a lone surrogate)") from error
    dataset: bool | None = None
    problem = ""
    for text in possible_texts(sparql):
        try:
            dataset = _names_dataset(text)
        except _DeadReadingError as error:
            problem = problem or str(error)
    if dataset is None:
        raise QueryError(f"the query cannot be read: {problem}")
    return dataset


def is_ask(sparql: str) -> bool:
    """Whether a query is an ASK; False for one that cannot be read."""
    position = 0
    while position < len(sparql):
        token = token_at(sparql, position)
        position = token.end()
        if token.lastgroup == "word" and token[0].lower() in _FORMS:
            return token[0].lower() == "ask"
    return False


def undeclared_prefixes(sparql: str) -> tuple[str, ...]:
    """The prefixes that a query uses without a PREFIX for them, in their order, with the colon.

    >>> undeclared_prefixes("PREFIX a: <urn:a> SELECT ?s { ?s a:b foaf:name }")
    ('foaf:',)
    """
    declared = {"_:"}
    used: dict[str, None] = {}
    previous = ""
    position = 0
    while position < len(sparql):
        token = token_at(sparql, position)
        position = token.end()
        if token.lastgroup == "pname":
            prefix = token[0].partition(":")[0] + ":"
            if previous == "prefix":
                declared.add(prefix)
            else:
                used[prefix] = None
        if token.lastgroup not in ("space", "comment"):
            previous = token[0].lower()
    return tuple(prefix for prefix in used if prefix not in declared)


def prefix_advice(sparql: str) -> str:
    """What to do about the prefixes that a query does not declare; empty where there are none."""
    missing = undeclared_prefixes(sparql)
    if not missing:
        return ""
    lines = ", ".join(f"PREFIX {prefix} <…>" for prefix in missing)
    return f"the query uses {', '.join(missing)} and does not say what that is: add {lines}"


def check_length(sparql: str) -> None:
    """Raises QueryError for a query that is too long to be looked at."""
    if len(sparql) > MAX_LENGTH:
        raise QueryError(
            f"the query has {len(sparql):,} characters, the limit is {MAX_LENGTH:,}; "
            "split it, or take the values from the store"
        )


def _names_dataset(text: str) -> bool:
    """Whether one reading of the text has FROM; raises QueryError where it is refused."""
    reading = _Walk()
    while reading.position < len(text):
        token = token_at(text, reading.position)
        if _may_be_less_than(reading, token):
            if not _readings_meet_again(text, token):
                return _names_dataset_so_far(reading, text)
            token = token_at(text, reading.position, operator=True)
        _step(reading, token)
    if reading.stack:
        raise _DeadReadingError(f"a bracket is not closed ({_OPENS[reading.stack[-1]]!r} missing)")
    return _has_dataset(reading)


def _names_dataset_so_far(reading: _Walk, text: str) -> bool:
    """Whether the text has FROM up to a `<` with two readings; raises QueryError where what follows
    could hide something.
    """
    rest = text[reading.position :]
    nested, linked = (sum(map(rest.count, signs)) for signs in ("{([", "!+-*/|^=&"))
    hidden = _HIDDEN.search(rest)
    if hidden is not None or nested > MAX_DEPTH or linked > MAX_LINKS:
        what = "the number of brackets and operators"
        if hidden:
            what = repr(hidden.group())
        raise QueryError(
            f"the query is ambiguous: put a space after each less-than sign ({what} could hide "
            "what is refused)"
        )
    return _has_dataset(reading)


def _has_dataset(reading: _Walk) -> bool:
    """Whether a reading has FROM; raises _DeadReadingError where it is no query at all."""
    if not reading.form:
        raise _DeadReadingError("it has no SELECT and no ASK")
    return reading.dataset


def _may_be_less_than(reading: _Walk, token: QueryToken) -> bool:
    """Whether what looks like an IRI may be a comparison: after an operand, in round brackets.

    Only where it matters: both readings are the same after the `>` unless there is a comment sign,
    a quote or a bracket between.
    """
    previous = reading.previous
    return (
        token.lastgroup == "iri"
        and reading.stack.endswith("(")
        and previous is not None
        and (previous.lastgroup in _OPERANDS or previous[0] == ")")
        and any(sign in token[0] for sign in "#'()")
    )


def _readings_meet_again(text: str, iri: QueryToken) -> bool:
    """Whether the tokens after a less-than sign end where the IRI ends, with equal brackets."""
    position = iri.start() + 1
    depth = 0
    while position < iri.end() - 1:
        token = token_at(text, position)
        if token.lastgroup in ("comment", "bad") or token[0] in ("[", "]"):
            return False
        depth += (token[0] == "(") - (token[0] == ")")
        position = token.end()
    return position == iri.end() - 1 and depth == 0


def _step(reading: _Walk, token: QueryToken) -> None:
    """Moves a reading past a token; raises QueryError when it is refused."""
    reading.position = token.end()
    if token.lastgroup in ("space", "comment"):
        return
    if token.lastgroup == "bad":
        raise _DeadReadingError(f"a string that starts at character {token.start() + 1} has no end")
    if reading.expect:
        _take_expected(reading, token)
    elif not reading.form:
        _step_in_prologue(reading, token)
    else:
        _step_in_body(reading, token)
    reading.before = reading.previous
    reading.previous = token


def _step_in_prologue(reading: _Walk, token: QueryToken) -> None:
    """Moves past a token before SELECT or ASK."""
    word = token[0].lower()
    if token.lastgroup == "word" and word in _FORMS:
        reading.form = word
    elif token.lastgroup == "word" and word in ("base", "prefix", "version"):
        reading.expect = word
    elif token.lastgroup == "word" and (word in _UPDATES or word in _OTHER_FORMS):
        raise QueryError(f"only SELECT and ASK run here, not {word.upper()}")
    else:
        raise _DeadReadingError(f"SELECT or ASK expected, not {token[0][:40]!r}")


def _take_expected(reading: _Walk, token: QueryToken) -> None:
    """Takes the token that BASE, PREFIX, VERSION or FROM waits for."""
    expect = reading.expect
    reading.expect = ""
    if expect == "prefix" and token.lastgroup == "pname" and token[0].endswith(":"):
        reading.prefix = token[0]
        reading.expect = "prefix iri"
    elif expect == "prefix iri" and token.lastgroup == "iri":
        allowed = _fetches_nothing(reading, token[0])
        reading.prefixes[reading.prefix] = allowed and reading.prefixes.get(reading.prefix, True)
    elif expect == "base" and token.lastgroup == "iri":
        reading.base = _fetches_nothing(reading, token[0])
    elif expect == "dataset" and token.lastgroup == "word" and token[0].lower() == "named":
        reading.expect = "dataset"
    elif expect == "dataset" and token.lastgroup in ("iri", "pname"):
        _check_dataset(reading, token)
    elif not (expect == "version" and token.lastgroup == "string"):
        raise _DeadReadingError(f"{token[0][:40]!r} after {expect.upper()}")


def _check_dataset(reading: _Walk, token: QueryToken) -> None:
    """Raises QueryError for a FROM of a graph that could be fetched."""
    if token.lastgroup == "iri":
        allowed = _fetches_nothing(reading, token[0])
    else:
        allowed = reading.prefixes.get(token[0].partition(":")[0] + ":", False)
    if not allowed:
        raise QueryError(
            f"FROM {token[0][:200]} is refused: only absolute http, https and urn names of "
            "graphs are allowed (file: and the like could be fetched)"
        )
    reading.dataset = True


def _fetches_nothing(reading: _Walk, iri: str) -> bool:
    """Whether an IRI is of an allowed scheme, or relative to a base that is."""
    scheme = _SCHEME.match(_ESCAPE.sub(_character, iri[1:-1]))
    if scheme:
        return scheme.group(1).lower() in _SCHEMES
    return reading.base


def _step_in_body(reading: _Walk, token: QueryToken) -> None:
    """Moves past a token after SELECT or ASK."""
    if token.lastgroup == "word":
        _step_over_word(reading, token[0].lower())
    elif token.lastgroup == "other":
        _step_over_sign(reading, token[0])


def _step_over_word(reading: _Walk, word: str) -> None:
    """Moves past a keyword; raises QueryError for SERVICE and updates."""
    _count_link(reading)
    top = reading.stack[-1:]
    if top in _PATTERN and "service" in word:
        raise _service_refused()
    if (not top or top in _PATTERN) and word in _UPDATES:
        raise QueryError(f"only SELECT and ASK run here, not {word.upper()}")
    if word == "values":
        reading.values = True
    elif not top and word in ("from", "fromnamed"):
        reading.expect = "dataset"


def _step_over_sign(reading: _Walk, sign: str) -> None:
    """Moves past a bracket or an operator; raises _DeadReadingError for a bracket that closes
    nothing.
    """
    if sign in _OPERATORS:
        _count_link(reading)
    elif sign in "{([":
        _open_bracket(reading, sign)
    elif sign in "})]":
        if not reading.stack or _OPENS[reading.stack[-1]] != sign:
            raise _DeadReadingError(f"a {sign!r} closes nothing")
        reading.stack = reading.stack[:-1]
    elif sign == ";" and not reading.stack:
        raise QueryError("only one query at a time: a ';' stands outside of its brackets")


def _open_bracket(reading: _Walk, sign: str) -> None:
    """Notes an opened bracket, and whether it holds the data of a VALUES."""
    if sign == "{" and _ends_in_service(reading):
        raise _service_refused()
    data = reading.values or reading.stack.endswith(("v", "d"))
    if not data:
        _count_link(reading)
    if not data or sign == "[":
        kind = sign
    elif sign == "{":
        kind = "v"
    else:
        kind = "d"
    if sign == "{":
        reading.values = False
    reading.stack += kind
    if len(reading.stack) > MAX_DEPTH:
        raise QueryError(f"the query nests more than {MAX_DEPTH} brackets; make it flatter")


def _ends_in_service(reading: _Walk) -> bool:
    """Whether a `{` follows `SERVICEex:name`: a keyword and a name without a space between."""
    token = reading.previous
    before = reading.before
    return (
        token is not None
        and token.lastgroup == "pname"
        and reading.stack.endswith(_PATTERN)
        and "service" in token[0].partition(":")[0].lower()
        and not (before is not None and before[0].lower() == "graph")
    )


def _count_link(reading: _Walk) -> None:
    """Counts a keyword or operator; raises QueryError where they are so many that the engine would
    crash.
    """
    reading.links += 1
    if reading.links > MAX_LINKS:
        raise QueryError(
            f"the query has more than {MAX_LINKS:,} keywords and operators; "
            "list values with VALUES or IN instead of chaining them"
        )


def _service_refused() -> QueryError:
    """Returns the error for a SERVICE."""
    return QueryError(
        "SERVICE is refused: it would call another server from here; query that endpoint directly"
    )


def token_at(text: str, position: int, *, operator: bool = False) -> QueryToken:
    """Returns the token that starts at `position`; with `operator` a `<` is the less-than sign."""
    match = (_SIGN if operator else _TOKEN).match(text, position)
    if match is None:  # `.` with DOTALL matches all there is
        raise AssertionError(f"no token at {position}")
    return match


def possible_texts(sparql: str) -> Iterator[str]:
    """Yields the distinct texts that an engine may read: as written, and with escapes replaced."""
    yield sparql
    if "\\u" not in sparql and "\\U" not in sparql:
        return
    seen = {sparql}
    for pattern in (_ESCAPE, _ESCAPE_UNLESS_ESCAPED):
        text = pattern.sub(_character, sparql)
        if text not in seen:
            seen.add(text)
            yield text


def _character(match: re.Match[str]) -> str:
    """Returns the character that an escape stands for."""
    digits = match.group(1) or match.group(2)
    if not digits or int(digits, 16) > 0x10FFFF:
        return match.group()
    return chr(int(digits, 16))
