"""What happens here when something happens in the files app: only rows of our own are written."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.dispatch import receiver

from files.models import File
from files.signals import files_uploaded
from processing.requests import enqueue_arrived_files


@receiver(files_uploaded, dispatch_uid="processing.arrival")
def on_files_uploaded(sender: Any, files: Sequence[File], at: datetime, **_: Any) -> None:
    enqueue_arrived_files(files, at=at)
