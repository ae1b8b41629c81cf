"""The program for an instrument's computer, as the service hands it out."""

import re
from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dashboard.guard import page
from files.release_files import sign_installer_url
from watchers import access
from watchers.choices import InstallerSystem
from watchers.models import ReleaseInstaller
from watchers.releases import find_current_installers

DEBIAN = re.compile(r"Debian|Ubuntu", re.IGNORECASE)


def list_programs(request: HttpRequest) -> Sequence[ReleaseInstaller]:
    """The installers, that for the visitor's own system first; none where no admin added any."""
    found, own = find_current_installers(), guess_system(request.headers.get("User-Agent", ""))
    systems = sorted(InstallerSystem.values, key=lambda system: system != own)
    return [found[system] for system in systems if system in found]


def guess_system(user_agent: str) -> InstallerSystem:
    """Browsers seldom name the distribution; most instruments have Windows."""
    if "Windows" in user_agent or "Linux" not in user_agent or "Android" in user_agent:
        return InstallerSystem.WINDOWS
    return InstallerSystem.DEB if DEBIAN.search(user_agent) else InstallerSystem.TAR


@never_cache
@require_safe
@page(access.READ)
def download_program(request: HttpRequest, system: str) -> HttpResponse:
    """Leads to the store, which streams the file with its length."""
    installer = find_current_installers().get(system)
    if installer is None:
        raise Http404
    return HttpResponseRedirect(sign_installer_url(installer))
