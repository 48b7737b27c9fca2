import { PLACEHOLDER } from './placeholder.js';

/** Three full stops: the one character `…` would become them, and longer, when the text is normalised again. */
const ELLIPSIS = '...';

/**
 * At most `max` UTF-16 code units of a text; what was cut ends in `...`, which counts. Never half a surrogate pair and
 * never half a placeholder: half a marker is no longer recognised as one. Redact first, clip after (threats §1): half
 * a secret is not recognised either.
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
