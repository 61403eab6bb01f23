"""Text-to-speech for Home Assistant in five languages, over the Wyoming protocol."""

__version__ = "0.1.0"
