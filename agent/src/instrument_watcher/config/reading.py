"""From the text of config.yaml to a Config, naming every fault at once and where it stands."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import regex
import yaml

from instrument_watcher.config.model import Config, GroupBy, Grouping, Updates, UploadMode, Uploads
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
    reader = _Reader(content)
    config = _config(reader)
    if reader.faults or config is None:
        raise ConfigInvalid(reader.faults, where=where)
    return config


@dataclass
class _Reader:
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

    def section(self, key: str) -> "_Reader":
        value = self.content.get(key)
        if value is not None and not isinstance(value, dict):
            self.faults.append(f"{self.prefix}{key}: must hold keys of its own, indented below it")
        return _Reader(value if isinstance(value, dict) else {}, prefix=f"{key}.", faults=self.faults)

    def refuse_unknown(self, kind: type) -> None:
        known = [known.name for known in fields(kind)]
        for key in self.content:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"; did you mean `{near[0]}`?" if near else ""
                self.faults.append(f"{self.prefix}{key}: is not a known key{hint}")


def _config(reader: _Reader) -> Config | None:
    reader.refuse_unknown(Config)
    server = reader.take("server", "", server_address, required=True)
    config = Config(
        server=server,
        instrument_id=reader.take("instrument_id", "", _slug, required=True),
        watch_directory=reader.take("watch_directory", Path(), _absolute_path, required=True),
        watcher_id=reader.take("watcher_id", None, _text),
        file_patterns=reader.take("file_patterns", Config.file_patterns, _patterns),
        ignore_patterns=reader.take("ignore_patterns", Config.ignore_patterns, _texts),
        run_grouping=_grouping(reader.section("run_grouping")),
        upload_mode=reader.take("upload_mode", UploadMode.AUTO, _one_of(UploadMode)),
        stability_seconds=reader.take("stability_seconds", Config.stability_seconds, _number(0, 86_400)),
        rescan_seconds=reader.take("rescan_seconds", Config.rescan_seconds, _number(1, 86_400)),
        heartbeat_seconds=reader.take("heartbeat_seconds", Config.heartbeat_seconds, _number(1, 240)),
        events_kept=reader.take("events_kept", Config.events_kept, _whole(100, 1_000_000)),
        uploads=_uploads(reader.section("uploads")),
        updates=_updates(reader.section("updates")),
    )
    return None if reader.faults else config


def _grouping(reader: _Reader) -> Grouping:
    reader.refuse_unknown(Grouping)
    by = reader.take("by", GroupBy.STEM, _one_of(GroupBy))
    return Grouping(
        by=by,
        separator=reader.take("separator", Grouping.separator, _text),
        pattern=reader.take("pattern", "", group_pattern, required=by is GroupBy.REGEX),
    )


def _uploads(reader: _Reader) -> Uploads:
    reader.refuse_unknown(Uploads)
    return Uploads(
        parallel=reader.take("parallel", Uploads.parallel, _whole(1, 16)),
        bandwidth_limit_mib=reader.take("bandwidth_limit_mib", None, _number(0.01, 100_000)),
        pause_above_disk_load=reader.take("pause_above_disk_load", None, _whole(1, 100)),
    )


def _updates(reader: _Reader) -> Updates:
    reader.refuse_unknown(Updates)
    return Updates(source=reader.take("source", None, _text))


def server_address(value: Any) -> str:
    """`https://host[:port][/prefix]`, without a trailing slash and without /api/v1. Raises ValueError."""
    text = _text(value).rstrip("/").removesuffix("/api/v1")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be an address such as https://data.lab.example")
    if parts.username or parts.password:
        raise ValueError("must not hold a user name or password")
    return text


def group_pattern(value: Any) -> str:
    """A regular expression with exactly one group. Raises ValueError."""
    text = _text(value)
    try:
        groups = regex.compile(text).groups
    except regex.error as error:
        raise ValueError(f"is no regular expression: {error}") from None
    if groups != 1:
        raise ValueError(f"must have exactly one group ( ), it has {groups}")
    return text


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text")
    return value


def _slug(value: Any) -> str:
    text = _text(value)
    if not regex.fullmatch(r"[a-z0-9-]{1,64}", text):
        raise ValueError("must be 1 to 64 of a-z, 0-9 and -")
    return text


def _absolute_path(value: Any) -> Path:
    path = Path(_text(value)).expanduser()
    if not path.is_absolute():
        raise ValueError("must be a full path")
    return path


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError('must be a list of texts, such as ["*.csv", "*.raw"]')
    return tuple(value)


def _patterns(value: Any) -> tuple[str, ...]:
    texts = _texts(value)
    if not texts:
        raise ValueError('must hold at least one pattern; "*" takes every file')
    return texts


def _one_of(kind: type[Any]) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        try:
            return kind(value)
        except ValueError:
            choices = ", ".join(member.value for member in kind)
            raise ValueError(f"must be one of {choices}") from None

    return check


def _number(least: float, most: float) -> Callable[[Any], Any]:
    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise ValueError(f"must be a number from {least:g} to {most:g}")
        return value

    return check


def _whole(least: int, most: int) -> Callable[[Any], Any]:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return value

    return check
