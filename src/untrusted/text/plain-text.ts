const LINE_BREAK = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/**
 * What no reader sees: format and bidi marks, zero-width and tag characters, fillers, the Braille blank, private use, noncharacters and
 * lone surrogates. All in one replacement: taken away one class after another, two lone surrogates with a zero-width
 * character between them would become a pair that nobody looked at.
 */
const INVISIBLE = /[\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** CSI, then the string sequences (OSC, DCS, SOS, PM, APC) with their content, then charset and mode switches. */
const TERMINAL_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes out
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b(?:[ -/]{1,8}[0-~]|[78=>])/g;

/** Most texts are plain already, and this is told ten times faster than done. */
const PLAIN = /^[\t\n -~]*$/;

const CONTROL = /(?![\n\t])\p{Cc}/gu;

/**
 * The form in which foreign text is stored (spec L2): NFKC, `\n` as the only line break, no terminal sequences, no
 * control characters but `\n` and `\t`, nothing invisible. Idempotent. Compatibility forms go too, so a full-width key
 * is an ordinary key before the redactor looks at it (threats §1: 91.8 % of those leak otherwise).
 */
export function plainText(text: string): string {
  if (PLAIN.test(text)) return text;
  const visible = text.normalize('NFKC').replace(LINE_BREAK, '\n').replace(INVISIBLE, '');
  // Once more: what stood apart only because of an invisible character composes now.
  return visible.replace(TERMINAL_SEQUENCE, '').replace(CONTROL, '').normalize('NFKC');
}

/** `plainText` on one line: every run of white space is one space, none at the ends. Idempotent. */
export function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}
