const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/**
 * Invisible characters: format and bidi marks, zero-width and tag characters, fillers, the Braille blank, private use,
 * noncharacters and lone surrogates. They are removed in one replacement: removed one class after another, two lone
 * surrogates around a zero-width character would form a pair that was never checked.
 */
const INVISIBLE = /[\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** CSI, then the string sequences (OSC, DCS, SOS, PM, APC) with their content, then charset and mode switches. */
const TERMINAL_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes out
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b(?:[ -/]{1,8}[0-~]|[78=>])/g;

/** Most texts are plain already, and this test is ten times faster than the conversion. */
const PLAIN = /^[\t\n -~]*$/;

const CONTROL = /(?![\n\t])\p{Cc}/gu;

/**
 * Returns untrusted text in the form in which it is stored: NFKC, `\n` as the only line break, no terminal sequences,
 * no control characters except `\n` and `\t`, nothing invisible. Idempotent. Compatibility forms are replaced as well,
 * so that a full-width key is an ordinary key before the redactor sees it; otherwise nine of ten such keys would leak.
 */
export function plainText(text: string): string {
  if (PLAIN.test(text)) return text;
  const visible = text.normalize('NFKC').replace(LINE_BREAK, '\n').replace(INVISIBLE, '');
  // Normalises again: characters that an invisible one separated can now compose.
  return visible.replace(TERMINAL_SEQUENCE, '').replace(CONTROL, '').normalize('NFKC');
}

/** `plainText` on one line: each run of white space becomes one space, and the ends are trimmed. Idempotent. */
export function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}
