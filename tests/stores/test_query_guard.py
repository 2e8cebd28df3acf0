"""What may run, what is refused, and queries written to look like the other."""

from __future__ import annotations

import contextlib
import time
from unittest.mock import Mock

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.errors import QueryError
from factmark.stores.guard import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_LINKS,
    check_query,
    is_ask,
    token_at,
    undeclared_prefixes,
)

X = "<http://127.0.0.1:9/>"

ALLOWED = [
    "SELECT * { ?s ?p ?o }",
    "BASE <http://e/> PREFIX : <#> PREFIX service: <s#> SELECT * { service:a :b ?service }",
    "# INSERT first\nSELECT * { ?s ?p ?o } # then SERVICE <x> {}",
    "SELECT * { ?s ?p 'SERVICE <http://x> {}' }",
    'SELECT * { ?s ?p """a "quoted" SERVICE <x> {\n} \\""" """ }',
    "SELECT * { ?s <http://e/service#SERVICE> ?o }",
    "SELECT * { ?s ex:service.x ?o ; ex:o\\'neil ?service }",
    "SELECT * { GRAPH service:g { ?s ?p ?o } }",
    "PREFIX service: <http://e/> SELECT * FROM service:g { ?s ?p ?o }",
    "SELECT * FROM <HTTPS://e/g> FROM NAMED <urn:x> WHERE { ?s ?p ?o }",
    "SELECT * { ?s ?p ?o FILTER(?o<3) FILTER(?o<?s&&?s>?o) FILTER(?a<?b)FILTER(?c>?d) }",
    "SELECT * { FILTER(?a<'SERVICE'||?b>'x') }",
    "SELECT * { VALUES (?a ?b) { ('x' <http://e/service#'s>) ('SERVICE' <http://e#>) } }",
    "SELECT * { ?s (ex:load|ex:insert)/ex:delete ?with FILTER(ex:service(?o<1)) }",
    "SELECT * { { SELECT (MAX(?o) AS ?clear) { ?s ?p ?o } GROUP BY ?s } }",
    "SELECT ?drop { ?drop a ex:SERVICE } ORDER BY ?copy LIMIT 1 OFFSET 2 VALUES ?s { ex:move }",
    "SELECT * { ?s ?p 'caf\\u00e9', '\\U0001F600' ; <http://e/\\u00e9> ?o }",
    "SELECT * { ?s ?p 'a\\\\u0027b' }",
    'VERSION "1.2" SELECT * { ?s ?p ?o }',
    # Comparisons without a space that look like IRIs, and IRIs that look like comparisons.
    "SELECT (COALESCE(?a<1,'x',?a>5) AS ?k) FROM <urn:g> { ?s ex:service ?a }",
    "SELECT * { FILTER(?o<3)FILTER(?s>2) ?s ex:service ?o }",
    "SELECT * { FILTER(?a<f(?b)&&(?c>2)) ?s ?p ?from }",
    "SELECT * { ?s ?p (1 <http://e/#x> <http://e/#y>) . ?s :from ?service }",
    "SELECT * { ?s ?p (1 <http://e/o'neil>) }",
    "SELECT * { FILTER(" + " || ".join(["?a<?b#'>1\n"] * 200) + ") }",
]

