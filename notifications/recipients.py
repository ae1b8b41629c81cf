"""Whether a message may still reach whom it is for: asked when it goes out, which may be hours after it was written."""

from accounts.callers import caller_for_user
from accounts.models import User
from notifications.models import Notification, NotificationQuerySet

SWITCHED_OFF = "The person is switched off."
GIVEN_UP = "It was begun too often and never ended."
NOT_SEEN = "The person may not see it any more."


def list_seen_by(person: User) -> NotificationQuerySet:
    """What was sent to somebody, but of instruments that were hidden from them since."""
    return Notification.objects.visible_to(caller_for_user(person))


def find_obstacle(notification: Notification) -> str:
    """Why it does not go out any more; empty where it does."""
    person = notification.recipient
    if not person.is_active:
        return SWITCHED_OFF
    return "" if list_seen_by(person).filter(pk=notification.pk).exists() else NOT_SEEN
