"""The search of the source, by which people show that something is not there."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest

from browsing import Tab, Tabs
from campaigns import summaries
from factmark.campaign_model import Shown
from factmark.people.core.material import Document, material_of_summaries
from folded_text import fold_text
from served_page import make, served

pytestmark = pytest.mark.browser

SIZE = {"width": 1280, "height": 720}
WORDS = (
    "well-fed hay-fed half-grown three-legged long-haired sheep-like x-ray follow-up co-operation "
    "re-examined goat-proof dry-stone hand-reared week-old non-grazing pre-weaned cross-bred "
    "late-born ill-tempered 12-day-old post-dipping anti-worm milk-fed salt-lick hill-side"
).split()
# How files write a hyphen: as it is, set apart by a tokeniser, broken at a line, as a dash, unseen.
HYPHENS = ("-", " - ", "-\n", " -", "\u2010", "\u2011", " \u2013 ", "-\u00ad", "\u2009-\u2009")
ODD = "The goat’s “ﬁrst” ﬂock weighed ５０ kg; naïve ones ran away.\u00a0No\u00adthing was weaned. "


def source_of(words: list[str], *, start: int) -> str:
    """Sentences with each word, its hyphens written in one way after the other."""
    parts = [
        f"The {word.replace('-', HYPHENS[(start + n) % len(HYPHENS)])} goat was weighed and shorn."
        for n, word in enumerate(words)
    ]
    return " ".join(parts)


def counted(one: Tab, words: str) -> str:
    one.page.fill("#find", words)
    return str(one.page.inner_text("#find-count"))


@pytest.mark.parametrize("shown", ["as it was", "as it is shown now"])
def test_no_hyphenated_word_of_the_source_seems_absent(
    tab: Tabs, tmp_path: Path, shown: str
) -> None:
    """However its hyphens are written; in campaigns that earlier versions made as well."""
    documents = []
    for start in range(len(HYPHENS)):
        text = source_of(WORDS, start=start) + ODD
        if shown != "as it was":
            document = Document(id="d", source=text, summaries={"s": "Goats.", "t": "A goat."})
            item = material_of_summaries([document]).items[0]
            text = str(item.data["source"])
        unit = summaries(1, source=text)[0][1][0]
        documents.append((f"d{start}", [unit]))
    make(tmp_path / "c.db", documents, people=("Ada",))
    absent: list[str] = []
    with served(tmp_path / "c.db", people=1) as page:
        one = tab(viewport=SIZE).start(page.links["Ada"])
        for place, _ in enumerate(documents, 1):
            one.page.wait_for_function(f"() => where.innerText.includes(' {place} of')")
            for word in WORDS:
                count = counted(one, word)
                if not count.startswith("1 of 1") or "about" in count:
                    absent.append(f"{place} {word}: {count}")
            for word in ('goat\'s "first" flock', "50 kg", "NOTHING was"):
                assert counted(one, word) == "1 of 1", word
            for word in ("well-shorn", "x-raying", "hill side walk", "goats'"):
                assert counted(one, word) == "none", word
            one.page.keyboard.press("Escape")
            one.press("n")
        assert one.errors == []
    assert absent == []


def test_what_is_written_otherwise_is_found_and_said_to_be_about_so(
    tab: Tabs, tmp_path: Path
) -> None:
    text = "A wellfed goat, a well fed one, a well-fed one; naïve. A treat-\nment of 10-20 ewes."
    unit = Shown(evidence=text, text="Goats.")
    make(tmp_path / "c.db", [("d", [unit])], people=("Ada",))
    with served(tmp_path / "c.db", people=1) as page:
        one = tab(viewport=SIZE).start(page.links["Ada"])
        assert counted(one, "well-fed") == "1 of 3, about"
        one.page.keyboard.press("Enter")
        one.page.keyboard.press("Enter")
        assert one.page.inner_text("#find-count") == "3 of 3"
        assert counted(one, "naive") == "1 of 1, about"
        assert counted(one, "treatment") == "1 of 1, about"
        assert counted(one, "10-20") == "1 of 1"
        assert counted(one, "1020") == "none"  # between figures a sign means something
        assert counted(one, "ell-fed") == "1 of 1"  # a part of a word only as it is written


def test_page_and_package_write_every_sign_alike(tab: Tabs, tmp_path: Path) -> None:
    make(tmp_path / "c.db", summaries(1), people=("Ada",))
    signs = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")
    ]
    with served(tmp_path / "c.db", people=1) as page:
        one = tab(viewport=SIZE).start(page.links["Ada"])
        folded = one.page.evaluate(
            """async signs => {
              const { fold } = await import(new URL('../../static/alike.js', location));
              return signs.map(sign => fold(`a${sign}b`).letters.join(''));
            }""",
            signs,
        )
    differ = [
        (f"U+{ord(sign):04X}", theirs, fold_text(f"a{sign}b"))
        for sign, theirs in zip(signs, folded, strict=True)
        if theirs != fold_text(f"a{sign}b")
    ]
    assert differ == []
