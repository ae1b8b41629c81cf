"""Two web servers and two workers on one database, queue and S3, one of each kind killed in between.

What runs are the commands of deploy/systemd; the jobs are those of tests/e2e, unchanged.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.e2e import test_main_job as main_job
from tests.e2e import test_watcher_day as watcher_day
from tests.e2e.lab_script import LabScript
from tests.e2e.scripted_watcher import ScriptedWatcher
from tests.faults.installation import Installation
from tests.samples.generate import write_samples

pytestmark = [pytest.mark.faults, pytest.mark.slow]


@pytest.fixture(scope="module")
def installation(tmp_path_factory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("two")
    with ExitStack() as stack:
        yield stack.enter_context(Installation(folder / "lab", **main_job.on_s3(stack, folder)))


def test_the_main_job_passes_while_one_of_each_is_killed(installation, tmp_path):
    token = installation.manage("create_token", "lab script", "--scopes", main_job.SCOPES).strip()
    lab = main_job.Lab(installation, LabScript(installation.url, token), bucket="lab")
    files = write_samples(tmp_path / "samples")

    main_job.test_every_file_comes_back_byte_for_byte(lab, files)
    installation.kill("web", 0)
    main_job.test_what_is_there_is_not_sent_again(lab, tmp_path)
    installation.kill("worker", 0)
    installation.kill("builder", 0)
    main_job.test_every_file_comes_back_byte_for_byte(lab, files)
    main_job.test_runs_are_found_by_text(lab)
    main_job.test_runs_are_found_by_date(lab)
    installation.kill("web", 1)
    installation.kill("beat")
    main_job.test_runs_are_found_by_metadata(lab)
    main_job.test_runs_are_found_by_status(lab)
    main_job.test_runs_are_found_by_person(lab)


def test_the_watcher_day_passes_while_one_of_each_is_killed(installation, monkeypatch):
    """Whenever the agent starts again, something of the service has died meanwhile."""
    killed = iter([[], ["web", "worker"], ["web", "builder", "beat"]])

    class Interrupted(ScriptedWatcher):
        def __init__(self, *arguments: str) -> None:
            for kind in next(killed):
                installation.kill(kind, 0 if kind == "beat" else 1)
            super().__init__(*arguments)

    monkeypatch.setattr(watcher_day, "ScriptedWatcher", Interrupted)

    watcher_day.test_at_the_end_of_the_day_every_byte_is_there_once(installation)

    assert next(killed, None) is None
