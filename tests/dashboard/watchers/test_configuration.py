"""The page on which an admin edits the configuration of a watcher, and what the watcher's page says of it."""

import hashlib
import html
import re

import pytest

from tests.factories import make_file, make_run, make_user, make_wanted_config, make_watcher
from tests.markup import flat
from watchers.models import WantedConfig
from wire.clock import now

pytestmark = pytest.mark.django_db
RUNNING = 'watch_directory: "/data"\nfile_patterns: ["*"]\nstability_seconds: 10\n'
BASE = re.compile(r'name="base" value="([0-9a-f]{64})"')


def sum_up(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def watcher():
    return make_watcher(
        hostname="bench-3", config_yaml=RUNNING, config_checksum=sum_up(RUNNING), config_updated_at=now()
    )


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True))
    return client


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


def address(watcher):
    return f"/watchers/{watcher.pk}/configuration"


def send(browser, watcher, text, **fields):
    """As a browser does, which ends lines by CR LF."""
    return browser.post(address(watcher), {"config_yaml": text.replace("\n", "\r\n"), "base": sum_up(RUNNING)} | fields)


def typed(answer):
    return html.unescape(re.search(r"<textarea.*?>\n(.*?)</textarea>", answer.content.decode(), re.S).group(1))


def test_an_admin_edits_what_runs(admin, watcher):
    page = admin.get(address(watcher))

    assert typed(page) == RUNNING
    assert BASE.search(page.content.decode()).group(1) == sum_up(RUNNING)
    assert f'href="{address(watcher)}"' in flat(admin.get(f"/watchers/{watcher.pk}"))


def test_others_read_what_became_of_it_and_cannot_edit(person, watcher):
    make_wanted_config(watcher=watcher)

    page = flat(person.get(f"/watchers/{watcher.pk}"))

    assert "Another configuration waits to be taken." in page
    assert "Withdraw" not in page
    assert address(watcher) not in page
    assert person.get(address(watcher)).status_code == 403
    assert send(person, watcher, RUNNING).status_code == 403


def test_what_is_sent_waits_with_the_line_ends_that_were_there(admin, watcher):
    text = RUNNING.replace("10", "30")

    answer = send(admin, watcher, text)

    kept = WantedConfig.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/watchers/{watcher.pk}")
    assert (kept.config_yaml, kept.state) == (text, "waiting")
    shown = flat(admin.get(f"/watchers/{watcher.pk}"))
    assert "Sent. The agent tries it with its next heartbeat." in shown
    assert "Another configuration waits to be taken." in shown


def test_a_file_of_windows_keeps_its_line_ends(admin, watcher):
    text = RUNNING.replace("\n", "\r\n")
    type(watcher).objects.update(config_yaml=text, config_checksum=sum_up(text))

    send(admin, watcher, RUNNING.replace("10", "30"), base=sum_up(text))

    assert WantedConfig.objects.get().config_yaml == text.replace("10", "30")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("stability_seconds: soon\nupload_mode: x\n", "stability_seconds: must be a number from 0 to 86400."),
        ("stability_seconds: soon\nupload_mode: x\n", "upload_mode: must be one of auto, manual."),
        ('watch_directory: "/etc"\n', "watch_directory: stays with the computer"),
        ("a: [1\n", "The YAML cannot be read"),
        ("", "It must be a list of `key: value` lines."),
        ("file_patterns: ['{1..100000}']\n", "file_patterns: Pattern limit exceeded"),
        ("# " + "x" * 262_144, "at most 262144 are kept"),
    ],
)
@pytest.mark.parametrize("which", [{}, {"preview": "1"}])
def test_what_does_not_hold_is_said_beside_the_text_which_stays(admin, watcher, text, words, which):
    answer = send(admin, watcher, text, **which)

    assert answer.status_code == 400
    assert words in html.unescape(flat(answer))
    assert typed(answer).replace("\r\n", "\n") == text
    assert not WantedConfig.objects.exists()


