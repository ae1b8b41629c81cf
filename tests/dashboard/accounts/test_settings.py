"""Settings: profile, password, access tokens, members."""

import re
from datetime import timedelta

import pytest

from accounts.models import Invitation, Token
from accounts.tokens import find_token
from tests.factories import PASSWORD, make_group, make_instrument, make_token, make_user
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db
ADMIN_PAGES = ["/settings/tokens", "/settings/tokens/new", "/settings/members"]


@pytest.fixture
def admin(client):
    user = make_user(display_name="Ines Okafor", is_admin=True)
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    client.user = user
    return client


@pytest.fixture
def person(client):
    user = make_user()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    client.user = user
    return client


@pytest.mark.parametrize("path", ["/settings", "/settings/profile", *ADMIN_PAGES])
def test_strangers_are_asked_to_sign_in(client, path):
    assert client.get(path).status_code == 302


@pytest.mark.parametrize("path", ADMIN_PAGES)
def test_what_concerns_everyone_is_for_admins(person, path):
    assert person.get(path).status_code == 403


def test_only_admins_are_offered_it(person):
    assert "/settings/members" not in person.get("/settings/profile").content.decode()


def test_a_person_renames_themself(person):
    person.post("/settings/profile", {"display_name": "Mei-Lin <b>Zhou"})

    person.user.refresh_from_db()
    assert person.user.display_name == "Mei-Lin <b>Zhou"
    assert "Mei-Lin &lt;b&gt;Zhou" in person.get("/settings/profile").content.decode()


@pytest.mark.parametrize("name", ["x" * 101, "a\x00b", "a\x1bb"])
def test_an_impossible_name_is_refused(person, name):
    response = person.post("/settings/profile", {"display_name": name})

    assert response.status_code == 400


def test_a_new_password_ends_other_sessions_but_not_this_one(person):
    new = "a much longer sentence"
    words = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}

    assert person.post("/settings/password", words).status_code == 302

    person.user.refresh_from_db()
    assert person.user.check_password(new)
    assert person.get("/settings/profile").status_code == 200


def test_the_old_password_is_asked_for(person):
    words = {
        "old_password": "wrong",
        "new_password1": "a much longer sentence",
        "new_password2": "a much longer sentence",
    }

    assert person.post("/settings/password", words).status_code == 400


def test_a_preset_makes_a_token_whose_text_is_shown_once(admin):
    response = admin.post("/settings/tokens/new", {"name": "bench-5", "preset": "watcher", "ends": "90"})

    [text] = re.findall(r"ids_\w{42}", response.content.decode())
    token = find_token(text, at=now())
    assert response.status_code == 201
    assert token is not None
    assert (token.name, token.created_by_id) == ("bench-5", admin.user.pk)
    assert "watchers:report" in token.scopes
    assert token.expires_at is not None
    assert text not in admin.get("/settings/tokens").content.decode()


def test_ones_own_choice_of_scopes_and_instruments(admin):
    make_instrument(id="reader")

    admin.post(
        "/settings/tokens/new",
        {"name": "qc", "preset": "own", "scopes": ["runs:read", "files:read"], "ends": "", "instruments": ["reader"]},
    )

    token = Token.objects.get()
    assert (token.scopes, token.instrument_ids, token.expires_at) == (["runs:read", "files:read"], ["reader"], None)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x" * 101},
        {"preset": "own"},
        {"preset": "own", "scopes": ["*"]},
        {"preset": "everything"},
        {"ends": "36500"},
        {"instruments": ["unknown"]},
    ],
)
def test_a_wrong_form_makes_nothing(admin, wrong):
    response = admin.post("/settings/tokens/new", {"name": "qc", "preset": "read", "ends": "30"} | wrong)

    assert response.status_code == 400
    assert not Token.objects.exists()


