"""From a Config to a config.yaml that explains itself."""

import json
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

# A file is complete when its size and time did not change for so long.
stability_seconds: $stability_seconds
# Network drives send no events: the whole folder is looked through this often.
rescan_seconds: $rescan_seconds
heartbeat_seconds: $heartbeat_seconds
# Kept while the service is out of reach; older ones are dropped, and the drop reported.
events_kept: $events_kept

uploads:
  parallel: $parallel
  bandwidth_limit_mib: $bandwidth_limit_mib    # MiB a second; null: none
  pause_above_disk_load: $pause_above_disk_load  # percent; null: never

# Where new versions come from: null (only tell), index (pip's own), an index's URL, a folder of wheels.
updates:
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
        stability_seconds=f"{config.stability_seconds:g}",
        rescan_seconds=f"{config.rescan_seconds:g}",
        heartbeat_seconds=f"{config.heartbeat_seconds:g}",
        events_kept=config.events_kept,
        parallel=config.uploads.parallel,
        bandwidth_limit_mib=_text(config.uploads.bandwidth_limit_mib),
        pause_above_disk_load=_text(config.uploads.pause_above_disk_load),
        source=_text(config.updates.source),
    )


def save_config(path: Path, text: str) -> None:
    """In one step: a running agent that looks meanwhile sees the old file or the new one."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8", newline="\n")
    new.replace(path)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
