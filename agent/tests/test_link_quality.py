"""Links that crawl, or that are cut after some megabytes: parts that they bear."""

from typing import Any

import pytest

from agent.tests.gate import Gate
from agent.tests.lab import MIB, Lab, made, sha256, wait_until
from agent.tests.way import Way
from instrument_watcher.uploading.link_quality import FORGET_SECONDS, LinkQuality

SIZE = 20_000_000


def test_a_good_link_asks_for_nothing():
    quality = LinkQuality()

    quality.note_sent(64 * MIB, 2.0)

    assert quality.part_size() is None


@pytest.mark.parametrize(
    ("sent", "asked"), [(8_000_000, 5 * MIB), (20 * MIB, 8 * MIB), (70 * MIB, 32 * MIB), (500 * MIB, None)]
)
def test_a_cut_asks_for_half_of_what_went_out(sent: int, asked: int | None):
    quality = LinkQuality()

    quality.note_cut(sent)

    assert quality.part_size() == asked


def test_every_further_cut_asks_for_less_down_to_five_mebibytes():
    quality = LinkQuality()
    asked = []
    for _ in range(5):
        quality.note_cut(64 * MIB)
        asked.append(quality.part_size())

    assert asked == [32 * MIB, 16 * MIB, 8 * MIB, 5 * MIB, 5 * MIB]


def test_a_connection_that_breaks_at_once_says_nothing():
    quality = LinkQuality()

    quality.note_cut(0)

    assert quality.part_size() is None


def test_a_crawling_link_asks_for_what_takes_a_minute():
    quality = LinkQuality()

    quality.note_sent(64 * MIB, 64 * 5.0)  # 0.2 MiB a second

    assert quality.part_size() == 8 * MIB


def test_a_day_without_a_cut_lets_parts_be_large_again():
    quality = LinkQuality()
    quality.note_cut(8 * MIB, now=0.0)

    assert quality.part_size(now=FORGET_SECONDS - 1) == 5 * MIB
    assert quality.part_size(now=FORGET_SECONDS + 1) is None


def test_smaller_parts_are_asked_for_after_a_cut(lab: Lab):
    lab.write("R1/scan.raw", made(1, SIZE))
    lab.init()
    with Way(lab.url, most=8_000_000) as way, Gate(lab.url, told_url=way.url) as gate:
        lab.set(server=gate.url)
        agent = lab.start()

        asked = wait_until(lambda: [order for order in gate.bodies("/request-upload-url") if "part_size" in order])

        assert asked[0]["part_size"] == 5 * MIB
        assert agent.poll() is None


def test_20_megabytes_arrive_through_a_proxy_that_cuts_every_8(lab: Lab):
    data = made(1, SIZE)
    lab.write("R1/scan.raw", data)
    lab.init()
    with Way(lab.url, most=8_000_000) as way, Gate(lab.url, told_url=way.url) as gate:
        lab.set(server=gate.url)
        lab.start()
        stored = lab.wait_stored(1)

        assert stored["R1", "R1/scan.raw"]["sha256"] == sha256(data)
        assert lab.download(stored["R1", "R1/scan.raw"]["id"]) == data


def test_parts_that_a_link_which_gets_worse_no_longer_bears_are_made_smaller(lab: Lab):
    data = made(2, SIZE)
    lab.write("R1/scan.raw", data)
    lab.init()
    with Way(lab.url, most=17_000_000) as way:

        def worsen(method: str, path: str, body: Any) -> None:
            if path.endswith("/part-urls"):
                way.most = 6_000_000

        with Gate(lab.url, worsen, told_url=way.url) as gate:
            lab.set(server=gate.url)
            lab.start()
            stored = lab.wait_stored(1)

            asked = [order.get("part_size") for order in gate.bodies("/request-upload-url")]
            assert list(dict.fromkeys(asked)) == [None, 8 * MIB, 5 * MIB]
            assert lab.download(stored["R1", "R1/scan.raw"]["id"]) == data


def test_one_cut_sends_no_part_again_that_arrived(lab: Lab):
    lab.write("R1/scan.raw", made(3, SIZE))
    lab.init()
    with Way(lab.url, most=17_000_000) as way:
        ways = iter([None, 6_000_000])

        def cut_second_part_once(method: str, path: str, body: Any) -> None:
            if path.endswith("/part-urls"):
                way.most = next(ways, None)

        with Gate(lab.url, cut_second_part_once, told_url=way.url) as gate:
            lab.set(server=gate.url)
            lab.start()
            lab.wait_stored(1)

            parts = [(body["upload_id"], body["parts"][0]["part_number"]) for body in gate.bodies("/part-urls")]
            assert [number for _, number in parts] == [1, 2, 2, 3]
            assert len({upload_id for upload_id, _ in parts}) == 1


def test_where_the_service_takes_no_smaller_parts_the_file_waits_with_the_reason(lab: Lab):
    lab.write("R1/scan.raw", made(1, SIZE))
    lab.init()
    with Way(lab.url, most=8_000_000) as way, Gate(lab.url, told_url=way.url, hidden=("part_size",)) as gate:
        lab.set(server=gate.url)
        lab.start()

        reason = wait_until(lambda: lab.journal().get("R1/scan.raw", {}).get("reason"), seconds=150)

        assert "does not take smaller parts yet" in reason
        assert lab.states() == {"R1/scan.raw": "reported"}
