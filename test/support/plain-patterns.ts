import { WORD_END, WORD_START } from '../../src/evidence/predicate/pattern-text.js';

/** The pattern that matches exactly this text, without case, as earlier versions wrote it. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');

/** The pattern that matches a word as a whole. */
export const wordPattern = (word: string): string => WORD_START + escapePattern(word) + WORD_END;
