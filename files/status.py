"""The table of moves between file statuses (contract section 3) and the times that follow them."""

from collections.abc import Mapping
from datetime import datetime

from files.media import report_kind
from files.models import File, FileStatus
from wire.errors import Conflict

MOVES: Mapping[str, tuple[FileStatus, ...]] = {
    FileStatus.DETECTED: (FileStatus.UPLOAD_REQUESTED, FileStatus.UPLOADED),
    FileStatus.UPLOAD_REQUESTED: (FileStatus.UPLOADED, FileStatus.DETECTED),
    FileStatus.UPLOADED: (FileStatus.PROCESSING,),
    FileStatus.PROCESSING: (FileStatus.PROCESSING, FileStatus.COMPLETED, FileStatus.FAILED),
    FileStatus.COMPLETED: (FileStatus.PROCESSING,),
    FileStatus.FAILED: (FileStatus.PROCESSING,),
}


class MoveRefused(Conflict):
    def __init__(self, status: str, to: FileStatus) -> None:
        super().__init__(
            f"A file that is {status} cannot become {to}.",
            status=str(status),
            allowed=[str(allowed) for allowed in MOVES[status]],
        )


def refuse_move(file: File, *, to: FileStatus) -> None:
    """Raises MoveRefused unless the table has the move; standing still is no move."""
    if to != file.status and to not in MOVES[file.status]:
        raise MoveRefused(file.status, to)


def move_file(file: File, *, to: FileStatus, at: datetime) -> None:
    """Change the status and what follows from it; saving is the caller's. Repeating a move changes nothing.

    A file that is being processed and says so again gives a sign of life. Raises MoveRefused.
    """
    refuse_move(file, to=to)
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
            classify(file)
        case FileStatus.FAILED:
            file.processing_since = None


def classify(file: File) -> None:
    """Write down what a report shows the file as. What reading left behind was told apart when it was made."""
    if file.source_file_id is not None:
        return
    file.report_kind = report_kind(
        file.filename,
        content_type=file.content_type,
        category=file.category,
        artefact_kind=(file.extracted | file.own).get("kind"),
        is_processed=file.processed_at is not None,
    )


MOVED_COLUMNS = (
    "status",
    "upload_requested_at",
    "uploaded_at",
    "processing_since",
    "processed_at",
    "error_message",
    "report_kind",
)
