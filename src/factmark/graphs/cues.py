"""The words by which a passage states a relation. Data for `evidence.py`.

A relation that is another one turned round has no cues of its own: `TURNED` names the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Patterns for one relation.

    Attributes:
        forward: between head and tail, where the head stands first.
        backward: between tail and head, where the tail stands first.
        frame: in the sentence of the tail, where the head is what the sentence before speaks of,
            or stands in the same sentence without a cue in between.
        opposite: between them or around them, says that the relation does not hold.
        by_name: the head's own name may say it: a `glucose measurement` measures glucose.
    """

    forward: re.Pattern[str] | None = None
    backward: re.Pattern[str] | None = None
    frame: re.Pattern[str] | None = None
    opposite: re.Pattern[str] | None = None
    by_name: bool = False
    symmetric: bool = False


def _words(text: str) -> re.Pattern[str]:
    """Alternatives between bars, each from the start of a word on."""
    parts = "|".join(re.sub(r"\s+", r"\\s+", part.strip()) for part in text.split("|"))
    return re.compile(rf"(?:\b|(?<!\w))(?:{parts})", re.IGNORECASE)


TURNED: Mapping[str, str] = MappingProxyType(
    {
        "inverse_isa": "isa",
        "due_to": "cause_of",
        "is_interpreted_by": "interprets",
        "focus_of": "has_focus",
        "associated_morphology_of": "has_associated_morphology",
        "has_causative_agent": "causative_agent_of",
        "finding_site_of": "has_finding_site",
        "part_of": "has_part",
    }
)

_IS_A = (
    r"(?:is|are|was|were|remains?|denotes?|represents?|constitutes?)\b(?!\s+(?:not|no)\b)"
    r"|belongs? to|forms? of|types? of|kinds? of|one of|variant of|classified as"
    r"|,\s*(?:an?|the|another)\b"
)
_CAUSES = (
    r"caus(?:e|es|ed|ing)\b(?!\s+by)|leads?\b|led\b|leading to|results? in|resulted in|induc\w+"
    r"|trigger\w*|produc\w+|provok\w+|contribut\w+|gives? rise|precipitat\w+|increas\w+|rais\w+"
    r"|promot\w+|worsen\w*|impair\w*|responsible|is followed by|stiffen\w*|carr(?:y|ies)\b"
    r"|toxic to|leaves?\b|aggravat\w+|accounts? for"
)
_CAUSED = (
    r"caused by|due to|results? (?:from|of)|resulted from|resulting from|secondary to|because"
    r"|aris\w+ from|attribut\w+|owing to|follow(?:s|ed|ing)?\b|adverse effects? of|side effects? of"
    r"|complications? of|under\b|on\b|produced by|explained by|triggered by|after\b|from\b"
    r"|of\b(?=\s*$)"
)

