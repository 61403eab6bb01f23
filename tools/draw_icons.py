"""Draw the app's pictures: icon.png and logo.png beside config.yaml."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).parent.parent
TEAL, WHITE = (15, 118, 110), (255, 255, 255)
FINE = 8  # drawn this many times larger, then shrunk, for smooth edges

BARS = ((28, 54, 74), (46, 40, 88), (64, 26, 102), (82, 44, 84), (100, 56, 72))
"""The waveform: centre, top and bottom of each bar, on a square of 128."""


def mark(size: int) -> Image.Image:
    """Return the square mark: a waveform on a rounded ground."""
    scale = size * FINE / 128
    image = Image.new("RGBA", (size * FINE, size * FINE))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, size * FINE - 1, size * FINE - 1), 28 * scale, fill=TEAL)
    for centre, top, bottom in BARS:
        box = [scale * edge for edge in (centre - 5, top - 5, centre + 5, bottom + 5)]
        draw.rounded_rectangle(box, 5 * scale, fill=WHITE)
    return image.resize((size, size), Image.Resampling.LANCZOS)


def logo() -> Image.Image:
    """Return the mark and the name, side by side on nothing."""
    image = Image.new("RGBA", (250, 100))
    image.alpha_composite(mark(72), (8, 14))
    draw = ImageDraw.Draw(image)
    draw.text((92, 50), "CosyVoice", fill=TEAL, font=ImageFont.load_default(30), anchor="lm")
    return image


def main() -> None:
    mark(128).save(ROOT / "icon.png", optimize=True)
    logo().save(ROOT / "logo.png", optimize=True)


if __name__ == "__main__":
    main()
