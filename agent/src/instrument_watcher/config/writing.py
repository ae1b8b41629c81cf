"""From a Config to a config.yaml that explains itself."""

import json
import os
from pathlib import Path
from string import Template

from instrument_watcher.config.model import Config

TEMPLATE = Template("""\
# The watcher of one instrument. After a change: instrument-watcher config validate
# A running agent takes over a valid change by itself and sends this file to the service.

server: $server
instrument_id: $instrument_id
watcher_id: $watcher_id

# Where the instrument writes, and which of its files are data.
watch_directory: $watch_directory
file_patterns: $file_patterns
ignore_patterns: $ignore_patterns

# Which files make up a run: filename_prefix (before `separator`), filename_stem, top_folder,
# deepest_folder, or regex (`pattern` is searched in the relative path; its one group is the run).
run_grouping:
  by: $by
  separator: $separator
  pattern: $pattern

# auto: upload everything; manual: report it, and upload what people ask for.
upload_mode: $upload_mode

# A file that changed after its upload. version: its new bytes are kept beside the old ones; ignore: they are told.
on_change: $on_change

# A file is complete when its size and time did not change for so long.
stability_seconds: $stability_seconds
# Network drives send no events: the whole folder is looked through this often.
rescan_seconds: $rescan_seconds
heartbeat_seconds: $heartbeat_seconds
# Kept while the service is out of reach; older ones are dropped, and the drop reported.
events_kept: $events_kept

# A port, such as 9464, at which Prometheus on this computer reads metrics; 0.0.0.0:9464 for others too; null: none.
metrics_listen: $metrics_listen

# The page of `instrument-watcher open`, for this computer alone; where the port is taken, the next free one; 0: none.
local_page:
  port: $page_port

# What admins may change from the dashboard. settings: all but addresses, folder, metrics, this computer's page, updates
# and this line; all: these too; none: nothing.
remote: $remote

uploads:
  parallel: $parallel
  bandwidth_limit_mib: $bandwidth_limit_mib    # MiB a second; null: none
  # The limit at some times of the day, such as {"07:00-19:00": 2, "22:00-05:00": null}; the first that fits counts.
  bandwidth_by_hours: $bandwidth_by_hours
  pause_above_disk_load: $pause_above_disk_load  # percent; null: never

# automatic: signed releases come from the service, where this computer was given their key at its enrolment.
# Else: source. null (only tell), index (pip's own), an index's URL, a folder of wheels.
updates:
  automatic: $automatic
  source: $source
""")


def write_config(config: Config) -> str:
    """JSON scalars and lists are YAML, and quote what needs it."""
    return TEMPLATE.substitute(
        server=json.dumps(config.server),
        instrument_id=json.dumps(config.instrument_id),
        watcher_id=json.dumps(config.watcher_id),
        watch_directory=_text(str(config.watch_directory)),
        file_patterns=_text(config.file_patterns),
        ignore_patterns=_text(config.ignore_patterns),
        by=config.run_grouping.by.value,
        separator=_text(config.run_grouping.separator),
        pattern=_text(config.run_grouping.pattern or None),
        upload_mode=config.upload_mode.value,
        on_change=config.on_change.value,
        stability_seconds=f"{config.stability_seconds:g}",
        rescan_seconds=f"{config.rescan_seconds:g}",
        heartbeat_seconds=f"{config.heartbeat_seconds:g}",
        events_kept=config.events_kept,
        metrics_listen=_text(config.metrics_listen),
        remote=config.remote.value,
        page_port=config.local_page.port,
        parallel=config.uploads.parallel,
        bandwidth_limit_mib=_text(config.uploads.bandwidth_limit_mib),
        bandwidth_by_hours=_text(dict(config.uploads.bandwidth_by_hours)),
        pause_above_disk_load=_text(config.uploads.pause_above_disk_load),
        automatic=_text(config.updates.automatic),
        source=_text(config.updates.source),
    )


def save_config(path: Path, text: str) -> None:
    """In one step: a running agent that looks meanwhile sees the old file or the new one."""
    new = path.with_name(path.name + ".new")
    with new.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    new.replace(path)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
