"""The page of one dataset, and what a run's page says of its datasets."""

from datetime import UTC, datetime

import pyarrow
import pytest

from tests.datasets.making import make_dataset
from tests.factories import make_user

pytestmark = pytest.mark.django_db
WELLS = {"well": ["A1", "A2", "B1"], "value": [0.5, 0.25, 0.75]}


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


def page(person, dataset, query=""):
    return person.get(f"/datasets/{dataset.pk}{query}")


def wells(answer):
    return [row[0].text for row in answer.context["rows"]]


def test_rows_are_shown_sorted_and_filtered(person):
    dataset = make_dataset(WELLS)

    assert wells(page(person, dataset)) == ["A1", "A2", "B1"]
    assert wells(page(person, dataset, "?sort=-value")) == ["B1", "A1", "A2"]
    assert wells(page(person, dataset, "?column=value&op=gt&value=0.3")) == ["A1", "B1"]


def test_a_filter_that_does_not_fit_is_said_and_the_rows_stay(person):
    answer = page(person, make_dataset(WELLS), "?column=value&op=gt&value=much")

    assert answer.status_code == 400
    assert "is no number, which value holds" in answer.content.decode()
    assert wells(answer) == ["A1", "A2", "B1"]


def test_a_time_is_shown_in_the_zone_of_who_reads_and_kept_exact(person):
    at = datetime(2026, 3, 4, 5, 6, 7, 890_000, tzinfo=UTC)
    dataset = make_dataset({"read_at": pyarrow.array([at, None], pyarrow.timestamp("us", tz="UTC"))})

    shown = page(person, dataset).content.decode()

    assert 'datetime="2026-03-04T05:06:07.890000+00:00"' in shown
    assert 'data-show="fraction">2026-03-04 05:06:07.890</time>' in shown


def test_pages_follow_each_other(person, monkeypatch):
    monkeypatch.setattr("dashboard.datasets.table.PER_PAGE", 2)
    dataset = make_dataset(WELLS)

    assert wells(page(person, dataset, "?page=2")) == ["B1"]
    assert wells(page(person, dataset, "?page=9")) == []


def test_downloads_and_python_ask_for_what_is_shown(person):
    answer = page(person, make_dataset(WELLS), "?column=well&op=eq&value=A1&sort=value").content.decode()

    assert "where=well%3Aeq%3AA1&amp;order_by=value&amp;format=csv" in answer
    assert "&#x27;where&#x27;: [&#x27;well:eq:A1&#x27;]" in answer


def test_a_heading_has_its_unit_after_its_name_as_axes_have_it(person):
    dataset = make_dataset(WELLS, units={"value": "mAU"})

    shown = page(person, dataset)

    assert [one.title for one in shown.context["headings"]] == ["well", "value (mAU)"]


def test_the_page_of_a_run_leads_to_its_datasets(person):
    dataset = make_dataset(WELLS)

    shown = person.get(f"/instruments/{dataset.run.instrument_id}/runs/{dataset.run.run_id}").content.decode()

    assert f'href="/datasets/{dataset.pk}"' in shown


def test_numbers_of_a_column_are_filled_to_its_longest_fraction_beside_the_text(person):
    dataset = make_dataset({"well": ["A1", "A2", "A3", "A4", "A5"], "value": [0.5, 12.25, 3.0, 1e-05, None]})

    shown = page(person, dataset)

    assert [row[1].text for row in shown.context["rows"]] == ["0.5", "12.25", "3.0", "1e-05", ""]
    assert [row[1].filler for row in shown.context["rows"]] == ["0", "", "0", "", ""]
    assert shown.content.decode().count('data-filler="0"') == 2
    assert shown.content.decode().count("data-filler") == 2
