"""Signing a run in the dashboard, and what its page shows of it."""

import re

import pytest

from runs.models import Run
from runs.signatures.models import Signature
from tests.factories import PASSWORD, make_file, make_run, make_signature, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    client.force_login(make_user(display_name="Inès Moreau"))
    return client


def url(run):
    return f"/instruments/{run.instrument_id}/runs/{run.run_id}"


def sign(client, run, meaning, *, password=PASSWORD, page=None):
    """The form of the page, filled in."""
    page = page or client.get(f"{url(run)}/sign").content.decode()
    digest = re.search(r'name="digest" value="(\w{64})"', page)[1]
    return client.post(f"{url(run)}/sign", {"digest": digest, "meaning": meaning, "password": password})


def test_what_changed_since_the_page_was_opened_is_not_signed(ines):
    run = make_run()
    page = ines.get(f"{url(run)}/sign").content.decode()
    Run.objects.filter(pk=run.pk).update(caller_metadata={"od600": 9})

    refused = sign(ines, run, "approved", page=page)

    said = refused.content.decode()
    assert (refused.status_code, "look at it again before you sign" in said) == (409, True)
    assert not Signature.objects.exists()
    assert sign(ines, run, "approved", page=said).status_code == 302


def test_a_form_that_does_not_say_what_was_seen_signs_nothing(ines):
    run = make_run()

    assert ines.post(f"{url(run)}/sign", {"meaning": "approved", "password": PASSWORD}).status_code == 409
    assert not Signature.objects.exists()


def test_what_one_did_is_chosen_and_not_preselected(ines):
    run = make_run()
    page = ines.get(f"{url(run)}/sign").content.decode()
    assert "Choose what you did" in page
    assert not re.search(r"<option [^>]*selected", page)

    refused = sign(ines, run, "")

    assert (refused.status_code, "Say what you did." in refused.content.decode()) == (400, True)
    assert not Signature.objects.exists()


def test_a_run_is_signed_with_the_password_and_its_page_shows_who_when_and_for_what(ines):
    run = make_run()
    assert f'href="{url(run)}/sign"' in ines.get(url(run)).content.decode()

    sent = sign(ines, run, "approved")

    assert sent["Location"] == f"{url(run)}#h-signatures"
    page = ines.get(url(run)).content.decode()
    assert "<b>Inès Moreau</b>, approved" in page
    assert "with the password" in page
    assert 'value="delete"' not in page
    assert re.search(r">20\d\d-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}</time>", page)


def test_files_to_which_nothing_could_be_bound_are_told_before_a_password_is_asked_for(ines):
    run = make_run()
    make_file("on its way.csv", run=run)

    page = ines.get(f"{url(run)}/sign").content.decode()

    assert "It cannot be signed yet" in page
    assert "<code>on its way.csv</code>" in page
    assert 'name="password"' not in page


@pytest.mark.parametrize(
    ("password", "status", "told"),
    [("wrong", 403, "The password is wrong."), ("", 400, "Your password is needed, or a passkey.")],
)
def test_a_wrong_password_signs_nothing_and_says_so(ines, password, status, told):
    run = make_run()

    answer = sign(ines, run, "approved", password=password)

    assert (answer.status_code, told in answer.content.decode()) == (status, True)
    assert not Signature.objects.exists()


def test_a_revoked_signature_stays_struck_through_with_its_reason(ines):
    run = make_run()
    sign(ines, run, "reviewed")
    place = f"{url(run)}/signatures/{Signature.objects.get().pk}/revoke"
    assert "That stays to be seen" in ines.get(place).content.decode()

    ines.post(place, {"reason": "The wrong plate"})

    page = ines.get(url(run)).content.decode()
    assert "<s>Inès Moreau, reviewed</s>" in page
    assert "The wrong plate" in page
    assert 'value="delete"' in page


def test_revoking_without_a_reason_asks_again(ines):
    run = make_run()
    sign(ines, run, "reviewed")

    assert ines.post(f"{url(run)}/signatures/{Signature.objects.get().pk}/revoke", {}).status_code == 400


def test_a_run_that_is_not_what_was_signed_says_so(ines):
    run = make_run()
    make_signature(run=run)

    assert "The run is not what was signed." in ines.get(url(run)).content.decode()
