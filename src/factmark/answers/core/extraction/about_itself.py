"""Rule E4: what an answer says of itself and of its search, and not of the data.

How the answer was found, what the assistant can and cannot do, what its sources do not say,
offers, questions to the reader, advice where to look. All patterns read lower-case text, have
bounded repeats, and are tried on a bounded stretch, so that the time is linear.
"""

from __future__ import annotations

import re


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.VERBOSE | re.IGNORECASE)


# What an answer is drawn from, that it was found there, and how it was looked for.
_SOURCES = (
    "context excerpt excerpts passage passages document documents snippet snippets chunk chunks "
    "knowledge metadata result results response responses output outputs tool tools queries query "
    "information source sources text material description descriptions documentation record "
    "records catalogue catalog entries extract extracts retrieval data"
)
_FOUND = (
    "confirmed verified returned obtained derived retrieved found determined established checked "
    "counted computed calculated reported shown given stated listed indicated"
)
_SEARCHING = (
    "querying counting running searching checking calling listing filtering summing aggregating "
    "looking inspecting executing joining grouping reading"
)


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_SOURCE = _one_of(_SOURCES)
_WHOSE = r"(?:the\s+|my\s+|this\s+|these\s+|your\s+|its\s+|what\s+|all\s+(?:the\s+)?)"

# `based on the provided context`, `according to the retrieved documents I was given`
_ASIDE = _pattern(rf"""
    (?: \bbased\s+(?:solely\s+|only\s+|purely\s+|entirely\s+)?(?:up)?on\s+{_WHOSE}?
        (?:[\w`\x1f-]+\s+){{0,4}}?{_SOURCE}\b
      | \b(?:according\s+to|going\s+by|judging\s+(?:by|from)|as\s+per|per|looking\s+at|drawing\s+on)
        \s+{_WHOSE}?(?:[\w`\x1f:-]+\s+){{0,4}}?{_SOURCE}\b
      | \b(?:from|in|within|across|of)\s+{_WHOSE}
        (?:(?:provided|retrieved|given|available|returned|supplied|above|tool|query|search|whole
           |entire|same|following|shared|accompanying)\s+){{1,3}}{_SOURCE}\b
      | \b(?:from|in|within|across|of)\s+(?:the\s+|my\s+|this\s+|these\s+|your\s+)
        (?:context|excerpts?|passages?|snippets?|chunks?|metadata|documents?|results?|output
          |response)\b
    )
    (?: \s+(?:that\s+)?(?:i|you|we)\s+(?:was|were|am|are|have|had|can|could|got|gave|provided
          |shared|see)
        (?:\s+(?:been\s+)?(?:given|provided|shown|access(?:\s+to)?|see|found|retrieved|me))*
      | \s+(?:provided|available|retrieved|given|returned|shown|above|here|at\s+hand)(?:\s+to\s+me)?
    )?
""")

# `confirmed by querying the catalogue`, `according to fhir:birthDate`, `with` a code span
_HOW_FOUND = _pattern(rf"""
    (?:\bas\s+)?\b{_one_of(_FOUND)}
        \s+(?:directly\s+)?(?:by|via|with|using|from|through|in)\s+[^,.;:()\n]{{0,120}}
  | \b(?:by|after|when|on|via|upon)\s+{_one_of(_SEARCHING)}\b[^,.;:()\n]{{0,120}}
  | \b(?:according\s+to|per|via|using|through|with|over|against|from)\s+(?:the\s+)?
        \x1f[^\x1f\n]{{1,120}}\x1f
        (?:\s+(?:statement|property|predicate|field|triple|value|tool|query|call|function|link
            |attribute))?
  | \baccording\s+to\s+[a-z]{{2,12}}:\w+
""")

# `Note that`, `Based on typical prevalence,`, `Counting patients per graph,`
_OPENING = _pattern(r"""
    \s{0,9}  # an edge of markup counts as white space here
    (?: (?:based\s+on|given|judging\s+(?:by|from)|going\s+by|without)\s[^,.;\n]{1,160},
      | according\s+to\s[^,.;:\n\d]{1,80},
      | (?:while|although|though|since|because|as)\s+(?:i|we)\b[^,.;\n]{1,160},
      | as\s+of\s+(?:my|the)\s+(?:\w+\s+){0,3}(?:update|cut-?off|knowledge|training
          |version|snapshot)\b[^,.;\n]{0,60},
      | :?\s*sources?\s*:[^\n]{0,400}
      | as\s+an?\s+(?:ai|large|language|llm|virtual|assistant)\b[^,.;\n]{0,80},
      | (?:counting|querying|searching|looking|checking|running|filtering|grouping|summing|ranking
           |ordering|sorting)\s[^,.;\n]{1,160},
      | (?:please\s+)?(?:bear|keep)\s+in\s+mind\s+(?:also\s+)?that\b
      | (?:please\s+)?(?:also\s+)?note\s+(?:also\s+)?(?:that\b|:)
      | (?:in\s+general|generally\s+speaking|for\s+reference|for\s+context|in\s+short|in\s+summary
          |to\s+summari[sz]e|in\s+practice|as\s+a\s+rough\s+guide|as\s+an\s+aside|one\s+caveat
          |for\s+completeness|for\s+the\s+record|by\s+the\s+way|as\s+a\s+reminder|as\s+a\s+rule)
        \s*,?:?
    )
""")

