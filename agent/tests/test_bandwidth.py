"""How much of the network uploads may take at which hour."""

from datetime import datetime

import pytest

from agent.tests.lab import DATA
from instrument_watcher.config.reading import ConfigInvalid, read_config
from instrument_watcher.uploading.bandwidth import MIB, Bandwidth, hours

TEXT = f"server: https://x\ninstrument_id: reader\nwatch_directory: {DATA.as_posix()}\n"


def with_hours(limits: str) -> str:
    return f"{TEXT}uploads:\n  bandwidth_by_hours: {limits}\n"


@pytest.mark.parametrize(
    ("clock", "limit"),
    [("06:59", 50), ("07:00", 2), ("18:59", 2), ("19:00", 50), ("22:00", None), ("23:59", None), ("04:59", None)],
)
def test_the_hour_of_the_day_decides(clock: str, limit: float | None):
    moment = datetime.fromisoformat(f"2026-11-22T{clock}:00")
    by_hours = {hours("07:00-19:00"): 2.0, hours("22:00-05:00"): None}

    bandwidth = Bandwidth(50, by_hours, now=lambda: moment)

    assert bandwidth.bytes_per_second() == (None if limit is None else limit * MIB)


def test_the_hours_are_read_from_the_configuration():
    config = read_config(with_hours('{"07:00-19:00": 2, "22:00-05:00": null}'))

    assert config.uploads.bandwidth_by_hours == {"07:00-19:00": 2, "22:00-05:00": None}


@pytest.mark.parametrize(
    "limits",
    ['{"7-19": 2}', '{"07:00-07:00": 2}', '{"07:00": 2}', '{"07:00-19:00": 0}', '{"07:00-25:00": 2}', "[2]", "{7: 2}"],
)
def test_what_are_no_hours_or_limits_is_named(limits: str):
    with pytest.raises(ConfigInvalid, match=r"uploads\.bandwidth_by_hours: "):
        read_config(with_hours(limits))
