"""Fetches a model while the server speaks with another, and says how far it is."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from cosyvoice_wyoming.bundles import Step, ensure
from cosyvoice_wyoming.errors import BadRequest, SpeechError

_LOGGER = logging.getLogger(__name__)


class Progress(BaseModel):
    """How far the installation of `model` is; `done` of `total` bytes, 0 where unknown."""

    model: str
    state: Literal["running", "done", "failed"]
    step: str
    done: int
    total: int


class Installer:
    """Installs one model at a time. Used from the event loop; `progress` is the latest."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._task: asyncio.Task[None] | None = None
        self.progress: Progress | None = None

    def start(self, name: str) -> Progress:
        """Begin to install a model. Raises BadRequest while another is being installed."""
        if self._task and not self._task.done():
            raise BadRequest("a model is being installed already: wait until it is done")
        self.progress = Progress(model=name, state="running", step="", done=0, total=0)
        self._task = asyncio.create_task(self._install(name), name=f"install {name}")
        return self.progress

    async def _install(self, name: str) -> None:
        loop = asyncio.get_running_loop()

        def show(step: Step) -> None:
            loop.call_soon_threadsafe(self._note, name, step)

        try:
            await asyncio.to_thread(ensure, name, self._data_dir, show)
        except SpeechError as error:
            self._end(name, "failed", str(error))
        except Exception as error:
            _LOGGER.debug("installing %s failed", name, exc_info=error)
            self._end(name, "failed", f"the installation failed ({type(error).__name__})")
        else:
            self._end(name, "done", "")

    def _note(self, name: str, step: Step) -> None:
        if self.progress and self.progress.state == "running":
            self.progress = Progress(
                model=name, state="running", step=step.text, done=step.done, total=step.total
            )

    def _end(self, name: str, state: Literal["done", "failed"], step: str) -> None:
        self.progress = Progress(model=name, state=state, step=step, done=0, total=0)
