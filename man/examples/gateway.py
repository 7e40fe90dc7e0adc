#!/usr/bin/env python3
"""Store readings on disk and forward them. Standard input: one reading as a JSON object a line."""
import http.client
import json
import os
import random
import sys
import threading
import time
from urllib.parse import urlsplit

API = urlsplit(os.environ.get("API_URL", "http://127.0.0.1:8420"))
KEY_FILE = os.environ.get("KEY_FILE", "/etc/gateway/key")
SPOOL = os.environ.get("SPOOL", "/var/spool/gateway")
MOST_BYTES = int(os.environ.get("MOST_BYTES", "2000000000"))
FIRST_WAIT = float(os.environ.get("FIRST_WAIT", "1"))
LONGEST_WAIT = 60
MOST_READINGS = 1000
OPEN = os.path.join(SPOOL, "open")

lock = threading.Lock()
ended = threading.Event()


def append(path, line):
    """One write appends a whole line or, at a power failure, a part that restore() removes."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(fd, line + b"\n")
    finally:
        os.close(fd)


def batches():
    return sorted(name for name in os.listdir(SPOOL) if name.endswith(".batch"))


def close_batch():
    """Turn what was stored so far into a batch: synced, renamed at once, and bounded by the oldest."""
    with lock:
        if not os.path.exists(OPEN):
            return
        with open(OPEN, "rb") as stored:
            os.fsync(stored.fileno())
        names = batches()
        number = int(names[-1].split(".")[0]) + 1 if names else 1
        os.rename(OPEN, os.path.join(SPOOL, f"{number:012d}.batch"))
        sizes = {name: os.path.getsize(os.path.join(SPOOL, name)) for name in batches()}
        # The first may be in transfer, and the last is the newest: what is between them goes, oldest first.
        for name in list(sizes)[1:-1]:
            if sum(sizes.values()) <= MOST_BYTES:
                break
            print(f"the spool is full: {name} is dropped", file=sys.stderr)
            os.remove(os.path.join(SPOOL, name))
            del sizes[name]


def restore():
    """Remove the torn line that a power failure may have left, and number on after the last batch."""
    os.makedirs(SPOOL, mode=0o700, exist_ok=True)
    if os.path.exists(OPEN):
        with open(OPEN, "r+b") as stored:
            stored.truncate(stored.read().rfind(b"\n") + 1)
    close_batch()


def store():
    """Write each reading to disk before anything else happens to it."""
    count = 0
    for line in sys.stdin.buffer:
        line = line.strip()
        if not line:
            continue
        try:
            json.loads(line)
        except ValueError:
            set_aside(line, "not_json")
            continue
        with lock:
            append(OPEN, line)
        count += 1
        if count % MOST_READINGS == 0:
            close_batch()
    ended.set()


def set_aside(line, code):
    append(os.path.join(SPOOL, "rejected"), code.encode() + b" " + line)


def post(lines):
    with open(KEY_FILE, encoding="ascii") as file:
        key = file.read().strip()  # read each time: a rotation replaces it
    secure = API.scheme == "https"
    connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = connect(API.hostname, API.port, timeout=30)
    try:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
        path = API.path.rstrip("/") + "/api/v1/sensors/readings"
        connection.request("POST", path, b"\n".join(lines) + b"\n", headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Retry-After"), answer.read()
    finally:
        connection.close()


def send(lines):
    """Send until there is an answer. Sending again is safe: what is there already is a duplicate."""
    wait = FIRST_WAIT
    while True:
        try:
            status, after, text = post(lines)
        except (OSError, http.client.HTTPException) as error:
            status, after, text = 0, None, str(error).encode()
        if status == 200:
            for rejected in json.loads(text)["rejected"]:
                set_aside(lines[rejected["index"]], rejected["code"])
            return
        if status in (400, 413, 422):
            # The batch is at fault: halves find the reading that is.
            if len(lines) == 1:
                set_aside(lines[0], str(status))
            else:
                send(lines[: len(lines) // 2])
                send(lines[len(lines) // 2 :])
            return
        pause = float(after) if after and after.isdigit() else wait
        print(f"not sent ({status} {text[:200]!r}), again in {pause:.1f} s", file=sys.stderr)
        time.sleep(pause * random.uniform(1, 1.25))
        wait = min(wait * 2, LONGEST_WAIT)


def forward():
    while True:
        is_last = ended.is_set()
        close_batch()
        names = batches()
        for name in names[:1]:
            path = os.path.join(SPOOL, name)
            with open(path, "rb") as stored:
                send(stored.read().splitlines())
            os.remove(path)
        if not names:
            if is_last:
                return
            ended.wait(1)


if len(sys.argv) > 1:
    print("usage: API_URL=URL KEY_FILE=FILE SPOOL=FOLDER gateway.py < READINGS", file=sys.stderr)
    sys.exit(2)
try:
    restore()
except OSError as error:
    print(f"SPOOL must be a folder of this account: {error}", file=sys.stderr)
    sys.exit(2)
threading.Thread(target=store, daemon=True).start()
forward()
