"""Every part of an agent, made from its configuration and put together."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.config.reading import load_with_text
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import Home
from instrument_watcher.instance import instance_id
from instrument_watcher.journal.journal import Journal, Owner, open_journal
from instrument_watcher.platforms.disk_load import DiskLoad
from instrument_watcher.reporting.heartbeat import Heart
from instrument_watcher.reporting.rebuilding import Rebuilder
from instrument_watcher.reporting.requests import UploadRequests
from instrument_watcher.reporting.runs import RunReporter
from instrument_watcher.reporting.updates import Updates
from instrument_watcher.reporting.wanted_config import WantedConfigs
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection
from instrument_watcher.service.link import Link
from instrument_watcher.service.store import Store
from instrument_watcher.token_file import read_token
from instrument_watcher.uploading.bandwidth import Bandwidth, hours
from instrument_watcher.uploading.crew import UploadBoard
from instrument_watcher.uploading.pacing import Pace
from instrument_watcher.uploading.pausing import Pause
from instrument_watcher.uploading.uploader import Uploader
from instrument_watcher.watching.folder import FolderWatch


class NotRegistered(AgentError):
    def __init__(self) -> None:
        super().__init__(
            "The watcher is not registered yet.", remedy="Run: instrument-watcher init", code=ExitCode.REGISTRATION
        )


@dataclass(frozen=True)
class Parts:
    """`stop` ends every wait; `news` is set when there is something to report."""

    config: Config
    config_text: bytes
    home: Home
    stop: threading.Event
    news: threading.Event
    activity: Activity
    link: Link
    journal: Journal
    chronicle: Chronicle
    connection: Connection
    service: Service
    store: Store
    board: UploadBoard
    pause: Pause
    watch: FolderWatch
    rebuilder: Rebuilder
    reporter: RunReporter
    heart: Heart
    requests: UploadRequests
    wanted_configs: WantedConfigs
    updates: Updates
    pace: Pace
    uploader: Uploader

    def close(self) -> None:
        self.connection.close()
        self.store.close()
        self.journal.close()


def assemble(home: Home) -> Parts:
    """Raises ConfigMissing, ConfigInvalid, NotRegistered, JournalUnreadable."""
    config_text, config = load_with_text(home.config)
    if config.watcher_id is None:
        raise NotRegistered
    stop, news = threading.Event(), threading.Event()
    activity, link = Activity(), Link()
    owner = Owner(config.server, config.instrument_id, config.watcher_id)
    journal = open_journal(home.journal, owner)
    journal.events.kept = config.events_kept
    chronicle = Chronicle(journal, activity)
    connection = Connection(config.server, read_token=lambda: read_token(home.token), answered=link.found_up)
    service, store, board = Service(connection), Store(), UploadBoard(journal)
    pause = Pause(journal, chronicle)

    def wake() -> None:
        news.set()
        board.ring()

    pace = pace_of(config, stop, is_halted=lambda: link.held.is_set() or pause.is_on())
    root, watcher_id = config.watch_directory, config.watcher_id
    return Parts(
        config=config,
        config_text=config_text,
        home=home,
        stop=stop,
        news=news,
        activity=activity,
        link=link,
        journal=journal,
        chronicle=chronicle,
        connection=connection,
        service=service,
        store=store,
        board=board,
        pause=pause,
        watch=FolderWatch(config, journal, chronicle, activity, found=wake),
        rebuilder=Rebuilder(config, journal, service),
        reporter=RunReporter(config, journal, chronicle, service),
        heart=Heart(config, config_text, instance_id(home.instance), journal, chronicle, activity, service),
        requests=UploadRequests(root, watcher_id, journal, chronicle, service),
        wanted_configs=WantedConfigs(config, config_text, home, journal, chronicle, service),
        updates=Updates(config, home, journal, chronicle, service, store, is_idle=board.is_idle),
        pace=pace,
        uploader=Uploader(
            root,
            config.instrument_id,
            journal=journal,
            chronicle=chronicle,
            activity=activity,
            service=service,
            store=store,
            pace=pace,
            on_change=config.on_change,
        ),
    )


def pace_of(config: Config, stop: threading.Event, *, is_halted: Callable[[], bool] = lambda: False) -> Pace:
    uploads, load = config.uploads, config.uploads.pause_above_disk_load
    by_hours = {hours(span): limit for span, limit in uploads.bandwidth_by_hours.items()}
    return Pace(
        stop,
        is_halted=is_halted,
        bytes_per_second=Bandwidth(uploads.bandwidth_limit_mib, by_hours).bytes_per_second,
        disk=None if load is None else DiskLoad(config.watch_directory, limit_percent=load),
    )
