"""The nearest vectors and the best words, against a plain scan; order without chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmark.passages.lexical import Hit, LexicalIndex, LexicalWriter, best_hits, fuse_rankings
from factmark.passages.vectors import EXACT_UP_TO, Floats, VectorIndex, VectorWriter, to_unit_length


def random_units(n: int, d: int = 48, seed: int = 1) -> Floats:
    return to_unit_length(np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))


def vectors_on_disk(path: Path, vectors: Floats, expected: int = 0) -> VectorIndex:
    writer = VectorWriter(path, expected)
    for start in range(0, len(vectors), 300):
        writer.add(vectors[start : start + 300])
    writer.finish()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    return VectorIndex(path)


def test_the_nearest_are_those_of_a_scan(tmp_path: Path) -> None:
    vectors = random_units(1000)
    index = vectors_on_disk(tmp_path / "v.faiss", vectors)
    assert len(index) == 1000
    for asked in random_units(20, seed=2):
        scores = vectors.astype(np.float64) @ asked
        expected = np.argsort(-scores, kind="stable")[:7]
        hits = index.search(asked, 7)
        assert [number for _, number in hits] == expected.tolist()
        np.testing.assert_allclose([score for score, _ in hits], scores[expected], atol=1e-5)


def test_many_are_kept_in_a_half_and_found_as_well(tmp_path: Path) -> None:
    vectors = random_units(3000)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    exact = vectors_on_disk(tmp_path / "a" / "v.faiss", vectors)
    small = vectors_on_disk(tmp_path / "b" / "v.faiss", vectors, EXACT_UP_TO + 1)
    sizes = [(tmp_path / name / "v.faiss").stat().st_size for name in "ab"]
    assert sizes[1] < 0.52 * sizes[0]
    same = 0
    for asked in random_units(50, seed=3):
        wanted = {number for _, number in exact.search(asked, 10)}
        same += len(wanted & {number for _, number in small.search(asked, 10)})
    assert same / 500 > 0.99


@pytest.mark.parametrize("expected", [200, EXACT_UP_TO + 1])
def test_the_nearest_of_some_are_ordered_as_by_a_search_of_all(
    tmp_path: Path, expected: int
) -> None:
    vectors = random_units(200)
    index = vectors_on_disk(tmp_path / "v.faiss", vectors, expected)
    asked, some = random_units(1, seed=4)[0], [7, 150, 3, 99, 20]
    everything = [hit for hit in index.search(asked, 200) if hit[1] in some]
    found = index.among(asked, some, 3)
    assert [number for _, number in found] == [number for _, number in everything[:3]]
    assert index.among(asked, [], 3) == []
    with pytest.raises(IndexError, match="200 vectors"):
        index.among(asked, [200], 1)


def test_an_empty_index_and_a_k_of_zero_give_nothing(tmp_path: Path) -> None:
    index = vectors_on_disk(tmp_path / "v.faiss", random_units(3))
    assert index.search(random_units(1)[0], 0) == []
    assert len(index.search(random_units(1)[0], 10)) == 3
    (tmp_path / "none").mkdir()
    writer = VectorWriter(tmp_path / "none" / "v.faiss", 0)
    writer.finish()
    assert VectorIndex(tmp_path / "none" / "v.faiss").search(random_units(1)[0], 3) == []


def lexical(path: Path, texts: list[tuple[str, str]]) -> LexicalIndex:
    writer = LexicalWriter(path)
    writer.add(texts)
    writer.finish()
    return LexicalIndex(path)


TEXTS = [
    ("Synthetic Alzheimer's Disease Cohort", "Health category: 26929004 (SNOMED CT)."),
    ("Synthetic Type 2 Diabetes Cohort", "Prohibited: use, where purpose is CommercialPurpose."),
    ("Synthetic COPD Cohort", "Temporal coverage: 2000-01-01 to 2023-12-31."),
    ("Patient p1", "Medications: sodium fluoride 0.0272 MG/MG Oral Gel (3)."),
    ("Patient p2", "Naïve T-cells; HbA1c; COVID-19; smoking status."),
]


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("alzheimers", 0),
        ("What of Alzheimer’s patients?", 0),
        ("26929004", 0),
        ("type 2 diabetes", 1),
        ("commercial purposes", 1),
        ("CommercialPurpose", 1),
        ('Is "COPD" covered: (2023) AND [2000 TO *]?', 2),
        ("copd^5 +title:x -y ~ \\ /", 2),
        ("0.0272 gel", 3),
        ("naive hba1c", 4),
        ("smokes", 4),
    ],
)
def test_names_codes_and_numbers_are_found(tmp_path: Path, question: str, place: int) -> None:
    index = lexical(tmp_path / "words", TEXTS)
    assert index.search(question, 3)[0][1] == place


def test_words_that_only_ask_do_not_decide(tmp_path: Path) -> None:
    texts = [("which which how many", "what which please"), ("asthma", "lungs")]
    index = lexical(tmp_path / "words", texts)
    assert [number for _, number in index.search("Which of them, please, is asthma?", 5)] == [1]
    assert [number for _, number in index.search("which", 5)] == [0]  # nothing else was said


def test_a_question_without_words_of_content_finds_nothing(tmp_path: Path) -> None:
    index = lexical(tmp_path / "words", TEXTS)
    for question in ("", "  ", "?!*", "the of and", "zzzz", "\x00", "\ud800"):
        assert index.search(question, 5) == []
    assert index.search("copd", 0) == []
    assert lexical(tmp_path / "empty", []).search("copd", 5) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(question=st.text(max_size=200))
def test_signs_in_a_question_are_no_query_language(
    lexical_index: LexicalIndex, question: str
) -> None:
    hits = lexical_index.search(question, 3)
    assert hits == sorted(hits, key=lambda hit: (-hit[0], hit[1]))


@pytest.fixture(scope="module")
def lexical_index(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    return lexical(tmp_path_factory.mktemp("words") / "w", TEXTS)


def test_a_long_question_is_bounded(lexical_index: LexicalIndex) -> None:
    assert lexical_index.search(" ".join(f"w{n}" for n in range(100_000)) + " copd", 3) == []
    assert lexical_index.search("copd " + "x" * 10_000_000, 3)[0][1] == 2


@given(
    scores=st.lists(st.sampled_from([0.1, 0.2, 0.3]), max_size=60),
    k=st.integers(1, 70),
    seed=st.randoms(use_true_random=False),
)
def test_best_is_the_whole_order_cut(scores: list[float], k: int, seed: object) -> None:
    everything = [(score, number) for number, score in enumerate(scores)]

    def found(limit: int) -> list[Hit]:
        """An index that orders equals as it likes."""
        shuffled = everything.copy()
        seed.shuffle(shuffled)  # type: ignore[attr-defined]
        return sorted(shuffled, key=lambda hit: -hit[0])[:limit]

    expected = sorted(everything, key=lambda hit: (-hit[0], hit[1]))[:k]
    assert best_hits(found, k, len(everything)) == expected


def test_rankings_are_fused_by_reciprocal_ranks() -> None:
    words = [(9.0, 1), (8.0, 2), (7.0, 3)]
    vectors = [(0.9, 3), (0.8, 4)]
    assert fuse_rankings([words, vectors], 3) == [
        (pytest.approx(1 / 63 + 1 / 61), 3),
        (pytest.approx(1 / 61), 1),
        (pytest.approx(1 / 62), 2),  # as good as 4, and before it
    ]
