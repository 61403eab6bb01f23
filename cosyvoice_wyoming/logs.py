"""The log: lines for people, or JSON objects for programs, on standard error."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime

_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonFormatter(logging.Formatter):
    """One object a line: time (ISO 8601, UTC), level, logger, message, and a traceback if any."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, tz=UTC)
        line = {
            "time": at.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if fields := getattr(record, "fields", None):
            line |= fields
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr(level: str, form: str = "text") -> None:
    """Send the log to standard error, which a supervisor or a terminal keeps."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter(_TEXT))
    logging.basicConfig(level=level.upper(), handlers=[handler])


def log_failure(logger: logging.Logger, error: Exception) -> None:
    """Log where the engine broke. Its message may hold the text, which is for debugging only."""
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames[-5:]))
    logger.error("the engine failed: %s at %s", type(error).__name__, places)
    logger.debug("the engine failed", exc_info=error)


def in_use() -> tuple[str, str]:
    """Return the level and the format of the log, for a process of the server's own."""
    root = logging.getLogger()
    is_json = any(isinstance(handler.formatter, JsonFormatter) for handler in root.handlers)
    return logging.getLevelName(root.getEffectiveLevel()).lower(), "json" if is_json else "text"
