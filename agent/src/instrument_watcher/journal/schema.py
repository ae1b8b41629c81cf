"""The journal's tables, and how those of an older agent become them."""

VERSION = 4

STORED = """
CREATE TABLE stored (                       -- what the service holds; nothing else makes a file count as done
    file_id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    place TEXT NOT NULL,                    -- where these bytes stand, or stood last, in the watched directory
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    mtime_ms INTEGER,                       -- the file's time, as exact as the service keeps it; NULL: not known
    inode INTEGER NOT NULL DEFAULT 0,       -- 0: not known
    uploaded_at TEXT NOT NULL
);
CREATE INDEX stored_by_version ON stored (size, mtime_ms);
CREATE INDEX stored_by_place ON stored (place);
"""

SCHEMA = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    folder TEXT NOT NULL,                   -- relative to the watched directory, with /; '' is the directory itself
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    run_id TEXT,
    state TEXT NOT NULL,                    -- rows.FileState
    wanted INTEGER NOT NULL DEFAULT 0,      -- to be uploaded, not only reported
    sha256 TEXT,
    crc32 TEXT,
    block_crcs BLOB,                        -- CRC32 of every MiB, 4 bytes each, big-endian
    file_id INTEGER,                        -- the service's number of it
    upload_id TEXT,                         -- of an open multipart upload
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt REAL NOT NULL DEFAULT 0,   -- by the monotonic clock of the process, never by that on the wall
    reason TEXT,                            -- why it is where it is, for people
    found_at TEXT NOT NULL,
    uploaded_at TEXT,
    UNIQUE (folder, name)
);
CREATE INDEX files_by_state ON files (state, run_id);
CREATE INDEX files_found ON files (id) WHERE state = 'found';
CREATE INDEX files_waiting ON files (next_attempt, id) WHERE state = 'reported' AND wanted = 1;
CREATE INDEX files_compared ON files (next_attempt, id) WHERE state = 'comparing';
CREATE INDEX files_by_inode ON files (inode, size, mtime_ns);

CREATE TABLE parts (                        -- of open multipart uploads: what the store has confirmed
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (file, number)
) WITHOUT ROWID;

CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    reported_at TEXT,
    stopped_because TEXT                    -- set while the service refuses the run
) WITHOUT ROWID;

CREATE TABLE events (                       -- the outbox
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    event_type TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    message TEXT NOT NULL,
    details TEXT NOT NULL
);

CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

# Version 1 had no line of what the service holds beside that of the file; its checksums were of every 16 MiB.
FROM_VERSION_1 = """
CREATE INDEX files_compared ON files (next_attempt, id) WHERE state = 'comparing';
INSERT OR IGNORE INTO stored
SELECT file_id, run_id, CASE folder WHEN '' THEN name ELSE folder || '/' || name END, size, sha256,
mtime_ns / 1000000, inode, uploaded_at
FROM files WHERE state = 'uploaded' AND file_id > 0 AND sha256 IS NOT NULL AND uploaded_at IS NOT NULL;
UPDATE files SET block_crcs = NULL, upload_id = NULL;
DELETE FROM parts;
UPDATE files SET next_attempt = 0;
INSERT OR REPLACE INTO facts VALUES ('stored_is_known', 'true');
"""

# Version 2 did not know when a file was last touched in any way. A `ctime_ns` of 0 is not known, as on Windows; what is
# `touched` is uploaded, and to be compared with what was sent.
FROM_VERSION_2 = """
ALTER TABLE files ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
CREATE INDEX files_touched ON files (id) WHERE touched = 1;
"""

# Version 3 forgot, once a file was renamed, under which name the service has it. NULL: its place.
FROM_VERSION_3 = """
ALTER TABLE stored ADD COLUMN named TEXT;
CREATE INDEX stored_by_name ON stored (named) WHERE named IS NOT NULL;
"""
STEPS = {0: SCHEMA + STORED + FROM_VERSION_2, 1: STORED + FROM_VERSION_1 + FROM_VERSION_2, 2: FROM_VERSION_2, 3: ""}


def statements(version: int) -> list[str]:
    """What makes a journal of this version (0: an empty file) one of today's."""
    text = STEPS[version] + FROM_VERSION_3
    return [statement for part in text.split(";\n") if (statement := part.strip())]