@pytest.mark.parametrize(("query", "usual"), [("", ""), ("?preset=watcher", ""), ("?preset=read", "90")], ids=str)
def test_a_watcher_s_token_never_ends_unless_one_says_so(admin, query, usual):
    page = admin.get(f"/settings/tokens/new{query}").content.decode()

    assert re.findall(r'name="ends" value="(\d*)" checked', page) == [usual]


def test_the_list_shows_what_a_token_is_for_and_when_it_ends(admin):
    make_token("runs:read", name="<i>jupyter", expires_at=now() + timedelta(days=4))
    make_token(name="ended", expires_at=now() - timedelta(days=1))
    make_token(name="gone", revoked_at=now())

    page = flat(admin.get("/settings/tokens"))

    assert "&lt;i&gt;jupyter" in page
    assert "1 scope<" in page
    assert 'data-status="failed"' in page
    assert "gone" not in page


def test_revoking_asks_once_more(admin):
    token = make_token(name="qc-bot")

    asked = admin.post("/settings/tokens/revoke", {"token": str(token.pk)})
    before = Token.objects.get().revoked_at
    admin.post("/settings/tokens/revoke", {"token": str(token.pk), "sure": "1"})

    assert "qc-bot" in asked.content.decode()
    assert before is None
    assert Token.objects.get().revoked_at is not None


def test_others_revoke_nothing(person):
    token = make_token()

    assert person.post("/settings/tokens/revoke", {"token": str(token.pk), "sure": "1"}).status_code == 403
    assert Token.objects.get().revoked_at is None


def test_an_admin_promotes_and_demotes(admin):
    member = make_user(display_name="Priya")

    admin.post("/settings/members", {"member": str(member.pk), "do": "promote"})
    member.refresh_from_db()
    promoted = member.is_admin
    admin.post("/settings/members", {"member": str(member.pk), "do": "demote"})

    member.refresh_from_db()
    assert (promoted, member.is_admin) == (True, False)


def test_nobody_demotes_themself(admin):
    admin.post("/settings/members", {"member": str(admin.user.pk), "do": "demote"})

    admin.user.refresh_from_db()
    assert admin.user.is_admin
    assert "cannot take the admin role from yourself" in admin.get("/settings/members").content.decode()


def test_who_was_demoted_is_refused_at_once(admin):
    admin.user.is_admin = False
    admin.user.save()

    assert admin.get("/settings/members").status_code == 403


@pytest.mark.parametrize("form", [{"do": "own"}, {"do": "promote", "member": "x"}])
def test_odd_forms_are_refused(admin, form):
    assert admin.post("/settings/members", form).status_code == 400


def test_an_invitation_leads_into_the_groups_that_were_ticked(admin):
    chosen, other = make_group(name="Protein lab"), make_group(name="Cell lab")

    offered = flat(admin.get("/settings/members?invite=1"))
    made = flat(admin.post("/settings/members", {"do": "invite", "email": "ines@lab.example", "groups": chosen.pk}))

    assert f'name="groups" value="{other.pk}"' in offered
    assert "and is in, as a member of Protein lab." in made
    assert "</time>, into Protein lab" in made
    assert Invitation.objects.get().group_ids == [chosen.pk]


def test_a_group_that_is_gone_invites_nobody_and_the_others_stay_ticked(admin):
    group = make_group()
    form = {"do": "invite", "email": "ines@lab.example", "groups": [group.pk, "00000000-0000-4000-8000-000000000000"]}

    refused = admin.post("/settings/members", form)

    assert refused.status_code == 400
    assert "One of these groups is no longer there." in refused.content.decode()
    assert f'name="groups" value="{group.pk}" checked' in flat(refused)
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(("path", "queries"), [("/settings/tokens", 6), ("/settings/members", 7)])  # and invitations
def test_the_queries_stay_as_rows_grow(admin, path, queries, django_assert_max_num_queries):
    for _ in range(5):
        make_token(created_by=make_user())

    with django_assert_max_num_queries(queries):  # session, person; count, rows; the rail: unread, followed
        admin.get(path)
