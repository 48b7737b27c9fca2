/** V8 keeps the whole text alive for a part of it of at least this length. */
const SLICED_FROM = 13;

/** A copy that does not keep the text alive from which it was cut. Keeps unpaired surrogates. */
export const detached = (part: string): string =>
  part.length < SLICED_FROM ? part : Buffer.from(part, 'utf16le').toString('utf16le');
