"""Where calls of the service may go: to public addresses, and on private networks to what the operator named.

Named are the hosts and networks of PRIVATE_HOSTS, and the hosts of addresses that are themselves settings. A name is
resolved once, within the time of its call, and every address that it has must be allowed.
"""

import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillResolving
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.ip_network("64:ff9b::/96")
RESOLVERS = ThreadPoolExecutor(4, thread_name_prefix="resolve")


class AddressRefused(Exception):
    """The sentence says why nobody is called there."""


def resolve_host(host: str, port: int, *, seconds: float, only_public: bool = False) -> tuple[str, ...]:
    """The addresses of a host, all allowed; `only_public` whatever the operator named. Raises AddressRefused."""
    try:
        found = RESOLVERS.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM).result(timeout=seconds)
    except (OSError, UnicodeError, StillResolving):
        raise AddressRefused("The host's name is not known here.") from None
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in map(ipaddress.ip_address, addresses):
        if not is_public(unwrap_address(address)) and (only_public or not (is_named(host) or is_in_named(address))):
            raise AddressRefused("The host is on a private network that PRIVATE_HOSTS does not name.")
    return addresses


def literal_fault(host: str) -> str | None:
    """Why a host that is written as an address may not be called; None for names, which are resolved when called."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if is_named(host) or is_public(unwrap_address(address)) or is_in_named(address):
        return None
    return "The address is on a private network that PRIVATE_HOSTS does not name."


def is_named(host: str) -> bool:
    """Whether the operator wrote this very name or address into a setting."""
    own = (urlsplit(address).hostname for address in (settings.OIDC_ISSUER, settings.ARCHIVE_WORKER_URL))
    return host.lower().rstrip(".") in {*(name.lower() for name in settings.PRIVATE_HOSTS), *own}


def is_in_named(address: Address) -> bool:
    """Whether it is in a network that PRIVATE_HOSTS names."""
    plain = unwrap_address(address)
    return any(plain in network for network in list_named_networks())


def is_public(address: Address) -> bool:
    """Not private, shared, loopback, link-local (where clouds keep metadata), reserved, multicast or unspecified."""
    return address.is_global and not address.is_multicast


def unwrap_address(address: Address) -> Address:
    """The IPv4 address that some forms of IPv6 carry, which is where a packet to them ends up."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.teredo:
        return address.teredo[1]
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def list_named_networks() -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Those entries of PRIVATE_HOSTS that are addresses or networks: `10.0.0.0/8`."""
    found = []
    for name in settings.PRIVATE_HOSTS:
        try:
            found.append(ipaddress.ip_network(name, strict=False))
        except ValueError:
            continue
    return found
