"""How much memory there is decides how many processes share it."""

import pytest

from config.schedule import QUEUE_NAMES
from operations.embedded import memory, postgres
from operations.embedded.data_directory import DataDirectory
from operations.embedded.errors import EmbeddedError
from operations.embedded.memory import choose_buffers_mib, is_small, read_memory_mib
from operations.embedded.preloaded_programs import make_programs
from operations.embedded.programs import BESIDE_THREADS, count_web_processes
from tests.workers import served_queues


def read_within(tmp_path, own, **limits):
    """With limits by control group; the root's is `root`."""
    for group, limit in limits.items():
        place = tmp_path if group == "root" else tmp_path / group.replace("_", "/")
        place.mkdir(parents=True, exist_ok=True)
        (place / "memory.max").write_text(f"{limit}\n")
    (tmp_path / "cgroup").write_text(f"0::/{own}\n")
    return read_memory_mib(cgroups=tmp_path, own=tmp_path / "cgroup")


def test_a_container_has_the_memory_that_it_was_given(tmp_path):
    assert read_within(tmp_path, "", root=536_870_912) == 512


def test_a_unit_has_what_it_and_all_above_it_were_given(tmp_path):
    assert read_within(tmp_path, "system/ids", system=2**30, system_ids="max") == 1_024


def test_without_limits_there_is_what_the_machine_has(tmp_path):
    nowhere = tmp_path / "nowhere"

    assert read_within(tmp_path, "ids", ids="max") == read_memory_mib(cgroups=nowhere, own=nowhere) > 256


@pytest.mark.parametrize(
    ("setting", "mebibytes", "expected"),
    [("", 1_024, True), ("", 4_096, False), ("1", 4_096, True), ("0", 1_024, False)],
)
def test_little_memory_or_a_setting_makes_it_small(monkeypatch, setting, mebibytes, expected):
    monkeypatch.setenv("SMALL_MODE", setting)
    monkeypatch.setattr(memory, "read_memory_mib", lambda: mebibytes)

    assert is_small() is expected


@pytest.mark.parametrize(("small", "workers"), [("1", 2), ("0", 3)])
def test_every_queue_has_a_worker_in_either_mode(monkeypatch, tmp_path, small, workers):
    monkeypatch.setenv("SMALL_MODE", small)

    programs = [one for one in make_programs(DataDirectory(tmp_path), listener=9) if not one.log.stem.startswith("web")]

    assert sorted(name for program in programs for name in served_queues(program.command)) == sorted(QUEUE_NAMES)
    assert len(programs) == workers


@pytest.mark.parametrize(
    ("small", "asked", "cores", "names"),
    [
        ("0", "", 1, ["web"]),
        ("0", "", 2, ["web", "web-2"]),
        ("0", "", 64, ["web", "web-2", "web-3", "web-4"]),
        ("0", "1", 64, ["web"]),
        ("1", "", 64, ["web"]),
        ("1", "2", 64, ["web", "web-2"]),
    ],
)
def test_there_is_a_web_server_for_each_core_or_as_many_as_are_asked_for(
    monkeypatch, tmp_path, small, asked, cores, names
):
    monkeypatch.setenv("SMALL_MODE", small)
    monkeypatch.setenv("WEB_CONCURRENCY", asked)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)))

    programs = make_programs(DataDirectory(tmp_path), listener=9)

    web = [one for one in programs if one.log.stem.startswith("web")]
    assert [one.log.stem for one in web] == names
    assert ["--share" in one.command for one in web] == [len(names) > 1] * len(names)


@pytest.mark.parametrize("asked", ["0", "-1", "two", "²"])
def test_a_number_of_web_servers_that_is_none_is_said(monkeypatch, asked):
    monkeypatch.setenv("WEB_CONCURRENCY", asked)

    with pytest.raises(EmbeddedError, match="WEB_CONCURRENCY is a number"):
        count_web_processes()


@pytest.mark.parametrize(
    ("variables", "connections"),
    [
        ({"WEB_CONCURRENCY": "2"}, 120),
        ({"WEB_CONCURRENCY": "8"}, 288),
        ({"WEB_CONCURRENCY": "2", "WEB_THREADS": "30"}, 186),
        ({"WEB_CONCURRENCY": "2", "WEB_THREADS": "many"}, 120),  # which the web servers themselves refuse
    ],
)
def test_the_database_takes_as_many_as_the_service_may_open(monkeypatch, tmp_path, variables, connections):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    settings = postgres.Postgres(tmp_path, tmp_path, tmp_path / "log")._build_settings()

    assert settings["max_connections"] == str(connections)


def test_a_web_server_opens_as_many_as_are_counted():
    from config import settings  # as they are without those of the tests

    pool = settings.DATABASES["default"]["OPTIONS"]["pool"]

    assert pool["max_size"] == settings.WEB_THREADS + BESIDE_THREADS


def test_the_small_database_keeps_less(monkeypatch, tmp_path):
    monkeypatch.setenv("SMALL_MODE", "1")

    settings = postgres.Postgres(tmp_path, tmp_path, tmp_path / "log")._build_settings()

    assert (settings["shared_buffers"], settings["max_wal_size"]) == ("64MB", "2GB")


@pytest.mark.parametrize(
    ("mebibytes", "stored", "buffers"), [(24_000, 1, 128), (24_000, 700, 1_400), (1_200, 700, 200)]
)
def test_the_database_has_buffers_for_what_it_holds(monkeypatch, tmp_path, mebibytes, stored, buffers):
    monkeypatch.setattr(memory, "read_memory_mib", lambda: mebibytes)
    with (tmp_path / "table").open("wb") as file:
        file.truncate(stored * 2**20)  # of holes

    assert choose_buffers_mib(tmp_path) == buffers
