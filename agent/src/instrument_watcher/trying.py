"""Trying a configuration before it is run: everything that an agent would make of it is made, and a look is taken."""

from collections import deque
from contextlib import suppress

from instrument_watcher.config.model import Config
from instrument_watcher.config.remote import NotTaken
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.preview import survey_folder
from instrument_watcher.probing import Probe, refuse_unreadable_folder
from instrument_watcher.sizes import count_text
from instrument_watcher.watching.grouping import group_by
from instrument_watcher.watching.patterns import Patterns

MOST_FILES = 5_000  # the look goes no further: heartbeats wait for it
IDENTITY = ("server", "instrument_id", "watcher_id")


def try_config(config: Config, *, running: Config, home: Home) -> str:
    """What it would take of the files that are there, in words. Raises NotTaken."""
    try:
        Patterns(wanted=config.file_patterns, ignored=config.ignore_patterns)
        group_by(config.run_grouping)
        if any(getattr(config, key) != getattr(running, key) for key in IDENTITY):
            deque(Probe(home).look(config), maxlen=0)
        if config.watch_directory != running.watch_directory:
            refuse_unreadable_folder(config.watch_directory)
    except AgentError as error:
        raise NotTaken(error.message) from None
    except Exception as error:  # of whatever part: the agent stays with what works
        raise NotTaken(f"{type(error).__name__}: {error}") from None
    return _look(config)


def _look(config: Config) -> str:
    """A folder that is away for the moment is nothing against it."""
    with suppress(OSError):
        survey = survey_folder(
            config.watch_directory, wanted=config.file_patterns, ignored=config.ignore_patterns, most=MOST_FILES
        )
        seen = count_text(len(survey.wanted) + len(survey.other), "file")
        return f"of {'the first ' if survey.is_cut_off else ''}{seen} in the folder it takes {len(survey.wanted):,}"
    return "the folder is away"
