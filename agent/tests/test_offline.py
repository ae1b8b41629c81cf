"""The service out of reach: watching goes on, everything waits on disk, and nothing is lost."""

from agent.tests.lab import Lab, made, sha256, wait_until
from agent.tests.way import Way


def test_what_was_written_while_the_service_was_away_arrives_when_it_is_back(lab: Lab):
    lab.init()
    with Way(lab.url) as way:
        lab.set(server=way.url)
        lab.start()
        wait_until(lambda: lab.events("watcher_started"))
        way.cut()
        expected = {f"R1/{number}.csv": made(number, 2000) for number in range(30)}
        for path, data in expected.items():
            lab.write(path, data)
        wait_until(lambda: list(lab.states().values()) == ["found"] * 30)
        shown = wait_until(lambda: lab.snapshot().get("away_because"))
        assert shown.startswith(f"{way.url} does not answer")

        lab.kill()
        agent = lab.start()
        wait_until(lambda: lab.snapshot().get("pid") == agent.pid and lab.snapshot().get("away_because"))
        way.mend()
        stored = lab.wait_stored(30, seconds=120)

        assert {path: file["sha256"] for (_, path), file in stored.items()} == {
            path: sha256(data) for path, data in expected.items()
        }
        wait_until(lambda: len(lab.events("watcher_started")) == 2)
        wait_until(lambda: lab.call("GET", f"watchers/{lab.watcher_id}")["status"] == "watching")


def test_it_starts_without_the_service_and_queues(lab: Lab):
    lab.init()
    lab.set(server="http://127.0.0.1:9")  # nobody answers there
    lab.write("R1/a.csv", b"a")

    lab.start()
    wait_until(lambda: lab.states() == {"R1/a.csv": "found"})
    status = wait_until(lambda: lab.snapshot().get("away_because") and lab.json("status"))

    assert status["running"] is True
    assert status["waiting_events"] >= 1
    assert lab.stop() == 0


def test_a_token_that_was_replaced_is_read_again(lab: Lab):
    lab.init()
    token = (lab.home / "token").read_text()
    (lab.home / "token").write_text("ids_000000000000000000000000000000000000000000\n")
    lab.write("R1/a.csv", b"a")
    lab.start()
    wait_until(lambda: "token" in (lab.snapshot().get("away_because") or ""), what="the refusal is shown")

    (lab.home / "token").write_text(token)
    lab.stop()
    lab.start()

    assert ("R1", "R1/a.csv") in lab.wait_stored(1)
