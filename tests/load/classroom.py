"""Thirty students at one board, on purpose badly behaved: they ask, watch, leave in the middle and stop each other.

    python -m tests.load.classroom --minutes 10

measures the app as it runs on a board (a process of its own, on a router, a simulated microcontroller and a server that
stands in for llama-server): its memory, threads and open files while it lasts, and after everyone has gone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests

QUICK_S = 5.0
"""What must be answered whatever else goes on (health, stop) is answered in this time, or it counts as wrong."""
PATIENT_S = 60.0


def busy_class(url: str, seconds: float, students: int) -> list[str]:
    """Let them loose on the app at `url`. Returns what went wrong for one of them; a full line is nothing wrong."""
    end = time.monotonic() + seconds
    wrong: list[str] = []

    def ask(number: int) -> None:
        body = {"question": f"Question {number}?", "detach": number % 3 == 0, "client": f"page {number % 7}"}
        answer = requests.post(f"{url}/ask", json=body, timeout=PATIENT_S)
        if answer.status_code not in (200, 202, 503) or (answer.status_code == 200 and "error" in answer.json()):
            wrong.append(f"ask: {answer.status_code} {answer.text[:200]}")

    def watch(number: int) -> None:
        with requests.get(f"{url}/events?client=page{number}", stream=True, timeout=PATIENT_S) as stream:
            for _ in itertools.islice(_events(stream), 20):
                if time.monotonic() > end:
                    return

    def leave(number: int) -> None:
        try:
            requests.post(f"{url}/ask", json={"question": f"Never mind {number}"}, timeout=0.05)
        except (requests.Timeout, requests.ConnectionError):  # reading can time out in the middle of an answer
            return

    def follow(number: int) -> None:
        headers = {"Accept": "text/event-stream"}
        with requests.post(
            f"{url}/ask", json={"question": "Live?"}, headers=headers, stream=True, timeout=PATIENT_S
        ) as stream:
            if stream.status_code == 200 and number % 2:
                kinds = list(_events(stream))
                if kinds[-1:] != ["result"]:
                    wrong.append(f"a stream ended with {kinds[-3:]}")

    def stop(number: int) -> None:
        running = requests.get(f"{url}/status", timeout=QUICK_S).json()["queue"]["running"]
        body = {"run": running} if running and number % 2 else {}
        if requests.post(f"{url}/stop", json=body, timeout=QUICK_S).status_code != 200:
            wrong.append("stop was refused")

    def look(number: int) -> None:
        if requests.get(f"{url}/healthz", timeout=QUICK_S).status_code != 200:
            wrong.append("not healthy")

    deeds: list[Callable[[int], None]] = [ask, watch, leave, follow, stop, look]

    def student(number: int) -> None:
        while time.monotonic() < end:
            deed = deeds[number % len(deeds)]
            try:
                deed(number)
            except requests.RequestException as error:
                wrong.append(f"{deed.__name__}: {error!r}")
            number += 7
            time.sleep(0.02)

    threads = [threading.Thread(target=student, args=(number,)) for number in range(students)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def _events(stream: requests.Response) -> Iterator[str]:
    for line in stream.iter_lines(decode_unicode=True):
        if line.startswith("event: "):
            yield line[7:]


class _Model(BaseHTTPRequestHandler):
    """A server that calls a tool and then answers, in a few milliseconds a token."""

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path not in ("/health", "/v1/models"):
            self.send_error(404)
            return
        body = json.dumps({"status": "ok", "data": [{"id": "stand-in", "owned_by": "llamacpp"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        try:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except ValueError:  # the run was stopped while it asked
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if sent.get("messages", [{}])[-1].get("role") == "user":
            call = {"index": 0, "id": "c", "function": {"name": "set_builtin_led", "arguments": '{"state":true}'}}
            deltas: list[dict[str, Any]] = [{"tool_calls": [call]}]
        else:
            deltas = [{"content": f"word {number} "} for number in range(40)]
        try:
            for delta in deltas:
                self.wfile.write(f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta}]})}\n\n".encode())
                self.wfile.flush()
                time.sleep(0.005)
            self.wfile.write(b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n')
        except OSError:
            return


def _size(pid: int) -> dict[str, float]:
    status = Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return {
        "memory_mb": round(int(fields["VmRSS"].split()[0]) / 1000, 1),
        "threads": int(fields["Threads"]),
        "files": len(list(Path(f"/proc/{pid}/fd").iterdir())),
    }


def main() -> None:
    """Measure for some minutes and print a line every ten seconds."""
    from simulator.microcontroller import Microcontroller
    from simulator.router import Router
    from tests.e2e.conftest import App, until

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--students", type=int, default=30)
    options = parser.parse_args()
    model = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as name,
        Router(f"unix://{name}/router.sock") as router,
        Microcontroller(router.address),
    ):
        app = App(f"http://127.0.0.1:{model.server_port}/v1", router.address, Path(name))
        try:
            until(lambda: (health := app.health()) and "llm" in health and health["board"] == "ok")
            print("at the start", _size(app.process.pid), flush=True)
            wrong: list[str] = []
            end = time.monotonic() + 60 * options.minutes
            while (left := end - time.monotonic()) > 0:
                wrong += busy_class(app.url, min(10.0, left), options.students)
                runs = requests.get(f"{app.url}/status", timeout=10).json()["counters"]["runs"]
                print(f"{runs} runs, {len(wrong)} wrong", _size(app.process.pid), flush=True)
            time.sleep(30)  # pages that are gone are forgotten after 20 s
            print("after everyone has gone", _size(app.process.pid), *wrong[:20], sep="\n", flush=True)
        finally:
            app.stop()


if __name__ == "__main__":
    main()
