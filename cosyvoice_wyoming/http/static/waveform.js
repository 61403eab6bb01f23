// Draws samples as bars of their peaks, with what has been heard in the accent colour.

const BARS = 200;
const SILENT = 0.015; // so that silence is a line and not nothing

/** Return the peak of each of BARS equal parts of a wave. */
export function peaks(wave) {
  const size = Math.max(1, Math.ceil(wave.length / BARS));
  return Array.from({ length: Math.ceil(wave.length / size) }, (_, bar) => {
    let peak = 0;
    for (let i = bar * size; i < Math.min(wave.length, (bar + 1) * size); i += 1) {
      peak = Math.max(peak, Math.abs(wave[i]));
    }
    return peak;
  });
}

/** Draw a wave; `heard` is the part of it that has been heard, 0 to 1. */
export function draw(canvas, wave, heard) {
  const context = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  const step = width / BARS;
  peaks(wave).forEach((peak, bar, all) => {
    const colour = bar < heard * all.length ? "--accent" : "--line";
    context.fillStyle = style.getPropertyValue(colour);
    const tall = Math.max(peak, SILENT) * height;
    context.fillRect(bar * step, (height - tall) / 2, step * 0.7, tall);
  });
}
