import type { Page } from 'playwright-core';

/**
 * Encodes screenshots as an animated WebP with nothing but the browser: a canvas compresses each
 * frame, and this file writes the container around them. README files show such a picture, and do
 * not show videos of the repository.
 *
 * A frame holds only the rectangle that changed, as exact pixels or as lossy ones, whichever is
 * smaller. Screens change little from one frame to the next, so a minute has a few megabytes.
 */
export interface Frame {
  /** A screenshot, as base64. */
  readonly png: string;
  readonly durationMs: number;
}

interface EncodedFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** A WebP file with one picture. */
  readonly file: Buffer;
}

type PageResult = Omit<EncodedFrame, 'file'> & { readonly base64: string };

/** `page` is a blank page to work in; all frames have the size of the first. */
export async function encodeAnimatedWebp(page: Page, frames: readonly Frame[]): Promise<Buffer> {
  await page.evaluate(`globalThis.encodeFrame = ${encoderSource}`);
  const encoded: (EncodedFrame & { durationMs: number })[] = [];
  for (const { png, durationMs } of frames) {
    const result = await page.evaluate<PageResult | null>(`encodeFrame('${png}')`);
    const last = encoded.at(-1);
    if (result === null && last !== undefined) last.durationMs += durationMs;
    if (result === null) continue;
    const { base64, ...place } = result;
    encoded.push({ ...place, durationMs, file: Buffer.from(base64, 'base64') });
  }
  const [first] = encoded;
  if (first === undefined) throw new Error('There is nothing to encode.');
  return container(first.width, first.height, encoded);
}

/**
 * Runs in the page; these sources have no types of the browser. Returns null if nothing changed.
 * Offsets must be even.
 */
const encoderSource = `(() => {
  let previous;
  return async (png) => {
    const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    const { width, height } = canvas;
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    let [left, top, right, bottom] = previous ? [width, height, 0, 0] : [0, 0, width, height];
    for (let y = 0; previous && y < height; y += 1)
      for (let x = 0; x < width; x += 1)
        if (pixels[y * width + x] !== previous[y * width + x]) {
          if (x < left) left = x;
          if (x >= right) right = x + 1;
          if (y < top) top = y;
          bottom = y + 1;
        }
    previous = pixels;
    if (right <= left) return null;
    left -= left % 2;
    top -= top % 2;
    const part = new OffscreenCanvas(right - left, bottom - top);
    part.getContext('2d', { alpha: false }).drawImage(canvas, -left, -top);
    const [exact, lossy] = await Promise.all(
      [1, 0.82].map((quality) => part.convertToBlob({ type: 'image/webp', quality })),
    );
    const blob = exact.size < lossy.size * 1.3 ? exact : lossy;
    const buffer = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (let start = 0; start < buffer.length; start += 32768)
      text += String.fromCharCode(...buffer.subarray(start, start + 32768));
    return { x: left, y: top, width: part.width, height: part.height, base64: btoa(text) };
  };
})()`;

/** https://developers.google.com/speed/webp/docs/riff_container */
function container(
  width: number,
  height: number,
  frames: readonly (EncodedFrame & { readonly durationMs: number })[],
): Buffer {
  const isAnimated = 0x02;
  const header = Buffer.concat([Buffer.from([isAnimated, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]);
  const white = 0xff;
  const loopsForever = [0, 0];
  const chunks = [
    chunk('VP8X', header),
    chunk('ANIM', Buffer.from([white, white, white, white, ...loopsForever])),
    ...frames.map(frameChunk),
  ];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function frameChunk(frame: EncodedFrame & { readonly durationMs: number }): Buffer {
  const doNotBlend = 0x02;
  return chunk(
    'ANMF',
    Buffer.concat([
      uint24(frame.x / 2),
      uint24(frame.y / 2),
      uint24(frame.width - 1),
      uint24(frame.height - 1),
      uint24(Math.round(frame.durationMs)),
      Buffer.from([doNotBlend]),
      pictureOf(frame.file),
    ]),
  );
}

/** The chunks of a file with one picture, without those of its own container. */
function pictureOf(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let offset = 12; offset < file.length; ) {
    const size = file.readUInt32LE(offset + 4);
    const end = offset + 8 + size + (size % 2);
    if (/^(ALPH|VP8 |VP8L)$/.test(file.toString('latin1', offset, offset + 4)))
      parts.push(file.subarray(offset, end));
    offset = end;
  }
  return Buffer.concat(parts);
}

function chunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
