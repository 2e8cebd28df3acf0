"""Tells: what is clearly above chance is reported with its numbers, and nothing else."""

from __future__ import annotations

from random import Random

import pytest

from factmark.people.core.form_reader import read_form
from factmark.people.core.tells import common_openings, find_tells

VOCABULARY = "tumour cells were seen in most of the patients after therapy with a drug".split()


def text(seed: int, words: int) -> str:
    generator = Random(seed)
    return " ".join(generator.choice(VOCABULARY) for _ in range(words)) + "."


def alike(documents: int, seed: int) -> dict[str, list[str | None]]:
    """Three systems whose texts are drawn in one way."""
    generator = Random(seed)
    return {
        system: [
            text(generator.randrange(10**9), generator.randrange(20, 60)) for _ in range(documents)
        ]
        for system in ("a", "b", "c")
    }


def test_the_shortest_in_27_of_30_documents() -> None:
    texts: dict[str, list[str | None]] = {
        "a": [text(at, 30 if at < 27 else 45) for at in range(30)],
        "b": [text(100 + at, 40) for at in range(30)],
        "c": [text(200 + at, 40 + at % 2) for at in range(30)],
    }
    found = [
        tell for tell in find_tells(texts) if (tell.system, tell.says) == ("a", "the shortest")
    ]
    # In two of the other documents b's alone is the shortest, in one b and c are equally short.
    assert [(tell.seen, tell.of, tell.chance) for tell in found] == [
        (27, 30, pytest.approx(29 / 3))
    ]
    assert "a: the shortest in 27 of 30 documents (by chance: " in found[0].sentence()


def test_the_p_value_is_the_binomial_tail_times_the_number_of_tests() -> None:
    # Only the end mark differs: in 8 of 10 documents a's text is the only one without; elsewhere
    # nobody's is. One habit, one direction that can occur, three systems: Holm's factor is 3.
    same = "the patients were treated with a drug."
    texts = {
        "a": [same.rstrip(".") if at < 8 else same for at in range(10)],
        "b": [same] * 10,
        "c": [same] * 10,
    }
    (tell,) = find_tells(texts)
    assert (tell.system, tell.feature, tell.seen, tell.of) == ("a", "cut off", 8, 10)
    assert tell.chance == pytest.approx(8 / 3)
    assert tell.p == pytest.approx(3 * (1 / 3) ** 8)


@pytest.mark.parametrize(
    ("feature", "change"),
    [
        (
            "words",
            lambda t: t + " more words at the end of it here and there and everywhere again.",
        ),
        ("words per sentence", lambda t: t.replace(" were", ". were").replace(" of", ". of")),
        ("cut off", lambda t: t[:-1]),
        ("lower case", lambda t: t.capitalize()),
        ("numbers", lambda t: t[:-1] + " 5 6 7."),
        ("repetition", lambda t: f"{t} {t}"),
        ("commas", lambda t: t.replace(" of", ", of").replace(" in", ", in")),
        ("brackets", lambda t: t + " (yes)."),
        ("dashes", lambda t: t.replace(" were", " — were — ").replace(" of", " – of")),
        ("line breaks", lambda t: t.replace(" ", "\n")),
        ("lists and markdown", lambda t: "- **" + t),
        ("tokenised marks", lambda t: t.replace(".", " .")),
        ("tokenised marks", lambda t: "the patient s wife " + t),
        ("special characters", lambda t: t.replace(" ", "▁")),
        ("opening: we report", lambda t: "we report " + t),
    ],
)
def test_each_habit_is_found(feature: str, change) -> None:  # type: ignore[no-untyped-def]
    texts = alike(40, seed=7)
    texts["b"] = [change(one) for one in texts["b"] if one is not None]
    assert feature in {tell.feature for tell in find_tells(texts) if tell.system == "b"}


def test_openings_that_several_texts_share() -> None:
    texts = ["The patient died.", "the patient lived.", "the  patient.", "We did.", "we did it."]
    assert common_openings(texts) == ("the patient",)


# All habits together


def test_a_reader_of_form_names_who_sets_commas_and_guesses_where_nobody_does() -> None:
    texts = [text(at, 40) for at in range(40)]
    commas = [given.replace(" ", ", ", 4) if at % 4 else given for at, given in enumerate(texts)]
    reading = read_form({"a": commas, "b": texts, "c": [None, *texts[1:]]})
    # The first document lacks a text. In 9 of the other 39 all three are alike: 1/3 is named by
    # chance. In 30 a's is named, and of b's and c's, which are alike, half.
    assert reading is not None
    assert reading.texts == 117
    assert reading.named == pytest.approx((9 / 3 + 30 * 2 / 3) / 39)
    assert reading.without_length == reading.named
    assert "the system of 0.59 of 117 texts (0.59 with length left aside; by chance 0.33)" in (
        reading.sentence()
    )


def test_a_reader_of_form_says_nothing_of_texts_that_are_alike_or_few() -> None:
    told = [read_form(alike(30, seed)) for seed in range(5)]
    assert sum(reading is not None for reading in told) <= 1
    assert read_form({"a": ["x, y."] * 19, "b": ["x y."] * 19}) is None
    assert read_form({"a": ["x y."] * 30, "b": ["x y."] * 30}) is None
