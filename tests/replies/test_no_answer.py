"""Texts that stand in place of an answer, and answers that look like them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.replies.no_answer import same_on_many, why_no_answer

MESSAGES = [
    "Error running the retrieval pipeline over HTTP.",
    "An error occurred while answering your question.",
    "An unexpected error occurred. Please try again later.",
    "There was an error processing the request.",
    "I'm sorry, an error occurred while generating the reply.",
    "Sorry, I encountered an error while processing your query.",
    "Oops! Something went wrong: list index out of range",
    "Error calling the model: Connection refused",
    "Error during retrieval.",
    "Failed to generate a response.",
    "LLM call failed: timeout",
    "Request timed out.",
    "Internal Server Error",
    "503 Service Unavailable",
    "HTTP 429: Too Many Requests",
    "I apologize, but I'm having trouble connecting to the service right now.",
    "[Error: the key is not set]",
    "[Error] tool execution timeout",
    "Rate limit exceeded. Please wait 20 seconds.",
    "The model is currently overloaded. Please try again later.",
    "Agent stopped due to iteration limit or time limit.",
    "nan",
    "NULL",
    "<NA>",
    "None",
    '{"error": {"message": "slow down", "code": 429}}',
    '{"statusCode": 500, "message": "Oh no"}',
    '{"message": "Internal server error"}',
    'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nKeyError: 4',
    "java.io.IOException: gone\n\tat a.B.c(B.java:3)\n\tat a.D.e(D.java:9)",
    "<html><head><title>502 Bad Gateway</title></head><body></body></html>",
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>",
]
FILTERED = [
    "The response was filtered due to the prompt triggering the content management policy.",
    "Output blocked by content filtering policy",
    "Your request was rejected as a result of our safety system.",
]
ANSWERS = [
    "I don't know.",
    "No records were found.",
    "I cannot answer this from the passages.",
    "Sorry, I'm not able to provide an answer to that question.",
    "I'm sorry, but I couldn't find relevant information in the document.",
    "0",
    "yes",
    "404",
    "Not found.",
    "Forbidden",
    "None.",
    "Error: there is no such data set.",
    "Error 0.55, which is 0.15 smaller.",
    "Error rates: 30",
    "Error rate [95 % interval 3 to 5]",
    "The error in the database was mended in 2019.",
    "An error occurred while operators tested the reactor, which led to the fire.",
    "An error occurred in the census of 1952: 300 people were counted twice.",
    "The function call failed, so I cannot tell when the harbour opened.",
    "Tool request failed; still, the catalogue lists 30 data sets.",
    "The API returned an empty list, so there are no data sets.",
    "HTTP 500 means Internal Server Error.",
    "The request was rejected by the ethics board in 2018.",
    "The output was filtered by ethics approval: three data sets remain.",
    "The service is temporarily unavailable on Sundays, from 8 to 10.",
    "Traceback (most recent call last) is what Python prints.",
    '{"error": null, "count": 3}',
    '{"message": "There are 30 data sets."}',
    '{"status": "active", "code": 30}',
    "<table><tr><td>Error</td></tr></table>",
]


@pytest.mark.parametrize("text", MESSAGES)
def test_a_message_is_no_answer(text: str) -> None:
    why = why_no_answer(text)
    assert why is not None
    assert why[0] == "failed"
    assert " ".join(text.split())[:20] in why[1]


@pytest.mark.parametrize("text", FILTERED)
def test_what_a_filter_says_is_no_answer_and_a_refusal(text: str) -> None:
    why = why_no_answer(text)
    assert why is not None
    assert why[0] == "refused"


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_that_speaks_of_errors_or_cannot_tell_is_one(text: str) -> None:
    assert why_no_answer(text) is None


def test_none_is_an_answer_where_there_is_nothing() -> None:
    assert why_no_answer("None", is_empty=True) is None
    assert why_no_answer("nan", is_empty=True) is not None


def test_a_model_may_tell_that_its_tools_failed() -> None:
    text = "I encountered an error while calling the tool."
    assert why_no_answer(text, is_models_own=True) is None
    assert why_no_answer(text) is not None


def test_a_call_of_a_tool_is_no_answer_and_the_log_of_an_agent_is_one() -> None:
    call = '<tool_call>\n{"name": "tide_at", "arguments": {"port": "Old Quay"}}\n</tool_call>'
    why = why_no_answer(f"Let me look.\n{call}")
    assert why is not None
    assert why[0] == "unparsed"
    assert why_no_answer(f"{call}\n<tool_response>6 am</tool_response>\nAt 6 am.") is None


def test_the_same_text_on_many_questions() -> None:
    def shared(text: str, truths: list[list[str]]) -> dict[str, bool]:
        return same_on_many((f"Q{n}", text, truth) for n, truth in enumerate(truths))

    three = [["1904"], ["1905"], ["1906"]]
    message = "Backend fault 17: the index is unavailable"
    assert shared(message, three) == {message: True}
    assert shared(message, three[:2]) == {}  # may be chance
    assert shared(message, [["1904"]] * 3) == {}  # the same answer to the same question
    greeting = "Welcome to the mill museum, how can I help you today?"
    assert shared(greeting, three) == {greeting: False}  # told, and not decided
    assert shared("yes", three) == {}
    assert shared("I don't know, the passages do not say when it opened.", three) == {}
    assert shared("No error was found in any of the records of the mill.", three) == {}


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_any_text_is_read(text: str) -> None:
    why_no_answer(text)


@pytest.mark.parametrize(
    "piece", ["a ", "Error ", "an error occurred while ", "<", "at x:1\n ", "{"]
)
def test_a_long_text_takes_no_long_time(piece: str) -> None:
    began = time.monotonic()
    why_no_answer(piece * (1_000_000 // len(piece)))
    assert time.monotonic() - began < 2
