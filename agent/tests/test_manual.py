"""Manual mode: files are reported, and uploaded when somebody asks."""

from agent.tests.lab import Lab, sha256, wait_until
from agent.tests.links import needs_links


def test_only_what_was_asked_for_is_uploaded(lab: Lab):
    for name in ("a.csv", "b.csv", "c.csv"):
        lab.write(f"R1/{name}", name.encode())
    lab.init(upload_mode="manual")
    lab.start()
    reported = wait_until(lambda: len(lab.files()) == 3 and lab.files())
    assert {file["status"] for file in reported.values()} == {"detected"}

    wanted = reported["R1", "R1/b.csv"]["id"]
    lab.call("POST", f"instruments/{lab.instrument}/runs/R1/request-upload", {"file_ids": [wanted]})
    stored = lab.wait_stored(1)

    assert {path: file["sha256"] for (_, path), file in stored.items()} == {"R1/b.csv": sha256(b"b.csv")}
    assert lab.states() == {"R1/a.csv": "reported", "R1/b.csv": "uploaded", "R1/c.csv": "reported"}


def test_a_request_made_while_it_was_off_is_served_when_it_is_back(lab: Lab):
    lab.write("R1/a.csv", b"a")
    lab.init(upload_mode="manual")
    lab.start()
    wait_until(lambda: lab.files())
    lab.stop()
    file_id = lab.files()["R1", "R1/a.csv"]["id"]
    lab.call("POST", f"instruments/{lab.instrument}/runs/R1/request-upload", {"file_ids": [file_id]})

    lab.start()

    assert ("R1", "R1/a.csv") in lab.wait_stored(1)


def test_a_request_for_a_file_that_is_gone_is_given_up_and_told(lab: Lab):
    place = lab.write("R1/a.csv", b"a")
    lab.init(upload_mode="manual")
    lab.start()
    wait_until(lambda: lab.files())
    place.unlink()
    file_id = lab.files()["R1", "R1/a.csv"]["id"]
    lab.call("POST", f"instruments/{lab.instrument}/runs/R1/request-upload", {"file_ids": [file_id]})

    wait_until(lambda: [event for event in lab.events("upload_failed") if "asked for" in event["message"]])

    assert lab.files()["R1", "R1/a.csv"]["status"] == "detected"


@needs_links
def test_a_request_for_what_became_a_link_out_of_the_folder_is_given_up_and_told_once(lab: Lab):
    place, elsewhere = lab.write("R1/a.csv", b"a"), lab.home.with_name("elsewhere.csv")
    lab.init(upload_mode="manual")
    lab.start()
    wait_until(lambda: lab.files())
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    file_id = lab.files()["R1", "R1/a.csv"]["id"]

    lab.call("POST", f"instruments/{lab.instrument}/runs/R1/request-upload", {"file_ids": [file_id]})
    wait_until(lambda: lab.files()["R1", "R1/a.csv"]["status"] == "detected")
    told = wait_until(lambda: lab.events("upload_failed")[1:] and lab.events("upload_failed"))

    assert {event["message"] for event in told} == {
        "R1/a.csv: It is a link that leads out of the folder.",
        "R1/a.csv was asked for, and is not sent: It is a link that leads out of the folder.",
    }


def test_a_file_that_a_script_reported_is_served_from_the_folder(lab: Lab):
    lab.init(upload_mode="manual", file_patterns=["*.csv"])
    lab.write("R1/extra.log", b"not matched by the patterns")
    lab.start()
    wait_until(lambda: lab.events("watcher_started"))
    named = {"filename": "extra.log", "relative_path": "R1/extra.log", "size_bytes": 27}
    lab.call("POST", f"instruments/{lab.instrument}/runs", {"run_id": "R1", "detected_files": [named]})
    file_id = lab.files()["R1", "R1/extra.log"]["id"]

    lab.call("POST", f"instruments/{lab.instrument}/runs/R1/request-upload", {"file_ids": [file_id]})

    assert ("R1", "R1/extra.log") in lab.wait_stored(1)


def test_changing_to_automatic_uploads_what_was_only_reported(lab: Lab):
    lab.write("R1/a.csv", b"a")
    lab.init(upload_mode="manual")
    lab.start()
    wait_until(lambda: lab.files())

    lab.set(upload_mode="auto")

    assert ("R1", "R1/a.csv") in lab.wait_stored(1)


def test_another_file_under_the_name_of_a_stored_one_that_was_renamed_is_sent_as_its_version(lab: Lab):
    place = lab.write("R1/scan.csv", b"first")
    lab.init(upload_mode="manual")
    lab.start()
    files = wait_until(lambda: lab.files())
    asked = {"file_ids": [files["R1", "R1/scan.csv"]["id"]]}
    lab.call("POST", f"instruments/{lab.instrument}/runs/R1/request-upload", asked)
    lab.wait_stored(1)
    place.rename(place.with_name("scan A.csv"))
    wait_until(lambda: lab.states() == {"R1/scan A.csv": "uploaded"})

    lab.write("R1/scan.csv", b"second")
    stored = lab.wait_stored(2)

    assert {file["sha256"] for file in stored.values()} == {sha256(b"first"), sha256(b"second")}
