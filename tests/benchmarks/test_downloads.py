"""1 GiB out of the local store, whole and in ranges of 8 MiB: by the service, by nginx alone, and by nginx before it.

`pytest -m benchmark tests/benchmarks/test_downloads.py -s`; needs nginx, 1 GiB of disk and as much page cache.
"""

import http.client
import statistics
import sys
import time
from urllib.parse import urlsplit

import pytest

from files.storage.interface import MIB
from tests.faults.nginx import find_nginx, running_nginx
from tests.files.storage.lone_server import running
from tests.ports import free_port

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(find_nginx() is None, reason="nginx is not installed (Debian: apt-get install nginx)"),
]
SIZE, ROUNDS = 1024 * MIB, 7
FAR_FROM_TARGET = 0.6  # which is 0.9 of nginx alone
BESIDE = """
    location /passed/ {{
        proxy_buffering off;
        proxy_pass http://ids/objects/;
    }}
    location /alone/ {{
        alias {root}/;
        sendfile on;
    }}
"""


@pytest.mark.parametrize("step", [SIZE, 8 * MIB], ids=["whole", "ranges of 8 MiB"])
def test_nginx_sends_what_the_service_grants_at_its_own_pace(tmp_path, capsys, step):
    root, port = tmp_path / "objects", free_port()
    with running(root, accel_prefix="/_stored/") as (store, _):
        write_object(store)
        signed = urlsplit(store.presign_get("runs/a", filename="a", content_type="text/plain"))
        query, served, beside = f"runs/a?{signed.query}", signed.port, BESIDE.format(root=root)
        ways = {
            "the service alone": (served, f"/objects/{query}"),
            "nginx passes on": (port, f"/passed/{query}"),
            "nginx sends": (port, f"/objects/{query}"),
            "nginx alone": (port, "/alone/runs/a@/data"),
        }
        with running_nginx((served, served), port=port, folder=tmp_path / "nginx", objects=root, beside=beside):
            rounds = [{way: fetch(*ways[way], step=step) for way in ways} for _ in range(ROUNDS + 1)][1:]

    speed = {way: statistics.median(SIZE / MIB / taken[way] for taken in rounds) for way in ways}
    share = statistics.median(taken["nginx alone"] / taken["nginx sends"] for taken in rounds)
    with capsys.disabled():
        told = ", ".join(f"{way} {mib:.0f} MiB/s" for way, mib in speed.items())
        sys.stdout.write(f"\n{step // MIB} MiB a request: {told}; sends / alone {share:.2f}\n")
    assert share >= FAR_FROM_TARGET


def write_object(store):
    sink = store.open_sink("runs/a", content_type="text/plain", at_most=SIZE)
    for number in range(SIZE // MIB):
        sink.write(number.to_bytes(4, "big") * (MIB // 4))
    sink.finish()
    sink.discard()


def fetch(port, path, *, step):
    """Seconds for all bytes over one kept connection."""
    connection, buffer = http.client.HTTPConnection("127.0.0.1", port, timeout=120), bytearray(MIB)
    began, received = time.perf_counter(), 0
    for start in range(0, SIZE, step):
        headers = {} if step == SIZE else {"Range": f"bytes={start}-{start + step - 1}"}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        while size := answer.readinto(buffer):
            received += size
    connection.close()
    assert received == SIZE
    return time.perf_counter() - began
