"""Sentences and clauses, and which of them state nothing about the data (E4).

What is left out: how the answer was found, what the assistant can and cannot do, what its
sources do not say, offers, questions to the reader, and advice where to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from factmark.answers.tokens import Kind, Token

_BREAKERS = frozenset(
    "but so although though whereas while because however therefore thus nevertheless still yet "
    "since unless hence if when where".split()
)
_NEW_SUBJECTS = frozenset("i we it the this that these they there no none its so you".split())
_ABBREVIATIONS = frozenset(
    "art no nr vs approx ca cf fig dr mr mrs ms st prof inc ltd dept vol sec resp incl e.g i.e "
    "eg ie etc al max min avg est".split()
)
_ENDS = frozenset(".!?…")
_DASHES = frozenset("–—−")

# Phrases inside a kept sentence that tell where it comes from. Bounded, so linear.
_SOURCE = (
    r"(?:context|excerpts?|passages?|documents?|snippets?|chunks?|knowledge|training data|metadata"
    r"|results?|responses?|outputs?|tools?|queries|query|information|sources?|text|material"
    r"|descriptions?|documentation|records?|catalogue|catalog|entries|extracts?|retrieval|data)"
)
_ASIDE = re.compile(
    r"(?:\bbased\s+(?:solely\s+|only\s+|purely\s+|entirely\s+)?(?:up)?on\s+(?:the\s+|my\s+|what\s+|this\s+)?"
    rf"(?:[\w`\x1f-]+\s+){{0,4}}?{_SOURCE}\b"
    r"|\b(?:according\s+to|going\s+by|judging\s+(?:by|from)|as\s+per|per|looking\s+at|drawing\s+on)\s+"
    rf"(?:the\s+|my\s+|its\s+|this\s+)?(?:[\w`\x1f:-]+\s+){{0,4}}?{_SOURCE}\b"
    r"|\b(?:from|in|within|across|of)\s+(?:the\s+|my\s+|this\s+|these\s+|your\s+|all\s+(?:the\s+)?)"
    r"(?:(?:provided|retrieved|given|available|returned|supplied|above|tool|query|search|whole|entire"
    r"|same|following|shared|accompanying)\s+){1,3}"
    rf"{_SOURCE}\b"
    r"|\b(?:from|in|within|across|of)\s+(?:the\s+|my\s+|this\s+|these\s+|your\s+)"
    r"(?:context|excerpts?|passages?|snippets?|chunks?|metadata|documents?|results?|output|response)\b"
    r")(?:\s+(?:that\s+)?(?:i|you|we)\s+(?:was|were|am|are|have|had|can|could|got|gave|provided|shared|see)"
    r"(?:\s+(?:been\s+)?(?:given|provided|shown|access(?:\s+to)?|see|found|retrieved|me))*"
    r"|\s+(?:provided|available|retrieved|given|returned|shown|above|here|at\s+hand)(?:\s+to\s+me)?)?",
    re.IGNORECASE,
)
_HOW_FOUND = re.compile(
    r"(?:\bas\s+)?\b(?:confirmed|verified|returned|obtained|derived|retrieved|found|determined|established"
    r"|checked|counted|computed|calculated|reported|shown|given|stated|listed|indicated)\s+"
    r"(?:directly\s+)?(?:by|via|with|using|from|through|in)\s+[^,.;:()\n]{0,120}"
    r"|\b(?:by|after|when|on|via|upon)\s+(?:querying|counting|running|searching|checking|calling|listing"
    r"|filtering|summing|aggregating|looking|inspecting|executing|joining|grouping|reading)\b[^,.;:()\n]{0,120}"
    r"|\b(?:according\s+to|per|via|using|through|with|over|against|from)\s+(?:the\s+)?\x1f[^\x1f\n]{1,120}\x1f"
    r"(?:\s+(?:statement|property|predicate|field|triple|value|tool|query|call|function|link|attribute))?"
    r"|\baccording\s+to\s+[a-z]{2,12}:\w+",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\s*(?:\x1f*\s*)(?:(?:based\s+on|given|judging\s+(?:by|from)|going\s+by|without)\s[^,.;\n]{1,160},"
    r"|(?:counting|querying|searching|looking|checking|running|filtering|grouping|summing|ranking|ordering"
    r"|sorting)\s[^,.;\n]{1,160},"
    r"|(?:please\s+)?(?:bear|keep)\s+in\s+mind\s+(?:also\s+)?that\b|(?:please\s+)?(?:also\s+)?note\s+(?:also\s+)?(?:that\b|:)"
    r"|(?:in\s+general|generally\s+speaking|for\s+reference|for\s+context|in\s+short|in\s+summary"
    r"|to\s+summari[sz]e|in\s+practice|as\s+a\s+rough\s+guide|as\s+an\s+aside|one\s+caveat|for\s+completeness"
    r"|for\s+the\s+record|by\s+the\s+way|as\s+a\s+reminder|as\s+a\s+rule)\s*,?:?)",
    re.IGNORECASE,
)


def asides(text: str) -> list[tuple[int, int]]:
    """Stretches of a segment that say where a statement comes from, as (start, end)."""
    found = [match.span() for match in _ASIDE.finditer(text)]
    found += [match.span() for match in _HOW_FOUND.finditer(text)]
    return found


def opening(text: str) -> int:
    """How much of a sentence's begin says only where it comes from, in characters."""
    match = _OPENING.match(text)
    return match.end() if match is not None else 0


