"""Everything that can go wrong for a user, as one tree.

The message of each is one sentence that names what is wrong and what to do: the session sends it
as a Wyoming `error` event and the command line prints it and exits with status 2.
"""

from __future__ import annotations


class SpeechError(Exception):
    """A request, an option or a model that cannot be served; the message is for the user."""


class BadOption(SpeechError):
    """An option or a value of one that the command line, the environment or a file got wrong."""


class BadRequest(SpeechError):
    """A malformed or oversized event from a client."""


class TextTooLong(BadRequest):
    """The text of a request is over the limit."""


class ServerBusy(SpeechError):
    """The queue is full; the client may try again."""


class ShuttingDown(SpeechError):
    """The server was told to stop while it was speaking."""


class ModelMissing(SpeechError):
    """A model's bundle is not on this device."""


class ModelCorrupt(SpeechError):
    """A file of a bundle is short, broken or not the one that the manifest names."""


class DownloadFailed(SpeechError):
    """No source delivered a file."""


class EngineFailed(SpeechError):
    """The engine could not turn an utterance into audio."""


class EngineLost(EngineFailed):
    """The engine broke too often: another must be loaded in its place."""
