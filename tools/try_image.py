"""Build the Dockerfile's image in a Debian tree and speak from it, on a machine without Docker.

    tools/try_image.py [--tree FOLDER] [--keep]

Needs root and debootstrap. Every RUN, COPY and WORKDIR of the Dockerfile is carried out in a
`debootstrap` tree, one for each stage; a base image of Home Assistant's is replaced by plain
Debian, so its init system and bashio are not tried. Then the command of the app's service is
started in the finished tree, in a network of its own without a way out, and speaks each language
over the port. Prints the size of the tree.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITE, MIRROR = "trixie", "http://deb.debian.org/debian"
HOST_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
CERTIFICATES = "/run/host-certificates.crt"
SIZE_LIMIT_MB = 450
OPTIONS = {"model": "lite", "speed": 1.0, "voice_en": "en_male_01", "log_level": "info"}

SPEAK = """
import asyncio
from cosyvoice_wyoming.address import TcpAddress
from cosyvoice_wyoming.commands.bench.client import request
from cosyvoice_wyoming.commands.bench.texts import ANSWERS

async def main():
    for language, texts in ANSWERS.items():
        heard = await request(TcpAddress(host="127.0.0.1"), texts[0])
        print(f"{language}: first audio {heard.first_audio:.2f} s, {heard.audio:.1f} s of speech")
        assert heard.audio > 0.5

asyncio.run(main())
"""

TRY = """
ip link set lo up
cosyvoice-wyoming-app & server=$!
for attempt in $(seq 1 60); do
    sleep 1
    cosyvoice-wyoming health --uri tcp://127.0.0.1:10200 2>/dev/null && break
done
/opt/cosyvoice-wyoming/bin/python /run/speak.py
/opt/cosyvoice-wyoming/bin/python - <<'PYTHON'
import urllib.request
print("page:", urllib.request.urlopen("http://127.0.0.1:8099/health").read().decode())
PYTHON
ps -o user= -p $server 2>/dev/null || true
kill $server
wait $server && echo "exit status 0 at SIGTERM"
"""


@dataclass
class Stage:
    """A stage of the Dockerfile while it is built."""

    name: str
    tree: Path
    shell: list[str] = field(default_factory=lambda: ["/bin/sh", "-c"])
    workdir: str = "/"
    arguments: dict[str, str] = field(default_factory=dict)


def instructions(dockerfile: Path) -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions, with their continued lines joined."""
    lines = [
        line
        for line in dockerfile.read_text("utf-8").splitlines()
        if not line.lstrip().startswith("#")
    ]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    found = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    return [(name.upper(), rest) for name, rest in found]


def debian(folder: Path) -> Path:
    """Return a pristine Debian tree, made once."""
    tree = folder / "debian"
    if not (tree / "etc/debian_version").exists():
        shutil.rmtree(tree, ignore_errors=True)
        run(["debootstrap", "--variant=minbase", SUITE, str(tree), MIRROR])
        slim(tree)
    return tree


def slim(tree: Path) -> None:
    """Make a Debian tree what Debian's own slim image is: no manuals, no kept packages."""
    unread = ("usr/share/doc", "usr/share/info", "usr/share/locale", "usr/share/man")
    for folder in unread:
        shutil.rmtree(tree / folder, ignore_errors=True)
    excluded = "".join(f"path-exclude /{folder}/*\n" for folder in unread)
    (tree / "etc/dpkg/dpkg.cfg.d/slim").write_text(f"force-unsafe-io\n{excluded}")
    clean = "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin"
    (tree / "etc/apt/apt.conf.d/docker-clean").write_text(
        f'DPkg::Post-Invoke {{ "{clean} || true"; }};\nAcquire::Languages "none";\n'
    )
    run(["chroot", str(tree), "apt-get", "clean"])


