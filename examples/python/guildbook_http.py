"""Guildbook over HTTP, with nothing but Python's own library: recall, the gate, and the report of a run."""

import json
import os
import urllib.request
import uuid
from datetime import datetime, timezone

SERVER = os.environ.get("GUILDBOOK_SERVER", "http://127.0.0.1:4747")


def now() -> str:
    return datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")


def post(path: str, body: dict) -> dict:
    headers = {"Authorization": f"Bearer {os.environ['GUILDBOOK_TOKEN']}", "Content-Type": "application/json"}
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


class Denied(Exception):
    """The memories behind a call do not authorise it."""


class Run:
    def __init__(self, task: str):
        self.task, self.id, self.started, self.calls, self.memories = task, str(uuid.uuid4()), now(), [], []

    def recall(self) -> list[dict]:
        """Messages for the model, as they are: the second one is data between two tags."""
        answer = post("/v1/recall", {"query": self.task, "sessionId": self.id})
        self.memories += [memory["id"] for memory in answer["memories"]]
        return answer["messages"]

    def call(self, tool: str, action: str, work, effect: str = "changes"):
        """Asks the gate, runs the tool, and keeps what the report says about it. Without an answer nothing runs."""
        check = {"tool": {"name": tool, "action": action, "effect": effect}, "memories": self.memories}
        if post("/v1/gate", {**check, "sessionId": self.id})["decision"] != "allow":
            raise Denied(f"{tool} was not called: a memory behind it authorises no change")
        try:
            result = work()
        except Exception as error:
            message = getattr(error, "stderr", None) or str(error)
            self.calls.append({"name": tool, "action": action, "ok": False, "errorMessage": message})
            raise
        self.calls.append({"name": tool, "action": action, "ok": True})
        return result

    def report(self, status: str = "completed") -> dict:
        """Never the conversation: there is no field for it."""
        return post("/v1/executions", {
            "executionId": self.id, "sessionId": self.id, "taskId": self.task, "taskTitle": self.task[:200],
            "startedAt": self.started, "finishedAt": now(), "status": status, "terminationReason": "ended",
            "verification": {"outcome": "none"}, "toolCalls": self.calls, "retryCount": 0, "maxRetries": 0,
        })