CUES: Mapping[str, Cues] = MappingProxyType(
    {
        "isa": Cues(
            forward=_words(_IS_A),
            backward=_words(
                r"such as|including|includes?|compris\w+|namely|for example|especially|like\b|:"
                r"|called|known as|,\s*(?:particularly|notably)"
            ),
            opposite=_words(r"differs? from|distinct from|unlike|rather than|not an?\b"),
            by_name=True,
        ),
        "cause_of": Cues(
            forward=_words(_CAUSES),
            backward=_words(_CAUSED),
            frame=_words(
                r"adverse effects?|side effects?|precipitant|complaint|under treatment|harms?\b"
                r"|adverse events?|limit\w* its use|leading causes?|commonest cause|trigger\b"
                r"|occur\w*|ensue\w*|is (?:more )?frequent|complications? of|(?:is|are) usual\b"
                r"|leads? to|led to|can lead|may|rare\b|produc\w*|account\w*|observed|seen|noted"
                r"|attributed|increas\w+"
            ),
            opposite=_words(
                r"prevents?\b|protects?\b|reduc\w+ the risk|reverses\b|remission|does not cause"
            ),
        ),
        "interprets": Cues(
            forward=_words(
                r"defin\w+|suggest\w*|reflect\w*|mean(?:s|t)?\b|indicat\w+|is a (?:raised|high|low)"
                r"|quantif\w+|range|measured|names? for"
            ),
            backward=_words(r"defin\w+|suggest\w*|show\w*|indicat\w+|mark\w*|diagnos\w+|tests?\b"),
            frame=_words(r"defin\w+|suggest\w*|diagnostic"),
        ),
        "associated_finding_of": Cues(
            forward=_words(r"history of|recorded|past"), backward=_words(r"history of|of\b")
        ),
        "has_disposition": Cues(
            frame=_words(r"inhibit\w*|block\w*|activat\w+|class\b"),
            forward=_words(
                _IS_A + r"|inhibit\w*|block\w*|activat\w+|antagoni\w+|acts? as|acts? on"
            ),
            backward=_words(r"such as|including|like\b|for example"),
        ),
        "has_focus": Cues(
            forward=_words(
                r"aim\w*|for\b|in\b|of\b|against|target\w*|directed|people with|patients with"
                r"|recovering|teach\w*|address\w*|lower\w*|to (?:detect|treat|prevent)"
            ),
            backward=_words(
                r"treated (?:with|by)|managed|requir\w+|by\b|receiv\w+|led to|for\b|leaves?"
            ),
        ),
        "has_associated_morphology": Cues(
            forward=_words(
                r"shows?|showed|characteri\w+|marked by|with\b|consists? of|reveal\w*|presents? as"
                r"|leads? to|caus\w+|lesion|denotes|combines?|is a\b|comes first|predominate|,"
            ),
            backward=_words(
                r"(?:is|are) seen|seen (?:in|at)|in\b|of\b|lesion|characteri\w+|define|mark\b"
            ),
            frame=_words(r"histolog\w+|biops\w+|autops\w+|lesions?|seen|shows?|showed|thicken\w*"),
            by_name=True,
        ),
        "causative_agent_of": Cues(
            forward=_words(
                _CAUSES
                + r"|agent|pathogen|the (?:usual|most frequent) (?:isolate|pathogen)|invade\w*"
                r"|infect\w*|isolate\b"
            ),
            backward=_words(_CAUSED + r"|infection\b|with\b|mostly by|by\b"),
            frame=_words(r"pathogen|isolate|agent|organism|leading causes?|invade|dominates?"),
            opposite=_words(r"differs? from|unrelated|not established"),
        ),
        "has_finding_site": Cues(
            forward=_words(
                r"affect\w*|involv\w*|of the|of\b|in the|in\b|at\b|on the|on\b|within|invad\w*"
                r"|locat\w*|confin\w*|damag\w*|destr\w+|loss of|from loss|to the|appears?"
            ),
            backward=_words(
                r"(?:is|are|was|were) (?:\w+ )?(?:affected|involved|damaged|destroyed|the site)"
                r"|in\b|with\b|for\b|of\b|show\w*|site of|is destroyed"
            ),
            frame=_words(
                r"affected|involved|thicken\w*|damaged|leak\w*|swelling of|site\b|collapse|grow"
            ),
            by_name=True,
        ),
        "has_method": Cues(
            forward=_words(
                r"by\b|us(?:es|ing|ed)\b|measur\w+|perform\w+|records?|with\b|infus\w+|is\b"
            ),
            backward=_words(r"us(?:ed|es)? (?:for|in|to)|for\b"),
            by_name=True,
        ),
        "possibly_equivalent_to": Cues(
            forward=_words(
                r"may be|might be|one entity|the same|interchangeab\w+|equivalent|refers? to|and\b"
            ),
            frame=_words(r"one entity|the same|interchangeab\w+|equivalent|refers? to"),
            opposite=_words(r"distinct|different from|differs? from|not the same"),
            symmetric=True,
        ),
        "same_as": Cues(
            forward=_words(
                r"also|called|known as|or\b|the same|synonym\w*|formerly|i\.e\.|two names|termed"
                r"|\(|refers? to|another name"
            ),
            opposite=_words(
                r"distinct|different from|differs? from|not the same|told apart|nothing to do"
            ),
            symmetric=True,
        ),
        "has_component": Cues(
            forward=_words(
                r"measur\w+|record\w*|quantif\w+|reflect\w*|of\b|for\b|detect\w*|determin\w+|reli\w+"
                r"|components?|consists? of|compris\w+|contain\w*|composed of|includ\w+|made up"
            ),
            backward=_words(r"measured by|is used to|by\b|\(|components? of|parts? of|found in"),
            by_name=True,
        ),
        "has_part": Cues(
            forward=_words(
                r"consists? of|compris\w+|contain\w*|composed of|includ\w+|combin\w+|ha(?:s|ve)"
                r"|made up|is built"
            ),
            backward=_words(
                r"parts? of|within|in the|through the|of the|lie|found in|make up|belongs? to"
                r"|components? of|of\b"
            ),
        ),
        "has_modification": Cues(
            forward=_words(
                r"modif\w+|analogue|analog|derivative|altered|differs?|attached|pegylat\w+"
            ),
            backward=_words(r"modif\w+|analogue|analog|derivative|derived|altered|differs? from"),
            frame=_words(r"analogue|analog\b|modified|derivative"),
        ),
        "associated_with": Cues(
            forward=_words(
                r"associat\w+|link\w*|correlat\w+|relat\w+|more (?:often|frequent\w*|common\w*)"
                r"|risk|accompan\w+|common|coexist\w*|predict\w*|found in|frequent|present|marker"
                r"|times|affects?|occur together|two-way|both\b"
            ),
            frame=_words(
                r"associat\w+|link\w*|correlat\w+|more (?:often|frequent|common)|accompan\w+"
                r"|coexist\w*|risk of|first (?:laboratory )?sign|occur together|had\b|frequent"
            ),
            opposite=_words(r"unrelated|independent of"),
            symmetric=True,
        ),
        "plays_role": Cues(
            forward=_words(
                r"acts? as|act as|serv\w+ as|used as|role|functions? as|is an?\b|is the"
            ),
            backward=_words(r"such as|:|including"),
            frame=_words(r"acts? as|serves? as"),
        ),
        "occurs_before": Cues(
            forward=_words(
                r"preced\w+|before|followed by|progress\w* to|go(?:es)? on to|develop\w*"
                r"|turns? into|conver\w+|then\b|appears? (?:months|years)|leads? to"
            ),
            backward=_words(r"after|follows?|preceded by|following|reached after"),
            frame=_words(r"before symptoms|go on to develop|preced\w+"),
        ),
        "has_clinical_course": Cues(
            forward=_words(r"(?:is|are|was|were|remains?|runs?|has)\b|course|resolv\w+|lasts?"),
            backward=re.compile(r"^\s*(?:[\w-]+\s+){0,2}$"),
            by_name=True,
        ),
        "occurs_in": Cues(
            forward=_words(r"in\b|during|among|at\b|of\b|before"),
            backward=_words(r"with|develop\w*|present\w*|at (?:the )?onset"),
            frame=_words(r"diagnosed|common\b|seen|peak\w*|onset|first"),
            by_name=True,
        ),
        "has_symptom": Cues(
            forward=_words(
                r"present\w*|symptom\w*|complain\w*|with\b|characteri\w+|includ\w+|marked|caus\w+"
                r"|typical|manifest\w*|experienc\w+|report\w*|features?|begin\w*|:"
            ),
            backward=_words(
                r"(?:is|are|were) (?:also )?(?:the )?(?:classic|typical|common|frequent|usual|main)"
                r"|complaints?|symptoms?|signs? of|point to|suggest|seen in|warn\w*|in\b|define"
            ),
            frame=_words(
                r"symptoms?|complain\w*|present\w*|report\w*|typical|common\b|warn\w*|characteristic"
                r"|begin|clinical picture|should be suspected|classic"
            ),
            opposite=_words(r"without|absent|absence of|no symptoms"),
        ),
        "treats": Cues(
            forward=_words(
                r"treat\w*|improv\w*|reliev\w+|relief|lower\w*|reduc\w+|control\w*|revers\w+|correct\w*"
                r"|heal\w*|effective|restor\w+|first-line|first choice|(?:drug|treatment) of choice"
                r"|remission|cur(?:e|es|ed|ative)\b|slow\w*|help\w*|manage\w*|prescribed|for\b"
                r"|respond\w*|replaces?|basis of|standard treatment|sooth\w*|delays?|value\w*"
            ),
            backward=_words(
                r"treated (?:with|by)|treatment|therapy|respon\w+ to|manag\w+|requir\w+|reliev\w+"
                r"|rests on|corrected by|improves? (?:with|by|under)|for which|should be started"
                r"|switched|mainstay|:"
            ),
            frame=_words(
                r"treatment|therapy|treated|mainstay|relie\w+|improv\w+|effective|cur(?:es|ative)"
                r"|should be started|lifesaving|suitable|is then required|is usually enough"
                r"|restores?|can be switched|controls? most|corrects?|heals?|lowered"
            ),
            opposite=_words(
                r"contraindicated|avoid\w*|ineffective|no benefit|gave no|not recommended|no place"
                r"|worsen\w*|should not"
            ),
        ),
        "prevents": Cues(
            forward=_words(
                r"prevent\w*|reduc\w+|lower\w*|delay\w*|cut\b|fewer|protect\w*|less\b|decreas\w+|fell"
            ),
            backward=_words(r"prevented (?:by|with)|reduced (?:by|with|under)|fell|lower with"),
            frame=_words(r"prevent\w*|fewer|reduced the (?:rate|risk|incidence)|half as effective"),
            opposite=_words(r"increas\w+|rais\w+ the|fail\w* to|neither|not prevent"),
        ),
    }
)
