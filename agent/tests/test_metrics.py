"""The endpoint for Prometheus: off unless asked for, and for this computer unless told otherwise."""

import pytest
import requests

from agent.tests.lab import DATA, Lab, wait_until
from instrument_watcher.config.reading import ConfigInvalid, read_config
from tests.ports import free_port

TEXT = f"server: https://x\ninstrument_id: reader\nwatch_directory: {DATA.as_posix()}\n"


def test_a_running_agent_tells_what_it_does(lab: Lab):
    port = free_port()
    lab.write("R1/a.csv", b"12345")
    lab.init(metrics_listen=port)
    lab.start()
    lab.wait_stored(1)

    text = wait_until(lambda: requests.get(f"http://127.0.0.1:{port}/metrics", timeout=10).text)

    labels = f'{{instrument="{lab.instrument}"}}'
    assert f"instrument_watcher_files_uploaded_total{labels} 1\n" in text
    assert f"instrument_watcher_bytes_uploaded_total{labels} 5\n" in text
    assert f'instrument_watcher_folder_state{{instrument="{lab.instrument}",state="watching"}} 1\n' in text
    assert requests.get(f"http://127.0.0.1:{port}/", timeout=10).status_code == 404


def test_it_is_off_unless_asked_for():
    assert read_config(TEXT).metrics_listen is None


@pytest.mark.parametrize(("given", "meant"), [("9464", "127.0.0.1:9464"), ("0.0.0.0:9464", "0.0.0.0:9464")])
def test_a_port_alone_is_of_this_computer(given: str, meant: str):
    assert read_config(f"{TEXT}metrics_listen: {given}\n").metrics_listen == meant


@pytest.mark.parametrize("given", ["0", "70000", "here", "true", "-1"])
def test_what_is_no_port_is_named(given: str):
    with pytest.raises(ConfigInvalid, match="metrics_listen: must be a port"):
        read_config(f"{TEXT}metrics_listen: {given}\n")
