"""Everything under /api/v1: the `api` list of each app. Django tries them in turn: what is asked most is first."""

from django.urls import path

from accounts.urls import api as accounts
from archives.urls import api as archives
from changes.urls import api as changes
from datasets.urls import api as datasets
from feedback.urls import api as feedback
from files.urls import api as files
from instruments.urls import api as instruments
from notifications.urls import api as notifications
from overview.urls import api as overview
from processing.urls import api as processing
from retention.urls import api as retention
from runs.urls import api as runs
from watchers.urls import api as watchers
from web.api_pages.document import OpenApiView

OPENAPI = OpenApiView.as_view({"get": "retrieve"})

urlpatterns = [
    *runs,
    *watchers,
    *files,
    path("openapi.json", OPENAPI),
    *accounts,
    *instruments,
    *datasets,
    *archives,
    *processing,
    *retention,
    *notifications,
    *feedback,
    *overview,
    *changes,
]
