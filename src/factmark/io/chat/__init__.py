"""Asking a language model over HTTP: OpenAI's chat completions and Anthropic's messages."""

from __future__ import annotations

from factmark.io.chat.budget import Account, Budget, Purse
from factmark.io.chat.client import ChatClient
from factmark.io.chat.prices import Price, Prices
from factmark.io.chat.records import Failure, Message, Reply, Request, Usage
from factmark.io.chat.spec import ModelSpec

__all__ = [
    "Account",
    "Budget",
    "ChatClient",
    "Failure",
    "Message",
    "ModelSpec",
    "Price",
    "Prices",
    "Purse",
    "Reply",
    "Request",
    "Usage",
]
