"""From the text of config.yaml to a Config, naming every fault at once and where it stands."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

import yaml

from instrument_watcher.config import checks
from instrument_watcher.config.model import (
    Config,
    GroupBy,
    Grouping,
    LocalPage,
    OnChange,
    Remote,
    Updates,
    UploadMode,
    Uploads,
)
from instrument_watcher.errors import AgentError, ExitCode

Value = TypeVar("Value")


class ConfigInvalid(AgentError):
    """`text` is what was read, as far as it could be."""

    def __init__(self, faults: list[str], *, where: str, text: bytes = b"") -> None:
        super().__init__(
            f"{where} is not valid:\n" + "\n".join(f"  {fault}" for fault in faults),
            remedy="Mend it with: instrument-watcher config edit",
            code=ExitCode.CONFIGURATION,
        )
        self.faults, self.text = faults, text


class ConfigMissing(AgentError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no configuration at {path}.",
            remedy="Make one with: instrument-watcher init",
            code=ExitCode.CONFIGURATION,
        )


def load_config(path: Path) -> Config:
    """Raises ConfigMissing, ConfigInvalid, PermissionError."""
    return load_with_text(path)[1]


def load_with_text(path: Path) -> tuple[bytes, Config]:
    """The exact bytes, which the service keeps a copy of, and what they mean."""
    text = text_of(path)
    try:
        return text, read_config(text.decode("utf-8"), where=str(path))
    except UnicodeDecodeError:
        raise ConfigInvalid(["it is not UTF-8"], where=str(path), text=text) from None
    except ConfigInvalid as invalid:
        raise ConfigInvalid(invalid.faults, where=str(path), text=text) from None


def text_of(path: Path) -> bytes:
    """Raises ConfigMissing, PermissionError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ConfigMissing(path) from None


def read_config(text: str, *, where: str = "The configuration") -> Config:
    """Raises ConfigInvalid with every fault."""
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise ConfigInvalid([f"not YAML: {error}"], where=where) from None
    if not isinstance(content, dict):
        raise ConfigInvalid(["it must be a list of `key: value` lines"], where=where)
    reader = Reader(content)
    config = take_config(reader)
    if reader.faults or config is None:
        raise ConfigInvalid(reader.faults, where=where)
    return config


@dataclass
class Reader:
    """Takes values out of a mapping and notes what is wrong with them."""

    content: Mapping[Any, Any]
    prefix: str = ""
    faults: list[str] = field(default_factory=list)

    def take(self, key: str, default: Value, check: Callable[[Any], Value], *, required: bool = False) -> Value:
        value = self.content.get(key)
        if value is None:
            if required:
                self.faults.append(f"{self.prefix}{key}: is missing")
            return default
        try:
            return check(value)
        except ValueError as error:
            self.faults.append(f"{self.prefix}{key}: {error}")
            return default

    def section(self, key: str) -> "Reader":
        value = self.content.get(key)
        if value is not None and not isinstance(value, dict):
            self.faults.append(f"{self.prefix}{key}: must hold keys of its own, indented below it")
        return Reader(value if isinstance(value, dict) else {}, prefix=f"{key}.", faults=self.faults)

    def refuse_unknown(self, kind: type) -> None:
        known = [known.name for known in fields(kind)]
        for key in self.content:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"; did you mean `{near[0]}`?" if near else ""
                self.faults.append(f"{self.prefix}{key}: is not a known key{hint}")


def take_config(reader: Reader) -> Config | None:
    reader.refuse_unknown(Config)
    server = reader.take("server", "", checks.server_address, required=True)
    config = Config(
        server=server,
        instrument_id=reader.take("instrument_id", "", checks.slug, required=True),
        watch_directory=reader.take("watch_directory", Path(), checks.absolute_path, required=True),
        watcher_id=reader.take("watcher_id", None, checks.text),
        file_patterns=reader.take("file_patterns", Config.file_patterns, checks.patterns),
        ignore_patterns=reader.take("ignore_patterns", Config.ignore_patterns, checks.some_patterns),
        run_grouping=_grouping(reader.section("run_grouping")),
        upload_mode=reader.take("upload_mode", UploadMode.AUTO, checks.one_of(UploadMode)),
        on_change=reader.take("on_change", OnChange.VERSION, checks.one_of(OnChange)),
        stability_seconds=reader.take("stability_seconds", Config.stability_seconds, checks.number(0, 86_400)),
        rescan_seconds=reader.take("rescan_seconds", Config.rescan_seconds, checks.number(1, 86_400)),
        heartbeat_seconds=reader.take("heartbeat_seconds", Config.heartbeat_seconds, checks.number(1, 240)),
        events_kept=reader.take("events_kept", Config.events_kept, checks.whole(100, 1_000_000)),
        metrics_listen=reader.take("metrics_listen", None, checks.listen_address),
        local_page=_local_page(reader.section("local_page")),
        remote=reader.take("remote", Remote.SETTINGS, checks.one_of(Remote)),
        uploads=_uploads(reader.section("uploads")),
        updates=_updates(reader.section("updates")),
    )
    return None if reader.faults else config


def _grouping(reader: Reader) -> Grouping:
    reader.refuse_unknown(Grouping)
    by = reader.take("by", GroupBy.STEM, checks.one_of(GroupBy))
    return Grouping(
        by=by,
        separator=reader.take("separator", Grouping.separator, checks.text),
        pattern=reader.take("pattern", "", checks.group_pattern, required=by is GroupBy.REGEX),
    )


def _local_page(reader: Reader) -> LocalPage:
    reader.refuse_unknown(LocalPage)
    return LocalPage(port=reader.take("port", LocalPage.port, checks.whole(0, 65_535)))


def _uploads(reader: Reader) -> Uploads:
    reader.refuse_unknown(Uploads)
    return Uploads(
        parallel=reader.take("parallel", Uploads.parallel, checks.whole(1, 16)),
        bandwidth_limit_mib=reader.take("bandwidth_limit_mib", None, checks.number(0.01, 100_000)),
        bandwidth_by_hours=reader.take("bandwidth_by_hours", {}, checks.limits_by_hours),
        pause_above_disk_load=reader.take("pause_above_disk_load", None, checks.whole(1, 100)),
    )


def _updates(reader: Reader) -> Updates:
    reader.refuse_unknown(Updates)
    return Updates(
        automatic=reader.take("automatic", Updates.automatic, checks.flag),
        source=reader.take("source", None, checks.text),
    )
