"""Two who send other bytes for one path at once: what the service says of one's bytes is no word of the other's."""

import zlib

import requests

from agent.tests.gate import Answer, Gate
from agent.tests.lab import Lab, sha256, wait_until


def send_as_another(lab: Lab, data: bytes) -> None:
    """A script that sends the same path, from the request to the confirmation."""
    order = {"filename": "a.csv", "relative_path": "R1/a.csv", "size_bytes": len(data)}
    order |= {"sha256": sha256(data), "crc32": f"{zlib.crc32(data):08x}"}
    ticket = lab.call("POST", f"instruments/{lab.instrument}/runs/R1/request-upload-url", order)
    requests.put(ticket["upload_url"], data=data, headers=ticket["headers"], timeout=60).raise_for_status()
    lab.call("PATCH", f"files/{ticket['file_id']}", {"status": "uploaded"})


def test_both_are_kept_where_another_was_stored_between_the_bytes_and_their_confirmation(lab: Lab):
    lab.init()
    others = [b"of a script"]

    def rule(method: str, path: str, body: object) -> Answer | None:
        if method == "PATCH" and "/files/" in path and others:
            send_as_another(lab, others.pop())
        return None

    with Gate(lab.url, rule) as gate:
        lab.set(server=gate.url)
        lab.write("R1/a.csv", b"of the instrument")
        lab.start()
        wait_until(lambda: len(lab.stored()) == 2, seconds=120)

    assert others == []
    assert {file["sha256"] for file in lab.stored().values()} == {sha256(b"of a script"), sha256(b"of the instrument")}
