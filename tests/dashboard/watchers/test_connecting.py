"""The page on which an admin makes a code for an instrument's computer."""

import re
from datetime import timedelta

import pytest

from accounts.callers import caller_for_user
from instruments.models import Instrument
from tests.clients import Api
from tests.factories import (
    make_enrolment_code,
    make_installer,
    make_instrument,
    make_release,
    make_run,
    make_user,
    make_watcher,
)
from tests.markup import flat
from watchers.enrolment_codes import code_digest
from watchers.models import EnrolmentCode
from wire.clock import now
from wire.ids import new_id

pytestmark = pytest.mark.django_db
PAGE, FORM = "/watchers/connect", "/watchers/connect/code"
CODE = re.compile(r'id="enrolment-code">([A-Z2-9-]{19})<')


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True))
    return client


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


def read_code(answer):
    (code,) = CODE.findall(answer.content.decode())
    return code


def test_an_admin_finds_the_form_with_every_instrument_that_takes_a_watcher(admin):
    make_watcher(instrument=make_instrument(id="cary-60", display_name="Cary 60"))
    make_instrument(id="retired", display_name="Retired reader", status="inactive")

    page = flat(admin.get(PAGE))

    assert "Cary 60 (cary-60), has a watcher" in page
    assert "A new instrument" in page
    assert "Retired reader" not in page


def test_a_member_reads_who_makes_codes_and_finds_no_form(person):
    page = flat(person.get(PAGE))

    assert "An admin of your workspace makes one here." in page
    assert FORM not in page
    assert person.post(FORM, {"lifetime": "15"}).status_code == 403
    assert not EnrolmentCode.objects.exists()


def test_the_code_is_shown_once_in_the_commands_to_copy_and_with_its_end(admin, settings):
    settings.PUBLIC_URL = "https://data.lab.example"
    make_instrument(id="cary-60")

    answer = admin.post(FORM, {"instrument": "cary-60", "lifetime": "15"})

    code, page, row = read_code(answer), flat(answer), EnrolmentCode.objects.get()
    assert (answer.status_code, "no-store" in answer["Cache-Control"]) == (201, True)
    assert (row.digest, row.instrument_id) == (code_digest(code), "cary-60")
    assert f"instrument-watcher init --server https://data.lab.example --code {code}" in page
    assert f"/S /URL=https://data.lab.example /CODE={code}" in page
    assert re.search(rf">Good until <time [^>]*>{row.expires_at:%H:%M}</time>", page)
    assert code not in admin.get(PAGE).content.decode()


def test_the_code_of_the_page_enrols_a_computer(admin):
    code = read_code(admin.post(FORM, {"display_name": "NanoDrop, bench 5", "lifetime": "60"}))

    computer = {"hostname": "pc", "instance_id": "0190f2b4-0000-7000-8000-000000000001"}
    enrolled = Api().post("/api/v1/enrol", computer | {"code": code})

    assert (enrolled.status_code, enrolled.json()["instrument_id"]) == (201, "nanodrop-bench-5")


def test_a_code_of_a_week_names_the_day_on_which_it_ends(admin):
    answer = admin.post(FORM, {"new_id": "nanodrop", "lifetime": "10080"})

    row = EnrolmentCode.objects.get()
    assert row.new_instrument_id == "nanodrop"
    assert f">{row.expires_at:%Y-%m-%d %H:%M}</time>" in answer.content.decode()


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"instrument": "nowhere"}, "There is no such instrument."),
        ({"instrument": "retired"}, "The instrument is inactive and takes no watcher."),
        ({"new_id": "retired"}, "The instrument retired exists already."),
        ({"new_id": "No Slug"}, "1 to 64 of a-z, 0-9 and hyphens are needed."),
        ({"display_name": "a\u0007b"}, "Control characters are not allowed."),
        ({"display_name": "a\0b"}, "NUL characters are not allowed."),
    ],
)
def test_what_is_not_right_is_said_beside_the_field_and_nothing_is_made(admin, sent, told):
    make_instrument(id="retired", status="inactive")

    answer = admin.post(FORM, sent | {"lifetime": "15"})

    assert answer.status_code == 400
    assert told in answer.content.decode()
    assert not EnrolmentCode.objects.exists()


def test_a_lifetime_that_is_not_offered_is_refused(admin):
    assert admin.post(FORM, {"lifetime": "99999"}).status_code == 400


def test_reloading_after_the_code_leads_back_to_the_form(admin):
    answer = admin.get(FORM)

    assert (answer.status_code, answer["Location"]) == (302, PAGE)


def test_a_link_may_choose_the_instrument(admin):
    make_instrument(id="cary-60", display_name="Cary 60")

    page = flat(admin.get(f"{PAGE}?instrument=cary-60"))

    assert '<option value="cary-60" selected>' in page


WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0"
UBUNTU = "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
FEDORA = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36"


def make_installers(version="1.4.0", **fields):
    release = make_release(version, **fields)
    make_installer("windows", release=release, filename=f"InstrumentWatcher-{version}.exe", sha256="a" * 64)
    make_installer("deb", release=release, filename=f"instrument-watcher_{version}_amd64.deb", sha256="b" * 64)
    make_installer("tar", release=release, filename=f"instrument-watcher-{version}-linux-x86_64.tar.gz")


