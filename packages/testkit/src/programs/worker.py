"""The executor in Python of the examples, which plays scripts as offline/script does."""

import importlib.util
import json
import os
import pathlib
import re
import threading
import time

EXAMPLE = pathlib.Path(__file__).resolve().parents[4] / "examples/python-executor/executor.py"
spec = importlib.util.spec_from_file_location("executor", EXAMPLE)
executor = importlib.util.module_from_spec(spec)
spec.loader.exec_module(executor)


def answer(request):
    history = request["history"]
    start = max(index for index, message in enumerate(history) if message["role"] == "user")
    content = history[start]["content"]
    # A script has no empty line; the server's note about attached files follows one.
    try:
        steps = json.loads(content.split("\n\n")[0])["steps"]
    except ValueError as error:
        yield {"type": "fail", "code": "invalid_script", "error": f"The script cannot be played: {error}"}
        return
    index = sum(message["role"] == "assistant" for message in history[start + 1 :])
    step = steps[index] if index < len(steps) else {"text": "done."}
    yield {"type": "text", "text": ""}  # begins the message
    time.sleep(step.get("first_delay_ms", 0) / 1000)
    if "reasoning" in step:
        yield {"type": "reasoning", "text": step["reasoning"]}
    words = step.get("deltas") or re.findall(r"\s*\S+\s*", step.get("text", ""))
    words = [*words, *["word "] * step.get("tokens", 0)]
    for word in words:
        yield {"type": "text", "text": word}
        time.sleep(step.get("delay_ms", 0) / 1000)
    for number, made in enumerate(step.get("calls", [])):
        arguments = json.loads(made["raw"]) if "raw" in made else made.get("input", {})
        yield {"type": "tool_call", "call": f"{request['message']}_{number}", "tool": made["tool"], "input": arguments}
    while step.get("hang"):
        time.sleep(0.05)
        yield {"type": "text", "text": ""}  # refused, when nobody wants the answer any more
    if "error" in step:
        yield {"type": "fail", "code": step["error"]["code"], "error": step["error"]["message"]}
    else:
        yield executor.finish(usage={"input": -(-characters_in(request) // 4), "output": len(words)})


def characters_in(request):
    texts = [message.get("content", "") for message in request["history"]]
    parts = [part.get("text", "") for message in request["history"] for part in message.get("parts", [])]
    return sum(map(len, [request["system"] or "", *texts, *parts]))


def work():
    while True:
        assignment = executor.post(f"/api/v1/executors/{executor.NAME}/claim", {"wait": 30}, 40)
        if assignment:
            assignment["request"]["message"] = assignment["message"]
            executor.perform(assignment)


executor.answer = answer
threads = [threading.Thread(target=work) for _ in range(int(os.environ["CONTINUO_TEST_CONCURRENCY"]))]
for thread in threads:
    thread.start()
