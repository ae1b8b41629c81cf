"""`python -m web.ready PORT`: waits until the web server of this port is ready, as units do after they started one.

Ends with 1, and says why, where it is not ready within a minute and a half: the next server is then left alone.
"""

import http.client
import json
import sys
import time

WAIT_SECONDS, PAUSE_SECONDS = 90.0, 0.2


def main(port: int, *, seconds: float = WAIT_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while state := find_obstacle(port):
        if time.monotonic() > deadline:
            sys.exit(f"The web server on port {port} is not ready: {state}")
        time.sleep(PAUSE_SECONDS)


def find_obstacle(port: int) -> str:
    """Why it is not ready; empty where it is."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        asking.request("GET", "/readyz")
        answer = asking.getresponse()
        told = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        asking.close()
    return "" if answer.status == http.client.OK else f"{answer.status} {_shorten(told)}"


def _shorten(told: str) -> str:
    try:
        return json.dumps(json.loads(told))[:200]
    except ValueError:
        return "in a foreign language"


if __name__ == "__main__":
    main(int(sys.argv[1]))
