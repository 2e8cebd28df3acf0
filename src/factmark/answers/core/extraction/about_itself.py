"""Rule E4: what an answer says of itself and of its search, and not of the data.

How the answer was found, what the assistant can and cannot do, what its sources do not say,
offers, questions to the reader, advice where to look. All patterns have bounded repeats and are
tried on a bounded stretch, so that the time is linear.
"""

from __future__ import annotations

import re


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.VERBOSE | re.IGNORECASE)


_SOURCE = r"""(?:context|excerpts?|passages?|documents?|snippets?|chunks?|metadata|results?
    |responses?|outputs?|tools?|quer(?:y|ies)|information|sources?|text|material|descriptions?|documentation
    |retrieval|search|graphs?|catalogue|catalog|records?|register|knowledge)"""

# `based on the provided context`, `confirmed by querying the catalogue`, `with` a code span
_ASIDE = _pattern(rf"""
    \b(?:(?:based|drawing)\s+(?:\w+\s+)?(?:up)?on|according\s+to|going\s+by|(?:as\s+)?per
        |(?P<inside>from|in|within|across|of))
    \s+(?:the|my|this|these|your|all)\s+
    (?(inside)(?:(?:provided|retrieved|given|available|returned|tool|query|search|whole)\s+){{0,3}}
      |(?:[\w`\x1f:-]+\s+){{0,3}}?)
    {_SOURCE}\b
    (?:\s+(?:that\s+)?(?:i|you|we)\s+\w+(?:\s+(?:given|provided|shown|access\s+to|see|found))?)?
  | (?:\bas\s+)?\b(?:confirmed|verified|returned|obtained|derived|retrieved|found|determined|checked
        |counted|calculated|shown|given|listed|quoted(?=\s+from))\s+(?:by|via|with|using|from|through|in)
    \s+[^,.;:()\n]{{0,120}}
  | \b(?:according\s+to|per|via|using|through|with|over|against|from)\s+(?:the\s+)?
    \x1f[^\x1f\n]{{1,120}}\x1f
""")

# `Note that`, `Based on typical prevalence,`, `Counting patients per graph,`
_OPENING = _pattern(r"""
    \s{0,9}  # an edge of markup counts as white space here
    (?: (?:based\s+on|given|judging\s+(?:by|from)|without
          |(?:while|although|since|because|as)\s+(?:i|we)|as\s+of\s+(?:my|the)|as\s+an?\s+(?:ai|large|language|llm|virtual|assistant)
          |counting|querying|searching|looking|checking|running)\b[^,.;\n]{0,160},
      | according\s+to\s[^,.;:\n\d]{1,80},
      | :?\s*sources?\s*:[^\n]{0,400}
      | (?:please\s+)?(?:also\s+)?(?:note|(?:bear|keep)\s+in\s+mind)\s+(?:also\s+)?(?:that\b|:)
      | (?:in\s+(?:general|short|summary|practice)|generally\s+speaking|to\s+summari[sz]e
          |for\s+(?:reference|context|completeness|the\s+record)|by\s+the\s+way|one\s+caveat
          |as\s+a\s+(?:rough\s+guide|reminder|rule))\s*,?:?
    )
""")

_SELF = _pattern(r"\b(?:i(?!\.)|we|my|our|im|ive)\b")
_CANNOT = _pattern(
    r"\b(?:not|cannot|unable|no|never|without|lack\w*|dont|cant|unsure|limited|only\s+ha(?:ve|d))\b"
    r"|n['’]t\b"
)
# `I searched the policies`, `we can use an algorithm`; not: `the excerpts I have say`
_METHOD = _pattern(r"""
    (?:^\W*|[^\w\s]\s*|\b(?:and|or|so|that|which|then|as|if|when|\w+ly|also)\s+)
    (?:i(?!\.)|we|im|ive)\b(?=\W*\w)
""")
# `I found one dataset`: tells what was found, so it stays
_FINDING = _pattern(r"""
    \b(?:got|found|find|see|saw|count\w*|returned|gave|guess|say|estimate|assume|expect|believe
        |think|suspect|would\s+(?:try|go|pick|choose)|identified|obtained|located|know)\b
""")

# `Please check the catalogue`, `To get the list, consult ...`
_ADVICE = _pattern(r"""
    \W*(?:(?:so|and|then|instead|otherwise|alternatively|always|but),?\s+
        |(?:to|for|if)\s+[^,]{1,120},\s*)?
    (?: please|kindly|feel\s+free|let\s+me\s+know|consult|contact|check|refer|see|visit|verify
      | review|ask|look|try|(?:make|be)\s+sure|ensure|consider|search|query|use\s+the|take\s+care
      | remember|do(?:\s+not|n['’]t)\s+hesitate|confirm|double-check|read|explore|browse
      | get\s+in\s+touch|reach\s+out|be\s+aware|run|inspect|go\s+to|treat)\b(?!\s*[:=])
  | .*\bif\s+you(?:['’]d)?\s+(?:like|want|need|wish|share|tell|provide|give|can|have|paste|send
        |let)\b
  | .*\b(?:you|users?|researchers?|one|readers?|anyone|it)(?:['’]d|['’]ll)?
    \s+(?:may|might|should|could|can|would|will|must|need|want|is|['’]re|are)\s*(?:\w+\s+){0,3}?
    (?:check|consult|contact|refer|verify|review|see(?!\s+(?:that|\d|\w+\s+datasets))|look|ask\s+me
      |visit|quer\w+|search|confirm|try|explore|browse|read|advis\w+|inspect|recommended|reach\s+out)\b
""")

# `The context does not say`, `no counts are included`, `they are not mentioned`
_SILENT = _pattern(rf"""
    \b{_SOURCE}\b.{{0,50}}(?:
        \b(?:do|does|did|is|are|was|were|has|have|can|could|would|may)(?:\s+not\b|n['’]t\b)
      | \b(?:cannot|lacks?|dont|doesnt|silent|fails?|incomplete|unclear|truncated|has\s+no
        |breaks?\s+off|cut\s+off)\b
      | \b(?:mention|contain|provide|give|include|list|offer|have|state|say|specif[yi]|show|hold)
        (?:s|es|ed|ing)?\s+(?:no|nothing|none)\b)
  | \b(?:no|any)\b.{{0,60}}\b(?:figures?|counts?|numbers?|details?|information|breakdown|mention)\b
    .{{0,40}}\b(?:given|included|provided|mentioned|stated|available|listed|shown|specified|in\s+the)\b
  | (?:\bnot|n['’]t)\s+(?:explicitly\s+|directly\s+|further\s+|otherwise\s+|been\s+|be\s+)?
    (?:mention(?:ed)?|specif(?:y|ied)|stated?|given|shown|described|known|clear|confirmed|detailed
      |documented|say|(?:included|listed|covered)\s+in\s+the)\b
""")


def states_nothing(clause: str) -> bool:
    """Whether a clause, with its markup masked as spaces, says nothing of the data."""
    if len(clause.split()) < 2:
        return False
    of_self = _SELF.search(clause) is not None
    finding = _FINDING.search(clause) is not None
    return bool(
        _ADVICE.match(clause)
        or (of_self and (_CANNOT.search(clause) or (not finding and _METHOD.search(clause))))
        or _SILENT.search(clause)
    )


def asides(text: str) -> list[tuple[int, int]]:
    """Stretches of a sentence that say where a statement comes from, as (start, end)."""
    return [match.span() for match in _ASIDE.finditer(text)]


def opening(text: str) -> int:
    """How many characters only lead up to what the sentence states."""
    match = _OPENING.match(text)
    return 0 if match is None else match.end()
