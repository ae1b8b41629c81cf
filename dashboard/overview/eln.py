"""Settings, Integrations: the template of links to the laboratory's notebook."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.overview.integrations import render_integrations
from overview import access
from runs.eln.links import write_template
from wire.clock import now
from wire.errors import ValidationError


@require_POST
@page(access.INTEGRATIONS)
def save_eln_template(request: HttpRequest) -> HttpResponse:
    """Set it, or with an empty one take it away. What is refused comes back in its form."""
    template = request.POST.get("template", "").strip()
    try:
        write_template(template, by=caller_of_page(request), at=now())
    except ValidationError as refused:
        faults = (refused.details or {}).get("fields", {}).get("template", [])
        return render_integrations(request, eln={"template": template, "errors": faults})
    add_notice(request, Notice("Runs link to the notebook." if template else "Runs link to no notebook any more."))
    return HttpResponseRedirect("/settings/integrations")