def build(folder: Path) -> Stage:
    """Carry out the Dockerfile; return its last stage."""
    stages: dict[str, Stage] = {}
    stage = Stage(name="", tree=folder)
    common: dict[str, str] = {}
    for name, rest in instructions(ROOT / "Dockerfile"):
        if name == "FROM":
            stage = start_stage(folder, rest, len(stages), common)
            stages[stage.name] = stage
        elif name == "ARG":
            key, _, value = rest.partition("=")
            (stage.arguments if stages else common)[key] = value
        elif name == "SHELL":
            stage.shell = json.loads(rest)
        elif name == "WORKDIR":
            stage.workdir = rest
            (stage.tree / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            copy(stage, stages, rest.split())
        elif name == "RUN":
            run_in(stage, rest)
        elif name not in {"LABEL", "EXPOSE", "HEALTHCHECK"}:
            sys.exit(f"try_image: {name} is not known here")
    return stage


def start_stage(folder: Path, rest: str, number: int, common: dict[str, str]) -> Stage:
    image, _, name = rest.partition(" AS ")
    stage = Stage(name=name or str(number), tree=folder / f"stage-{number}")
    stage.arguments |= common
    print(f"==> stage {stage.name}, in place of {image}", flush=True)
    shutil.rmtree(stage.tree, ignore_errors=True)
    run(["cp", "--archive", str(debian(folder)), str(stage.tree)])
    shutil.copy("/etc/resolv.conf", stage.tree / "etc/resolv.conf")
    shutil.copy(HOST_CERTIFICATES, stage.tree / CERTIFICATES.lstrip("/"))
    return stage


def copy(stage: Stage, stages: dict[str, Stage], words: list[str]) -> None:
    print(f"--> COPY {' '.join(words)}", flush=True)
    source_tree = context(stage.tree.parent)
    if words[0].startswith("--from="):
        source_tree = stages[words.pop(0).removeprefix("--from=")].tree
    *sources, target = words
    target_path = stage.tree / stage.workdir.lstrip("/") / target
    if target.startswith("/"):
        target_path = stage.tree / target.lstrip("/")
    for source in sources:
        path = source_tree / source.lstrip("/")
        destination = target_path
        if path.is_dir():
            destination.mkdir(parents=True, exist_ok=True)
            run(["cp", "--archive", f"{path}/.", str(destination)])
        else:
            run(["cp", "--archive", str(path), str(destination)])


def context(folder: Path) -> Path:
    """Return the build context: what git has of the paths that .dockerignore lets through."""
    made = folder / "context"
    if not made.exists():
        made.mkdir()
        rules = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        wanted = [rule[1:] for rule in rules if rule.startswith("!")]
        archive = ["git", "-C", str(ROOT), "archive", "HEAD", *wanted]
        packed = subprocess.run(archive, check=True, capture_output=True).stdout  # noqa: S603
        subprocess.run(["tar", "-x", "-C", str(made)], input=packed, check=True)  # noqa: S603, S607
    return made


def run_in(stage: Stage, command: str) -> None:
    """Run a command in a stage, as a RUN instruction does."""
    print(f"--> RUN {command[:90]}", flush=True)
    line = f"cd {shlex.quote(stage.workdir)} && {command}"
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "DEBIAN_FRONTEND": "noninteractive",
        # A network behind a proxy of its own signs what comes through it.
        "PIP_CERT": CERTIFICATES,
        "NODE_EXTRA_CA_CERTS": CERTIFICATES,
        "SSL_CERT_FILE": CERTIFICATES,
        **stage.arguments,
    }
    enter(stage.tree, [*stage.shell, line], environment)


def enter(tree: Path, command: list[str], environment: dict[str, str], *unshared: str) -> None:
    """Run a command in a tree that has /proc and /dev, in name spaces that end with it."""
    inside = shlex.join(["chroot", str(tree), *command])
    quoted = shlex.quote(str(tree))
    script = f"mount -t proc proc {quoted}/proc && mount --rbind /dev {quoted}/dev && exec {inside}"
    run(["unshare", "--mount", *unshared, "sh", "-c", script], environment)


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=environment, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"try_image: {shlex.join(command)[:200]} ended with {done.returncode}")


def try_out(stage: Stage) -> None:
    """Start the app's service in a finished tree and speak."""
    print("==> the app, without a network", flush=True)
    (stage.tree / "data").mkdir(exist_ok=True)
    options = stage.tree / "data/options.json"
    options.write_text(json.dumps(OPTIONS))
    options.chmod(0o600)
    (stage.tree / "run/speak.py").write_text(SPEAK)
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "COSYVOICE_WYOMING_HTTP_ONLY_FROM": "127.0.0.1",
    }
    loopback = "ip link set lo up"
    inside = TRY.replace(loopback, "").strip()
    script = (
        f"{loopback}; mount -t proc proc {stage.tree}/proc; mount --rbind /dev {stage.tree}/dev"
    )
    chroot = shlex.join(["chroot", str(stage.tree), "/bin/sh", "-euc", inside])
    host_path = {"PATH": os.environ["PATH"]}
    run(
        ["unshare", "--mount", "--net", "sh", "-c", f"{script}; exec {chroot}"],
        host_path | environment,
    )


def size_mb(tree: Path) -> float:
    """Return the size of the files of a tree, hard links once, in MB."""
    seen: dict[tuple[int, int], int] = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            found = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - millions of files
            seen[found.st_dev, found.st_ino] = found.st_size
    return sum(seen.values()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tree", type=Path, help="folder of the trees; the Debian tree is reused")
    parser.add_argument("--keep", action="store_true", help="keep the finished trees")
    args = parser.parse_args()
    folder = args.tree or Path(tempfile.mkdtemp(prefix="try-image-"))
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "context", ignore_errors=True)
    stage = build(folder)
    (stage.tree / CERTIFICATES.lstrip("/")).unlink()
    size = size_mb(stage.tree)
    try_out(stage)
    print(f"==> the image is {size:.0f} MB unpacked; {SIZE_LIMIT_MB} MB are allowed")
    if not args.keep:
        for tree in folder.glob("stage-*"):
            shutil.rmtree(tree)
    sys.exit(0 if size <= SIZE_LIMIT_MB else 1)


if __name__ == "__main__":
    main()
