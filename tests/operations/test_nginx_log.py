"""What deploy/nginx.conf, as it is shipped, writes down of requests: no secret of a link, and one line for each."""

import pytest
import requests

from tests.faults.nginx import find_nginx, running_nginx
from tests.ports import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_nginx() is None, reason="nginx is not installed (Debian: apt-get install nginx)"),
]
SECRET = "s3cr3t-of_a_link"
LINKS = [
    f"/shared/{SECRET}/",
    f"/shared/{SECRET}/files/7",
    f"/accounts/first/{SECRET}/",
    f"/accounts/invited/{SECRET}/",
    f"/accounts/password/0190aaaa-0000-7000-8000-000000000000/{SECRET}/",
    f"/shared/%2e/{SECRET}/",
    f"/objects/runs/a?signature={SECRET}",
]


def test_the_log_has_no_secret_and_no_id_that_is_none(tmp_path):
    port, nobody = free_port(), free_port()
    with running_nginx((nobody, nobody), port=port, folder=tmp_path / "nginx"):
        for link in LINKS:
            requests.get(f"http://127.0.0.1:{port}{link}", timeout=30)
        forged = {"X-Request-ID": 'a" 200 0 0.1 of-somebody-else'}
        requests.get(f"http://127.0.0.1:{port}/runs", headers=forged, timeout=30)
        requests.get(f"http://127.0.0.1:{port}/runs", headers={"X-Request-ID": "my-id.7"}, timeout=30)

    lines = (tmp_path / "nginx" / "ids.access.log").read_text().splitlines()
    assert len(lines) == len(LINKS) + 2
    assert [line for line in lines if SECRET in line or "somebody-else" in line] == []
    assert '"GET /shared/[secret]"' in lines[0]
    assert lines[-1].endswith(" my-id.7")