def test_text_that_no_file_holds_is_refused(admin, watcher):
    answer = send(admin, watcher, "a: \x01\n")

    assert answer.status_code == 400
    assert "Control characters are not allowed." in flat(answer)
    assert not WantedConfig.objects.exists()


def test_a_preview_says_which_of_the_last_files_would_be_taken_and_sends_nothing(admin, watcher):
    run = make_run(instrument=watcher.instrument)
    for path in ("plate/a.csv", "plate/b.RAW", "old/c.csv"):
        make_file(run=run, relative_path=path, filename=path.rpartition("/")[2], status="uploaded", uploaded_at=now())
    elsewhere = make_run()
    make_file(run=elsewhere, relative_path="x.csv", filename="x.csv", status="uploaded", uploaded_at=now())

    answer = send(admin, watcher, "file_patterns: ['*.csv']\nignore_patterns: [old]\n", preview="1")

    page = flat(answer)
    assert answer.status_code == 200
    assert "1 of 3" in page
    assert "2 left out, 1 taken" in page
    assert re.findall(r'<dt class="mono small any">([^<]*\.\w+)</dt><dd>.*?>(left out|taken)<', page) == [
        ("plate/b.RAW", "left out"),
        ("old/c.csv", "left out"),
        ("plate/a.csv", "taken"),
    ]
    assert "x.csv" not in page
    assert not WantedConfig.objects.exists()


def test_before_the_first_file_a_preview_says_so(admin, watcher):
    assert "has sent no file yet" in flat(send(admin, watcher, RUNNING, preview="1"))


def test_what_was_changed_meanwhile_is_not_replaced_unseen(admin, watcher):
    text = RUNNING.replace("10", "30")

    first = send(admin, watcher, text, base=sum_up("what it was an hour ago"))
    base = BASE.search(first.content.decode()).group(1)
    again = send(admin, watcher, typed(first), base=base)

    assert first.status_code == 400
    assert "It was changed meanwhile" in flat(first)
    assert typed(first).replace("\r\n", "\n") == text
    assert again.status_code == 302


def test_a_refused_one_is_shown_with_its_reason_and_mended(admin, watcher):
    text = "stability_seconds: 30\n"
    make_wanted_config(
        watcher=watcher,
        config_yaml=text,
        config_checksum=sum_up(text),
        state="refused",
        settled_at=now(),
        refusal="<no> such folder",
    )

    page = admin.get(address(watcher))

    assert typed(page) == text
    assert "&lt;no&gt; such folder" in flat(page)
    assert "<no>" not in flat(admin.get(f"/watchers/{watcher.pk}"))


def test_what_waits_is_withdrawn(admin, watcher):
    make_wanted_config(watcher=watcher)

    answer = admin.post(f"{address(watcher)}/withdraw")

    assert answer["Location"] == f"/watchers/{watcher.pk}"
    assert not WantedConfig.objects.exists()
    assert "Withdrawn." in flat(admin.get(f"/watchers/{watcher.pk}"))


@pytest.mark.parametrize(("taken", "words"), [(RUNNING, "running since"), ("x: 1", "was changed there since")])
def test_what_was_taken_says_whether_it_runs_still(admin, watcher, taken, words):
    make_wanted_config(watcher=watcher, state="taken", settled_at=now(), taken_checksum=sum_up(taken))

    assert words in flat(admin.get(f"/watchers/{watcher.pk}"))


def test_a_deregistered_watcher_has_no_form(admin, watcher):
    type(watcher).objects.update(deleted_at=now())

    assert admin.get(address(watcher)).status_code == 409
    assert address(watcher) not in flat(admin.get(f"/watchers/{watcher.pk}"))


def test_a_computer_that_takes_nothing_from_here_says_so(admin, watcher):
    text = RUNNING + "remote: none\n"
    type(watcher).objects.update(config_yaml=text, config_checksum=sum_up(text))

    answer = send(admin, watcher, text, base=sum_up(text))

    assert answer.status_code == 400
    assert "takes no configuration from here" in flat(answer)