REFUSED = [
    ("", "no SELECT"),
    ("INSERT DATA { <a:b> <a:b> <a:b> }", "INSERT"),
    ("prefix e: <http://e/>\nDeLeTe where { ?s ?p ?o }", "DELETE"),
    *((f"{word} <http://e>", word) for word in ("LOAD", "CLEAR", "DROP", "CREATE", "COPY", "ADD")),
    ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "CONSTRUCT"),
    ("define get:soft 'replace' SELECT * {}", "SELECT or ASK expected"),
    ("SELECT * {} ; INSERT DATA { <a:b> <a:b> <a:b> }", "one query"),
    ("SELECT * {}\nDROP ALL", "DROP"),
    (f"SELECT * {{ SERVICE {X} {{ ?s ?p ?o }} }}", "SERVICE"),
    (f"SELECT * {{ service#c\n silent#c\n{X} {{ ?s ?p ?o }} }}", "SERVICE"),
    ("SELECT * { ?s ?p ?o SeRvIcE ?s { ?s ?p ?o } }", "SERVICE"),
    (f"SELECT * {{ {{ SELECT * {{ SERVICE {X} {{}} }} }} }}", "SERVICE"),
    (f"ASK {{ FILTER NOT EXISTS {{ SERVICE {X} {{ ?s ?p ?o }} }} }}", "SERVICE"),
    (f"SELECT * {{ SERV\\u0049CE {X} {{ ?s ?p ?o }} }}", "SERVICE"),
    (f"SELECT * {{ \\U00000053ERVICE {X} {{ ?s ?p ?o }} }}", "SERVICE"),
    (f"SELECT * {{ ?s ?p 'a\\u0027 . SERVICE {X} {{}} #' }}", "SERVICE"),
    (f"SELECT * {{ ?s ?p ?o #\\u000a SERVICE {X} {{}}\n }}", "SERVICE"),
    (f"SELECT * {{ #a\rSERVICE {X} {{}} }}", "SERVICE"),
    # No space after a keyword: engines that parse without a lexer take these.
    (f"SELECT * {{ SERVICESILENT{X}{{ ?s ?p ?o }} }}", "SERVICE"),
    (f"SELECT * {{ ?s ?p trueSERVICE{X}{{ ?s ?p ?o }} }}", "SERVICE"),
    ("PREFIX ex: <http://e/> SELECT * { SERVICEex:foo { ?s ?p ?o } }", "SERVICE"),
    ("PREFIX : <http://e/> SELECT * { SERVICE:x#c\n { ?s ?p ?o } }", "SERVICE"),
    # `<` as the less-than sign, although an IRI would fit.
    (f"SELECT * {{ ?a ?p ?b FILTER(?a<?b)SERVICE#c>\n{X}{{ ?s ?p ?o }} }}", "SERVICE"),
    (f"SELECT * {{ ?a ?p ?b FILTER(?a<?b#>'''\n) SERVICE {X} {{}} #'''\n}}", "SERVICE"),
    (f'SELECT * {{ FILTER((1)<?b#>"""\n) SERVICE {X} {{}} #"""\n}}', "SERVICE"),
    ("SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }", "FROM"),
    ("SELECT * FROM <fil\\u0065:///x> { ?s ?p ?o }", "FROM"),
    ("SELECT * FROM#c\n<ftp://e/x> { ?s ?p ?o }", "FROM"),
    ("SELECT * FROMNAMED<file:///x>{}", "FROM"),
    ("PREFIX f: <file:///> ASK FROM f:x {}", "FROM"),
    ("PREFIX f: <file:///> PREFIX f: <http://e/> ASK FROM f:x {}", "FROM"),
    ("BASE <file:///x/> ASK FROM <y> {}", "FROM"),
    ("BASE <http://e/> BASE <file:///x/> PREFIX f: <y> ASK FROM f:x {}", "FROM"),
    ("ASK FROM <y> {}", "FROM"),
    ("ASK FROM unknown:x {}", "FROM"),
    ("SELECT * { ?s ?p 'open }", "no end"),
    ("SELECT * { ?s ?p '\ud800' }", "surrogate"),
    ("SELECT * { ?s ?p ?o", "not closed"),
    ("SELECT * " + "{" * (MAX_DEPTH + 1) + "}" * (MAX_DEPTH + 1), "nests"),
    ("SELECT (" + "STR(" * 300 + "1" + ")" * 300 + " AS ?x) {}", "nests"),
    ("SELECT * { FILTER(" + "!" * (MAX_LINKS + 1) + "true) }", "keywords"),
    ("SELECT * { " + "{} UNION " * MAX_LINKS + "{} }", "keywords"),
    ("SELECT * {} #" + "x" * MAX_LENGTH, "characters"),
    # What follows a `<` with two readings is refused wherever it stands.
    ("SELECT * { FILTER(?a<?b#'>1\n) } ; DROP ALL", "ambiguous"),
    ("SELECT (?a<?b#'>1\n AS ?x) FROM <file:///x> {}", "ambiguous"),
    ("SELECT * { ?s ?p (1 <http://e/#'>) } # SERVICE <x> {}", "ambiguous"),
    ("SELECT * { ?s ?p (1 <e:(>) SERVICE <x> {} ?s ?p (1 <e:)>) }", "ambiguous"),
    ("SELECT * { FILTER(?a<?b#'>'''\n" + "(" * 200 + ")" * 200 + ") #'''\n }", "ambiguous"),
    ("SELECT * { FILTER(?a<?b#'>'''\n && " + "!" * 3_000 + "true) #'''\n }", "ambiguous"),
]


