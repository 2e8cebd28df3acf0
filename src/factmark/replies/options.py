"""Multiple choice: which option a reply names, by its letter, its text or its number.

Options may differ in no more than a sign ("2+", "2-"): the exact text goes before its words, and
words with another sign are not the option.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from factmark.replies.abstaining import abstains
from factmark.replies.choices import ABSTAIN, ALPHABET, read_choice
from factmark.replies.label_of_reply import beginning_and_end, decide_label
from factmark.replies.labels import TOKEN, Finder, Mention, Words, by_first_word, find_spellings
from factmark.replies.plain import final_text, plain_spelling, plain_text
from factmark.text.names import american
from factmark.text.words import stem

_ARTICLES = frozenset({"a", "an", "the"})
_GAP = re.compile(r"[^\w\n]{0,3}(?:(?:an?|the)\s+)?", re.IGNORECASE)
_BARE = r"[^\w+\-<>=%±≤≥]"
_NUMBERED = re.compile(
    rf"{_BARE}*(?:(?:the\s+)?(?:final\s+)?(?:correct\s+)?(?:answer|(?P<place>option|choice|number|index))"
    rf"(?:\s+(?P<nth>number))?\s*(?:is|:|=)?\s*)?(?P<more>option\s*|number\s*)?{_BARE}{{0,4}}(?P<n>\d{{1,2}}){_BARE}*",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"[a-z][ -]")
_SIGN_BEFORE = re.compile(r"(?:([<>]=?|[≤≥±↑↓])\s{0,2}|(?<![\w)])(-))$")
_SIGN_AFTER = re.compile(r"([+-]{1,3})(?!\w)")
_LED = re.compile(
    r"^(?:(?:so|therefore|thus),?\s+)?(?:the\s+)?(?:(?:final|correct|right|best)\s+)*(?:answer|option|choice)\s*(?:is|:|=)\s*"
)
_WITH_LETTER = re.compile(
    r"(?:\(([a-j])\)|\[([a-j])\]|([a-j])(?:\s?[.):]|\s-(?=\s)))\s*(.+)", re.DOTALL
)
_LETTER_AHEAD = re.compile(
    r"(?<![^\W_])([A-J])[ \t]?[\])}]?[ \t]?[.):,=-]{1,2}[ \t]*[*\"'(\[]{0,3}(?:(?:the|an?)[ \t]+)?"
)
_LETTER_BEHIND = re.compile(r"[*\"'.,]{0,3}[ \t]*[(\[]([A-J])[)\]]")
_SPECIES = re.compile(r"\b[A-J]\. [a-z]{4,}\b")
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class OptionFinder(Finder):
    """Finds the options of one question by their texts, up to inflection and spelling.

    Attributes:
        labels: the letters.
        spelt: each option's exact text, case and outer marks aside -> its letter.
        forms: the keys of the words of each option's text -> its signs -> its letter; None where
            two options share both.
        spellings: of the forms, by first word.
        figures: those in the options' texts.
        figured: whether an option begins with a figure.
    """

    labels: tuple[str, ...]
    spelt: dict[str, str]
    forms: dict[Words, dict[str, str | None]]
    spellings: Mapping[str, Sequence[Words]]
    figures: frozenset[int]
    figured: bool

    def mentions(self, text: str) -> list[Mention]:
        """Returns all mentions of options, left to right; of two that overlap the longer one."""
        tokens = _words_without_articles(text)
        words = [_word_key(token[0]) for token in tokens]
        runs = find_spellings(text, tokens, words, self.spellings, _GAP)
        return [
            Mention(start=start, end=end, label=label, strong=True)
            for spelling, start, end in runs
            if (label := self._option_with_signs(spelling, text, start, end)) is not None
        ]

    def _option_with_signs(self, spelling: Words, text: str, start: int, end: int) -> str | None:
        """Returns the option with these words and the signs beside them. Without any signs "K" may
        mean the only "K+", but 2 is not 2-.
        """
        options = self.forms.get(spelling, {})
        signs = _signs_around(text, start, end)
        if signs in options or signs or len(options) != 1:
            return options.get(signs)
        ((only, label),) = options.items()
        if only.startswith(" ") and not text[end - 1].isdigit():
            return label
        return None

    def exact(self, text: str) -> str | None:
        """Returns the letter of the option that a text spells, with or without articles."""
        text = text[:_LONGEST]
        label = self.spelt.get(_comparable_text(text))
        if label is not None:
            return label
        tokens = _words_without_articles(text) or list(TOKEN.finditer(text))
        if not tokens:
            return None
        spelling = tuple(_word_key(token[0]) for token in tokens)
        return self._option_with_signs(spelling, text, tokens[0].start(), tokens[-1].end())


def option_finder(options: Sequence[str]) -> OptionFinder:
    """Returns the finder for these options, at most as many as there are letters."""
    letters = ALPHABET[: len(options)]
    forms: dict[Words, dict[str, str | None]] = {}
    spelt: dict[str, str] = {}
    twice: set[str] = set()
    texts = [plain_spelling(option).strip() for option in options]
    for letter, text in zip(letters, texts, strict=True):
        if spelt.setdefault(_comparable_text(text), letter) != letter:
            twice.add(_comparable_text(text))
        tokens = _words_without_articles(text) or list(TOKEN.finditer(text))
        if tokens:
            signed = forms.setdefault(tuple(_word_key(token[0]) for token in tokens), {})
            signs = _signs_around(text, tokens[0].start(), tokens[-1].end())
            if signs in signed:
                signed[signs] = None
            else:
                signed[signs] = letter
    return OptionFinder(
        labels=tuple(letters),
        spelt={text: letter for text, letter in spelt.items() if text and text not in twice},
        forms=forms,
        spellings=by_first_word(forms),
        figures=frozenset(int(n) for text in texts for n in re.findall(r"[0-9]{1,9}", text)),
        figured=any(re.match(r"[^\w]*\d", text) for text in texts),
    )


def read_option(reply: str, options: Sequence[str], question: str = "") -> str | None:
    """Returns the letter of the option that a reply settles on, `ABSTAIN`, or None.

    A letter goes before an option's text; the number of an option counts where it is all that the
    reply says.

    Args:
        question: the text that was asked, whose "E. coli" is no option.
    """
    finder = option_finder(options)
    final = final_text(reply)
    exact, settled = _option_of_exact_text(final, finder)
    if settled:
        return exact
    species = {name for text in (question, *options) for name in _SPECIES.findall(text)}
    text = _SPECIES.sub(
        lambda match: "that" if match[0] in species else match[0],
        beginning_and_end(plain_text(reply)),
    )
    label = finder.exact(text) or read_choice(text, len(options))
    label = label or _option_by_text_or_number(beginning_and_end(plain_text(final)), finder)
    if label is None:
        if abstains(final):
            return ABSTAIN
        return None
    if label == ABSTAIN or _agrees_with_texts(label, text, finder):
        return label
    return None


def _option_of_exact_text(text: str, finder: OptionFinder) -> tuple[str | None, bool]:
    """The letter of the option whose exact text is all that a reply says, its letter ahead or not.

    Returns:
        The letter or None, and whether that settles it: a letter with the text of another option,
        or one past the last, is none.
    """
    spelled_text = _comparable_text(_LED.sub("", _comparable_text(plain_spelling(text[:_LONGEST]))))
    label = finder.spelt.get(spelled_text)
    if label is not None and not re.fullmatch("[a-j]", spelled_text):
        return label, True
    if len(spelled_text) == 1 and "a" <= spelled_text <= "j":
        letter = spelled_text.upper()
        return (letter if letter in finder.labels else None), True
    match = _WITH_LETTER.fullmatch(spelled_text)
    other = None
    if match:
        other = finder.spelt.get(_comparable_text(match[4]))
    if match is None or other is None:
        return None, False
    letter = (match[1] or match[2] or match[3]).upper()
    return (letter if letter == other else None), True


def _agrees_with_texts(label: str, text: str, finder: OptionFinder) -> bool:
    """Whether no letter in a plain reply stands with the text of another option, as for `label`."""
    pairs = set(_letters_beside_texts(text, finder))
    named = set()
    for letter, option in pairs:
        if letter == label:
            named.add(option)
    lettered = set()
    for letter, option in pairs:
        if option == label:
            lettered.add(letter)
    return (label in named or not named) and (label in lettered or not lettered)


def _letters_beside_texts(text: str, finder: OptionFinder) -> Iterator[tuple[str, str]]:
    """Yields each letter that stands with an option's text, and that option's letter."""
    mentions = finder.mentions(text)
    starts = {mention.start: mention.label for mention in mentions}
    for match in _LETTER_AHEAD.finditer(text):
        option = starts.get(match.end())
        if option is not None:
            yield match[1], option
    for mention in mentions:
        if mention.label and (behind := _LETTER_BEHIND.match(text, mention.end)):
            yield behind[1], mention.label


def _option_by_text_or_number(text: str, finder: OptionFinder) -> str | None:
    """Returns the letter of the one option that a plain reply asserts by its text, or whose number,
    from 1, is all that it says; not by number where an option begins with a figure or has this
    one.
    """
    match = None
    if len(text) <= 60:
        match = _NUMBERED.fullmatch(text)
    number = 0
    if match:
        number = int(match["n"])
    numbered = None
    if 0 < number <= len(finder.labels):
        numbered = finder.labels[number - 1]
    label = finder.exact(text) or decide_label(text, finder)
    if label is None:
        if finder.figured or number in finder.figures:
            return None
        return numbered
    is_place = match and (match["place"] or match["more"])
    if is_place and label != numbered:
        return None
    return label


def _comparable_text(text: str) -> str:
    """Returns a text without case, spaces and the marks around it; signs stay."""
    return " ".join(text.casefold().split()).strip(" \"'`*_$.,;:!?#\\")


def _signs_around(text: str, start: int, end: int) -> str:
    """The signs of a figure or an ion, the comparison or the arrow beside a span of text."""
    before = _SIGN_BEFORE.search(text, max(0, start - 5), start)
    after = _SIGN_AFTER.match(text, end, end + 4)
    out = ""
    if before:
        out = before[1] or ""
    if before and before[2] and text[start : start + 1].isdigit():
        out = "-"
    last = text[max(start, end - 4) : end]
    word = last[-4:].isalpha() and len(last) == 4
    if after and ("+" in after[1] or not word):
        out += f" {after[1]}"
    return out.replace("<=", "≤").replace(">=", "≥")


def _words_without_articles(text: str) -> list[re.Match[str]]:
    """Returns the words without articles; an A after a word in lower case is none ("vitamin A")."""
    articles = []
    for token in TOKEN.finditer(text):
        if token[0].casefold() not in _ARTICLES or (
            token[0] == "A"
            and _WORD_BEFORE.fullmatch(text[max(0, token.start() - 2) : token.start()])
        ):
            articles.append(token)
    return articles


def _word_key(word: str) -> str:
    """Returns a word's stem in American spelling, by which words are compared."""
    return american(stem(word.casefold()))
