"""Who may stand behind a run: the people that have claimed one."""

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from runs.models import Claim

MOST = 200


def list_claimants() -> QuerySet[User]:
    """The people of the workspace who claimed a run, by name."""
    claims = Claim.objects.filter(user=OuterRef("pk"))
    return (
        User.objects.filter(Exists(claims)).only("id", "display_name", "email").order_by("display_name", "email")[:MOST]
    )
