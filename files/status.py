"""The transitions between file statuses (docs/interface.md, Moves of a file) and the times that follow them."""

from collections.abc import Mapping
from datetime import datetime

from files.choices import FileStatus
from files.media_types import choose_report_kind
from files.models import File
from wire.errors import Conflict

TRANSITIONS: Mapping[str, tuple[FileStatus, ...]] = {
    FileStatus.DETECTED: (FileStatus.UPLOAD_REQUESTED, FileStatus.UPLOADED),
    FileStatus.UPLOAD_REQUESTED: (FileStatus.UPLOADED, FileStatus.DETECTED),
    FileStatus.UPLOADED: (FileStatus.PROCESSING,),
    FileStatus.PROCESSING: (FileStatus.PROCESSING, FileStatus.COMPLETED, FileStatus.FAILED),
    FileStatus.COMPLETED: (FileStatus.PROCESSING,),
    FileStatus.FAILED: (FileStatus.PROCESSING,),
}


class TransitionRefused(Conflict):
    def __init__(self, status: str, to: FileStatus) -> None:
        super().__init__(
            f"A file that is {status} cannot become {to}.",
            status=str(status),
            allowed=[str(allowed) for allowed in TRANSITIONS[status]],
        )


def refuse_transition(file: File, *, to: FileStatus) -> None:
    """Raises TransitionRefused unless the table has the move; standing still is no move."""
    if to != file.status and to not in TRANSITIONS[file.status]:
        raise TransitionRefused(file.status, to)


def transition_file(file: File, *, to: FileStatus, at: datetime) -> None:
    """Change the status and what follows from it; saving is the caller's. Repeating a move changes nothing.

    A file that is being processed and says so again gives a sign of life. Raises TransitionRefused.
    """
    refuse_transition(file, to=to)
    if file.status == to and to != FileStatus.PROCESSING:
        return
    began, file.status = file.status, to
    match to:
        case FileStatus.UPLOAD_REQUESTED:
            file.upload_requested_at = at
        case FileStatus.DETECTED:
            file.upload_requested_at = None
        case FileStatus.UPLOADED:
            file.uploaded_at = at
        case FileStatus.PROCESSING:
            file.processing_since = at
            file.error_message = file.error_message if began == to else None
        case FileStatus.COMPLETED:
            file.processing_since, file.processed_at = None, at
            set_report_kind(file)
        case FileStatus.FAILED:
            file.processing_since = None


def set_report_kind(file: File) -> None:
    """Write down what a report shows the file as. What reading left behind was told apart when it was made."""
    if file.source_file_id is not None:
        return
    file.report_kind = choose_report_kind(
        file.filename,
        content_type=file.content_type,
        category=file.category,
        artefact_kind=(file.extracted | file.caller_metadata).get("kind"),
        is_processed=file.processed_at is not None,
    )


TRANSITION_COLUMNS = (
    "status",
    "upload_requested_at",
    "uploaded_at",
    "processing_since",
    "processed_at",
    "error_message",
    "report_kind",
)
