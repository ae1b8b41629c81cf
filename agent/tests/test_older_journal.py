"""A journal that an older agent wrote is taken over as it is."""

import sqlite3
from pathlib import Path

from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileState

VERSION_1 = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    run_id TEXT,
    state TEXT NOT NULL,
    wanted INTEGER NOT NULL DEFAULT 0,
    sha256 TEXT,
    crc32 TEXT,
    block_crcs BLOB,
    file_id INTEGER,
    upload_id TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt REAL NOT NULL DEFAULT 0,
    reason TEXT,
    found_at TEXT NOT NULL,
    uploaded_at TEXT,
    UNIQUE (folder, name)
);
CREATE INDEX files_by_state ON files (state, run_id);
CREATE INDEX files_found ON files (id) WHERE state = 'found';
CREATE INDEX files_waiting ON files (next_attempt, id) WHERE state = 'reported' AND wanted = 1;
CREATE INDEX files_by_inode ON files (inode, size, mtime_ns);

CREATE TABLE parts (
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (file, number)
) WITHOUT ROWID;

CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    reported_at TEXT,
    stopped_because TEXT
) WITHOUT ROWID;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    event_type TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    message TEXT NOT NULL,
    details TEXT NOT NULL
);

CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
"""
FILE = (
    "INSERT INTO files (folder, name, size, mtime_ns, inode, run_id, state, sha256, block_crcs, file_id, found_at,"
    " uploaded_at) VALUES (?, ?, 5, 1700000000123456789, 7, 'R1', ?, ?, x'00000001', ?, 'then', ?)"
)


def test_what_an_older_agent_had_stored_counts_as_stored(tmp_path: Path):
    place = tmp_path / "journal.sqlite3"
    old = sqlite3.connect(place)
    old.executescript(VERSION_1)
    with old:
        old.execute(FILE, ("R1", "a.csv", "uploaded", "a" * 64, 1, "then"))
        old.execute(FILE, ("", "b.csv", "reported", "b" * 64, None, None))
    old.close()

    journal = Journal(place)
    stored, waiting = journal.files.find("R1/a.csv"), journal.files.find("b.csv")
    assert stored is not None
    assert waiting is not None

    [line] = journal.stored.like(stored)
    assert (line.file_id, line.place, line.sha256, line.mtime_ms) == (1, "R1/a.csv", "a" * 64, 1_700_000_000_123)
    assert journal.stored.is_known()
    assert (journal.stored.is_name_taken("R1/a.csv"), journal.stored.is_name_taken("b.csv")) == (True, False)
    assert (waiting.state, waiting.digest) == (FileState.REPORTED, None)  # its sums were of other blocks
    assert stored.sighting.ctime_ns == 0
    journal.close()
