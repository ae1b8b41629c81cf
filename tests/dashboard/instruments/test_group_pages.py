"""The pages of groups, for admins and for managers."""

import pytest

from instruments.groups.models import Group, Membership
from tests.factories import make_group, make_instrument, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True))
    return client


def roles_of(group):
    return dict(group.memberships.values_list("person__display_name", "role"))


def test_a_group_is_made_changed_and_deleted(admin):
    ines, ole, reader = make_user(display_name="Ines"), make_user(display_name="Ole"), make_instrument()

    made = admin.post("/settings/groups/new", {"name": "Proteins", "add": [ines.pk], "instrument": [reader.pk]})
    group = Group.objects.get()
    assert (made.status_code, made["Location"]) == (302, "/settings/groups")
    assert (roles_of(group), group.group_instruments.get().instrument) == ({"Ines": "member"}, reader)

    page = admin.get(f"/settings/groups/{group.pk}").content.decode()
    assert f'name="role-{ines.pk}"' in page
    assert f'value="{ole.pk}"' in page
    admin.post(
        f"/settings/groups/{group.pk}", {"name": "Lasers", f"role-{ines.pk}": "", "add": [ole.pk], "instrument": []}
    )
    group.refresh_from_db()
    assert (group.name, roles_of(group), group.group_instruments.count()) == ("Lasers", {"Ole": "member"}, 0)

    admin.post(f"/settings/groups/{group.pk}", {"do": "delete"})
    assert not Group.objects.exists()
    assert "Group Lasers deleted." in admin.get("/settings/groups").content.decode()


def test_what_is_refused_comes_back_with_all_that_was_typed(admin):
    make_group(name="Lasers")
    ines, reader = make_user(), make_instrument()

    refused = admin.post("/settings/groups/new", {"name": "lasers", "add": [ines.pk], "instrument": [reader.pk]})

    page = refused.content.decode()
    assert refused.status_code == 409
    assert "There is a group named lasers." in page
    assert page[page.index("<main") :].count("checked") == 2
    assert Group.objects.count() == 1


@pytest.mark.parametrize("typed", [{"name": ""}, {"name": "a", "add": ["x"]}, {"name": "a", "instrument": ["none"]}])
def test_a_bad_group_is_told(admin, typed):
    assert admin.post("/settings/groups/new", typed).status_code == 400


def test_the_claim_is_asked_for_where_the_provider_names_groups(admin, settings):
    group = make_group(name="Proteins")
    address = f"/settings/groups/{group.pk}"
    assert 'name="claimed_as"' not in admin.get(address).content.decode()

    settings.OIDC_GROUPS_CLAIM = "groups"
    admin.post(address, {"name": "Proteins", "claimed_as": "lab-proteins"})
    assert 'value="lab-proteins"' in admin.get(address).content.decode()
    taken = admin.post("/settings/groups/new", {"name": "Other", "claimed_as": "lab-proteins"})
    assert (taken.status_code, "Another group is lab-proteins" in taken.content.decode()) == (409, True)


def test_a_manager_says_who_is_in_the_group_and_finds_it_in_the_settings(client):
    manager, ines, reader = make_user(), make_user(display_name="Ines"), make_instrument(visibility="groups")
    group = make_group(instruments=[reader], name="Proteins")
    Membership.objects.create(group=group, person=manager, role="manager")
    other = make_group(name="Lasers")
    client.force_login(manager)

    assert "Your groups" in client.get("/settings/profile").content.decode()
    assert "Lasers" not in client.get("/settings/groups").content.decode()
    assert client.get(f"/settings/groups/{other.pk}").status_code == 404
    page = client.get(f"/settings/groups/{group.pk}").content.decode()
    assert (reader.display_name in page, 'name="instrument"' in page, ">Delete<" in page) == (True, False, False)

    client.post(f"/settings/groups/{group.pk}", {"name": "P", f"role-{manager.pk}": "manager", "add": [ines.pk]})
    assert sorted(roles_of(group).values()) == ["manager", "member"]
    assert group.group_instruments.count() == 1
    assert client.get("/settings/groups/new").status_code == 403


def test_who_manages_nothing_has_no_page_of_groups(client):
    client.force_login(make_user())

    assert client.get("/settings/groups").status_code == 403
    assert "/settings/groups" not in client.get("/settings/profile").content.decode()


def test_an_instrument_says_who_sees_it(admin):
    reader = make_instrument()
    make_group(instruments=[reader], name="Proteins")
    address = f"/instruments/{reader.pk}"

    assert "Proteins" in admin.get(f"{address}/edit").content.decode()
    form = {"display_name": "Reader", "instrument_type": "generic", "time_zone": "UTC", "visibility": "groups"}
    assert admin.post(f"{address}/change", form).status_code == 302
    reader.refresh_from_db()
    assert reader.visibility == "groups"
    assert admin.post(f"{address}/change", form | {"visibility": "nobody"}).status_code == 400


def test_a_manager_edits_the_instruments_of_the_group_alone(client):
    manager, reader, other = make_user(), make_instrument(), make_instrument()
    group = make_group(instruments=[reader])
    Membership.objects.create(group=group, person=manager, role="manager")
    client.force_login(manager)

    assert f"/instruments/{reader.pk}/edit" in client.get(f"/instruments/{reader.pk}").content.decode()
    assert f"/instruments/{other.pk}/edit" not in client.get(f"/instruments/{other.pk}").content.decode()
    assert client.get(f"/instruments/{reader.pk}/edit").status_code == 200
    assert client.get(f"/instruments/{other.pk}/edit").status_code == 403


def test_the_list_names_instruments_as_elsewhere(admin, django_assert_max_num_queries):
    readers = [make_instrument(display_name=f"Plate reader {number}") for number in range(4)]
    make_group(instruments=readers, name="Proteins")

    with django_assert_max_num_queries(12):
        page = admin.get("/settings/groups").content.decode()

    assert all(f">{reader.display_name}</a>" in page for reader in readers)
    assert f">{readers[0].pk}<" not in page
