"""
A small systemd for tests: opens a TCP socket and a notification socket, starts a program with both, prints each message
that it gets as a line, and starts the program again when it ends. SIGHUP restarts the program, SIGTERM ends both.
Usage: service-manager.py FOLDER PROGRAM ARGUMENT...   WATCHDOG_USEC is passed on.
"""

import ctypes
import os
import select
import signal
import socket
import sys

folder, command = sys.argv[1], sys.argv[2:]
listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
path = os.path.join(folder, "notify")
notifications.bind(path)
wake_read, wake_write = os.pipe()
os.set_blocking(wake_write, False)
signal.set_wakeup_fd(wake_write)
for name in (signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
    signal.signal(name, lambda *_: None)


def say(*words):
    # In one write: the program writes to the same pipe.
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def start():
    pid = os.fork()
    if pid != 0:
        return pid
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with this program, however that ends
    signal.set_wakeup_fd(-1)
    for name in (signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(name, signal.SIG_DFL)
    if listener.fileno() == 3:
        os.set_inheritable(3, True)
    else:
        os.dup2(listener.fileno(), 3)
    os.environ.update(
        LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), NOTIFY_SOCKET=path, WATCHDOG_PID=str(os.getpid())
    )
    os.execv(command[0], command)


say("port", listener.getsockname()[1])
child = start()
say("started", child)
ending = False
while True:
    ready, _, _ = select.select([notifications, wake_read], [], [])
    if notifications in ready:
        data, passed, _, _ = socket.recv_fds(notifications, 65536, 4)
        for fd in passed:
            os.close(fd)
        for line in data.decode().splitlines():
            say("notified", line)
    if wake_read in ready:
        for number in os.read(wake_read, 64):
            if number == signal.SIGHUP:
                os.kill(child, signal.SIGTERM)
            elif number == signal.SIGTERM:
                ending = True
                os.kill(child, signal.SIGTERM)
        done, status = os.waitpid(child, os.WNOHANG)
        if done == child:
            say("ended", os.waitstatus_to_exitcode(status))
            if ending:
                break
            child = start()
            say("started", child)
