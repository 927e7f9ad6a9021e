"""The frame of the scripts in this folder.

A script declares checks with `@check("title")` and ends with `run_checks()`, which reports one line of JSON
per check. test/support/python-checks.ts reads the titles from their source, so that each check is a test
of its own, and starts the server that `Server` describes.
"""

import json
import os
import sys
import traceback
from contextlib import contextmanager
from pathlib import Path

import httpx

_checks = []
# One client for all: to make one takes much longer than a request.
_http = httpx.Client(timeout=30)


def check(title):
    def declare(function):
        _checks.append((title, function))
        return function

    return declare


def run_checks():
    script = Path(sys.argv[0]).name
    for title, function in _checks:
        failure = None
        try:
            function()
        except Exception:
            failure = traceback.format_exc()
        print(json.dumps({"script": script, "title": title, "failure": failure}), flush=True)


class Server:
    """Where the server and its upstream are, and the keys that they accept."""

    url = os.environ["PRESETD_URL"]
    api_url = f"{url}/api/v1"
    api_key = os.environ["PRESETD_API_KEY"]
    management_key = os.environ["PRESETD_MANAGEMENT_KEY"]

    # The upstream answers by the model that it is asked for.
    text_model = "vendor/model"
    tool_model = "vendor/calls-a-tool"
    limited_model = "vendor/is-rate-limited"
    spoken_text = os.environ["UPSTREAM_SPOKEN_TEXT"]

    @staticmethod
    def request(method, path, body=None, key=None, query=None):
        """What no SDK has a call for."""
        return _http.request(
            method,
            f"{Server.api_url}{path}",
            headers={"authorization": f"Bearer {key or Server.api_key}"},
            json=body,
            params=query,
        )

    @staticmethod
    def capture(slug, model, **fields):
        """A preset with this model and a system prompt."""
        messages = [{"role": "system", "content": "You are terse."}, {"role": "user", "content": "Hello"}]
        body = {"model": model, "messages": messages, **fields}
        response = Server.request("POST", f"/presets/{slug}/chat/completions", body)
        assert response.status_code == 200, response.text
        return f"@preset/{slug}"

    @staticmethod
    def upstream_got():
        """The body of the last request that reached the upstream."""
        return _http.get(f"{os.environ['UPSTREAM_URL']}/last-request").json()


def equal(actual, expected):
    assert actual == expected, f"got {actual!r}, expected {expected!r}"


@contextmanager
def raises(error, status):
    """The block must raise this error with this HTTP status. Yields a list that will hold the error."""
    caught = []
    try:
        yield caught
    except error as thrown:
        equal(thrown.status_code, status)
        caught.append(thrown)
        return
    raise AssertionError(f"{error.__name__} was not raised")
