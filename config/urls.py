from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.urls import pages as account_pages
from archives.urls import pages as archive_pages
from config import api_urls, health, refusal_pages
from config.docs_page import docs
from config.metrics import metrics
from feedback.urls import pages as feedback_pages
from files.urls import pages as file_pages
from instruments.urls import pages as instrument_pages
from notifications.urls import pages as notification_pages
from overview.urls import pages as overview_pages
from runs.urls import pages as run_pages
from watchers.urls import pages as watcher_pages

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth documents it

urlpatterns = [
    path("admin", RedirectView.as_view(url="/admin/")),
    path("admin/", admin.site.urls),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("metrics", metrics),
    path("openapi.json", api_urls.OPENAPI),
    path("api/v1/", include(api_urls)),
    path("api/docs", docs, name="api_docs"),
    *account_pages,
    *notification_pages,
    *feedback_pages,
    *overview_pages,
    *instrument_pages,
    *run_pages,
    *watcher_pages,
    *file_pages,
    *archive_pages,
]

handler400 = refusal_pages.bad_request
handler403 = refusal_pages.forbidden
handler404 = refusal_pages.not_found
handler500 = refusal_pages.crash
