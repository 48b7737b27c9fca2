const NONCE = /^[0-9a-f]{32}$/;

/**
 * All characters except letters, digits and the punctuation of plain sentences. An allow-list, because brackets,
 * backtick, `#`, `|`, `&`, `%`, the backslash and everything outside ASCII build tags, role markers, entities, code
 * fences and escapes.
 */
const NOT_PLAIN = /[^A-Za-z0-9 _.,;:!?'()*+/=@$^~-]/g;
/** What JSON itself must escape in a text of printable ASCII and line ends. */
const NOT_JSON = /["\\\n]/g;
const PRINTABLE = /^[ -~\n]*$/;
/**
 * What a lenient reader could take for an end of the data or for a change of role, in ASCII: tags of formats and their
 * entities and escapes, turns, headings, code fences. The name of our own tag is looked for in the letters alone.
 */
const MARKUP =
  /<[!?/]|<[\s\\|<]{0,8}(?:end|sys|user|assistant|human|developer|instruct|function|tool|im_|s>)|\||\[\/?inst|&(?:lt|gt|#)|%3[ce]|\\[ux<>_]|(?:^|\n)\s{0,8}(?:human|assistant|system|user)\s{0,3}:|(?:^|\n)\s{0,8}#|```/i;
const OWN_TAG = 'untrusted';

/**
 * Returns untrusted text in a form for a model to read: one line of JSON between two tags with `nonce`, 128 random bits
 * in lower-case hex. The nonce is new for every rendering, so that text written before cannot contain the closing tag.
 * A text with anything that could be taken for markup, or beyond printable ASCII, has every character that markup
 * consists of as `\uXXXX`: no variant of a delimiter remains. Any other text is plain JSON, so that a command is read as
 * it was written. `JSON.parse` returns the fields exactly. The nonce never occurs inside. Throws RangeError for a nonce
 * of another form.
 */
export function fence(fields: Readonly<Record<string, string>>, nonce: string): string {
  return fenceAll([fields], nonce);
}

/** `fence` for several records between the same two tags, one per line. */
export function fenceAll(records: readonly Readonly<Record<string, string>>[], nonce: string): string {
  if (!NONCE.test(nonce)) throw new RangeError('a fence needs a nonce of 32 lower-case hex digits');
  const lines = records.map((fields) => {
    const readable = json(fields, readably);
    // A text that contains the nonce knows it, so every character of the text is escaped.
    return readable.toLowerCase().includes(nonce) ? json(fields, escapeAll) : readable;
  });
  return `<untrusted-data-${nonce}>\n${lines.join('\n')}\n</untrusted-data-${nonce}>`;
}

function json(fields: Readonly<Record<string, string>>, encode: (text: string) => string): string {
  const members = Object.entries(fields).map(([name, text]) => `"${encode(name)}":"${encode(text)}"`);
  return `{${members.join(',')}}`;
}

const readably = (text: string): string =>
  PRINTABLE.test(text) && !MARKUP.test(text) && !lettersOf(text).includes(OWN_TAG)
    ? text.replace(NOT_JSON, (unit) => (unit === '\n' ? '\\n' : `\\${unit}`))
    : text.replace(NOT_PLAIN, escapeUnit);

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]+/g, '');

// The two most frequent escapes stay short; neither can be the start of another escape.
function escapeUnit(unit: string): string {
  if (unit === '\n') return '\\n';
  if (unit === '"') return '\\"';
  return unicodeEscape(unit);
}

function escapeAll(text: string): string {
  return text.replace(/[\s\S]/g, unicodeEscape);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
