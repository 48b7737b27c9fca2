const NONCE = /^[0-9a-f]{32}$/;

/**
 * All characters except letters, digits and the punctuation of plain sentences. An allow-list, because brackets,
 * backtick, `#`, `|`, `&`, `%`, the backslash and everything outside ASCII build tags, role markers, entities, code
 * fences and escapes.
 */
const NOT_PLAIN = /[^A-Za-z0-9 _.,;:!?'()*+/=@$^~-]/g;

/**
 * Returns untrusted text in a form for a model to read: one line of JSON between two tags with `nonce`, 128 random bits
 * in lower-case hex. The nonce is new for every rendering, so that text written before cannot contain the closing tag.
 * Inside the strings, every character that markup consists of is `\uXXXX`: no variant of a delimiter remains, and
 * `JSON.parse` returns the fields exactly. The nonce never occurs inside. Throws RangeError for a nonce of another
 * form.
 */
export function fence(fields: Readonly<Record<string, string>>, nonce: string): string {
  return fenceAll([fields], nonce);
}

/** `fence` for several records between the same two tags, one per line. */
export function fenceAll(records: readonly Readonly<Record<string, string>>[], nonce: string): string {
  if (!NONCE.test(nonce)) throw new RangeError('a fence needs a nonce of 32 lower-case hex digits');
  const lines = records.map((fields) => {
    const readable = json(fields, (text) => text.replace(NOT_PLAIN, escapeUnit));
    // A text that contains the nonce knows it, so every character of the text is escaped.
    return readable.toLowerCase().includes(nonce) ? json(fields, escapeAll) : readable;
  });
  return `<untrusted-data-${nonce}>\n${lines.join('\n')}\n</untrusted-data-${nonce}>`;
}

function json(fields: Readonly<Record<string, string>>, encode: (text: string) => string): string {
  const members = Object.entries(fields).map(([name, text]) => `"${encode(name)}":"${encode(text)}"`);
  return `{${members.join(',')}}`;
}

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
