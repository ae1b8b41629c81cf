"""A disk that forgets: what of a store outlives a power cut, at any point of what was done to it.

POSIX promises little: the bytes of a file are on the disk once the file was synced, a name once its directory was.
`Recorder` notes the system calls; `Disk` plays the first of them again and keeps only what was promised, or, as file
systems may too, every name without the bytes behind it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Call = tuple[str, tuple[Any, ...]]


class Recorder:
    """The calls that change what lies below `root`, in their order."""

    def __init__(self, root: Path) -> None:
        self.root, self.calls = root, list[Call]()
        self._paths: dict[int, str] = {}

    @contextmanager
    def listening(self) -> Iterator["Recorder"]:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("open", "write", "pwrite", "fsync", "mkdir", "rename", "replace", "rmdir", "unlink"):
                patch.setattr(os, name, self._noting(name, getattr(os, name)))
            yield self

    def _noting(self, name: str, real: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            result = real(*arguments, **options)
            getattr(self, f"_note_{name}")(result, *arguments, **options)
            return result

        return call

    def _note_open(self, descriptor: int, path: Any, flags: int, *_: Any, **options: Any) -> None:
        if options.get("dir_fd") is None:
            self._paths[descriptor] = os.fspath(path)
            if flags & os.O_CREAT:
                self._note("create", os.fspath(path))

    def _note_write(self, written: int, descriptor: int, data: Any) -> None:
        self._note("append", self._paths[descriptor], bytes(data[:written]))

    def _note_pwrite(self, written: int, descriptor: int, data: Any, offset: int) -> None:
        self._note("put", self._paths[descriptor], bytes(data[:written]), offset)

    def _note_fsync(self, _: None, descriptor: int) -> None:
        self._note("sync", self._paths[descriptor])

    def _note_mkdir(self, _: None, path: Any, *__: Any, **___: Any) -> None:
        self._note("mkdir", os.fspath(path))

    def _note_rename(self, _: None, old: Any, new: Any) -> None:
        self._note("rename", os.fspath(old), os.fspath(new))

    _note_replace = _note_rename

    def _note_rmdir(self, _: None, path: Any, **__: Any) -> None:
        self._note("remove", os.fspath(path))

    _note_unlink = _note_rmdir

    def _note(self, name: str, path: str, *rest: Any) -> None:
        if Path(path).is_relative_to(self.root):
            self.calls.append((name, (path, *rest)))


@dataclass
class Node:
    """A file, or a directory where `names` is not None; beside it what of it is on the disk."""

    data: bytearray = field(default_factory=bytearray)
    names: "dict[str, Node] | None" = None
    kept_data: bytes = b""
    kept_names: "dict[str, Node]" = field(default_factory=dict)


class Disk:
    """The disk after some of the calls, none of whose effects were written but as they asked for."""

    def __init__(self, root: Path, calls: list[Call]) -> None:
        self._root, self._top = root, Node(names={})
        for name, (path, *rest) in calls:
            getattr(self, f"_{name}")(path, *rest)

    def write_to(self, place: Path, *, names_survive: bool) -> None:
        """What is found after the power cut."""
        self._write(self._top, place, names_survive)

    def _write(self, node: Node, place: Path, names_survive: bool) -> None:
        if node.names is None:
            place.write_bytes(node.kept_data)
            return
        place.mkdir()
        for name, child in (node.names if names_survive else node.kept_names).items():
            self._write(child, place / name, names_survive)

    def _find(self, path: str) -> Node:
        node = self._top
        for part in Path(path).relative_to(self._root).parts:
            assert node.names is not None
            node = node.names[part]
        return node

    def _folder_of(self, path: str) -> tuple[dict[str, Node], str]:
        names = self._find(str(Path(path).parent)).names
        assert names is not None
        return names, Path(path).name

    def _create(self, path: str) -> None:
        names, name = self._folder_of(path)
        names.setdefault(name, Node())

    def _mkdir(self, path: str) -> None:
        names, name = self._folder_of(path)
        names[name] = Node(names={})

    def _append(self, path: str, data: bytes) -> None:
        self._find(path).data += data

    def _put(self, path: str, data: bytes, offset: int) -> None:
        self._find(path).data[offset : offset + len(data)] = data

    def _sync(self, path: str) -> None:
        node = self._find(path)
        if node.names is None:
            node.kept_data = bytes(node.data)
        else:
            node.kept_names = dict(node.names)

    def _rename(self, old: str, new: str) -> None:
        names, name = self._folder_of(old)
        moved = names.pop(name)
        names, name = self._folder_of(new)
        names[name] = moved

    def _remove(self, path: str) -> None:
        names, name = self._folder_of(path)
        names.pop(name, None)
