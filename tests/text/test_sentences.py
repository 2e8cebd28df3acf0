"""Where sentences end that lost the blank after their full stop, and where none ends."""

from __future__ import annotations

import pytest

from factmark.text.sentences import sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["it was seen in the bath.", "objectives: we asked why."],
        ["risk was low.", "methodsregister-based study."],
        ["they were in group d.", "patients and methods: we asked all."],
        ["the p value was below 0.05.", "Conclusions: it works."],
        ["(n = 40).", "material/methodswe built it."],
        ["it was done in 5 ml.", "the rest was lost.", "a total of 5 came."],
        ["it lasted 20-40 min.", "244 parents took part."],
        ["care was good.", "level of evidence: iv."],
    ],
)
def test_a_lost_blank_hides_no_end(parts: list[str]) -> None:
    text = "".join(parts)
    text = text.replace("min.244", "min. 244")
    assert [sentence.of(text) for sentence in sentences(text)] == parts


@pytest.mark.parametrize(
    "text",
    [
        "see www.results.com and https://a.org/x.the end",
        "write to anna@clinic.methods now",
        "with node.js, dct.title and torch.nn in use",
        "they go through example.no, where they wait",
        "set to [?] of it, and [...] so on",
        "grafts, plates etc. have been used",
        "it was no higher than.35 with the index",
        "see fig.the second, vs.the first",
        "after 5 min. of rest",
    ],
)
def test_not_each_full_stop_ends_one(text: str) -> None:
    assert [sentence.of(text) for sentence in sentences(text)] == [text]
