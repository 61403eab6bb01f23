"""Speak one sentence per language on emulated 64-bit ARM, with the locked wheels of that machine.

    tools/try_arm64.py [--tree FOLDER] [--data-dir FOLDER] [--model NAME]

Needs root, debootstrap and qemu-user-static (binfmt_misc with flag F). The Debian arm64 tree is
only unpacked, never configured; the wheels are those that `requirements.lock` names for aarch64.
Emulation is some twenty times slower than a board, so its times mean nothing.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITE, MIRROR = "trixie", "http://deb.debian.org/debian"
PYTHON = "3.13"  # Debian trixie's
PLATFORMS = ("manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in range(17, 42)))
INTERPRETER = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")

CPU = "cortex-a76"
"""The emulated processor: that of a Raspberry Pi 5 and of the fast cores of an RK3588."""

CPUINFO = "\n".join(
    f"""processor\t: {core}
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm asimddp
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x4
CPU part\t: 0xd0b
CPU revision\t: 1
"""
    for core in range(2)
)
"""What that processor says of itself: the emulator shows the host's there."""

SHORTEST_SECONDS = 0.5
SENTENCES = {
    "zh": "客厅的灯已经打开了。",
    "en": "The living room light is on.",
    "ja": "照明をつけました。",
    "ko": "조명을 켰습니다.",
    "yue": "客廳嘅燈已經開咗喇。",
}


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=environment, check=False)  # noqa: S603
    if done.returncode:
        line = shlex.join(map(str, command))[:200]
        sys.exit(f"try_arm64: {line} ended with {done.returncode}")


def register_interpreter() -> None:
    """Let the kernel run ARM programs, also inside a chroot that has no qemu."""
    if not INTERPRETER.parent.joinpath("register").exists():
        run("mount", "-t", "binfmt_misc", "binfmt_misc", INTERPRETER.parent)
    if not INTERPRETER.exists():
        run("update-binfmts", "--enable", "qemu-aarch64")
    if "F" not in INTERPRETER.read_text("ascii").split("flags: ")[1].split()[0]:
        sys.exit("try_arm64: qemu-aarch64 is registered without flag F")


def unpack_debian(tree: Path) -> None:
    """Unpack Debian's packages for ARM; nothing of them is run."""
    if (tree / "usr/bin/python3").exists():
        return
    shutil.rmtree(tree, ignore_errors=True)
    include = "python3,libstdc++6,libgomp1"
    run(
        *("debootstrap", "--foreign", "--arch=arm64", "--variant=minbase", f"--include={include}"),
        *(SUITE, tree, MIRROR),
    )
    for package in sorted((tree / "var/cache/apt/archives").glob("*.deb")):
        run("dpkg-deb", "-x", package, tree)
    if not (tree / "usr/bin/python3").exists():
        sys.exit("try_arm64: the tree has no Python")


def install(tree: Path) -> None:
    """Install the locked wheels for ARM, and this package as git has it."""
    site = tree / "opt/site"
    shutil.rmtree(site, ignore_errors=True)
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    run(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"),
        *("--only-binary", ":all:", "--python-version", PYTHON, *platforms),
        *("--target", site, "--requirement", ROOT / "requirements.lock"),
    )
    for name in ("cosyvoice_wyoming", "models"):
        packed = subprocess.run(  # noqa: S603
            ["git", "-C", str(ROOT), "archive", "HEAD", name],  # noqa: S607
            check=True,
            capture_output=True,
        ).stdout
        subprocess.run(["tar", "-x", "-C", str(site)], input=packed, check=True)  # noqa: S603, S607


def speak(tree: Path, model: str) -> None:
    """Speak each sentence in the tree and check that it is sound."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": "/opt/site",
        "HOME": "/root",
        "LC_ALL": "C.UTF-8",
        "QEMU_CPU": CPU,
    }
    (tree / "cpuinfo").write_text(CPUINFO)
    mounts = [f"mount --rbind /{folder} {tree}/{folder}" for folder in ("dev", "sys", "proc")]
    mounts.append(f"mount --bind {tree}/cpuinfo {tree}/proc/cpuinfo")
    shell = f"{' && '.join(mounts)} && exec chroot {tree} "
    for language, sentence in SENTENCES.items():
        command = ["/usr/bin/python3", "-m", "cosyvoice_wyoming", "say", sentence]
        command += ["--data-dir", "/data", "--model", model, "--threads", "2"]
        command += ["-o", f"/tmp/{language}.wav"]  # noqa: S108 - inside the tree
        began = time.monotonic()
        host_path = {"PATH": os.environ["PATH"]}
        line = shell + shlex.join(["/usr/bin/env", "-i", *_pairs(environment), *command])
        run("unshare", "--mount", "sh", "-c", line, environment=host_path)
        with wave.open(str(tree / f"tmp/{language}.wav")) as file:
            samples = file.readframes(file.getnframes())
            seconds = file.getnframes() / file.getframerate()
        if seconds < SHORTEST_SECONDS or not any(samples):
            sys.exit(f"try_arm64: {language} is silent")
        took = time.monotonic() - began
        print(f"{language}: {seconds:.1f} s of speech, {took:.0f} s emulated", flush=True)


def _pairs(environment: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in environment.items()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tree", type=Path, help="folder of the Debian tree, to be used again")
    parser.add_argument("--data-dir", type=Path, default=ROOT / "data", help="has the model")
    parser.add_argument("--model", default="lite")
    args = parser.parse_args()
    tree = (args.tree or Path(tempfile.mkdtemp(prefix="try-arm64-"))).absolute()
    register_interpreter()
    unpack_debian(tree)
    install(tree)
    model = args.data_dir / "models" / args.model
    target = tree / "data/models" / args.model
    shutil.rmtree(target, ignore_errors=True)
    if model.exists():
        shutil.copytree(model, target)
    speak(tree, args.model)


if __name__ == "__main__":
    main()
