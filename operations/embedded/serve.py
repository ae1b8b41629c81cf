"""`./ids serve`: the whole service on one machine (IDS_DATA, IDS_HOST, IDS_PORT, PUBLIC_URL).

With IDS_DEMO_PYTHON, the Python that has the agent's packages, a simulated instrument works beside it.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from operations.embedded import processes
from operations.embedded.address import Address
from operations.embedded.data_directory import DataDirectory, DataDirectoryGone, Holder
from operations.embedded.errors import EmbeddedError
from operations.embedded.postgres_room import keep_room
from operations.embedded.programs import (
    CHECKOUT,
    Program,
    end_programs,
    list_web_logs,
    make_preloaded_programs,
    make_simulator_program,
    web_log_path,
)
from operations.embedded.servers import Servers
from operations.embedded.supervisor import Supervisor
from wire.kernel import forbid_inspection

ANSWER_TIMEOUT_SECONDS = 60.0
GONE_EXIT_CODE = 66  # EX_NOINPUT of sysexits.h: a start at once would make an empty service in its place
REFUSED_EXIT_CODE = 3  # the exit code of a preparation whose last line says all
LIVENESS_REQUEST = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def main() -> None:
    forbid_inspection()
    data = DataDirectory(Path(os.environ.get("IDS_DATA") or CHECKOUT / "var").resolve())
    address = Address(os.environ.get("IDS_HOST") or "127.0.0.1", int(os.environ.get("IDS_PORT") or "8000"))
    try:
        run_service(data, address)
    except EmbeddedError as error:
        print(f"./ids serve: {error}", file=sys.stderr)
        sys.exit(GONE_EXIT_CODE if isinstance(error, DataDirectoryGone) else 1)


def run_service(data: DataDirectory, address: Address) -> None:
    """Until INT or TERM."""
    data.prepare()
    with data.claim() as claim, _open_listener(data, address) as listener:
        public_url = os.environ.get("PUBLIC_URL") or address.url(listener)
        claim.write(Holder("serve", os.getpid(), public_url))
        servers = Servers.of(data)
        environ = {
            **os.environ,
            **servers.variables(),
            "SECRET_KEY": os.environ.get("SECRET_KEY") or data.secret_key(),
            "IDS_DATA": str(data.path),
            "PUBLIC_URL": public_url,
        }
        programs, guests = _make_programs(data, environ, listener), _make_demo_programs(data, public_url)
        with Supervisor(servers=list(servers), programs=programs, guests=guests) as supervisor:
            supervisor.start(supervisor.servers)
            first_link = _prepare_database(data, environ, is_demo=bool(guests))
            if servers.postgres:
                servers.postgres.forget_making()
                keep_room(servers.postgres)
            claim.write(Holder("serve", os.getpid(), public_url, is_ready=True))
            supervisor.start(programs)
            _wait_for_answer(listener, programs[-1], web_log_path(data))
            _print_addresses(public_url, data, first_link, is_demo=bool(guests))
            supervisor.start(guests)
            try:
                supervisor.watch(check=claim.check)
            finally:
                listener.close()  # the programs have it, too: behind the last of them nobody waits in vain
        end_programs(data)
    print("Stopped.", flush=True)


def _open_listener(data: DataDirectory, address: Address) -> socket.socket:
    """The port may still be held by the web server of a supervisor that was killed."""
    end_programs(data)
    for log in list_web_logs(data):
        processes.forget_session(log)
    return address.listen()


def _make_programs(data: DataDirectory, environ: Mapping[str, str], listener: socket.socket) -> list[Program]:
    """They work as the service's role and never learn the owner's address."""
    service = {name: value for name, value in environ.items() if name != "DATABASE_OWNER_URL"}
    return [make_preloaded_programs(data, service, listener=listener.fileno())]


def _make_demo_programs(data: DataDirectory, public_url: str) -> list[Program]:
    """Of a demo. They learn nothing that the service keeps to itself."""
    python = os.environ.get("IDS_DEMO_PYTHON")
    return [make_simulator_program(data, os.environ, server=public_url, python=python)] if python else []


def _prepare_database(data: DataDirectory, environ: Mapping[str, str], *, is_demo: bool) -> str:
    """Bring the database up to date; the first admin's sign-in link, or nothing."""
    log = data.logs / "prepare.log"
    command = [sys.executable, str(CHECKOUT / "manage.py"), "prepare", *(["--demo", str(data.demo)] if is_demo else [])]
    try:
        child = processes.start_process(command, log=log, environ=environ, cwd=CHECKOUT, stdout=subprocess.PIPE)
        output, _ = child.communicate()
    finally:
        processes.end_writers(log)
    if child.returncode == REFUSED_EXIT_CODE:
        raise EmbeddedError(processes.read_log_tail(log, 1).partition(": ")[2])  # Django writes the error's class first
    if child.returncode:
        raise EmbeddedError(f"The database cannot be prepared; the end of {log}:\n{processes.read_log_tail(log)}")
    return output.decode().strip()


def _wait_for_answer(listener: socket.socket, programs: Program, web_log: Path) -> None:
    """Until the web server answers. Our socket takes the question at once, the answer comes when it runs."""
    host, port = listener.getsockname()[:2]
    loopback = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    deadline = time.monotonic() + ANSWER_TIMEOUT_SECONDS
    with socket.create_connection((loopback, port), timeout=0.1) as connection:
        connection.sendall(LIVENESS_REQUEST)
        while time.monotonic() < deadline and not processes.has_writer_ended(web_log):
            if programs.child is None or programs.child.poll() is not None:
                web_log = programs.log
                break
            try:
                answer = connection.recv(64)
            except TimeoutError:
                continue
            if b" 200 " in answer:
                return
            break
    raise EmbeddedError(f"The web server does not answer; the end of {web_log}:\n{processes.read_log_tail(web_log)}")


def _print_addresses(public_url: str, data: DataDirectory, first_link: str, *, is_demo: bool) -> None:
    lines = [f"Instrument Data Service at {public_url}"]
    if first_link:
        lines.append(f"There is no admin yet. Become the first by this link, good once: {first_link}")
    if is_demo:
        lines.append(f"A simulated instrument writes into {data.demo / 'instrument'}; its runs arrive from now on.")
    lines.append(f"Data in {data.path}, logs in {data.logs}. Ctrl-C stops everything.")
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