_SELF = _pattern(r"\b(?:i(?!\.)|we|my|our|im|ive|as\ an\ ai)\b")
_CANNOT = _pattern(r"""
    \b(?:not|cannot|unable|no|never|without|lack\w*|nothing|dont|cant|unaware|unsure|beyond|limited
        |neither)\b
  | n['’]t\b | \bonly\s+(?:have|had)\b
""")

# `I searched the policies`, `we can use an algorithm`; not: `the excerpts I have say`
_METHOD = _pattern(r"""
    (?:^\W*|[^\w\s]\s*|\b(?:and|or|so|that|which|then|as|if|when|\w+ly|also)\s+)
    (?:(?:i(?!\.)|we|im|ive)\b|(?:i|we)['’](?:m|ve|d|ll|re)\b)(?=\W*\w)
""")

# `I found one dataset`: tells what was found, so it stays
_FINDING = _pattern(r"""
    \b(?:got|found|find|see|saw|count\w*|returned|gave|guess|say|estimate|assume|expect|believe
        |think|suspect|would\s+(?:try|go|pick|choose)|identified|obtained|located|know|presume
        |imagine|bet)\b
""")

# `Please check the catalogue`, `To get the list, consult ...`
_ADVICE = _pattern(r"""
    \W*(?:so\s+|and\s+|then\s+|to\s+[^,]{1,90},\s*|for\s+[^,]{1,90},\s*|if\s+[^,]{1,120},\s*
        |instead,?\s+|otherwise,?\s+|alternatively,?\s+|always\s+|but\s+)?
    (?: please|kindly|feel\s+free|let\s+me\s+know|consult|contact|check|refer|see|visit|verify
      | review|ask|look|try|make\s+sure|be\s+sure|ensure|consider|search|query|use\s+the
      | take\s+care|remember|do\s+not\s+hesitate|don['’]t\s+hesitate|confirm|double-check|read
      | explore|browse|request\s+the|get\s+in\s+touch|reach\s+out|be\s+aware|cross-check|run
      | inspect|have\s+a\s+look|go\s+to|treat)\b(?!\s*[:=])
""")
_ADVICE_TO_YOU = _pattern(r"""
    \b(?:you|users?|researchers?|one|readers?|anyone|it)(?:['’]d|['’]ll)?
    \s+(?:may|might|should|could|can|would|will|must|need|want|is|['’]re|are)\s*
    (?:\w+\s+){0,3}?
    (?:check|consult|contact|refer|verify|review|see(?!\s+(?:that|\d|\w+\s+datasets))|look|ask\s+me|visit|quer\w+|search|confirm
      |double-check|try|explore|browse|read|better\s+off|advis\w+|inspect|recommended
      |reach\s+out)\b
""")
_OFFER = _pattern(r"""
    \bif\s+you(?:['’]d)?\s+(?:like|want|need|wish|share|tell|provide|give|can|have|paste|send|upload
        |run|let|attach|point|show)\b
""")

_MISSING = r"""(?:
    \b(?:do|does|did|is|are|was|were|has|have|can|could|would|may)(?:\s+not\b|n['’]t\b)
  | \b(?:cannot|lacks?|dont|doesnt|silent|fails?|ambiguous|incomplete|unclear|truncated)\b
  | \b(?:mention|contain|provide|give|include|list|offer|have|state|say|specif[yi]|show|hold)
        (?:s|es|ed|ing)?\s+(?:no|nothing|none)\b
  | \b(?:has\s+no|breaks?\s+off|cut\s+off)\b)"""

# `The context does not say`, `no counts are included`, `they are not mentioned`
_SOURCE_IS_SILENT = _pattern(rf"""
    \b(?:context|excerpts?|passages?|documents?|snippets?|chunks?|metadata|sources?|results|output
        |documentation|material|retrieved|provided|description|page|text)\b.{{0,50}}{_MISSING}
  | \b(?:no|not\s+any|any)\b.{{0,60}}
        \b(?:figures?|counts?|numbers?|details?|information|breakdown|mention)\b.{{0,40}}
        \b(?:given|included|provided|mentioned|stated|available|listed|shown|specified|present
            |in\s+the)\b
  | (?:\bnot|n['’]t)\s+(?:explicitly\s+|directly\s+|further\s+|otherwise\s+|been\s+|be\s+)?
        (?:mentioned|specified|stated|given|shown|described|known|clear|included\s+in\s+the
          |listed\s+in\s+the|numbered|confirmed|covered\s+in\s+the|detailed|visible|documented
          |say|mention|state|specify)\b
""")


def states_nothing(clause: str) -> bool:
    """Whether a clause, with its markup masked as spaces, says nothing of the data."""
    if len(clause.split()) < 2:
        return False
    return bool(
        _ADVICE.match(clause)
        or _OFFER.search(clause)
        or _ADVICE_TO_YOU.search(clause)
        or (_SELF.search(clause) and _speaks(clause))
        or _SOURCE_IS_SILENT.search(clause)
    )


def _speaks(clause: str) -> bool:
    """Whether a clause in the first person is about who speaks, and not what was found."""
    if _CANNOT.search(clause):
        return True
    return _METHOD.search(clause) is not None and not _FINDING.search(clause)


def asides(text: str) -> list[tuple[int, int]]:
    """Stretches of a sentence that say where a statement comes from, as (start, end)."""
    return [match.span() for pattern in (_ASIDE, _HOW_FOUND) for match in pattern.finditer(text)]


def opening(text: str) -> int:
    """How many characters only lead up to what the sentence states."""
    match = _OPENING.match(text)
    return 0 if match is None else match.end()
