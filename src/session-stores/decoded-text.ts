import { isUtf8 } from 'node:buffer';

/** A character that no file of a memory has, unless bytes of it were damaged. */
const DAMAGED = '\ufffd';

/**
 * Decodes a file. `isDamaged` if it is not UTF-8 or has a NUL; the damaged characters are U+FFFD then, so that the
 * entries without one can be kept.
 */
export function decodeText(bytes: Uint8Array): { text: string; isDamaged: boolean } {
  const text = new TextDecoder('utf-8').decode(bytes);
  const isDamaged = !isUtf8(bytes) || text.includes('\0');
  return { text: isDamaged ? text.replaceAll('\0', DAMAGED) : text, isDamaged };
}

export const isWhole = (text: string): boolean => !text.includes(DAMAGED);
