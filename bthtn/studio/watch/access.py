"""Access: only a page of this server, opened on this machine, gets an answer.

Host      has to name the loopback interface: a page elsewhere whose name was made to resolve to
          this machine (DNS rebinding) sends its own name
Origin    where a browser sends it, has to be this server
token     writing needs the token, which is in the fragment of the address that was printed, and
          so is never sent; the page sends it in a header
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

LOCAL: Final = frozenset({"127.0.0.1", "localhost"})

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of all answers."""


def refusal(headers: Mapping[str, str]) -> str:
    """Why a request with these headers, by lower-case name, is refused; empty if it is not."""
    host = headers.get("host", "")
    if _name_in(host) not in LOCAL:
        return "the Host header does not name this machine"
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return "the request comes from another page"
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return "the request comes from another page"
    return ""


def _name_in(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:  # brackets that are no address, and the like
        return None


def may_write(headers: Mapping[str, str], token: str) -> bool:
    """Whether a request has the token, as ``Authorization: Bearer …``; takes the same time."""
    given = headers.get("authorization", "").encode()
    return hmac.compare_digest(given, f"Bearer {token}".encode())
