"""What the sending of events announces, inside the transaction of the change."""

from django.dispatch import Signal

webhook_disabled = Signal()  # webhook: Webhook, at: datetime; not where a person did it
