"""The process in which Python laws run: loads one file and answers calls over its pipes.

A request is the number of a function, the number of its arguments and the arguments; an answer is a
status, a length, and results or a text. All numbers are little-endian. What the file prints goes to
standard error, so that it does not mix with answers.
"""

import importlib.util
import inspect
import json
import os
import signal
import struct
import sys
import threading
import time
import traceback

OK, FAULT = 0, 1


def answer(stream, status, payload):
    stream.write(struct.pack("<BI", status, len(payload)) + payload)
    stream.flush()


def last_lines(error, path):
    """The error and where it happened in the user's file."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if os.path.abspath(frame.filename) == path]
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return f"line {own[-1].lineno}: {text}" if own else text


def signature(function):
    """The least and the most number of arguments; the most is null where there is no end."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [0, None]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    plain = [one for one in parameters if one.kind in positional]
    least = sum(one.default is inspect.Parameter.empty for one in plain)
    endless = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
    return [least, None if endless else len(plain)]


def load(path):
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("laws", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_")
    }


def numbers(results):
    """The results of a call as a list: what the law returned is a number or a list of numbers."""
    if results is None or isinstance(results, (str, bytes, dict)):
        raise TypeError(f"it returned {results!r:.40}, not a number or a list of numbers")
    try:
        results = list(results)
    except TypeError:
        results = [results]
    return [float(one) for one in results]


def end_with(parent):
    """Ends this process when the one that asks is gone, even in the middle of a call."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main():
    # The process that asks decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(int(sys.argv[2]),), daemon=True).start()
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    path = os.path.abspath(sys.argv[1])
    try:
        known = load(path)
    except BaseException as error:
        return answer(answers, FAULT, last_lines(error, path).encode())
    names = list(known)
    told = {name: signature(known[name]) for name in names}
    answer(answers, OK, json.dumps([[name, *told[name]] for name in names]).encode())
    functions = [known[name] for name in names]
    while True:
        head = requests.read(8)
        if len(head) < 8:
            return None
        number, count = struct.unpack("<II", head)
        arguments = struct.unpack(f"<{count}d", requests.read(8 * count))
        try:
            results = numbers(functions[number](*arguments))
            payload = struct.pack(f"<{len(results)}d", *results)
        except BaseException as error:
            answer(answers, FAULT, last_lines(error, path).encode())
        else:
            answer(answers, OK, payload)


main()
