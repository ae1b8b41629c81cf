"""Pages that the palette leads to by what they are for, so that nobody has to know where they stand."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_PLACES = 4


@dataclass(frozen=True)
class Place:
    """`words` are others that it is looked for by; `is_for_admins` says that nobody else may open it."""

    label: str
    href: str
    icon: str
    words: str = ""
    is_for_admins: bool = False


PLACES = (
    Place("Home", "/", "home", "overview dashboard needs attention"),
    Place("Runs", "/runs", "runs", "measurements experiments results data"),
    Place("Upload files", "/runs/new", "upload", "make a new run put in add import folder"),
    Place("Projects", "/projects", "columns", "new project study order"),
    Place("Compare runs", "/compare", "curve", "overlay curves spectra plates side by side"),
    Place("Combine runs", "/combine", "table", "one table csv parquet"),
    Place("Instruments", "/instruments", "instrument", "devices machines"),
    Place("Add an instrument by hand", "/instruments/new", "plus", "new device", is_for_admins=True),
    Place("Connect an instrument", "/watchers/connect", "key", "new watcher agent code enrol install"),
    Place("Watchers", "/watchers", "watcher", "agents fleet computers offline silent health"),
    Place("Wall", "/wall", "image", "full screen monitor fleet today"),
    Place("Inbox", "/inbox", "inbox", "messages notifications unread"),
    Place("Settings", "/settings/profile", "settings", "profile name time zone account"),
    Place("Security", "/settings/security", "lock", "settings password second factor passkey sessions sign out"),
    Place("Notifications", "/settings/notifications", "bell", "settings e-mail mail chat follow mute"),
    Place("Rules of your own", "/settings/notifications/rules", "bell", "settings notifications tell me when fails"),
    Place("AI clients", "/settings/ai-clients", "settings", "settings assistant mcp claude chatgpt"),
    Place("Feedback", "/feedback", "comment", "report problem bug wish help support"),
    Place("API", "/api/docs", "link", "rest openapi documentation help developers"),
    Place("Python client", "/client/", "link", "notebook pandas command line ids-data"),
    Place("Invite somebody", "/settings/members?invite=1", "person", "add new member user", is_for_admins=True),
    Place("Members", "/settings/members", "people", "settings users people roles admins", is_for_admins=True),
    Place("Groups", "/settings/groups", "people", "settings teams who sees rights", is_for_admins=True),
    Place("Access tokens", "/settings/tokens", "key", "settings new api token scripts", is_for_admins=True),
    Place("Links for outsiders", "/settings/shared-links", "link", "settings shared share", is_for_admins=True),
    Place("Integrations", "/settings/integrations", "settings", "settings slack github eln chat", is_for_admins=True),
    Place("Webhooks", "/settings/webhooks", "settings", "settings teams lims events", is_for_admins=True),
    Place("Watcher releases", "/settings/watcher-releases", "settings", "settings agent update", is_for_admins=True),
    Place("Readers", "/settings/readers", "settings", "settings formats read again", is_for_admins=True),
    Place("Integrity", "/settings/integrity", "settings", "settings checksums damaged missing", is_for_admins=True),
    Place("Space", "/settings/space", "settings", "settings storage disk usage", is_for_admins=True),
    Place("Admin site", "/admin/", "lock", "maintenance django", is_for_admins=True),
)


def find_places(typed: str, *, is_admin: bool) -> Sequence[Place]:
    """Those of which each word typed begins one of theirs; those called so first. At most MAX_PLACES."""
    words = typed.lower().split()
    if not words:
        return []
    open_ones = [place for place in PLACES if is_admin or not place.is_for_admins]
    called = [place for place in open_ones if _begins_all(words, place.label)]
    meant = [place for place in open_ones if place not in called and _begins_all(words, f"{place.label} {place.words}")]
    return [*called, *meant][:MAX_PLACES]


def _begins_all(words: Sequence[str], text: str) -> bool:
    known = text.lower().split()
    return all(any(one.startswith(word) for one in known) for word in words)
