import { PLACEHOLDER } from './placeholder.js';

/** Three full stops. Normalisation would replace the single character `…` by them and make the text longer. */
const ELLIPSIS = '...';

/**
 * Returns at most `max` UTF-16 code units of a text. A shortened text ends in `...`, which counts. Never cuts a
 * surrogate pair or a placeholder in half: half a marker is no longer recognised. Redact first, clip afterwards,
 * because half a secret is not recognised either.
 */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < ELLIPSIS.length) return '';
  return text.slice(0, cutBefore(text, max - ELLIPSIS.length)) + ELLIPSIS;
}

function cutBefore(text: string, at: number): number {
  const opening = at > 0 ? text.lastIndexOf('[', at - 1) : -1;
  if (opening >= 0) {
    const placeholder = new RegExp(PLACEHOLDER, 'y');
    placeholder.lastIndex = opening;
    if (placeholder.test(text) && placeholder.lastIndex > at) return opening;
  }
  return isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
