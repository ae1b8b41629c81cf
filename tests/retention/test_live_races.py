"""Thirty at once over pages and REST of a service that runs; the storm beside this is of one process."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.retention.live import Caller, LiveLab, all_at_once, list_broken
from tests.service import Service
from tests.sign_in import PASSWORD

pytestmark = pytest.mark.slow
AT_ONCE = 30
AGED = """UPDATE files_file SET uploaded_at = uploaded_at - interval '40 days'
    WHERE run_id IN (SELECT id FROM runs_run WHERE instrument_id = %s)"""
DELETED_LONG_AGO = """UPDATE runs_run SET deleted_at = deleted_at - interval '40 days'
    WHERE instrument_id = %s AND deleted_at IS NOT NULL"""
PURGED = """SELECT count(*) FROM files_file JOIN runs_run AS run ON run.id = files_file.run_id
    WHERE run.run_id = %s AND run.instrument_id = %s AND files_file.purged_at IS NOT NULL"""
MEMBER = "SELECT id FROM accounts_user WHERE email = %s"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveLab]:
    cold = tmp_path_factory.mktemp("cold")
    variables = {"DEDUPLICATE": "1", "COLD_DIRECTORY": str(cold), "REQUESTS_PER_SECOND": "0"}
    with Service(tmp_path_factory.mktemp("races") / "data", **variables) as service:
        yield LiveLab(service)


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def keep_for_a_month(lab: LiveLab, instrument: str, **rules: int) -> None:
    known = lab.admin.rest("GET", f"/instruments/{instrument}/retention").json()
    assert lab.admin.rest("PUT", f"/instruments/{instrument}/retention", known | rules).ok


def test_a_run_is_held_or_purged_or_undeleted_and_told_so(lab):
    reader = lab.instrument("held-or-purged")
    paths = [lab.run(reader, f"run-{number}", {"a.raw": b"%d" % number, "b.raw": b"same"}) for number in range(14)]
    for path in paths:
        assert lab.script.rest("DELETE", path).ok
    lab.ask(DELETED_LONG_AGO, reader)
    keep_for_a_month(lab, reader, purge_deleted_after_days=30)
    held: dict[str, int] = {}

    def hold(path: str, *, by_page: bool) -> Any:
        send = (
            partial(lab.admin.post_form, f"{path}/hold") if by_page else partial(lab.admin.rest, "PUT", f"{path}/hold")
        )
        answer = send({"reason": "Audit"})
        if answer.status_code in (200, 302):
            held[path] = lab.ask(PURGED, name_of(path), reader)[0][0]
        return answer

    def undo(path: str, *, by_page: bool) -> Any:
        if by_page:
            return lab.member.post_form("/runs/selection", {"do": "restore", "run": f"{reader}/{name_of(path)}"})
        return lab.script.rest("POST", f"{path}/restore")

    acts = [partial(hold, path, by_page=turn % 2 == 0) for turn, path in enumerate(paths[:10] + paths[:4])]
    acts += [partial(undo, path, by_page=turn % 2 == 0) for turn, path in enumerate(paths[4:] + paths[10:])]
    acts += [partial(lab.service.manage, "purge", "--instrument", reader) for _ in range(2)]

    answers = all_at_once(acts)

    assert list_broken([one for one in answers if not isinstance(one, str)]) == []
    lab.service.manage("purge", "--instrument", reader)
    assert held
    assert {path: lab.ask(PURGED, name_of(path), reader)[0][0] for path in held} == held
    for path in paths:
        about = lab.script.rest("GET", path).json()
        purged = lab.ask(PURGED, name_of(path), reader)[0][0]
        assert about["deleted_at"] is None or purged in (0, 2), about
        assert not (about["deleted_at"] is None and purged), about
    assert lab.list_faults() == []


def test_what_was_signed_stays_as_it_was_signed(lab):
    reader = lab.instrument("signed")
    others = [lab.admin.rest("POST", "/projects", {"name": f"signed {number}"}).json()["id"] for number in range(2)]
    for turn in range(3):
        path = lab.run(reader, f"run-{turn}", {"a.raw": b"%d" % turn})
        sign = {"meaning": "reviewed", "password": PASSWORD}
        acts = [
            *[partial(lab.admin.post_form, f"{path}/sign", sign)] * 2,
            *[partial(lab.member.post_form, f"{path}/sign", sign | {"meaning": "approved"})],
            *[partial(lab.member.rest, "POST", f"{path}/signatures", sign)] * 2,
            *[partial(lab.script.rest, "PATCH", path, {"metadata_patch": {f"k{n}": n}}) for n in range(10)],
            *[partial(lab.script.rest, "PATCH", path, {"project_id": others[n % 2]}) for n in range(3)],
            *[partial(lab.member.post_form, f"{path}/project", {"project_id": others[n % 2]}) for n in range(3)],
            *[partial(lab.member.post_form, f"{path}/tags", {"add": f"t{n}"}) for n in range(3)],
            *[partial(lab.send, path, f"late-{n}.raw", b"late %d" % n) for n in range(3)],
            *[partial(lab.script.rest, "DELETE", path)] * 1,
            *[partial(lab.admin.rest, "POST", f"{path}/restore")] * 2,
        ]

        answers = all_at_once(acts)

        assert list_broken(answers) == []
        assert len(acts) == AT_ONCE
        signatures = lab.admin.rest("GET", f"{path}/signatures").json()["signatures"]
        assert [one for one in signatures if not one["is_intact"]] == []
        people = [(one["signer_id"], one["meaning"]) for one in signatures]
        assert len(people) == len(set(people))
        lab.script.rest("POST", f"{path}/restore")
        before = lab.script.rest("GET", path).json()["metadata"]
        late = lab.script.rest("PATCH", path, {"metadata_patch": {"late": 1}})
        after = lab.script.rest("GET", path).json()["metadata"]
        assert (late.status_code, after) == (409, before) if signatures else late.ok
    assert lab.list_faults() == []


def test_whoever_is_switched_off_is_out_at_once_and_stays_out(lab):
    reader, email = lab.instrument("let-out"), "leaver@halden.example"
    leaver = lab.person(email)
    path = lab.run(reader, "run-1", {"a.raw": b"let out"})
    shared = [leaver.rest("POST", f"{path}/share-links", {"days": 3}) for _ in range(3)]
    links = ["/" + one.json()["url"].partition("//")[2].partition("/")[2] for one in shared]
    person = lab.ask(MEMBER, email)[0][0]
    outside = Caller(lab.url)
    switch = {"action": "switch_off", "_selected_action": str(person)}
    entered: list[Caller | None] = []

    acts: list[Any] = [
        *[partial(leaver.open, page) for page in ("/", "/runs", path, "/inbox", "/search?q=run")],
        *[partial(leaver.rest, "GET", "/instrument-runs"), partial(leaver.rest, "POST", f"{path}/share-links", {})],
        *[partial(leaver.post_form, f"{path}/sign", {"meaning": "reviewed", "password": PASSWORD})],
        *[partial(leaver.post_form, "/settings/profile", {"display_name": f"Name {n}"}) for n in range(3)],
        *[partial(leaver.post_form, f"{path}/tags", {"add": f"t{n}"}) for n in range(4)],
        *[partial(outside.open, link) for link in links],
        *[lambda: entered.append(lab.sign_in_again(email))] * 8,
        partial(lab.admin.post_form, "/admin/accounts/user/", switch),
    ]
    acts += [partial(leaver.open, path)] * (AT_ONCE - len(acts))

    answers = [one for one in all_at_once(acts) if one is not None]

    assert list_broken(answers) == []
    assert lab.ask("SELECT is_active FROM accounts_user WHERE id = %s", person) == [(False,)]
    for browser in [leaver, *[one for one in entered if one]]:
        assert browser.rest("GET", "/instruments").status_code == 401
        assert browser.open("/runs").status_code == 302
    assert {outside.open(link).status_code for link in links} == {404}
    assert lab.sign_in_again(email) is None
    assert lab.admin.post_form("/admin/accounts/user/", switch | {"action": "switch_on"}).status_code == 302
    for browser in [leaver, *[one for one in entered if one]]:
        assert browser.rest("GET", "/instruments").status_code == 401
    assert lab.list_faults() == []


def test_twins_that_move_and_go_and_come_back_are_counted_right(lab):
    readers = [lab.instrument("twins-1"), lab.instrument("twins-2")]
    data = b"the same bytes of all of them"
    paths = [lab.run(readers[n % 2], f"run-{n}", {"a.raw": data, "own.raw": b"own %d" % n}) for n in range(8)]
    lab.ask(AGED, readers[0])
    keep_for_a_month(lab, readers[0], cold_raw_after_days=30)

    acts: list[Any] = [
        *[partial(lab.send, path, f"twin-{turn}.raw", data) for turn, path in enumerate(paths + paths[:4])],
        *[partial(lab.script.rest, "DELETE", path) for path in paths[:4]],
        *[partial(lab.script.rest, "POST", f"{path}/restore") for path in paths[:2]],
        *[partial(lab.admin.rest, "POST", f"{path}/files:restore") for path in paths[::2]],
        *[partial(lab.admin.open, f"{path}/archive") for path in paths[:4]],
        *[partial(lab.service.manage, "move_cold", "--instrument", readers[0])] * 2,
    ]
    acts += [partial(lab.member.open, path) for path in paths][: AT_ONCE - len(acts)]

    answers = all_at_once(acts)

    assert list_broken([one for one in answers if not isinstance(one, str)]) == []
    assert lab.list_faults() == []
    lab.service.manage("move_cold", "--instrument", readers[0])
    assert lab.list_faults() == []


def test_links_end_and_groups_close_while_thirty_look(lab):
    reader = lab.instrument("moved")
    path = lab.run(reader, "run-1", {"a.raw": b"moved"})
    person = str(lab.ask(MEMBER, "member@halden.example")[0][0])
    made = [lab.member.rest("POST", f"{path}/share-links", {}).json() for _ in range(5)]
    links = ["/" + one["url"].partition("//")[2].partition("/")[2] for one in made]
    group = lab.admin.rest("POST", "/groups", {"name": "Movers", "instrument_ids": [reader]}).json()["id"]
    outside = Caller(lab.url)
    acts: list[Any] = [
        *[partial(outside.open, link) for link in links * 2],
        *[partial(lab.member.rest, "DELETE", f"{path}/share-links/{made[0]['id']}")] * 2,
        partial(lab.admin.rest, "DELETE", f"{path}/share-links/{made[0]['id']}"),  # whatever the others still see
        *[partial(lab.member.post_form, f"{path}/share", {"do": "end", "link": made[0]["id"]})] * 3,
        *[partial(lab.admin.rest, "PATCH", f"/instruments/{reader}", {"visibility": "groups"})] * 2,
        *[partial(lab.admin.rest, "PATCH", f"/groups/{group}", {"members": [{"person_id": person, "role": "member"}]})],
        *[partial(lab.admin.post_form, f"/settings/groups/{group}", {"name": "Movers", "instrument": reader})],
        *[
            partial(lab.member.rest, "PATCH", path, {"tags": ["x"]}),
            partial(lab.member.rest, "POST", f"{path}/share-links", {}),
        ]
        * 2,
    ]
    acts += [partial(lab.member.open, path)] * (AT_ONCE - len(acts))

    answers = all_at_once(acts)

    assert list_broken(answers) == []
    assert outside.open(links[0]).status_code == 404
    assert lab.admin.rest("PATCH", f"/groups/{group}", {"members": []}).ok
    assert {outside.open(link).status_code for link in links} == {404}
    assert lab.member.open(path).status_code == 404
    assert lab.member.rest("GET", path).status_code == 404
    assert lab.list_faults() == []
