"""What happens here when something happens in the files app: only rows of our own are written."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from files.models import File
from files.signals import file_uploaded
from processing.requests import enqueue_arrived_file


@receiver(file_uploaded, dispatch_uid="processing.arrival")
def on_file_uploaded(sender: Any, file: File, at: datetime, **_: Any) -> None:
    enqueue_arrived_file(file, at=at)