def sentences(tokens: list[Token]) -> Iterator[list[Token]]:
    """The sentences of a segment's tokens, each with its final mark."""
    begin = 0
    for index, token in enumerate(tokens):
        if token.kind is Kind.BREAK or (token.text in _ENDS and _is_end(tokens, index)):
            yield tokens[begin : index + 1]
            begin = index + 1
    if begin < len(tokens):
        yield tokens[begin:]


def _is_end(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    if index + 1 == len(tokens):
        return True
    following = tokens[index + 1]
    if token.text == "." and index and tokens[index - 1].lower in _ABBREVIATIONS:
        return False
    return following.start > token.end or following.kind in (Kind.EDGE, Kind.MARK, Kind.BREAK)


def clauses(sentence: list[Token]) -> Iterator[list[Token]]:
    """The clauses of a sentence: parts that are kept or left out each by itself.

    What stands in brackets is a clause of its own, so that its words do not join with those
    around it; the words before and after the brackets stay in one clause.
    """
    depth = 0
    outer: list[Token] = []
    inner: list[Token] = []
    for index, token in enumerate(sentence):
        if token.text == "(" and not (index and sentence[index - 1].glued and not depth):
            depth += 1
        elif token.text == ")" and depth:
            depth -= 1
            if not depth:
                yield inner
                inner = []
                outer.append(token)
                continue
        if depth:
            inner.append(token)
        elif _breaks(sentence, index):
            yield outer
            outer = [token]
        else:
            outer.append(token)
    if inner:
        yield inner
    yield outer


def _breaks(sentence: list[Token], index: int) -> bool:
    token = sentence[index]
    if token.text in ";:":
        return True
    if token.text in _DASHES:
        spaced = index and sentence[index - 1].end < token.start
        return bool(spaced) and not _between_numbers(sentence, index)
    if token.text == ",":
        after = sentence[index + 1].lower if index + 1 < len(sentence) else ""
        if after in ("and", "or") and index + 2 < len(sentence):
            return sentence[index + 2].lower in _NEW_SUBJECTS
        return after in ("i", "we") or after.startswith(("i'", "i’", "we'", "we’"))
    return token.lower in _BREAKERS and index > 0


def _between_numbers(sentence: list[Token], index: int) -> bool:
    sides = sentence[max(0, index - 1)], sentence[min(len(sentence) - 1, index + 1)]
    return all(side.kind in (Kind.NUMBER, Kind.DATE) for side in sides)


_I = r"(?:\bi\b|\bi['’](?:m|ve|d|ll)\b|\bim\b|\bive\b|\bwe\b|\bwe['’](?:re|ve|d|ll)\b|\bmy\b|\bas an ai\b|\bour\b)"
_NOT = (
    r"(?:\bnot\b|n['’]t\b|\bcannot\b|\bunable\b|\bno\b|\bnever\b|\bwithout\b|\black\w*|\bnothing\b"
    r"|\bonly\s+(?:have|had)\b|\bdont\b|\bcant\b|\bunaware\b|\bunsure\b|\bbeyond\b|\blimited\b|\bneither\b)"
)
_MISSING = (
    r"(?:\b(?:do|does|did|is|are|was|were|has|have|can|could|would|may)(?:\s+not\b|n['’]t\b)|\bcannot\b|\blacks?\b"
    r"|\b(?:mention|contain|provide|give|include|list|offer|have|state|say|specif[yi]|show|hold)(?:s|es|ed|ing)?\s+(?:no|nothing|none)\b"
    r"|\bhas\s+no\b|\bbreaks?\s+off\b|\bcut\s+off\b|\bdont\b|\bdoesnt\b)"
)
_FIRST_PERSON_LIMIT = re.compile(rf"{_I}.*{_NOT}|{_NOT}.*{_I}")
_FIRST_PERSON_METHOD = re.compile(
    rf"{_I}(?:\s+(?:have|had|also|then|first|just|already|only|did))*\s+"
    r"(?:search\w*|quer\w+|ran|run|call\w*|check\w*|look\w*|list\w*|us(?:e|ed|ing)|filter\w*|inspect\w*"
    r"|execut\w+|retriev\w+|fetch\w*|examin\w+|review\w*|compar\w+|group\w*|join\w*|verif\w+|consult\w*"
    r"|explor\w+|scann\w+|went|tried|try|need\w*|want\w*|appreciate|hope|apologi[sz]e|understand|suggest"
    r"|recommend|advise|encourage|would\s+(?:recommend|suggest|advise|need|love|like|be\s+happy)"
    r"|can\s+(?:help|also|look|run|check|list|break|provide|share|show|try|explain|give|pull)|could\s+(?:also\s+)?(?:run|check|look|help|pull|break)|['’]?ll|will|am\s+happy)\b"
)
_FIRST_PERSON_FINDING = re.compile(
    r"\b(?:got|found|find|see|saw|count\w*|returned|gave|guess|say|estimate|assume|expect|believe|think"
    r"|suspect|identified|obtained|located|know|presume|imagine|bet)\b"
)
_ADVICE = re.compile(
    r"^\W*(?:so\s+|and\s+|then\s+|to\s+[^,]{1,90},\s*|for\s+[^,]{1,90},\s*|if\s+[^,]{1,120},\s*|instead,?\s+|otherwise,?\s+"
    r"|alternatively,?\s+|always\s+|but\s+)?(?:please|kindly|feel\s+free|let\s+me\s+know|consult|contact|check|refer|see|visit|verify"
    r"|review|ask|look|try|make\s+sure|be\s+sure|ensure|consider|search|query|use\s+the|take\s+care|remember|do\s+not\s+hesitate|don['’]t\s+hesitate"
    r"|confirm|double-check|read|explore|browse|request\s+the|get\s+in\s+touch|reach\s+out|be\s+aware|cross-check|run|inspect|have\s+a\s+look|go\s+to|treat)\b(?!\s*[:=])"
)
_ADVICE_YOU = re.compile(
    r"\b(?:you|users?|researchers?|one|readers?|anyone|it)(?:['’]d|['’]ll)?\s+(?:may|might|should|could|can|would|will|must|need|want|is|['’]re|are)\s*"
    r"(?:\w+\s+){0,3}?(?:check|consult|contact|refer|verify|review|see|look|ask\s+me|visit|quer\w+|search|confirm"
    r"|double-check|try|explore|browse|read|better\s+off|advis\w+|inspect|recommended|reach\s+out)\b"
)
_OFFER = re.compile(
    r"\b(?:would\s+you\s+like|let\s+me\s+know|happy\s+to|glad\s+to|do\s+you\s+want|shall\s+i|should\s+i|can\s+i"
    r"|if\s+you(?:['’]d)?\s+(?:like|want|need|wish|share|tell|provide|give|can|have)|i\s+hope|hope\s+(?:this|that)|feel\s+free"
    r"|^\W*if\s+you\s+(?:paste|share|send|upload|run|let|attach|point|show)|out\s+of\s+(?:my\s+)?reach"
    r"|need\s+anything|just\s+ask|say\s+the\s+word)\b"
)
_ABOUT_QUERY = re.compile(
    r"^\W*(?:(?:the|my|this|that|a)\s+)?(?:sparql\s+)?(?:query|search|lookup|tool\s+call|call|tool|limit)\s+(?:was|is|ran|runs|used|uses|only"
    r"|filters?|filtered|joins?|counts|looks|looked|selects?|excludes?|excluded|covers?)\b"
)


def states_nothing(clause: str) -> bool:
    """Whether a clause (lower-case, edges as spaces) is self-talk, method, offer or advice (E4)."""
    if _OFFER.search(clause) or _ADVICE.search(clause) or _ADVICE_YOU.search(clause):
        return True
    if _FIRST_PERSON_LIMIT.search(clause):
        return True
    if _FIRST_PERSON_METHOD.search(clause) and not _FIRST_PERSON_FINDING.search(clause):
        return True
    return _ABOUT_QUERY.search(clause) is not None or _ABOUT_SOURCES.search(clause) is not None


_ABOUT_SOURCES = re.compile(
    r"\b(?:context|excerpts?|passages?|documents?|snippets?|chunks?|metadata|sources?|results|output|documentation"
    r"|material|retrieved|provided|description|page|text)\b.{0,50}"
    rf"(?:{_MISSING}|\bsilent\b|\bfails?\b|\bambiguous\b|\bincomplete\b|\bunclear\b|\btruncated\b)"
    r"|\b(?:no|not\s+any|any)\b.{0,60}\b(?:figures?|counts?|numbers?|details?|information|breakdown|mention)\b"
    r".{0,40}\b(?:given|included|provided|mentioned|stated|available|listed|shown|specified|present|in\s+the)\b"
    r"|\b(?:not|n['’]t)\s+(?:explicitly\s+|directly\s+|further\s+|otherwise\s+|been\s+|be\s+)?(?:mentioned|specified|stated|given|shown|described|known"
    r"|clear|included\s+in\s+the|listed\s+in\s+the|numbered|confirmed|covered\s+in\s+the|detailed|visible|documented|say|mention|state|specify)\b"
    r"|\b(?:answer|question)\b.{0,40}\b(?:unknown|unclear|uncertain|definitively)\b"
    r"|\bthere\s+(?:is|was|are)\s+(?:no|not)\s+(?:\w+\s+){0,2}(?:information|mention|detail|data|indication|evidence|figure|reference|statement)\b"
)
