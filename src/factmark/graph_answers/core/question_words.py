"""Which entities a question names: words as they are compared, and the longest names first. Pure.

Case, accents, inflection and British or American spelling do not count, nor how letters and digits
are joined (`SGLT-2` is `SGLT2`), nor whether a lone Greek letter is spelt out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from factmark.graphs.core.cues import FUNCTION_WORDS
from factmark.text.names import american
from factmark.text.words import stem

LONGEST_NAME = 32
"""Words of a name that is looked for; for a longer one the first so many have to agree."""
_TURNED = 4  # words on each side of the comma of a name that is turned round
_FEW = 6  # words of a text that is too short to be a title
LONGEST_STATEMENT = 200
"""Words of an edge's own statement that are read."""
LONGEST_QUESTION = 20_000
"""Characters of a question that are read: of a longer one the first half and the last."""

WEIGHTS = {
    "name": 1.0,
    "alias": 0.95,
    "synonym": 0.9,
    "initials": 0.75,
    "fuzzy": 0.7,
    "part": 0.5,
}
"""How far a way of being named is trusted."""
HOW = tuple(WEIGHTS)
SURE = ("name", "alias", "synonym")
"""The ways that leave no doubt."""

_CJK = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"  # no blanks between words
_LONE_GREEK = r"(?<![\u0370-\u03ff])[\u0370-\u03ff](?![\u0370-\u03ff])"
_PIECE = re.compile(
    r"(?<=\w)['’ʼ]s\b"  # a genitive is no piece
    r"|(?P<piece>(?<![\w.])(?:[A-Z]\.)+[A-Z](?!\w)\.?"  # U.S., U.K
    rf"|{_CJK}|{_LONE_GREEK}"
    rf"|[^\W\d_]+?(?:(?![^\W\d_])|(?={_CJK}|{_LONE_GREEK})|(?<=[a-z])(?=[A-Z][a-z]))"
    r"|\d+)"
)
_PLAIN_PIECE = re.compile(r"(?P<piece>[a-z]+|\d+)")
_GREEK = re.compile(_LONE_GREEK)
_BRACKET = re.compile(r"^(?P<name>.+?)\s*[(\[](?P<inside>[^()\[\]]{2,60})[)\]]\s*$")
_ACRONYM = re.compile(r"^(?=.*[A-Z])(?=.{2,8}$)[A-Z][A-Za-z0-9-]*[A-Z0-9][A-Za-z]?$")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_SENTENCE = re.compile(r"(?:^|[.!?:\n])\W*$")
_ARTICLE = re.compile(r"(?:the|an?)\s", re.IGNORECASE)
# what it is worth that a name is written as it stands
_LETTERS = 0.2
_CAPITALS = 0.05
_WORDY = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A piece of a text, in characters, and the key under which it is compared.

    `is_function`: whether it names nothing by itself. Written as a name it may: in capitals (`IT`,
    `WHO`) or with a capital in mid-sentence, in a text that is not all so.
    """

    key: str
    start: int
    end: int
    text: str
    is_function: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Words `first` to before `last` of a question that are the name of entities, `nodes`.

    `how`: one of `HOW`; `weight`: from 0 to 1, how far it is trusted.
    """

    first: int
    last: int
    nodes: tuple[int, ...]
    how: str
    weight: float


@lru_cache(maxsize=65_536)
def piece_key(piece: str) -> str:
    """The key under which a piece of a word is compared.

    >>> piece_key("Oesophagi"), piece_key("β"), piece_key("Sjögren"), piece_key("UTIs")
    ('esophagi', 'beta', 'sjogren', 'uti')
    >>> piece_key("movie") == piece_key("movies"), piece_key("study") == piece_key("studies")
    (True, True)
    """
    if "." in piece:
        piece = piece.replace(".", "")
    if not piece.isascii():
        if len(piece) == 1 and _GREEK.match(piece):
            return unicodedata.name(piece, "").rsplit(" ", 1)[-1].casefold() or piece
        plain = unicodedata.normalize("NFKD", piece)
        piece = "".join(c for c in plain if not unicodedata.combining(c)) or piece
    if _ACRONYMS.fullmatch(piece):
        piece = piece[:-1]
    key = american(stem(piece.casefold()))
    if len(key) > 3 and key[-1] == "y" and key[-2] not in "aeiou":
        return f"{key[:-1]}i"  # the plural does not tell a calorie from a study
    return key


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Where the pieces of a text stand: runs of letters and runs of digits, without articles."""
    simple = text.isascii() and text.islower() and "'" not in text
    whole = None
    for match in (_PLAIN_PIECE if simple else _PIECE).finditer(text):
        start, end = match.span()
        if match["piece"] is None:
            continue
        if end - start <= 3 and match["piece"].casefold() in ("the", "an", "a"):
            alone = (start == 0 or not _WORDY.match(text[start - 1])) and not _WORDY.match(
                text[end : end + 1]
            )
            if alone and (text[start:end] != "A" or start == 0):
                whole = whole or (start, end)
                continue
        whole = (0, 0)
        yield start, end
    if whole and whole != (0, 0):  # nothing but an article: vitamin "A"
        yield whole


def words_of(text: str) -> tuple[QuestionWord, ...]:
    """The words of a question, in order.

    >>> [word.key for word in words_of("Does the SGLT-2 inhibitor's dose matter?")]
    ['doe', 'sglt', '2', 'inhibitor', 'dose', 'matter']
    """
    spans = list(pieces(text[:LONGEST_QUESTION]))
    if len(text) > LONGEST_QUESTION:
        half = LONGEST_QUESTION // 2
        late = len(text) - half
        spans = [span for span in spans if span[1] < half]
        spans += [(start + late, end + late) for start, end in pieces(text[late:])]
    given = [text[start:end] for start, end in spans]
    capitals = sum(piece[0].isupper() for piece in given)
    plain = 2 * capitals <= len(given) or len(given) < _FEW  # else: all in capitals, or a title
    return tuple(
        QuestionWord(
            piece_key(piece),
            start,
            end,
            piece,
            piece.casefold() in FUNCTION_WORDS and not (plain and _as_name(text, start, piece)),
        )
        for (start, end), piece in zip(spans, given, strict=True)
    )


def _as_name(text: str, start: int, piece: str) -> bool:
    """Whether a word is written as names are: in capitals, or with one in mid-sentence."""
    if piece.isupper() and len(piece) > 1:
        return True
    return piece[0].isupper() and not _SENTENCE.search(text, max(0, start - 40), start)


def name_keys(name: str, most: int = LONGEST_NAME) -> list[str]:
    """The keys of a name's first words; empty for a name without a letter or digit."""
    return [piece_key(name[start:end]) for start, end in islice(pieces(name), most)]


