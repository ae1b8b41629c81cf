"""OpenStack Swift with its S3 API in one process, for the contract suite: the strictest free reader of signatures.

Run by the interpreter of an environment that has tests/files/storage/swift-requirements.lock, never by ours:
`python swift_server.py DIRECTORY` says the port that answers S3 and serves until its standard input closes.
"""

import sys
from pathlib import Path

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402  (eventlet patches the standard library before anything else uses it)
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.storage_policy import reload_storage_policies  # noqa: E402
from swift.common.utils import set_swift_dir, validate_hash_conf  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

SWIFT = "[swift-hash]\nswift_hash_path_suffix = suite\n[storage-policy:0]\nname = default\ndefault = yes\n"
BACKEND = """
[DEFAULT]
devices = {devices}
mount_check = false
swift_dir = {directory}
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""
PROXY = """
[DEFAULT]
swift_dir = {directory}
[pipeline:main]
pipeline = catch_errors s3api tempauth copy slo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_suite_keeper = secret-of-the-suite .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
node_timeout = 30
"""


class Silence:
    def write(self, text: str) -> None:
        pass

    def info(self, *arguments: object) -> None:
        pass


def serve(sock: object, app: object) -> None:
    eventlet.spawn_n(wsgi.server, sock, app, Silence(), log_output=False, capitalize_response_headers=False)


def write_ring(directory: Path, name: str, port: int) -> None:
    builder = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "sda", "weight": 1})
    builder.rebalance()
    builder.get_ring().save(str(directory / f"{name}.ring.gz"))


def main(directory: Path) -> None:
    devices = directory / "devices"
    (devices / "sda").mkdir(parents=True)
    (directory / "swift.conf").write_text(SWIFT)
    set_swift_dir(str(directory))
    validate_hash_conf()
    reload_storage_policies()
    for name in ("account", "container", "object"):
        sock = eventlet.listen(("127.0.0.1", 0))
        write_ring(directory, name, sock.getsockname()[1])
        config = directory / f"{name}-server.conf"
        config.write_text(BACKEND.format(devices=devices, directory=directory, name=name))
        serve(sock, loadapp(str(config)))
    config = directory / "proxy-server.conf"
    config.write_text(PROXY.format(directory=directory))
    sock = eventlet.listen(("127.0.0.1", 0))
    serve(sock, loadapp(str(config)))
    sys.stdout.write(f"{sock.getsockname()[1]}\n")
    sys.stdout.flush()
    eventlet.tpool.execute(sys.stdin.read)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
