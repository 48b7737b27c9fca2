const NONCE = /^[0-9a-f]{32}$/;

/**
 * All but letters, digits and the punctuation of plain sentences. An allow-list: brackets, backtick, `#`, `|`, `&`,
 * `%`, the backslash and everything outside ASCII build tags, role marks, entities, code fences and escapes.
 */
const NOT_PLAIN = /[^A-Za-z0-9 _.,;:!?'()*+/=@$^~-]/g;

/**
 * Foreign text for a model to read (spec L5, threats §7 row 2): one line of JSON between two tags that carry `nonce`,
 * 128 random bits in lower-case hex, new for every rendering, so that no text written before can name the closing tag.
 * Inside the strings what markup is made of is `\uXXXX`: no variant of any delimiter is left to read, and `JSON.parse`
 * gives the fields back exactly. The nonce never occurs inside. Throws RangeError for a nonce of another form.
 */
export function fence(fields: Readonly<Record<string, string>>, nonce: string): string {
  return fenceAll([fields], nonce);
}

/** `fence` for several records between the same two tags, each on a line of its own. */
export function fenceAll(records: readonly Readonly<Record<string, string>>[], nonce: string): string {
  if (!NONCE.test(nonce)) throw new RangeError('a fence needs a nonce of 32 lower-case hex digits');
  const lines = records.map((fields) => {
    const readable = json(fields, (text) => text.replace(NOT_PLAIN, escapeUnit));
    // A text that holds the nonce has seen it: then no character is left as it was.
    return readable.toLowerCase().includes(nonce) ? json(fields, escapeAll) : readable;
  });
  return `<untrusted-data-${nonce}>\n${lines.join('\n')}\n</untrusted-data-${nonce}>`;
}

function json(fields: Readonly<Record<string, string>>, encode: (text: string) => string): string {
  const members = Object.entries(fields).map(([name, text]) => `"${encode(name)}":"${encode(text)}"`);
  return `{${members.join(',')}}`;
}

// The two escapes that a model reads most often stay short; neither can be the start of another escape.
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
