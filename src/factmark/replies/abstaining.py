"""Whether an answer says that it cannot tell, and whether a reply declines to do what was asked.

Each clause abstains, speaks about what was given, is a courtesy, or asserts something. An answer
abstains where a clause does and none asserts: "I don't know the mechanism, but it is metformin" is
an answer, and so is "Metformin. The dose is not stated".
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re

from factmark.replies.plain import final_text, plain_text

_LIMIT = 4_000
_GIVEN = (
    r"(?:(?:the|these|this|those|any|none|all|of|my|provided|given|supplied|retrieved|available|above|listed|numbered|knowledge|source|training)\s+){0,9}"
    r"(?:triples?|contexts?|passages?|texts?|graph|information|facts|documents?|sources?|data|statements?|excerpts?|knowledge)"
    r"(?:\s+(?:provided|given|supplied|retrieved|above|here|at\s+hand))?"
)
_SAY = r"(?:say|state|mention|specify|contain|hold|give|provide|include|tell|indicate|name|list|describe|answer|cover|address|reveal|identify|have|show|offer|support|explain|discuss|refer|allow|suffice|help)"
_SAID = r"(?:stated|mentioned|specified|indicated|answerable)"
_PUT = r"(?:given|provided|included|contained|described|listed|found|named|available|covered|addressed|answered|discussed)"
_TELL = r"(?:determin|answer|tell|infer|conclud|establish|deduc|deriv|say|identif|find)\w*"
_UNABLE = r"(?:(?:can?|could)\s+not|unable\s+to|(?:im|not\s+)possible\s+to|not\s+able\s+to)\s+(?:be\s+)?(?:\w+ly\s+)?"
_NOT_WITH = r"(?!\s+(?:with|by|using)\s+(?!what\b|this\b|that\b|these\b|it\b)(?![^.]{0,60}\b(?:triples?|contexts?|passages?|texts?|graph|information|facts|documents?|sources?|data|statements?|excerpts?|knowledge|certainty|confidence)\b)\w)"
_ON = r"(?=\W*$|\s*[,;:.)]|\s+(?:about|on|in|for|from|regarding|concerning|of|to|that|which|whether|who|what|when|where|why|how|as|at|by|with|within|and|or|here|available|provided|given|found|is|are|was|were|has|have|do|does|did|can|could|exists?|\w+(?:s|ed))\b)"
_NEAR = rf"[^.]{{0,80}}\b(?:in|from|by|with|on|using|given)\s+{_GIVEN}\b"
_ABSTAINS = re.compile(
    rf"""
    \b(?:i|we)\s+(?:\w+ly\s+|just\s+)?do\s+not\s+(?:\w+ly\s+)?(?:know(?!\s+(?:of\s+)?any\b[^.,]{{0,60}}\b(?:other|besides|except|beyond|than|but)\b)|have\s+access\s+to|have\s+(?:enough|any|the|that|this|an|sufficient|information|details)\b)
  | \b(?:i|we)(?:\s+am|'m|\s+are|'re)?\s+(?:not\s+(?:sure|certain|aware)|unsure|uncertain)\b
  | \b(?:i|we)\s+have\s+(?:no|insufficient)\s+(?:idea|information|knowledge|answer)\b
  | ^do\s+not\s+know\b | ^idk\b
  | \b{_GIVEN}\s+(?:ha(?:s|ve)|holds?|says?|contains?|gives?|states?|offers?|mentions?|provides?|tells?)\s+nothing\b
  | ^(?:this|that|it)(?:'s|\s+is)\s+not\s+something\s+(?:that\s+)?{_GIVEN}
  | ^(?:nothing|no\s+(?:answer|information|triples?|match\w*|results?))(?:\s+(?:relevant|useful|of\s+use))?(?:\s+(?:was|were|is|are|could\s+be|can\s+be|has\s+been))?\s+(?:found|given|stated|available|provided|retrieved)(?=\W*$|{_NEAR}|\s+(?:on|about|for|to|here|that|which)\b)
  | ^(?:it|this|that|the\s+answer)\s+is\s+(?:not\s+(?:clear|known)|unclear|unknown)(?=\W*$|{_NEAR})
  | \b{_GIVEN}\s+(?:do(?:es)?|did|can)\s+not\s+(?:\w+ly\s+|itself\s+)?{_SAY}\b
  | ^(?:they|it|which)\s+(?:do(?:es)?|did)\s+not\s+(?:\w+ly\s+)?(?:say|state|mention|specify|tell|indicate)\b
  | \b{_GIVEN}\s+(?:is|are)\s+(?:silent|insufficient|not\s+(?:sufficient|enough))\b
  | \b(?:is|are|was|were|^)\s*not\s+(?:\w+ly\s+)?{_SAID}\b(?!\s+(?:in|by)\s+(?!{_GIVEN}))
  | \b(?:is|are|'s)\s+(?:not\s+clear|unclear)\s+from\s+{_GIVEN}\b
  | ^{_GIVEN}\b[^.]{{0,120}}\band\s+(?:do(?:es)?|did)\s+not\s+{_SAY}\b
  | \b(?:is|are|was|were|^)\s*not\s+(?:\w+ly\s+)?(?:(?:{_PUT}|known|present)\b(?={_NEAR}|\s+{_GIVEN}\b)|{_PUT}\b|in\b|to\s+be\s+found\b|part\s+of\b)(?={_NEAR}|\s+{_GIVEN}\b|\W*$)
  | ^(?:it|this|that|the\s+(?:answer|question)|this\s+question|i|we)\b(?:\s+am|\s+is|\s+are|'m)?\s+{_UNABLE}{_TELL}\b{_NOT_WITH}
  | ^{_UNABLE}{_TELL}\b{_NOT_WITH} | \b{_UNABLE}{_TELL}{_NEAR}
  | \b(?:no|not\s+enough|insufficient|not\s+any|no\s+relevant|too\s+little|lacks?)\s+(?:\w+\s+){{0,2}}?(?:information|mention|triples?|passages?|context|details?)\b{_ON}
  | \b(?:no|insufficient|not\s+enough)\s+(?:evidence|data|answer|indication|statement)(?={_NEAR}|\s+to\s+{_TELL}|\W*$)
  | \b(?:none\s+of|nothing\s+in|nowhere\s+in|neither\s+of)\s+{_GIVEN}\b
  | ^(?:unknown|n\s*/\s*a|not\s+(?:known|sure|certain|{_PUT})|unanswerable|no\s+(?:answer|idea)|unclear|abstain|no\s+information)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOREIGN = re.compile(
    r"(?:das\s+)?wei(?:ß|ss)\s+ich\s+(?:es\s+)?nicht|(?:ich\s+)?wei(?:ß|ss)\s+(?:es\s+|das\s+)?nicht|(?:ich\s+habe\s+)?keine\s+ahnung"
    r"|(?:je\s+)?(?:ne\s+)?(?:le\s+)?sais\s+pas|je\s+(?:ne\s+sais|l'ignore)|aucune\s+idée"
    r"|(?:yo\s+)?no\s+(?:lo\s+)?sé|lo\s+ignoro|no\s+tengo\s+(?:ni\s+)?idea|(?:eu\s+)?não\s+sei|non\s+(?:lo\s+)?so|я\s+не\s+знаю|не\s+знаю"
    r"|我?不知道|我?不清楚|无法(?:确定|回答|判断)|わかりません|分かりません|모르겠습니다",
    re.IGNORECASE,
)
_NOR_SAYS = re.compile(
    rf"(?:do(?:es)?|did)\s+not\s+(?:\w+ly\s+)?{_SAY}\s+(?:which|who|whom|whose|what|whether|where)\b",
    re.IGNORECASE,
)
_ABOUT_GIVEN = re.compile(
    rf"^(?:(?:only|all|other)\s+)?(?:{_GIVEN}\b|they\b|not\b|nor\b|only\b|what is given\b)",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^\W*(?:$|please\b|(?:i am |i'm |we are )?sorry\b|unfortunately\W*$|my apologies|i apologi[sz]e|let me know|could you|can you|if you\b|you (?:may|should|could|might)\b|for (?:more|further)\b|(?:a|more|further) (?:information|context|details)\b|thanks?\b)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"^\W*(?:let me know\b|feel free\b|(?:i )?hope (?:this|that|it) (?:helps?|was|is|answers)\b|please (?:let me know|feel free|note that i|provide|share|ask)\b|(?:i(?:'m| am)|we(?:'re| are)) (?:here|happy|glad) to (?:help|assist|provide|answer)\b|if you (?:have|need|would|want|could|can|like)\b[^.]{0,120}\b(?:let me know|feel free|ask|help|tell me|assist)|(?:sure|certainly|of course|thank you|thanks|you'?re welcome|good luck)\b[^.]{0,20}$)",
    re.IGNORECASE,
)
_ASKS_BACK = re.compile(
    r"^(?:and |so |or )?(?:is there|are there|would you|do you|did you|shall i|should i|may i|how (?:can|may|else)|what (?:else|would|can|are you)|anything else|which)\b[^.]*\?$",
    re.IGNORECASE,
)
_FRAME = re.compile(
    rf"^(?:(?:based|relying|going)\s+(?:only\s+|solely\s+)?(?:on|by)|according\s+to|from|given|in|with|using)\s+{_GIVEN}(?:\s+(?:alone|only|here|above|given|provided))*\s*,?\s*",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:\W|(?:so|and|but|however|well|unfortunately|therefore|thus|although|though|while|since|because|sorry|i'm sorry|i am sorry)\b\W*)+",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"'*)\]]*\s+|\n+")
_CLAUSE = re.compile(
    r";\s*|\s\(|,?\s+(?:but|however|although|though|yet|while|whereas)\b[\s,]*|,\s+(?:so|and)\s+(?=(?:i|we|it|this|the)\b)|\s-+\s",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\\boxed|\\text\w*|\\math\w*|[*_`#${}\\]|</?\w+>")
_SORRY = (
    r"(?:(?:i am|i'm|we are|we're)?\s{0,3}(?:sorry|afraid|unfortunately|apologies|i apologi[sz]e"
    r"|as an?\s+(?:ai|artificial|(?:large )?language|assistant)[^,.;]{0,60})"
    r"[,.;:-]{0,3}\s{0,3}(?:but\s+|that\s+)?){0,3}"
)
_NOT_ABLE = (
    r"(?:can\s+not|will\s+not|do\s+not\s+feel|must\s+decline|have\s+to\s+decline|decline|refuse"
    r"|unable|not\s+able|not\s+comfortable|not\s+allowed)"
)
_TASK = (
    r"(?:help|assist|comply|answer|respond|judge?|evaluat|assess|verify|rat(?:e\b|ing)|grad(?:e\b|ing)"
    r"|do (?:this|that|so)\b|fulfil|engag|continu|complet|discuss|participate|process)\w*"
)
_REFUSES = re.compile(
    rf"^\W*{_SORRY}(?:i|we)(?:'m|'re|\s+am|\s+are)?\s+{_NOT_ABLE}\b"
    rf"(?:\s+(?:to|with|provide|comfortable|any|in|be|able|an|a|\w+ly)){{0,6}}\s+{_TASK}",
    re.IGNORECASE,
)


def abstains(answer: str) -> bool:
    """Whether an answer says only that it cannot tell; its reasoning, if it has any, does not
    count.

    >>> abstains("I don't know."), abstains("The triples do not say.")
    (True, True)
    >>> abstains("I'm not sure, but I think it is metformin."), abstains("Unknown origin")
    (False, False)
    """
    text = _MARKUP.sub(" ", plain_text(final_text(answer))[:_LIMIT]).strip()
    abstained = False
    about = False
    for sentence in _SENTENCE.split(text):
        for clause in _CLAUSE.split(sentence):
            bare = _FRAME.sub("", _LEAD.sub("", clause.strip())).strip(" \"'.,:!()\u3002\uff01")
            if not bare or _COURTESY.match(bare) or _CLOSING.match(bare) or _ASKS_BACK.match(bare):
                continue
            if (
                _ABSTAINS.search(bare)
                or _FOREIGN.fullmatch(bare)
                or (about and _NOR_SAYS.match(bare))
            ):
                abstained = about = True
            elif _ABOUT_GIVEN.match(bare) and (
                about or not re.match(r"(?:they|not|nor|only)\b", bare, re.I)
            ):
                about = True
            else:
                return False
    return abstained


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence is a question or a courtesy to the reader, so that it states nothing.

    >>> is_courtesy("Is there anything else I can help you with?"), is_courtesy("I hope this helps!")
    (True, True)
    >>> is_courtesy("The mill opened in 1904.")
    False
    """
    bare = plain_text(sentence).strip(" \"'*_)]\u201d\u2019")
    return bare.endswith(("?", "\uff1f")) or bool(_CLOSING.match(bare))


def refuses(reply: str) -> bool:
    """Whether a reply begins by declining the request; its reasoning, if it has any, does not
    count.

    >>> refuses("I'm sorry, but I can't help with that."), refuses("I cannot judge medical claims.")
    (True, True)
    >>> refuses("I cannot find it in the passage. NOT_SUPPORTED"), refuses("I can't say.")
    (False, False)
    """
    return bool(_REFUSES.match(plain_text(reply)[:600]))
