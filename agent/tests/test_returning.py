"""A mount inside the watched directory that goes away and returns: what is there and not stored is sent."""

from agent.tests.lab import Lab, made, sha256, wait_until

FILES = 40


def test_files_of_a_mount_that_went_away_while_they_waited_are_sent_when_it_is_back(lab: Lab):
    expected = {f"share/R{number % 4}/{number}.csv": made(number, 3000) for number in range(FILES)}
    for path, data in expected.items():
        lab.write(path, data)
    lab.write("local/here.csv", b"so that the watched directory is not empty")
    lab.init(upload_mode="manual", by="deepest_folder")
    lab.start()
    wait_until(lambda: len(lab.files()) == FILES + 1)
    share, elsewhere = lab.folder / "share", lab.folder.with_name("share unmounted")
    share.rename(elsewhere)
    lab.set(upload_mode="auto")
    wait_until(lambda: list(lab.states().values()).count("gone") == FILES)

    elsewhere.rename(share)  # the same files with the same times
    stored = lab.wait_stored(FILES + 1)

    assert {path: stored[run, path]["sha256"] for run, path in stored if path in expected} == {
        path: sha256(data) for path, data in expected.items()
    }


def test_files_that_are_back_after_a_restart_are_sent(lab: Lab):
    place = lab.write("share/R1/a.csv", b"a")
    lab.write("share/R1/here.csv", b"here")
    lab.init(upload_mode="manual", by="deepest_folder")
    lab.start()
    wait_until(lambda: len(lab.files()) == 2)
    place.rename(lab.folder.with_name("a.csv"))
    lab.set(upload_mode="auto")
    wait_until(lambda: lab.states()["share/R1/a.csv"] == "gone")
    lab.stop()

    lab.folder.with_name("a.csv").rename(place)
    lab.start()

    assert ("R1", "share/R1/a.csv") in lab.wait_stored(2)
