"""What packages of the agent carry of its own files."""

from pathlib import Path

from agent.packaging import trees


def test_every_file_of_the_agent_is_carried(tmp_path: Path):
    trees.unpack_agent(tmp_path, version="1.2.3")

    source = trees.AGENT / "src"
    files = {path.relative_to(source) for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    carried = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert carried - files == {Path("instrument_watcher-1.2.3.dist-info/METADATA")}
    assert files <= carried
