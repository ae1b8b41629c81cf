"""Where calls of the service may go: to public addresses, and on private networks to what the operator named.

Named are the hosts and networks of PRIVATE_HOSTS, and the hosts of addresses that are themselves settings. A name is
resolved once, within the time of its call, and every address that it has must be allowed.
"""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillResolving
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.ip_network("64:ff9b::/96")
GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")  # all of IPv6 that is given out
NOT_PUBLIC = [  # though they are not private: for protocols and examples, and where clouds answer their own machines
    ipaddress.ip_network(network) for network in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20")
]
RESOLVERS = ThreadPoolExecutor(4, thread_name_prefix="resolve")


class AddressRefused(Exception):
    """The sentence says why nobody is called there."""


@dataclass(frozen=True)
class Reach:
    """How far one kind of call goes beyond public addresses.

    `setting` names the hosts, addresses and networks that the operator opened; `addresses` are settings of their own,
    the hosts of which are open too. With `to_loopback` this machine is, where it is called by that name.
    """

    setting: str
    list_named: Callable[[], Sequence[str]]
    list_addresses: Callable[[], Sequence[str]] = lambda: ()
    to_loopback: bool = False

    @property
    def refusal(self) -> str:
        return f"on a private network that {self.setting} does not name."


SERVICES = Reach(
    "PRIVATE_HOSTS",
    lambda: settings.PRIVATE_HOSTS,
    lambda: (settings.OIDC_ISSUER, settings.ARCHIVE_WORKER_URL),
)


def resolve_host(
    host: str, port: int, *, seconds: float, only_public: bool = False, reach: Reach = SERVICES
) -> tuple[str, ...]:
    """The addresses of a host, all allowed; `only_public` whatever the operator named. Raises AddressRefused."""
    try:
        found = RESOLVERS.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM).result(timeout=seconds)
    except (OSError, UnicodeError, StillResolving):
        raise AddressRefused("The host's name is not known here.") from None
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in map(ipaddress.ip_address, addresses):
        is_open = not only_public and (is_named(host, reach=reach) or is_in_named(address, reach=reach))
        if not (is_public(unwrap_address(address)) or is_open):
            raise AddressRefused(f"The host is {reach.refusal}")
    return addresses


def literal_fault(host: str, *, reach: Reach = SERVICES) -> str | None:
    """Why a host that is written as an address may not be called; None for names, which are resolved when called."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if is_named(host, reach=reach) or is_public(unwrap_address(address)) or is_in_named(address, reach=reach):
        return None
    return f"The address is {reach.refusal}"


def is_named(host: str, *, reach: Reach = SERVICES) -> bool:
    """Whether the operator wrote this very name or address into a setting, or it is this machine's own name."""
    name = host.lower().rstrip(".")
    own = (urlsplit(address).hostname for address in reach.list_addresses())
    return name in {*map(str.lower, reach.list_named()), *own} or (reach.to_loopback and is_loopback(name))


def is_loopback(name: str) -> bool:
    """`localhost`, or an address of this machine; what other names lead to does not count."""
    try:
        return name == "localhost" or unwrap_address(ipaddress.ip_address(name)).is_loopback
    except ValueError:
        return False


def is_in_named(address: Address, *, reach: Reach = SERVICES) -> bool:
    """Whether it is in a network that the operator named."""
    plain = unwrap_address(address)
    return any(plain in network for network in list_named_networks(reach))


def is_public(address: Address) -> bool:
    """Not private, shared, loopback, link-local (where clouds keep metadata), reserved, multicast or unspecified."""
    if address.is_multicast:
        return False
    is_given_out = address.version == 4 or address in GLOBAL_UNICAST
    return is_given_out and address.is_global and not any(address in network for network in NOT_PUBLIC)


def unwrap_address(address: Address) -> Address:
    """The IPv4 address that some forms of IPv6 carry, which is where a packet to them ends up."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.teredo:
        return address.teredo[1]
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def list_named_networks(reach: Reach) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Those entries of the setting that are addresses or networks: `10.0.0.0/8`."""
    found = []
    for name in reach.list_named():
        try:
            found.append(ipaddress.ip_network(name, strict=False))
        except ValueError:
            continue
    return found
