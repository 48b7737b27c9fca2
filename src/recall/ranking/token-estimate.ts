/**
 * About how many tokens a model makes of a text, rather too many than too few: a run of letters is one for every four,
 * a digit and every other character but a space one each (two beyond ASCII).
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
