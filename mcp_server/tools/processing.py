"""Tools: having files read again."""

from typing import Any

from accounts.callers import Caller
from files.serializers import represent_file
from mcp_server.arguments import FileId, InstrumentId, RunId
from mcp_server.schemas import like, serializer_schema
from mcp_server.toolbox import IDEMPOTENT, Toolbox
from processing import access, requests
from processing.serializers import ReprocessedSerializer
from wire.clock import now
from wire.outputs import represent

tools = Toolbox()


@tools.tool(access.REPROCESS_FILE, gives=like("a row of list_run_files"), annotations=IDEMPOTENT)
def reprocess_file(by: Caller, file_id: FileId) -> dict[str, Any]:
    """Read a stored file again, for example after its instrument's type was corrected.

    The answer is the file's record; its status follows when a worker begins: look at get_file after a few seconds.
    """
    return represent_file(requests.reprocess_file(file_id, by=by, at=now()))


@tools.tool(access.REPROCESS_RUN, gives=serializer_schema(ReprocessedSerializer), annotations=IDEMPOTENT)
def reprocess_run(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """Read every stored file of a run again. Files that are not stored are skipped and counted."""
    done = requests.reprocess_run(instrument=instrument_id, run_id=run_id, by=by, at=now())
    return represent(ReprocessedSerializer, done)
