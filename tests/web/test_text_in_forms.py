"""Control characters in what is stored of a form: said beside the field, with what was typed still there."""

from urllib.parse import quote

import pytest

from accounts.models import User
from accounts.sign_in.first_admin import make_first_link
from runs.models import Comment
from tests.factories import PASSWORD, make_comment, make_run, make_user
from watchers.models import WatcherRelease
from wire.clock import now

pytestmark = pytest.mark.django_db
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
SAID = "Control characters are not allowed."
CONTROLS = ["\x01", "\x0b", "\x1b", "\x7f", "\x85"]
NAMES = ["start-of-heading", "vertical-tab", "escape", "delete", "next-line"]


@pytest.fixture
def admin_browser(client):
    client.force_login(make_user("ines@lab.example", is_admin=True), backend=BACKEND)
    return client


@pytest.mark.parametrize("sign", CONTROLS, ids=NAMES)
def test_the_name_of_the_first_admin_has_no_control_character(client, sign):
    form = {"email": "ines@lab.example", "display_name": f"Ines{sign}Okafor", "password": PASSWORD}

    answer = client.post(make_first_link(at=now()), form)

    assert (answer.status_code, User.objects.count()) == (400, 0)
    assert SAID in answer.content.decode()
    assert f"Ines{sign}Okafor" in answer.content.decode()


@pytest.mark.parametrize("sign", CONTROLS, ids=NAMES)
def test_notes_of_a_release_have_no_control_character(admin_browser, sign):
    form = {"do": "create", "version": "1.2.0", "channel": "stable", "notes": f"Faster{sign}scan"}

    answer = admin_browser.post("/settings/watcher-releases", form)

    assert (answer.status_code, WatcherRelease.objects.count()) == (400, 0)
    assert SAID in answer.content.decode()
    assert f"Faster{sign}scan" in answer.content.decode()


def test_notes_of_a_release_have_lines(admin_browser):
    form = {"do": "create", "version": "1.2.0", "channel": "stable", "notes": "Faster\r\n\tscan"}

    admin_browser.post("/settings/watcher-releases", form)

    assert WatcherRelease.objects.get().notes == "Faster\n\tscan"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/admin/accounts/user/add/", {"email": "tomas@lab.example", "display_name": "Tomáš\x1bVlček"}),
        (
            "/admin/watchers/watcherrelease/add/",
            {"version": "1.2.0", "channel": "stable", "wave_percent": "100", "notes": "Tomáš\x1bVlček"},
        ),
    ],
)
def test_forms_of_the_admin_site_say_so_too(admin_browser, path, form):
    answer = admin_browser.post(path, form)

    assert answer.status_code == 200
    assert SAID in answer.content.decode()
    assert "Tomáš\x1bVlček" in answer.content.decode()


@pytest.mark.parametrize(
    "body", ["Lamp\x1breplaced", "", "   ", "x" * 10_001], ids=["escape", "empty", "blank", "long"]
)
def test_a_comment_that_is_refused_comes_back_in_its_form(admin_browser, body):
    run = make_run()

    answer = admin_browser.post(f"/instruments/{run.instrument_id}/runs/{run.run_id}/comments", {"body": body})

    assert (answer.status_code, Comment.objects.count()) == (400, 0)
    assert "A comment has 1 to 10,000 characters." in answer.content.decode()
    assert f">{body}</textarea>" in answer.content.decode()


def test_a_change_of_a_comment_that_is_refused_comes_back_in_its_form(admin_browser):
    comment = make_comment(user=User.objects.get(), body="Lamp replaced.")
    run = comment.run

    answer = admin_browser.post(
        f"/instruments/{run.instrument_id}/runs/{run.run_id}/comments/{comment.pk}", {"body": "Lamp\x1bbroken."}
    )

    comment.refresh_from_db()
    assert (answer.status_code, comment.body) == (400, "Lamp replaced.")
    assert answer.content.decode().count(">Lamp\x1bbroken.</textarea>") == 1


def test_a_comment_on_a_run_that_was_deleted_meanwhile_comes_back_in_its_form(admin_browser):
    run = make_run(deleted_at=now(), deleted_by=User.objects.get())

    answer = admin_browser.post(f"/instruments/{run.instrument_id}/runs/{run.run_id}/comments", {"body": "Lamp."})

    assert answer.status_code == 400
    assert ">Lamp.</textarea>" in answer.content.decode()


@pytest.mark.parametrize("sign", CONTROLS, ids=NAMES)
@pytest.mark.parametrize("path", ["/runs?q=", "/search?q=", "/runs?ranBy=", "/admin/runs/run/?q=", "/instruments?q="])
def test_a_control_character_in_a_query_is_no_server_error(admin_browser, path, sign):
    make_run()

    answer = admin_browser.get(f"{path}{quote(sign)}")

    assert answer.status_code in (200, 302, 400)


DIRECTED = "report\u202etxt.exe"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/settings/tokens/new", {"name": DIRECTED, "preset": "read", "ends": "never"}),
        ("/settings/profile", {"display_name": DIRECTED}),
        ("/watchers/connect/code", {"instrument": "", "display_name": DIRECTED, "new_id": "cary-60"}),
        ("/admin/accounts/user/add/", {"email": "tomas@lab.example", "display_name": DIRECTED}),
    ],
)
def test_no_name_is_taken_that_is_shown_as_another(admin_browser, path, form):
    answer = admin_browser.post(path, form)

    assert answer.status_code in (200, 400)
    assert "A name has no bidirectional controls." in answer.content.decode()


def test_nor_that_of_the_first_admin(client):
    form = {"email": "ines@lab.example", "display_name": DIRECTED, "password": PASSWORD}

    answer = client.post(make_first_link(at=now()), form)

    assert (answer.status_code, User.objects.count()) == (400, 0)
