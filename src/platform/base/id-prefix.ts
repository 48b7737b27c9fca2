import { NIL_UUID } from './ids.js';

const GREATEST_UUID = NIL_UUID.replaceAll('0', 'f');
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** As git does: fewer characters say too little about which id is meant. */
const MIN_LENGTH = 4;

/** Whether the text can be the beginning of an id: `0b9d`, `0b9d3c52-7f`. */
export function isIdPrefix(text: string): boolean {
  return text.length >= MIN_LENGTH && UUID.test(text + NIL_UUID.slice(text.length));
}

export const isWholeId = (text: string): boolean => UUID.test(text);

/** The least and the greatest id that begin with the prefix. */
export function idRange(prefix: string): { gte: string; lte: string } {
  return { gte: prefix + NIL_UUID.slice(prefix.length), lte: prefix + GREATEST_UUID.slice(prefix.length) };
}
