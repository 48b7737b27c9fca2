import { describe, expect, it } from '@jest/globals';
import { unzstd } from './zstd.js';

const TEXT = Array.from({ length: 40 }, (_, n) => `{"n": ${n}, "text": "a line that says the same"}\n`).join('');
/** Made of the text by zstd 1.5: with its size in the header, and as a stream with a checksum. */
const SIZED = Buffer.from(
  'KLUv/WBOBr0DAALGEhKQzwGsO94C+v8kPthYUXLy7TpLJXRMIUOUL5XQMYUMQb5UQscUMsT4uno6+rkpZIDcTjZ69+rpbfS1vXo3YXzrs67W1X4QZz0bByioESCn+38G8DUDETgE//87BH7+/zf37//7/P2/93I5tNpWlmOOQKoC',
  'base64',
);
const STREAM = Buffer.from(
  'KLUv/QRY3QQAQgURFqAbOkTWom/OB+D/Dcbz5KfITum31Qr///+/bdu23bZtW8TBUCAM7gIeZIs6tHI8jTq8KkczCQWLSOgYdsSAgIQMOQIoIIAzSg9L2bybbFNm3ia7KZs3k23KzNtkM2XzNtlN2byZbFPevLM12dia8rXmba3JrtaUqTXvaU22tKYcrQlAi06TyRTNk8k0ReZpMk2xm+uIxTL3QAgY',
  'base64',
);
const TOO_LARGE = 'larger than 256 MiB when unpacked';
const DAMAGED = 'damaged zstd file, or one that is still written';

/** A frame of blocks `[type, length, content]` with a window of 2^(10 + exponent) bytes. */
function frame(exponent: number, blocks: readonly (readonly [number, number, Buffer])[]): Buffer {
  const parts = blocks.map(([type, length, content], n) => {
    const header = Buffer.alloc(3);
    header.writeUIntLE(length * 8 + type * 2 + Number(n === blocks.length - 1), 0, 3);
    return Buffer.concat([header, content]);
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3]), ...parts]);
}
const raw = (text: string) => [0, text.length, Buffer.from(text)] as const;

describe('a zstd file', () => {
  it('is unpacked, whether its header says its size or not, and over several frames', () => {
    expect(unzstd(SIZED).toString()).toBe(TEXT);
    expect(unzstd(STREAM).toString()).toBe(TEXT);
    const note = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const whole = Buffer.concat([SIZED, note, frame(10, [raw('one\n'), [1, 5, Buffer.from('x')]]), STREAM]);
    expect(unzstd(whole).toString()).toBe(`${TEXT}one\nxxxxx${TEXT}`);
    expect(unzstd(Buffer.alloc(0))).toHaveLength(0);
  });

  it('is refused before anything of it is unpacked if its blocks are more than fits', () => {
    const full = [1, 2 ** 21 - 1, Buffer.from('x')] as const;
    expect(() => unzstd(frame(10, Array(200).fill(full)))).toThrow(TOO_LARGE);
    expect(() => unzstd(Buffer.concat(Array(200).fill(frame(10, [full]))))).toThrow(TOO_LARGE);
    // nothing in it, and 128 MiB to move for each
    expect(() => unzstd(frame(17, Array(1_000).fill([0, 0, Buffer.alloc(0)])))).toThrow(TOO_LARGE);
    expect(() => unzstd(frame(18, [raw('x')]))).toThrow('window above 128 MiB');
    expect(() => unzstd(frame(31, [raw('x')]))).toThrow('window above 128 MiB');
  });

  it('is refused if it claims a size that its blocks do not have', () => {
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 0, 0]);
    expect(() => unzstd(header)).toThrow(DAMAGED);
  });

  it('is refused if it is cut at any place, or damaged', () => {
    for (let length = 1; length < STREAM.length; length += 1)
      expect(() => unzstd(STREAM.subarray(0, length))).toThrow(DAMAGED);
    expect(() => unzstd(Buffer.concat([STREAM, Buffer.from('x')]))).toThrow(DAMAGED);
    for (let at = 4; at < SIZED.length; at += 1) {
      const damaged = Buffer.from(SIZED);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      try {
        expect(unzstd(damaged).length).toBeLessThan(1_000_000);
      } catch (error) {
        expect(String(error)).toMatch(/damaged|larger|window|dictionary/);
      }
    }
  });
});
