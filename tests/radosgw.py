"""Ceph's S3 on loopback: one monitor, one OSD with bluestore on a file, one radosgw, all of a throw-away cluster.

Needs Debian's `radosgw ceph-mon ceph-osd ceph-common` and a root's rights; `missing_programs` says what is not there.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import requests

from tests.ports import free_port

PROGRAMS = ("monmaptool", "ceph-authtool", "ceph-mon", "ceph-osd", "ceph", "radosgw-admin", "radosgw")
USER, SECRET = "suite", "secret-of-the-suite"
START_SECONDS = 120
CONFIG = """
[global]
fsid = {fsid}
mon_initial_members = a
mon_host = v2:127.0.0.1:{monitor}/0
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
keyring = {directory}/keyring
auth_allow_insecure_global_id_reclaim = false
mon_allow_pool_size_one = true
mon_data = {directory}/mon
mon_data_avail_crit = 1
mon_data_avail_warn = 1
osd_data = {directory}/osd
osd_objectstore = bluestore
osd_memory_target = 939524096
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
bluestore_block_size = 8589934592
bluestore_block_db_size = 67108864
bluestore_block_wal_size = 67108864
run_dir = {directory}/run
admin_socket = {directory}/run/$name.$pid.asok
log_file = {directory}/run/$name.log
rgw_frontends = beast endpoint=127.0.0.1:{gateway}
rgw_enable_apis = s3
rgw_thread_pool_size = 16
"""


def missing_programs() -> list[str]:
    return [program for program in PROGRAMS if shutil.which(program) is None]


@contextmanager
def running_radosgw(directory: Path) -> Iterator[str]:
    """The address of an empty gateway whose data lies in `directory` (8 GiB, sparse), up within half a minute."""
    gateway, monitor = free_port(), free_port()
    for name in ("mon", "osd", "run"):
        (directory / name).mkdir(parents=True)
    fsid = uuid4()
    config = CONFIG.format(directory=directory, fsid=fsid, monitor=monitor, gateway=gateway)
    (directory / "ceph.conf").write_text(config)
    with ExitStack() as daemons:
        run = CephCommands(directory)
        run.make_keys()
        run("monmaptool", "--create", "--fsid", str(fsid), "--addv", "a", f"[v2:127.0.0.1:{monitor}]", run.path("map"))
        run.configured("ceph-mon", "--mkfs", "-i", "a", "--monmap", run.path("map"), "--keyring", run.path("keyring"))
        daemons.enter_context(run.daemon("ceph-mon", "-i", "a"))
        uuid = str(uuid4())
        run.configured("ceph", "--connect-timeout", str(START_SECONDS), "osd", "new", uuid)
        run.configured("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", uuid)
        daemons.enter_context(run.daemon("ceph-osd", "-i", "0"))
        keys = ("--access-key", USER, "--secret-key", SECRET)
        run.configured("radosgw-admin", "user", "create", "--uid", USER, "--display-name", USER, *keys)
        daemons.enter_context(run.daemon("radosgw", "-n", "client.admin"))
        url = f"http://127.0.0.1:{gateway}"
        wait_for_answer(url)
        yield url


class CephCommands:
    """Runs Ceph's programs on one cluster; what they say is in its folder `run`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.environ = os.environ | {"CEPH_CONF": self.path("ceph.conf")}

    def path(self, name: str) -> str:
        return str(self.directory / name)

    def __call__(self, *command: str) -> None:
        with Path(self.path("run/commands")).open("ab") as output:
            subprocess.run(command, check=True, env=self.environ, stdout=output, stderr=output, timeout=START_SECONDS)

    def configured(self, program: str, *arguments: str) -> None:
        self(program, "-c", self.path("ceph.conf"), *arguments)

    def make_keys(self) -> None:
        keyring = ("ceph-authtool", self.path("keyring"), "--gen-key")
        self(*keyring, "--create-keyring", "-n", "mon.", "--cap", "mon", "allow *")
        for name in ("client.admin", "osd.0"):
            self(*keyring, "-n", name, "--cap", "mon", "allow *", "--cap", "osd", "allow *", "--cap", "mgr", "allow *")

    @contextmanager
    def daemon(self, program: str, *arguments: str) -> Iterator[None]:
        """In the foreground, as our child."""
        with Path(self.path(f"run/{program}")).open("wb") as output:
            command = [program, "-c", self.path("ceph.conf"), *arguments, "-f"]
            child = subprocess.Popen(command, env=self.environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            yield
        finally:
            child.kill()  # what it keeps is thrown away
            child.wait()


def wait_for_answer(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            requests.get(url, timeout=5)
        except requests.RequestException:
            assert time.monotonic() < deadline, "radosgw does not answer"
            time.sleep(0.2)
        else:
            return
