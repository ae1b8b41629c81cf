from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.urls import oauth
from config import api_urls
from dashboard.urls import pages
from web import health, refusal_pages
from web.api_pages.page import docs_page
from web.client_pages import client_page, download_wheel
from web.telemetry.metrics import metrics_page

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth documents it

urlpatterns = [
    path("api/v1/", include(api_urls)),  # first, as Django tries one after the other
    path("admin", RedirectView.as_view(url="/admin/")),
    path("admin/", admin.site.urls),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("metrics", metrics_page),
    path("openapi.json", api_urls.OPENAPI),
    path("api/docs", docs_page, name="api_docs"),
    path("client/", client_page, name="client"),
    path("client/<str:filename>", download_wheel, name="client_wheel"),
    *oauth,
    *pages,
]

handler400 = refusal_pages.bad_request
handler403 = refusal_pages.permission_denied
handler404 = refusal_pages.not_found
handler500 = refusal_pages.server_error
