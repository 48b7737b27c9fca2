const MAX_TEMPLATE = 200;
const MIN_SENTENCE = 12;

/** Replacements, in order: a quoted text is replaced as a whole, before its parts can match another pattern. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s'"<>]{1,400}/gi, '[url]'],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, '[email]'],
  [/(?<![\p{L}\p{N}])[bru]?'[^'\n]{0,300}'/gu, '[name]'],
  [/[bru]?"[^"\n]{0,300}"/g, '[name]'],
  [/`[^`\n]{0,300}`/g, '[name]'],
  [/[“‘«][^”’»\n]{0,300}[”’»]/g, '[name]'],
  [/^(ERROR: )\S{1,200}(?= is not a valid editable)/, '$1[name]'],
  [
    /\b(No module named|cannot import name|no such table|unknown option|invalid choice):? [^\s;,[]{1,200}/gi,
    '$1 [name]',
  ],
  [
    /(no such file or directory|does not exist|file or directory not found|not a directory): [^\s:,[][^:,\n]{0,300}$/gi,
    '$1: [path]',
  ],
  [
    // braces that a program was given were not replaced, which is another problem
    /^([\w.+-]{1,40}): (?!\{\}: )[^:\n]{1,300}: (?=No such file|Is a directory|Not a directory|Permission denied|File exists)/i,
    '$1: [path]: ',
  ],
  [/(?<![\w\]])(?:~|\.{1,2}|[A-Za-z]:|[\w.@+-]{1,100})?[\\/][^\s'"`:,;()[\]]{0,300}(?:::[^\s'"]{1,200})?/g, '[path]'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '[id]'],
  [/\b0x[0-9a-f]{1,32}\b/gi, '[id]'],
  [/\b(?=[0-9a-f]{0,64}\d)(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{7,64}\b/gi, '[id]'],
  [/[_=*~#-]{4,}/g, ' '],
  [
    /\b[\w-]{1,80}\.(?:py|js|ts|tsx|jsx|mjs|cjs|json|md|txt|yaml|yml|toml|cfg|ini|sh|go|rs|java|rb|php|c|h|cpp|html|css|sql|lock|log|env|xml|csv)\b(?:::[^\s'"]{1,200})?/g,
    '[path]',
  ],
  [/(?<![\w.])v?\d{1,9}\.\d{1,9}(?:\.[\w-]{1,20}){1,4}\b/g, '[version]'],
  // digits attached to a short name stay: python3, TS2304, E0611 and `Errno 2` identify the error
  [/(?<!Errno )(?<![\p{L}\d_.])\d{1,40}(?:\.\d{1,20})?|(?<=\p{L})\d{5,40}/gu, '[n]'],
];

/**
 * Replaces long unbroken words that have digits or are very long: keys or ids. `subprocess-exited-with-error` is
 * neither.
 */
function hideTokens(text: string): string {
  return text.replace(/[\w+/=-]{24,}/g, (token) =>
    /\d/.test(token) || !/[_-]|^[A-Za-z]{24,40}$/.test(token) ? '[id]' : token,
  );
}

/**
 * The line with paths, quoted and unquoted names, numbers, ids and versions replaced. Two runs of one error give the
 * same template, and nothing that is long enough to be a secret stays. At most 200 characters.
 */
export function templateOf(line: string): string {
  const clean = line
    .slice(0, 600)
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\s{1,600}/g, ' ')
    .trim();
  let text = firstSentence(clean);
  for (const [pattern, replacement] of REPLACEMENTS) text = text.replace(pattern, replacement);
  text = hideTokens(text)
    .replace(/\s{1,600}/g, ' ')
    .trim();
  return clip(text.replace(/\[(\w{1,10})\](?:[ ,.:;/|-]{0,3}\[\1\]){1,100}/g, '[$1]'));
}

/** The first sentence. The text after it is advice, and its length varies with the reporter's limits. */
function firstSentence(text: string): string {
  const end = /(?<=\p{L}{3}|['")\]])\. (?=\p{L})/u.exec(text.slice(MIN_SENTENCE))?.index;
  return (end === undefined ? text : text.slice(0, end + MIN_SENTENCE)).replace(/\.$/, '');
}

function clip(text: string): string {
  if (text.length <= MAX_TEMPLATE) return text;
  const cut = text.slice(0, MAX_TEMPLATE);
  const opened = cut.lastIndexOf('[');
  return (opened > cut.lastIndexOf(']') ? cut.slice(0, opened) : cut).trimEnd();
}