@pytest.mark.parametrize("query", ALLOWED)
def test_a_query_that_only_reads_may_run(query: str) -> None:
    check_query(query)


@pytest.mark.parametrize(("query", "reason"), REFUSED)
def test_a_query_that_writes_or_fetches_is_refused_with_its_reason(query: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        check_query(query)


@pytest.mark.parametrize("piece", ["<a#'>", "<?b#>'''\n", '"\\', "\\u0027"])
def test_long_queries_are_checked_in_linear_time(piece: str) -> None:
    query = "SELECT * { ?s ?p ?o FILTER(1 "
    query += piece * ((MAX_LENGTH - len(query)) // len(piece))
    started = time.process_time()
    with contextlib.suppress(QueryError):
        check_query(query)
    assert time.process_time() - started < 10  # it takes tenths of a second


def test_a_sign_with_two_readings_does_not_double_the_work() -> None:
    rows = " ".join(f"<urn:{number}>" for number in range(4_000))
    query = "SELECT * { VALUES ?a { 'caf\\u00e9' %s } FILTER(%s) VALUES ?b { %s } }"
    once, often = (
        query % (rows, " || ".join(["?a<?b#'>1\n"] * signs), rows[: MAX_LENGTH // 4])
        for signs in (1, 20)
    )
    assert _tokens_read(often) < 1.1 * _tokens_read(once)


def _tokens_read(query: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        counted = Mock(side_effect=token_at)
        patch.setattr("factmark.stores.guard.token_at", counted)
        check_query(query)
    return counted.call_count


def test_many_values_are_no_nesting() -> None:
    rows = " ".join(f"<http://e/service#{number}>" for number in range(2_500))
    numbers = ", ".join(str(number) for number in range(4_000))
    check_query(f"SELECT * {{ VALUES ?s {{ {rows} }} ?s ?p ?o }}")
    check_query(f"SELECT * {{ ?s ?p ?o FILTER(?o IN ({numbers})) }}")


TEXT = st.text(
    st.characters(codec="utf-8") | st.sampled_from("SERVICEservice<>{}()'\"\\#?:;u0041 \n\r\t"),
    max_size=60,
)


@given(TEXT)
def test_no_text_makes_the_guard_crash(text: str) -> None:
    for query in (text, f"SELECT * {{ {text} }}"):
        try:
            check_query(query)
        except QueryError:
            continue


@given(TEXT)
def test_a_literal_may_say_anything(text: str) -> None:
    """The engine's own spelling of a literal is never refused."""
    check_query(f"SELECT * {{ ?s ?p {ox.Literal(text)} }}")


CLOSED = "<http://127.0.0.1:1/>"  # the engine refuses this port by itself, without a connection
PIECES = st.lists(
    st.sampled_from(
        [
            "",
            " ",
            "\n",
            "\r",
            "#",
            "<",
            ">",
            "'",
            '"',
            "'''",
            "(",
            ")",
            "{",
            "}",
            "SERVICE",
            "SILENT",
            "ex:",
            "ex:x",
            "true",
            "1",
            "?s",
            "_:b",
            ".",
            "@en",
            "<?b#>",
            "<urn:p>",
            "FILTER(?s<?b#>",
            "FILTER(?s<?b",
            "GRAPH ?g",
            "\\u0053",
            "UNION",
            "OPTIONAL {",
            "VALUES ?v {",
            "EXISTS {",
        ]
    ),
    max_size=3,
).map("".join)


@settings(max_examples=100)
@given(
    st.sampled_from(
        [
            "{0} SERVICE {1} %s {2} {{}} {3}",
            "{0}SERVICE{1}%s{2}{{}}{3}",
            "{0}SERVICE{1}ex:x{2}{{}}{3}",
            "FILTER(?s<?b#>{0}\n){1}SERVICE %s{2}{{}}{3}",
            "FILTER(?s<?b{0}#>{1})SERVICE %s{2}{{}}{3}",
        ]
    ),
    st.tuples(PIECES, PIECES, PIECES, PIECES),
)
def test_what_makes_the_engine_call_a_server_is_refused(
    template: str, pieces: tuple[str, ...]
) -> None:
    clause = (template.replace("%s", CLOSED)).format(*pieces)
    query = f"PREFIX ex: {CLOSED} PREFIX : {CLOSED} SELECT * {{ {clause} }}"
    try:
        list(ox.Store().query(query))  # type: ignore[arg-type]
        called = False
    except OSError:
        called = True
    except (SyntaxError, RuntimeError):
        called = False
    if called:
        with pytest.raises(QueryError):
            check_query(query)


@pytest.mark.parametrize(("sign", "most"), [("{}", 100), ("()", 100)])
def test_brackets_nest_as_deep_as_the_docs_say_and_no_deeper(sign: str, most: int) -> None:
    def nested(depth: int) -> str:
        inner = sign[0] * (depth - 1) + sign[1] * (depth - 1)
        return f"SELECT * {{ {inner} }}" if sign == "{}" else f"SELECT * {{ ?s ?p {inner} }}"

    check_query(nested(most))
    with pytest.raises(QueryError, match="nests"):
        check_query(nested(most + 1))


def test_words_alone_count_as_links() -> None:
    """The engine nests a call for each `OPTIONAL`, `true`, ... in a row."""
    check_query("SELECT * { ?s ?p " + "true, " * 1_900 + "true }")
    with pytest.raises(QueryError, match="keywords"):
        check_query("SELECT * { ?s ?p " + "true, " * 2_000 + "true }")


@pytest.mark.parametrize(("more", "most"), [("(", 100), ("!", 2_000)])
def test_what_an_ambiguous_less_than_sign_may_hide_is_bounded_as_elsewhere(
    more: str, most: int
) -> None:
    """Where the rest has two readings, brackets and operators in it are counted in either."""

    def hidden(number: int) -> str:
        return "SELECT * { FILTER(?a<?b#'>'''\n" + more * number + " #'''\n }"

    def refused(query: str) -> bool:
        with contextlib.suppress(QueryError):
            check_query(query)
            return False
        return True

    few = next(n for n in range(most + 1, 0, -1) if not refused(hidden(n)))
    assert most - 5 <= few <= most


def test_what_a_query_asks_for_and_which_prefixes_it_lacks() -> None:
    assert is_ask("ASK { ?s ?p ?o }")
    assert is_ask("PREFIX a: <urn:a> # SELECT\nask { ?s a:p ?o }")
    assert not is_ask("SELECT ?ask { ?ask ?p ?o }")
    assert not is_ask("")
    query = "PREFIX a: <urn:a> SELECT ?s { ?s a:b foaf:name, dct:title, foaf:mbox . _:x ?p 'z:y' }"
    assert undeclared_prefixes(query) == ("foaf:", "dct:")


def test_a_string_without_an_end_is_told_with_the_character_it_starts_at() -> None:
    with pytest.raises(QueryError, match="a string that starts at character 18 has no end"):
        check_query("SELECT * { ?s ?p 'abc }")
