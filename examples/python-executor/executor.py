"""An executor with the standard library alone: a travel planner that asks, writes a file, and answers.

    npm start, and in another terminal:
    CONTINUO_API_KEY=... python3 examples/python-executor/executor.py

    curl -s localhost:4400/api/threads/$THREAD/messages -H 'content-type: application/json' \
      -d '{"content": "Plan a trip", "model": "executor/travel"}'

`answer` is yours. Everything below it is the protocol (docs/executors.md).
"""

import json
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request

URL = os.environ.get("CONTINUO_URL", "http://127.0.0.1:4400").rstrip("/")
KEY = os.environ.get("CONTINUO_API_KEY")
NAME = os.environ.get("CONTINUO_EXECUTOR", "travel")
PAUSE = float(os.environ.get("TRAVEL_PAUSE", "0"))  # seconds between two words

TRIP = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 14}},
    "required": ["city", "days"],
}


def answer(request):
    """Yields the events of one answer. The thread's state says what was done before."""
    state = request["state"] or {"step": "start"}
    last = request["history"][-1]
    if last["role"] == "user" or state["step"] == "start":
        yield from words("I need to know two things. ")
        yield call("ask_person", {"question": "Where to, and for how many days?", "schema": TRIP})
        yield finish(state={"step": "asked"})
    elif state["step"] == "asked":
        if not last["output"].get("answered"):
            yield from words("Another time, then.")
            return
        trip = last["output"]["answer"]
        plan = "".join(f"- Day {day + 1}: a walk in {trip['city']}\n" for day in range(trip["days"]))
        yield call("write", {"path": "trip.md", "content": f"# {trip['city']}\n\n{plan}"})
        yield finish(state={"step": "written", "trip": trip})
    else:
        trip = state["trip"]
        if last.get("failed"):
            yield from words("I could not write the plan down, sorry.")
        else:
            yield from words(f"Your {trip['days']} days in {trip['city']} are planned in trip.md.")


def words(text):
    for word in text.split(" "):
        time.sleep(PAUSE)
        yield {"type": "text", "text": word + " "}


def call(tool, arguments):
    return {"type": "tool_call", "tool": tool, "input": arguments}


def finish(**more):
    return {"type": "finish", **more}


# The protocol.


class Refused(Exception):
    """The server does not want the rest of this answer, or never wanted it."""

    def __init__(self, status, problem):
        super().__init__(problem.get("detail", f"status {status}"))
        self.status = status


stopping = threading.Event()


def post(path, body, timeout, unwanted=None):
    """Sends a request until there is a response, or `unwanted` is set: the server counts a batch once, however often it comes."""
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {KEY}"} if KEY else {})}
    data = json.dumps(body).encode()
    for attempt in range(1000):
        if unwanted is not None and unwanted.is_set():
            raise Refused(410, {"detail": "A heartbeat was refused."})
        try:
            request = urllib.request.Request(URL + path, data=data, headers=headers, method="POST")
            with urllib.request.urlopen(request, timeout=timeout) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in (408, 425, 429):
                raise Refused(error.code, problem_of(error)) from None
        except (OSError, ValueError):
            pass  # no response, or half of one
        time.sleep(min(5, 0.25 * 2 ** min(attempt, 5)))
    raise ConnectionError(f"{URL} does not respond")


def problem_of(error):
    try:
        return json.loads(error.read())
    except ValueError:
        return {}


def perform(assignment):
    """Writes one answer while a thread keeps the lease."""
    path = f"/api/v1/runs/{assignment['run_id']}/assignments/{assignment['message']}"
    claim, lease = assignment["claim"], assignment["lease_seconds"]
    done, unwanted = threading.Event(), threading.Event()

    def beat():
        while not done.is_set():
            try:
                post(f"{path}/heartbeat", {"claim": claim, "wait": min(30, lease / 3)}, lease)
            except Refused:
                unwanted.set()  # canceled, or lost
                return

    def send(seq, event):
        post(f"{path}/events", {"claim": claim, "seq": seq, "events": [event]}, lease, unwanted)

    threading.Thread(target=beat, daemon=True).start()
    try:
        seq, last = 0, None
        for event in events_of(assignment["request"]):
            seq, last = seq + 1, event
            try:
                send(seq, event)
            except Refused as refused:
                if refused.status not in (400, 413):
                    raise
                # What is in the event is wrong, and would be again: the answer fails in its place.
                last = {"type": "fail", "code": "invalid_event", "error": str(refused)[:4000]}
                send(seq, last)
                break
        if last is None or last["type"] not in ("finish", "fail"):
            send(seq + 1, finish())
    except Refused as refused:
        print(f"stopped {assignment['run_id']}: {refused}", file=sys.stderr)
    finally:
        done.set()


def events_of(request):
    """A failure of the answer is an event, too."""
    try:
        yield from answer(request)
    except Refused:
        raise
    except Exception as error:  # whatever `answer` does wrong ends this run, not the program
        yield {"type": "fail", "code": "executor_failed", "error": str(error) or type(error).__name__}


def main():
    # An answer that was begun is finished first. A claim that waits is broken off.
    def stop(*_):
        stopping.set()
        if not busy.is_set():
            os._exit(0)

    busy = threading.Event()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while not stopping.is_set():
        assignment = post(f"/api/v1/executors/{NAME}/claim", {"wait": 30, "by": "python-executor"}, 40)
        if assignment:
            busy.set()
            perform(assignment)
            busy.clear()


if __name__ == "__main__":
    main()