def other_names(name: str) -> Iterator[str]:
    """Names that a name itself tells: without its bracket, what is in the bracket, and turned
    round where it stands as in a register.

    >>> list(other_names("diabetic ketoacidosis (DKA)"))
    ['diabetic ketoacidosis', 'DKA']
    >>> list(other_names("Diabetes Mellitus, Type 2"))
    ['Type 2 Diabetes Mellitus']
    """
    before, comma, after = name.partition(", ")
    if comma and "," not in after and max(before.count(" "), after.count(" ")) < _TURNED:
        yield f"{after} {before}"
    if name and name[-1] in ")]" and (match := _BRACKET.match(name)):
        yield match["name"]
        if _ACRONYM.match(match["inside"].strip()):
            yield match["inside"].strip()


def exactness_of_name(text: str, start: int, end: int, name: str) -> float:
    """Returns how exactly a stretch of a text is a name, from 0 to 0.3: 0 for an inflection of it
    (`apes`), more for the same letters, and most for the same capitals too.

    >>> question = "Who saw The Ape?"
    >>> [f"{exactness_of_name(question, 12, 15, n):.2f}" for n in ("The Ape", "Ape", "apes")]
    ['0.30', '0.25', '0.00']
    """
    plain = " ".join(name.split())
    article = _ARTICLE.match(plain)
    if article:
        bare = plain[article.end() :]
    else:
        bare = plain
    stretch = text[start : start + len(bare)]
    if stretch.casefold() != bare.casefold() or start + len(bare) < end:
        return 0.0
    worth = _LETTERS
    if article and text[max(0, start - article.end()) : start].casefold() == article[0].casefold():
        worth += _CAPITALS
    if stretch == stretch.casefold() or stretch != bare:
        return worth
    return worth + _CAPITALS


def initials(keys: Sequence[str]) -> str | None:
    """The initials of a name of three to seven words, digits whole; None for others.

    >>> initials(["type", "2", "diabet", "mellitu"])
    't2dm'
    """
    if not 3 <= len(keys) <= 7:
        return None
    letters = "".join(key if key.isdigit() else key[0] for key in keys)
    if len(letters) <= 8:
        return letters
    return None


def is_acronym(text: str) -> bool:
    """Whether a word is written as acronyms are: `T2DM`, `DKA`, `eGFR` is not."""
    return bool(_ACRONYM.match(text)) and sum(c.isupper() for c in text) >= 2


def longest_first(matches: Iterable[Match], words: Sequence[QuestionWord]) -> list[Match]:
    """Matches of which none overlaps a longer one, left to right.

    Of two of the same words the one that is trusted more stands; both where they are trusted alike.
    """
    kept: list[Match] = []
    taken: dict[int, Match] = {}

    def length(match: Match) -> int:
        return words[match.last - 1].end - words[match.first].start

    for match in sorted(matches, key=lambda m: (-length(m), -m.weight, m.first)):
        over = {}
        for n in range(match.first, match.last):
            if n in taken:
                over[id(taken[n])] = taken[n]
        if any(
            (other.first, other.last, other.weight) != (match.first, match.last, match.weight)
            for other in over.values()
        ):
            continue
        kept.append(match)
        for number in range(match.first, match.last):
            taken.setdefault(number, match)
    return sorted(kept, key=lambda m: m.first)


def says_something(words: Sequence[QuestionWord], first: int, last: int) -> bool:
    """Whether a stretch of a question may be a name: not function words, or one number, alone."""
    stretch = words[first:last]
    if all(word.is_function for word in stretch):
        return False
    return len(stretch) > 1 or not stretch[0].text.isdigit()
