"""A web server on loopback that misbehaves as real ones do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True, kw_only=True)
class Site:
    """What the server sends, and what it was asked.

    `content` is the file. Each request takes the next of `faults`: "" serves it, "cut" closes
    the connection half-way through what was asked for, "html" sends a web page, "no-range" sends
    all of it whatever was asked, a number is the status to answer with.
    """

    content: bytes
    faults: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Serve `site` while the block runs; its `url` is filled in."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self, site)

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(len(site.content)))
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}/file.bin"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answer(handler: BaseHTTPRequestHandler, site: Site) -> None:
    asked = handler.headers.get("Range", "")
    site.ranges.append(asked)
    fault = site.faults.pop(0) if site.faults else ""
    if fault.isdecimal():
        handler.send_error(int(fault))
        return
    body, start = site.content, 0
    if fault == "html":
        body = b"<!DOCTYPE html><title>Log in to this network</title>"
    elif asked and fault != "no-range":
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        body = body[start:]
        handler.send_response(206)
        handler.send_header(
            "Content-Range", f"bytes {start}-{len(site.content) - 1}/{len(site.content)}"
        )
    if not (asked and start):
        handler.send_response(200)
    kind = "text/html" if fault == "html" else "application/octet-stream"
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2] if fault == "cut" else body)
