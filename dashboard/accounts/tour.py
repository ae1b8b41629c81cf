"""Where the tour is ended, from wherever it was taken."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.access import PROFILE
from accounts.authentication import caller_of_page
from accounts.tour import end_tour
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.origins import read_return_address
from wire.clock import now


@require_POST
@page(PROFILE)
def leave_tour(request: HttpRequest) -> HttpResponse:
    end_tour(by=caller_of_page(request), at=now())
    if is_fragment_request(request):
        return HttpResponse()
    return HttpResponseRedirect(read_return_address(request, otherwise="/"))
