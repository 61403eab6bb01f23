// Plays a WAV file while it arrives: each piece is scheduled to follow the one before.

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const LEAD_SECONDS = 0.08; // between the arrival of the first piece and its sound

/** One speech: plays what `response` streams and keeps it. */
export class Player {
  constructor(context) {
    this.context = context;
    this.pieces = [];
    this.rate = 0;
    this.until = 0;
    this.sources = new Set();
    this.stopped = false;
  }

  /** Read and play until the end; `onPiece` is called after each piece that arrived. */
  async play(response, onPiece) {
    const reader = response.body.getReader();
    let rest = new Uint8Array(0);
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.stopped) break;
      rest = joined(rest, value);
      if (!this.rate) {
        if (rest.length < HEADER_BYTES) continue;
        this.rate = new DataView(rest.buffer).getUint32(24, true);
        rest = rest.slice(HEADER_BYTES);
      }
      const whole = rest.length - (rest.length % BYTES_PER_SAMPLE);
      if (!whole) continue;
      this.schedule(samples(rest.slice(0, whole)));
      rest = rest.slice(whole);
      onPiece();
    }
  }

  schedule(wave) {
    this.pieces.push(wave);
    const buffer = this.context.createBuffer(1, wave.length, this.rate);
    buffer.copyToChannel(wave, 0);
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.context.destination);
    this.until = Math.max(this.until, this.context.currentTime + LEAD_SECONDS);
    source.start(this.until);
    this.until += buffer.duration;
    this.sources.add(source);
    source.onended = () => this.sources.delete(source);
  }

  /** Resolve when everything that arrived has been heard. */
  async heard() {
    while (!this.stopped && this.context.currentTime < this.until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  stop() {
    this.stopped = true;
    for (const source of this.sources) source.stop();
  }

  get seconds() {
    return this.rate ? this.length / this.rate : 0;
  }

  get length() {
    return this.pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Return all samples so far. */
  wave() {
    const wave = new Float32Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      wave.set(piece, at);
      at += piece.length;
    }
    return wave;
  }

  /** Return what was heard as a WAV file whose header states its length. */
  file() {
    const bytes = this.length * BYTES_PER_SAMPLE;
    const view = new DataView(new ArrayBuffer(HEADER_BYTES + bytes));
    const text = (at, letters) => [...letters].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
    text(0, "RIFF");
    view.setUint32(4, 36 + bytes, true);
    text(8, "WAVEfmt ");
    view.setUint32(16, 16, true);
    view.setUint16(20, 1, true);
    view.setUint16(22, 1, true);
    view.setUint32(24, this.rate, true);
    view.setUint32(28, this.rate * BYTES_PER_SAMPLE, true);
    view.setUint16(32, BYTES_PER_SAMPLE, true);
    view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
    text(36, "data");
    view.setUint32(40, bytes, true);
    this.wave().forEach((x, i) => {
      view.setInt16(HEADER_BYTES + i * BYTES_PER_SAMPLE, Math.round(x * 32768), true);
    });
    return new Blob([view.buffer], { type: "audio/wav" });
  }
}

function joined(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function samples(bytes) {
  const view = new DataView(bytes.buffer);
  const wave = new Float32Array(bytes.length / BYTES_PER_SAMPLE);
  for (let i = 0; i < wave.length; i += 1) wave[i] = view.getInt16(i * BYTES_PER_SAMPLE, true) / 32768;
  return wave;
}
