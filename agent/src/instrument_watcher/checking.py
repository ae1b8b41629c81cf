"""What would be uploaded, if the agent looked through its folder now; nothing is changed."""

from dataclasses import dataclass

from instrument_watcher.config.model import Config
from instrument_watcher.home import Home
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import SETTLED
from instrument_watcher.preview import Candidate, Plan, plan_runs, survey_folder


@dataclass(frozen=True)
class Outlook:
    """The files that the patterns take and leave, those of them that are not done, and the runs these would make."""

    matching: int
    other: int
    new: list[Candidate]
    plan: Plan


def look_ahead(home: Home, config: Config) -> Outlook:
    """Raises JournalUnavailable, JournalUnreadable."""
    survey = survey_folder(config.watch_directory, wanted=config.file_patterns, ignored=config.ignore_patterns)
    new = _without_known(home, survey.wanted)
    return Outlook(len(survey.wanted), len(survey.other), new, plan_runs(new, config.run_grouping))


def _without_known(home: Home, files: list[Candidate]) -> list[Candidate]:
    """The files that the journal, where there is one, does not count as done."""
    if not home.journal.exists():
        return files
    journal = Journal(home.journal)
    try:
        known = {path: journal.files.find(path) for path in (file.path for file in files)}
    finally:
        journal.close()
    return [file for file in files if (row := known[file.path]) is None or row.state not in SETTLED]
