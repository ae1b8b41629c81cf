"""Claims as they are shown with a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models.functions import JSONObject

from accounts.display_names import choose_display_name, initials_of

# What a query gathers of a claim, for `build_attribution`.
CLAIMANT_JSON = JSONObject(
    id="user_id", display_name="user__display_name", email="user__email", claimed_at="claimed_at"
)


@dataclass(frozen=True)
class Attribution:
    """One person who claims a run."""

    id: UUID
    display_name: str
    initials: str
    claimed_at: datetime


def build_attribution(claimant: Mapping[str, Any]) -> Attribution:
    """From what CLAIMANT gathered."""
    name = choose_display_name(display_name=claimant["display_name"], email=claimant["email"])
    return Attribution(
        id=UUID(claimant["id"]),
        display_name=name,
        initials=initials_of(name),
        claimed_at=datetime.fromisoformat(claimant["claimed_at"]),
    )
