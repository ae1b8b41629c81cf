"""`./ids serve` and `./ids manage` as real processes."""

import os
import re
import shutil
import signal
import threading
import time
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import pytest
import requests

from operations.embedded.processes import has_ended
from operations.embedded.serve import GONE_EXIT_CODE
from tests.service import FirstStart, Service


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with FirstStart(tmp_path_factory.mktemp("serve") / "lab data") as service:
        yield service
    assert service.pids() == []


@pytest.fixture
def service(shared):
    """One for all tests here, since each start takes seconds; a test that stops it starts it again."""
    wait_until(shared.is_ready)
    return shared


def make_token(service):
    return service.manage("create_token", "script", "--scopes", "instruments:read").strip()


def status_with(service, token):
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(f"{service.url}/api/v1/instruments", headers=headers, timeout=30).status_code


def wait_until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_says_where_it_is_and_how_to_become_the_first_admin(service):
    said = service.log.read_text()

    assert f"Instrument Data Service at {service.url}\n" in said
    link = re.search(rf"{service.url}/accounts/first/\S+/", said)
    assert link is not None
    assert requests.get(link[0], timeout=30).status_code == 200


def test_a_token_is_the_only_thing_on_stdout_and_works_at_once(service):
    printed = service.manage("create_token", "script", "--scopes", "instruments:read")

    assert re.fullmatch(r"ids_[0-9A-Za-z]{42}\n", printed)
    assert status_with(service, printed.strip()) == 200


def test_a_second_start_on_the_directory_is_refused(service):
    second = Service(service.data)
    second.begin()

    assert second.supervisor.wait(60) == 1
    assert f"is in use by ./ids serve (process {service.supervisor.pid})" in second.log.read_text()
    assert service.is_ready()


def test_a_killed_web_server_comes_back_while_connections_wait(service):
    for web in service.pids("web"):
        os.kill(web, signal.SIGKILL)

    answer = requests.get(f"{service.url}/livez", timeout=120)

    assert answer.status_code == 200


def test_a_killed_database_comes_back_with_everything(service):
    token = make_token(service)
    os.kill(service.pids("postgres")[0], signal.SIGKILL)

    wait_until(lambda: "postgres ended" in service.log.read_text() and service.is_ready())

    assert status_with(service, token) == 200


def test_a_killed_supervisor_loses_nothing_and_leaves_nothing_in_the_way(service):
    token = make_token(service)
    before = service.pids()
    service.send(signal.SIGKILL)

    service.start()

    assert status_with(service, token) == 200
    assert not set(before) & set(service.pids())


def test_a_web_server_that_outlives_its_supervisor_gives_up_the_port(service):
    token = make_token(service)
    for pid in service.pids("web"):
        os.kill(pid, signal.SIGSTOP)
    service.send(signal.SIGKILL)

    service.start()

    assert status_with(service, token) == 200


def test_term_stops_everything_and_the_next_start_goes_on(service):
    token = make_token(service)

    code = service.send(signal.SIGTERM)

    assert code == 0
    assert service.pids() == []
    assert service.log.read_text().endswith("Stopped.\n")
    service.start()
    assert status_with(service, token) == 200


def test_whoever_connects_while_it_stops_is_answered_or_refused(service):
    """Never cut off: a connection that nobody takes is told so."""
    seen = set()
    asking = [threading.Thread(target=ask_until_refused, args=(service.url, seen)) for _ in range(8)]
    for one in asking:
        one.start()

    service.send(signal.SIGTERM)

    for one in asking:
        one.join(60)
    assert seen - {503} == {200, "refused"}
    service.start()


def ask_until_refused(url, seen):
    """On a new connection each time."""
    while "refused" not in seen:
        line = HTTPConnection(urlsplit(url).netloc, timeout=60)
        try:
            line.request("GET", "/livez")
            seen.add(line.getresponse().status)
        except ConnectionRefusedError:
            seen.add("refused")
        except (OSError, HTTPException) as fault:
            seen.add(type(fault).__name__)
        finally:
            line.close()


def test_commands_work_without_a_running_service_and_leave_nothing_running(service):
    service.send(signal.SIGTERM)

    token = make_token(service)

    assert service.pids() == []
    service.start()
    assert status_with(service, token) == 200


def remove(folder):
    """Whatever the database writes into it meanwhile."""

    def is_gone():
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    wait_until(is_gone)


@pytest.mark.parametrize("lose", [remove, lambda data: data.rename(data.with_name("elsewhere"))])
def test_without_its_data_directory_it_stops_and_says_so(tmp_path, lose):
    with Service(tmp_path / "data") as service:
        pids = service.pids()

        lose(service.data)

        assert service.supervisor.wait(60) == GONE_EXIT_CODE
    assert service.log.read_text().count("is no longer there (removed, moved, or its disk is gone)") == 1
    assert "Traceback" not in service.log.read_text()
    wait_until(lambda: all(map(has_ended, pids)))


def test_a_server_that_cannot_start_is_named(tmp_path):
    broken = Service(tmp_path / "data", PG_BIN="/nowhere")
    broken.begin()

    assert broken.supervisor.wait(60) == 1
    assert broken.log.read_text() == (
        "./ids serve: There is no PostgreSQL in /nowhere: set PG_BIN to where its programs are, or DATABASE_URL.\n"
    )


@pytest.mark.slow
def test_a_page_without_its_guard_ends_the_start_with_one_line(tmp_path):
    open_door = Service(tmp_path / "data", DJANGO_SETTINGS_MODULE="tests.web.unguarded_settings")
    open_door.begin()

    assert open_door.supervisor.wait(120) == 1
    assert open_door.log.read_text() == (
        "./ids serve: /settings/members declares no access (dashboard.accounts.members.member_list).\n"
    )
    assert open_door.pids() == []
