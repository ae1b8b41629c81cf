"""Every named constraint of reports, violated once."""

import pytest

from feedback.models import Report
from tests.factories import make_user

pytestmark = pytest.mark.django_db

REPORT = {"kind": "bug", "title": "The export loses a row", "description": "Every time."}


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("report_kind_is_known", {"kind": "rant"}),
        ("report_title_length", {"title": ""}),
        ("report_description_length", {"description": ""}),
        ("report_description_length", {"description": "x" * 10_001}),
        ("report_is_a_draft_or_an_issue", {"issue_number": 7}),
        ("report_is_a_draft_or_an_issue", {"status": "open"}),
        ("report_is_a_draft_or_an_issue", {"status": "lost", "issue_number": 7}),
    ],
)
def test_reports(refused_by, constraint, fields):
    refused_by(constraint, lambda: Report.objects.create(created_by=make_user(), **(REPORT | fields)))
