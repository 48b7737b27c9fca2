/** Controls of terminals (C0, DEL, C1), line separators of Unicode, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a log must not pass them on.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A record in JSON, in which terminals and viewers find no control either. Its meaning stays the same. */
export const escapeRecord = (json: string): string => json.replace(CONTROLS, escaped);

/**
 * Text for a log that people read. Line breaks stay, because stacks have them, but each further line is indented: no
 * text can begin a line that looks like a record.
 */
export const indentText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(CONTROLS, (character) => (character === '\t' ? character : escaped(character))))
    .join('\n    ');
