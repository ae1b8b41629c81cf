"""A plug-in that wants out. It runs in the child; the file that it reads names what there is to be reached.

Some tests take a wall away: so nothing here harms the machine where it succeeds. Signals are asked for by number 0.
"""

import ctypes
import fcntl
import json
import os
import resource
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from processing.readings import Input, Output

CLONE_NEWUSER, PTRACE_ATTACH, F_SETOWN, MAY_SIGNAL = 0x10000000, 16, 8, 0
IO_URING_SETUP = 425
Target = dict[str, Any]


def attacks(given: Input) -> Output:
    """What became of each try: `refused`, and by what, or `done`."""
    target = json.loads(given.path.read_text())
    return Output(file={name: attempt(attack, target) for name, attack in ATTACKS.items()})


def attempt(attack: Callable[[Target], object], target: Target) -> str:
    try:
        attack(target)
    except Exception as error:
        return f"refused: {type(error).__name__}"
    return "done"


def read_secret_key(target: Target) -> None:
    Path(target["secret"]).read_bytes()


def list_the_data(target: Target) -> None:
    list(Path(target["data"]).iterdir())


def read_environment_of_the_worker(target: Target) -> None:
    Path(f"/proc/{target['worker']}/environ").read_bytes()


def read_environment_of_the_fork_server(target: Target) -> None:
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


def read_memory_of_the_worker(target: Target) -> None:
    Path(f"/proc/{target['worker']}/mem").open("rb").close()


def read_accounts_of_the_machine(target: Target) -> None:
    Path("/etc/passwd").read_bytes()


def list_the_processes(target: Target) -> None:
    list(Path("/proc").iterdir())


def ask_the_database_by_its_socket(target: Target) -> None:
    psycopg.connect(target["database"], connect_timeout=60).close()


def ask_the_database_by_tcp(target: Target) -> None:
    psycopg.connect("host=127.0.0.1 dbname=ids user=postgres", connect_timeout=60).close()


def ask_the_queue(target: Target) -> None:
    socket.socket(socket.AF_UNIX).connect(target["queue"])


def open_a_connection(target: Target) -> None:
    socket.create_connection(("127.0.0.1", target["port"]), timeout=60).close()


def listen_to_the_network(target: Target) -> None:
    socket.create_server(("127.0.0.1", 0)).close()


def send_a_datagram(target: Target) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", ("127.0.0.1", target["port"]))


def run_a_shell(target: Target) -> None:
    subprocess.run(["/bin/sh", "-c", "true"], check=True)


def become_a_shell(target: Target) -> None:
    os.execv("/bin/sh", ["/bin/sh", "-c", "true"])


def fork(target: Target) -> None:
    if os.fork() == 0:
        os._exit(0)


def bomb_with_threads(target: Target) -> None:
    stop = threading.Event()
    threads = [threading.Thread(target=stop.wait, daemon=True) for _ in range(200)]
    try:
        for thread in threads:
            thread.start()
    finally:
        stop.set()
        for thread in threads:
            if thread.ident:
                thread.join()  # their stacks would fill the memory that the next attack needs


def write_into_the_store(target: Target) -> None:
    Path(target["store"], "forged").write_bytes(b"forged")


def overwrite_an_object(target: Target) -> None:
    Path(target["object"]).write_bytes(b"forged")


def remove_an_object(target: Target) -> None:
    Path(target["object"]).unlink()


def lock_an_object_away(target: Target) -> None:
    Path(target["object"]).chmod(0)


def cut_an_object(target: Target) -> None:
    os.truncate(target["object"], 0)


def date_an_object_back(target: Target) -> None:
    os.utime(target["object"], (0, 0))


def link_an_object(target: Target) -> None:
    os.link(target["object"], "stolen")


def point_at_the_secret(target: Target) -> None:
    Path("link").symlink_to(target["secret"])


def write_beside_the_folder(target: Target) -> None:
    Path(target["beside"]).write_bytes(b"forged")


def write_into_a_library(target: Target) -> None:
    Path(psycopg.__file__).open("ab").close()


def trace_the_parent(target: Target) -> None:
    call(ctypes.CDLL(None, use_errno=True).ptrace, PTRACE_ATTACH, os.getppid(), 0, 0)


def kill_the_parent(target: Target) -> None:
    os.kill(os.getppid(), MAY_SIGNAL)


def kill_the_worker(target: Target) -> None:
    os.kill(target["worker"], MAY_SIGNAL)


def kill_everybody(target: Target) -> None:
    os.kill(-1, MAY_SIGNAL)


def limit_the_parent(target: Target) -> None:
    resource.prlimit(os.getppid(), resource.RLIMIT_CPU)


def have_the_kernel_signal_the_parent(target: Target) -> None:
    reading, _ = os.pipe()
    fcntl.fcntl(reading, F_SETOWN, os.getppid())


def become_root_of_a_namespace(target: Target) -> None:
    call(ctypes.CDLL(None, use_errno=True).unshare, CLONE_NEWUSER)


def outlive_the_worker(target: Target) -> None:
    call(ctypes.CDLL(None, use_errno=True).prctl, 1, 0, 0, 0, 0)


def hide_memory_in_a_file(target: Target) -> None:
    os.memfd_create("hidden")


def call_by_ring(target: Target) -> None:
    call(ctypes.CDLL(None, use_errno=True).syscall, IO_URING_SETUP, 8, ctypes.create_string_buffer(256))


def call(function: Callable[..., int], *arguments: Any) -> None:
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused by the kernel")


ATTACKS = {
    attack.__name__: attack
    for attack in (
        read_secret_key,
        list_the_data,
        read_environment_of_the_worker,
        read_environment_of_the_fork_server,
        read_memory_of_the_worker,
        read_accounts_of_the_machine,
        list_the_processes,
        ask_the_database_by_its_socket,
        ask_the_database_by_tcp,
        ask_the_queue,
        open_a_connection,
        listen_to_the_network,
        send_a_datagram,
        run_a_shell,
        become_a_shell,
        fork,
        bomb_with_threads,
        write_into_the_store,
        overwrite_an_object,
        remove_an_object,
        lock_an_object_away,
        cut_an_object,
        date_an_object_back,
        link_an_object,
        point_at_the_secret,
        write_beside_the_folder,
        write_into_a_library,
        trace_the_parent,
        kill_the_parent,
        kill_the_worker,
        kill_everybody,
        limit_the_parent,
        have_the_kernel_signal_the_parent,
        become_root_of_a_namespace,
        outlive_the_worker,
        hide_memory_in_a_file,
        call_by_ring,
    )
}


def fills_the_disk(given: Input) -> Output:
    """Each file stays below the limit of one; together they would fill it."""
    for number in range(20):
        with Path(f"part-{number}").open("wb") as file:
            for _ in range(200):
                file.write(bytes(1024 * 1024))
    return Output()


def fills_the_disk_with_names(given: Input) -> Output:
    for number in range(100_000):
        Path(str(number)).touch()
    time.sleep(20)
    return Output()
