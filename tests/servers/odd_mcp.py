"""An MCP server over stdio that starts at once and is odd in the way its argument names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

MODE, KEY = sys.argv[1], os.environ.get("THEIR_API_KEY", "")


def offered() -> list[dict[str, Any]]:
    """The tools: `t`, or those that tell of the process (`process`, `stays`)."""
    tool: dict[str, Any] = {
        "name": "t",
        "description": f"use {KEY}",
        "inputSchema": {"type": "object"},
    }
    if MODE == "pattern":
        pattern = {"a": {"pattern": "^(a+)+$"}}
        tool["outputSchema"] = {"type": "object", "properties": pattern}
    elif MODE == "reference":
        tool["outputSchema"] = {"type": "object", "$ref": "https://nowhere.example/x.json"}
    elif MODE == "secret":
        tool["inputSchema"]["properties"] = {"a": {"enum": [KEY], "description": "as " + KEY}}
    elif MODE == "named":
        tool["name"] = "t-" + KEY
    elif MODE == "many":
        return [{**tool, "name": f"t{number}"} for number in range(1001)]
    elif MODE in ("process", "stays"):
        return [{**tool, "name": name} for name in ("pid", "environment", "slow", "crash")]
    return [tool]


def result_of(params: dict[str, Any]) -> dict[str, Any] | None:
    """What a call brings; None where it brings nothing."""
    text, name = "fine", params["name"]
    if name == "slow":
        return None
    if name == "crash":
        os._exit(3)
    if name == "pid":
        text = str(os.getpid())
    elif name == "environment":
        text = os.environ.get(params["arguments"]["name"], "unset")
    elif MODE == "children":
        text = str(subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL).pid)
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    if MODE == "blocks":
        result["content"] *= 30_000
    if MODE in ("pattern", "reference"):
        result["structuredContent"] = {"a": "a" * 40 + "b"}
    return result


def reply(asked: dict[str, Any]) -> dict[str, Any] | None:
    """The reply to a request; None where there is none."""
    method = asked["method"]
    if method == "initialize":
        return {
            "result": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "srv " + KEY, "version": "1"},
            }
        }
    if method == "tools/list":
        return {"result": {"tools": offered()}}
    if method == "tools/call":
        result = result_of(asked["params"])
        return None if result is None else {"result": result}
    return {"error": {"code": -32601, "message": "?"}}


for line in sys.stdin:
    request = json.loads(line)
    answer = reply(request) if "id" in request else None
    if answer is None:
        continue
    shown = json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer})
    print(shown.replace("fine", "fi\\ud800ne") if MODE == "broken" else shown, flush=True)
    while MODE == "flood" and request["method"] == "tools/call":
        print('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}}')
while MODE == "stays":
    time.sleep(600)
