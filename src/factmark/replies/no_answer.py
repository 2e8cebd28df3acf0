"""Whether a text stands where an answer should be and is none: an error of the program that asked,
a page or object of a server, a filter's message, an empty cell of a table. Pure.

Only a text that is nothing else counts. An answer that speaks of errors, declines or cannot tell is
an answer.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from factmark.replies.abstaining import abstains, refuses
from factmark.replies.tools.tool_calls import written_calls

NoAnswer = tuple[Literal["failed", "refused", "unparsed"], str]
"""Whose doing it is that there is no answer, and why there is none."""

_NOTHING = re.compile(r"\W*(?:no\b|none\b|nothing\b|there (?:is|are|was|were) no\b)", re.IGNORECASE)
_LONGEST = 2_000
_SHOWN = 120
_MANY = 3
_LONG_TEXT = 40
_FAILURE = re.compile(
    r"\b(?:errors?|exception|timed? ?-?out|timeout|unavailable|try again|went wrong|failed to|request failed|overloaded"
    r"|erreur|fehler)\b|错误|エラー|오류|ошибка",
    re.IGNORECASE,
)
_EMPTY_CELLS = frozenset(
    {"nan", "NaN", "NAN", "null", "NULL", "<NA>", "NaT", "undefined", "#N/A", "[object Object]"}
)
_NONE = "None"  # of Python; also what a model says where there are none
_MACHINE = (
    r"(?:request|respons|reply|replies|pipeline|answer|quer(?:y|ies)|question|model|llm|api|endpoint|server|tool|retriev\w+"
    r"|chain|agent|completion|prompt|message|context|database|connection|embedding|document|index|search|generation"
    r"|inference|workflow|chat|rag|http)(?:e?s)?"
)
_DOING = (
    r"(?:execut|process|generat|call|run|quer|retriev|fetch|invok|contact|connect|communicat|creat|send|pars|answer|complet|load"
    r"|read|search|perform|receiv|obtain|get\b|gett|produc|comput|initiali[sz]|download|decod|analy[sz])\w*"
)
_SORRY = r"(?:(?:i'?m\s+|we'?re\s+|we\s+are\s+)?(?:i\s+)?(?:so\s+)?(?:sorry|apologi[sz]e|apologies|oops|unfortunately)[,.!:]?\s+(?:but\s+)?)?"
_OCCURRED = r"an?\s+(?:\w+\s+){0,2}?(?:error|exception|problem|failure)\s+(?:has\s+|was\s+)?(?:occurred|happened|encountered|raised|thrown)"
_END = r"(?=\s*(?:$|[.:!\n(]|please\b|after\b|due\b|with\s+(?:status|other)|right\s+now|at\s+(?:this|the)\s+(?:time|moment)))"
_MESSAGES = re.compile(
    rf"""^\W*(?:error:\s+)?{_SORRY}(?:
    {_OCCURRED}\s+(?:while|when|during|in|with)\s[^.,:\n]{{0,80}}?\b{_MACHINE}\b
  | {_OCCURRED}\s+(?:while|when)\s+(?:trying\s+to\s+)?{_DOING}\s[^.,:\n]{{0,80}}{_END}
  | {_OCCURRED}{_END}
  | (?:an?\s+)?(?:(?!the\b|i\b|we\b)\w+\s+)?(?:error|exception)\s+(?:while\s+|when\s+|during\s+|on\s+)?(?:trying\s+to\s+)?{_DOING}\s[^.,:\n]{{1,60}}{_END}
  | (?:error|exception|failure)\s+(?:in|with|from|during|at)\s+(?:the\s+|your\s+|our\s+)?(?:\w+\s+){{0,2}}?{_MACHINE}\b(?:\s+\w+){{0,2}}(?=\W*(?:$|:))
  | error\s+during\s+(?:\w+\s+){{0,3}}?\w+{_END}
  | (?:(?:\w+\s+){{0,3}}?{_MACHINE}|[a-z_]*api[_\s]?(?:key|token))\s+(?:\w+\s+)?(?:not\s+(?:set|configured)|timed\s+out|errored){_END}
  | (?!the\b)(?:\w+\s+){{0,2}}?{_MACHINE}\s+(?:error|exception|failure)(?=\s*(?:$|:))
  | there\s+(?:was|has\s+been)\s+an?\s+(?:\w+\s+){{0,2}}?(?:error|problem|issue)\s+(?:while\s+|when\s+|with\s+|in\s+)?[^.,:\n]{{0,40}}?\b{_MACHINE}\b
  | (?:an?\s+)?(?:unexpected|internal|unknown|unhandled)\s+(?:server\s+|system\s+)?(?:error|exception)(?:\s+(?:has\s+)?(?:occurred|happened))?{_END}
  | (?:the\s+server|the\s+api|openai|azure|the\s+service)\s+(?:had|encountered|returned)\s+an?\s+(?:\w+\s+){{0,2}}?error\b
  | something\s+went\s+wrong\b
  | failed\s+to\s+(?:fetch|download|call|connect|parse|decode|retrieve|generate|process|query|invoke)\b[^:\n]{{0,80}}(?=:)
  | (?:failed|unable)\s+to\s+{_DOING}\s[^.,:\n]{{0,40}}?\b(?:response|reply|answer|completion|llm|model|api|endpoint|server|request|pipeline)\b{_END}
  | (?:the\s+)?(?:llm|model|api|tool|http|agent|chain|rag)\s+(?:call|request|pipeline|execution|invocation|query)\s+(?:has\s+)?(?:failed|timed\s+out|errored){_END}
  | request\s+(?:failed|timed\s+out|aborted|error|was\s+aborted){_END}
  | (?:the\s+|that\s+|this\s+)?(?:\w+\s+)?(?:model|engine|server|service|api)\s+is\s+(?:currently\s+|temporarily\s+)?(?:overloaded|unavailable|not\s+available|loading|not\s+ready){_END}
  | (?:http(?:/[\d.]+)?\s*(?:status|error|code)?[\s:]*)?[45]\d\d[\s:-]+(?:internal\s+server\s+error|bad\s+gateway|service\s+(?:temporarily\s+)?unavailable|gateway\s+time-?\s*out|too\s+many\s+requests|request\s+time-?out|not\s+found|forbidden|unauthorized|bad\s+request|payment\s+required|client\s+error|server\s+error){_END}
  | (?:internal\s+server\s+error|bad\s+gateway|service\s+(?:temporarily\s+)?unavailable|gateway\s+time-?\s*out|too\s+many\s+requests|no\s+healthy\s+upstream|upstream\s+request\s+timeout|stream\s+timeout){_END}
  | upstream\s+connect\s+error\s+or\s+disconnect
  | (?:the\s+)?(?:connection|read|connect|operation|request|call|query|model)\s+(?:error|timed\s+out|time-?out|aborted|refused|reset(?:\s+by\s+peer)?){_END}
  | (?:rate\s+limit|quota|token\s+limit)\s+(?:was\s+|has\s+been\s+)?(?:exceeded|reached){_END}
  | (?<=error:\s)(?:\w+\s+){{0,3}}?{_MACHINE}\s+(?:has\s+)?failed\b
  | (?<=error:\s)(?:failed\s+to\b|content\s+blocked)
  | max(?:imum)?\s+retries\s+exceeded
  | agent\s+stopped\s+due\s+to\b
  | could\s+not\s+parse\s+(?:the\s+)?(?:llm|model|tool|agent)\s+output
  | (?:error|exception|time-?out|timed\s+out|\[error\]|<error>)(?=\W*$)
  | (?<=\[)error(?:\b[^\]\n]{{0,200}}\]|\]\s*[^\n]{{1,200}})(?=\s*$)
  )""",
    re.IGNORECASE | re.VERBOSE,
)
# So programs speak for a model; and a model does whose tools failed, in a run of ours.
_FIRST_PERSON = re.compile(
    rf"""^\W*{_SORRY}(?:i|we)(?:\s+|(?='))(?:
    (?:(?:have|seem\s+to\s+have)\s+)?(?:encountered|ran\s+into|experienced|hit)\s+an?\s+(?:\w+\s+){{0,2}}?(?:error|problem|issue)\b[^.,:\n]{{0,90}}{_END}
  | (?:could\s+not|couldn'?t|was\s+unable\s+to|were\s+unable\s+to|failed\s+to)\s+(?:generate|process|complete)\s[^.,:\n]{{0,50}}?\b(?:response|answer|request|question|query|message|that|this)\b{_END}
  | (?:am|are|'m|'re|is)\s+(?:currently\s+)?(?:experiencing|having)\s+(?:some\s+)?technical\s+(?:difficulties|issues|problems)\b
  | (?:am|are|'m|'re)\s+having\s+trouble\s+(?:generating|connecting|processing|reaching|accessing)\b[^.,:\n]{{0,60}}{_END}
  )""",
    re.IGNORECASE | re.VERBOSE,
)
_FILTERED = re.compile(
    r"^\W*(?:error:?\s+)?(?:(?:(?:the|your|this)\s+)?(?:response|output|prompt|request|content|answer|message|input|completion)s?"
    r"\s+(?:was|were|is|has\s+been|have\s+been|may\s+have\s+been)\s+(?:filtered|blocked|flagged|removed|withheld|rejected|redacted)"
    r"|(?:content|response|output)[ _-]?(?:filter(?:ed)?|blocked|removed|policy[ _]violation)\b"
    r"|responsibleaipolicyviolation|invalid\s+prompt:\s+your\s+prompt\s+was\s+flagged"
    r"|invalid\s+operation:\s+the\s+`?response\.text|(?:this|your)\s+(?:content|request|prompt)\s+(?:may|might)\s+violate)",
    re.IGNORECASE,
)
_FILTER_WORDS = re.compile(
    r"content[ _-]?(?:filter|management|polic|moderation)|polic(?:y|ies)\b|safety|moderation|violat|finish_reason"
    r"|^\W*(?:the\s+)?(?:response|output|content)\s+(?:was\s+)?(?:filtered|blocked)\W*$",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\W*(?:$|please\b|try again|could you (?:please )?try|retry|if (?:the|this) (?:\w+ )?(?:issue|problem|error)|contact\b|sorry\b|we apologi[sz]e"
    r"|apologies|you can (?:retry|contact)|to learn more|for more|see\b|go to\b|check\b|try\b|our (?:team|engineers)|thank"
    r"|(?:request|trace|error)[ _-]?id\b|status code\b|details?\b|(?:reset\s+)?reason\b|code\b|message\b|it (?:is|was|may) (?:temporar|unavail)"
    r"|https?://|the (?:team|developers)|we're (?:working|looking)|we are (?:working|looking))",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:however|nevertheless|but|still|anyway|the answer|there (?:is|are|were|was))\b", re.I
)
_TAIL = re.compile(r"(?!.*\b(?:which|that|and|but|so|in \d{4})\b)[^,;]{0,90}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_PAGE = re.compile(r"^\s*(?:<\?xml[^>]{0,99}>\s*)?(?:<!doctype\s+html|<html\b)", re.IGNORECASE)
_PAGE_ERROR = re.compile(
    r"<(?:title|h1|h2)[^>]{0,200}>[^<]{0,200}?(?:\b[45]\d\d\b|error|bad gateway|time-?out|timed out|unavailable|not found|forbidden"
    r"|denied|unauthorized|just a moment|attention required|maintenance)",
    re.IGNORECASE,
)
_TRACEBACK = re.compile(r"^\W*(?:error\W+)?Traceback \(most recent call last\):", re.IGNORECASE)
_EXCEPTION = re.compile(r"^\s*[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Timeout|Warning|Exit)\b")
_STACK_FRAME = re.compile(r"^\s+at \S.*[):\d]$", re.MULTILINE)
_STACK_HEAD = re.compile(r"^\W*(?:[\w.\"' ]+\s)?[\w.]*(?:Error|Exception)\b")
_ERROR_KEYS = frozenset(
    "error errors message detail details code status statuscode status_code type param object title "
    "request_id requestid timestamp path reason instance traceid trace_id success msg error_code "
    "error_message errormessage error_type exception stack hint documentation_url".split()
)


def why_no_answer(
    text: str, *, is_empty: bool = False, is_models_own: bool = False
) -> NoAnswer | None:
    """Returns whose doing it is that a text is no answer, and what it is; None for an answer.

    >>> why_no_answer("Error executing RAG pipeline via HTTP API.")
    ('failed', 'an error in place of the answer: Error executing RAG pipeline via HTTP API.')
    >>> why_no_answer("I don't know."), why_no_answer("No records were found.")
    (None, None)

    Args:
        is_empty: whether the right answer is that there is nothing, which `None` says then.
        is_models_own: whether the text is known to be a model's, and its tool calls were made: then
            "I encountered an error" is what it says of its tools, and an answer.
    """
    bare = text.strip().replace("’", "'")
    if not bare:
        return None
    shown = " ".join(bare.split())[:_SHOWN]
    if bare in _EMPTY_CELLS:
        return "failed", f"an empty cell of a table in place of the answer: {shown}"
    if bare == _NONE and not is_empty:
        return "failed", "None in place of the answer, as Python writes where there is no value"
    if _is_filtered(bare):
        return "refused", f"a content filter's message in place of the answer: {shown}"
    if not is_models_own and written_calls(bare, {}) is not None:
        return "unparsed", f"a tool call in place of the answer: {shown}"
    if is_models_own:
        kinds = [_MESSAGES]
    else:
        kinds = [_MESSAGES, _FIRST_PERSON]
    is_message = any(_is_whole(bare, kind) for kind in kinds)
    if is_message or _is_long_error(bare) or _is_error_object(bare):
        return "failed", f"an error in place of the answer: {shown}"
    return None


def same_on_many(answers: Iterable[tuple[str, str, Collection[str]]]) -> dict[str, bool]:
    """Returns the texts that stand where answers to several questions should be, though these have
    different right answers; each with whether it is surely a program's message, since it speaks of
    a failure. What abstains or declines may be said of any question, and so may a few words.

    Args:
        answers: of one system: the question, the text, what a right answer has.
    """
    truths: dict[str, dict[str, frozenset[str]]] = {}
    for question, text, truth in answers:
        truths.setdefault(text.strip(), {})[question] = frozenset(truth)
    return {
        text: bool(_FAILURE.search(text))
        for text, by_question in truths.items()
        if len(set(by_question.values())) >= _MANY
        and (len(text) >= _LONG_TEXT or _FAILURE.search(text))
        and not (abstains(text) or refuses(text) or _NOTHING.match(text))
    }


def _is_long_error(text: str) -> bool:
    """Returns whether a text is a page of a server, or the trace of an exception."""
    if _PAGE.match(text):
        return bool(_PAGE_ERROR.search(text[:20_000]))
    last = text.rsplit("\n", 1)[-1]
    if _TRACEBACK.match(text):
        return bool(_EXCEPTION.match(last)) or text.rstrip().endswith("...") or '  File "' in text
    head = text[:200].partition("\n")[0]
    return bool(_STACK_HEAD.match(head)) and len(_STACK_FRAME.findall(text[:20_000])) > 1


def _is_error_object(text: str) -> bool:
    """Returns whether a text is a JSON object that tells of an error, and of nothing else."""
    if not text.startswith(("{", "[{")):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, Mapping) or not value:
        return False
    keys = {}
    for key, item in value.items():
        keys[str(key).casefold()] = item
    if not _ERROR_KEYS.issuperset(keys):
        return False
    codes = []
    for name in ("code", "status", "statuscode", "status_code"):
        codes.append(keys.get(name))
    is_code = any(isinstance(code, int) and 400 <= code < 600 for code in codes)
    says = str(keys.get("message") or keys.get("detail") or keys.get("msg") or "")
    kinds = []
    for name in ("object", "type", "status"):
        kinds.append(str(keys.get(name)).casefold())
    return bool(
        keys.get("error")
        or keys.get("errors")
        or keys.get("exception")
        or is_code
        or "error" in kinds
        or _is_whole(says, _MESSAGES)
    )


def _is_filtered(text: str) -> bool:
    """Returns whether a text is what a provider's filter says, and nothing else."""
    return _is_whole(text, _FILTERED) and bool(_FILTER_WORDS.search(text))


def _is_whole(text: str, messages: re.Pattern[str]) -> bool:
    """Returns whether a text is one of a kind of messages, and behind it has nothing but what
    programs add: details behind a colon, courtesies.
    """
    message = None
    if len(text) <= _LONGEST:
        message = messages.match(text)
    if message is None:
        return False
    first, *others = _SENTENCE_END.split(text[message.end() :])
    if ":" in first:
        return not any(map(_GOES_ON.search, others))
    return bool(_TAIL.fullmatch(first)) and all(map(_COURTESY.match, others))
