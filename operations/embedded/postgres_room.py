"""Room for the write-ahead log, taken before the disk is full: a server that can make no further segment stops."""

import shutil

from operations.embedded.postgres import Postgres

KEPT_SEGMENTS, SEGMENT_BYTES = 4, 16 * 2**20  # PostgreSQL keeps those it has, up to its min_wal_size of 80 MB
AHEAD = """
    SELECT count(*) FROM pg_ls_waldir()
    WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_lsn())
"""
NEXT_SEGMENT = "SELECT pg_logical_emit_message(false, 'ids', 'room'), pg_switch_wal()"


def keep_room(server: Postgres) -> None:
    """Segments that were written are used again after a checkpoint, so some are written through where there are few."""
    if shutil.disk_usage(server.cluster).free < 4 * KEPT_SEGMENTS * SEGMENT_BYTES:
        return  # too late: to take it now could be what stops the server
    if int(server.ask(AHEAD, database="postgres")) >= KEPT_SEGMENTS:
        return
    server.ask(*[NEXT_SEGMENT] * KEPT_SEGMENTS, "CHECKPOINT", database="postgres")