@pytest.mark.parametrize(
    ("browser", "system"), [(WINDOWS, "windows"), (UBUNTU, "deb"), (FEDORA, "tar"), (MAC, "windows"), ("", "windows")]
)
def test_the_installer_for_the_visitor_s_system_comes_first(person, browser, system):
    make_installers()

    page = person.get(PAGE, headers={"User-Agent": browser}).content.decode()

    assert re.findall(r'href="/watchers/connect/program/(\w+)"', page)[0] == system
    assert page.index(f"program/{system}") < page.index("Another system")


def test_the_silent_line_of_windows_has_the_address_and_the_code_filled_in(admin, settings):
    settings.PUBLIC_URL = "https://data.lab.example"
    make_installers()
    make_instrument(id="cary-60")

    answer = admin.post(FORM, {"instrument": "cary-60", "lifetime": "15"}, headers={"User-Agent": WINDOWS})

    line = f"InstrumentWatcher-1.4.0.exe /S /URL=https://data.lab.example /CODE={read_code(answer)} /FOLDER=D:\\data"
    assert line in flat(answer)
    assert "a" * 64 in flat(answer)


def test_installers_of_drafts_and_of_withdrawn_releases_are_not_offered(person):
    make_installers("1.4.0")
    make_installers("1.5.0", published_at=None)
    make_installers("1.6.0", withdrawn_at=now())
    make_installers("1.7.0", channel="beta")

    page = flat(person.get(PAGE))

    assert "InstrumentWatcher-1.4.0.exe" in page
    assert not re.search(r"InstrumentWatcher-1\.[567]", page)


def test_without_installers_the_page_says_who_adds_them(person):
    page = flat(person.get(PAGE))

    assert "This service hands out no installers yet" in page
    assert person.get(f"{PAGE}/program/windows").status_code == 404


def make_used_code(**watched):
    code = make_enrolment_code()
    watcher = make_watcher(instrument=make_instrument(id="cary-60", display_name="Cary 60", **watched), hostname="PC-7")
    use = {"used_at": now(), "watcher": watcher, "hostname": "PC-7", "instance_id": new_id()}
    EnrolmentCode.objects.filter(pk=code.pk).update(**use)
    return code, watcher


def read_step(client, code):
    return flat(client.get(f"{PAGE}/{code.pk}", headers={"HX-Request": "true"}))


def test_the_guide_waits_for_the_computer_that_uses_the_code(admin):
    made = flat(admin.post(FORM, {"new_id": "cary-60", "lifetime": "15"}))
    code = EnrolmentCode.objects.get()

    step = read_step(admin, code)

    for shown, asks in ((made, "?guide=1"), (step, "")):
        assert f'hx-get="{PAGE}/{code.pk}{asks}"' in shown
        assert "The program calls" in shown
    assert "<h1" in flat(admin.get(f"{PAGE}/{code.pk}"))
    assert "<h1" not in step


def test_it_says_that_the_computer_calls_and_of_what_it_waits(admin):
    code, watcher = make_used_code(status="pending")

    step = read_step(admin, code)

    assert f'<a href="/watchers/{watcher.pk}">PC-7</a> calls' in step
    assert "name and confirm it" in step
    assert "Everyone sees both, unless its page gives it to groups." in step
    assert Instrument.objects.visible_to(caller_for_user(make_user())).filter(pk=watcher.instrument_id).exists()
    assert "hx-get" in step


def test_it_ends_with_the_first_run_that_came_since(admin):
    code, watcher = make_used_code()
    make_run(run_id="before", instrument=watcher.instrument, watcher=watcher, created_at=now() - timedelta(days=1))
    make_run(run_id="by-hand", instrument=watcher.instrument)
    assert "hx-get" in read_step(admin, code)

    make_run(run_id="batch 7", instrument=watcher.instrument, watcher=watcher)
    step = read_step(admin, code)

    assert "The first run is here" in step
    assert 'href="/instruments/cary-60/runs/batch%207"' in step
    assert "hx-get" not in step


@pytest.mark.parametrize("is_forgotten", [True, False])
def test_a_code_that_nobody_used_in_time_is_no_longer_waited_for(admin, is_forgotten):
    code = make_enrolment_code(created_at=now() - timedelta(hours=1), expires_at=now() - timedelta(minutes=1))
    if is_forgotten:
        code.delete()
        code.pk = new_id()

    step = read_step(admin, code)

    assert "The time of this code is over." in step
    assert "hx-get" not in step


def read_guide(client, code):
    return flat(client.get(f"{PAGE}/{code.pk}?guide=1", headers={"HX-Request": "true"}))


def test_the_guide_says_of_a_code_that_it_is_used_and_no_longer_until_when_it_is_good(admin):
    code, _ = make_used_code()

    step = read_guide(admin, code)

    assert '<span id="code-end" hx-swap-oob="true"><b>Used</b>' in step
    assert f'hx-get="{PAGE}/{code.pk}?guide=1"' in step


def test_the_guide_says_of_a_code_that_its_time_is_over(admin):
    code = make_enrolment_code(created_at=now() - timedelta(hours=1), expires_at=now() - timedelta(minutes=1))

    assert "<b>Its time is over</b>" in read_guide(admin, code)


def test_of_a_code_that_waits_the_guide_leaves_standing_what_it_said(admin):
    assert "code-end" not in read_guide(admin, make_enrolment_code())


def test_how_far_a_computer_is_only_admins_see(person):
    assert person.get(f"{PAGE}/{make_enrolment_code().pk}").status_code == 403
