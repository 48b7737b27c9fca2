/** Tokens of a message beside its text: the role, and where it starts and ends. */
export const TOKENS_OF_A_MESSAGE = 4;

/**
 * Estimates the number of tokens of a text, rather too high than too low: one for every four letters of a run, one for a
 * digit or another ASCII character except a space, two for a character beyond ASCII.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isLetter(code)) {
      if (letters++ % 4 === 0) tokens += 1;
      continue;
    }
    letters = 0;
    if (code !== 0x20) tokens += code < 0x80 ? 1 : 2;
  }
  return tokens;
}

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
