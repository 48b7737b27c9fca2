/** A part of a line: prose, or a code span with its backticks. */
export interface LinePart {
  readonly text: string;
  readonly isCode: boolean;
}

/**
 * Splits a line at its code spans, as Markdown does: a run of backticks closes at the next run of the same length, and
 * a backslash before the first one takes its meaning. Linear: each length is searched for once without success.
 */
export function splitAtCode(line: string): LinePart[] {
  const parts: LinePart[] = [];
  const unclosed = new Set<number>();
  let [from, at] = [0, 0];
  while (at < line.length) {
    const char = line.charAt(at);
    if (char === '\\') at += 2;
    else if (char !== '`') at += 1;
    else {
      const length = runAt(line, at);
      const end = unclosed.has(length) ? -1 : closingRun(line, at + length, length);
      if (end < 0) {
        unclosed.add(length);
        at += length;
        continue;
      }
      if (at > from) parts.push({ text: line.slice(from, at), isCode: false });
      parts.push({ text: line.slice(at, end), isCode: true });
      [from, at] = [end, end];
    }
  }
  return from < line.length ? [...parts, { text: line.slice(from), isCode: false }] : parts;
}

function runAt(line: string, at: number): number {
  let length = 0;
  while (line.charAt(at + length) === '`') length += 1;
  return length;
}

/** The index after the next run of exactly this length; -1 if there is none. */
function closingRun(line: string, from: number, length: number): number {
  for (let at = line.indexOf('`', from); at >= 0; at = line.indexOf('`', at)) {
    const found = runAt(line, at);
    at += found;
    if (found === length) return at;
  }
  return -1;
}

/** A placeholder of a command, or any angle bracket. */
const ANGLE = /<[a-z](?:[a-z0-9 -]{0,28}[a-z0-9])?>|[<>]/g;

/**
 * Words with which harnesses and models name the frames around a text. A placeholder holds none of them, so that no code
 * opens a frame.
 */
const FRAME_WORD =
  /\b(?:system|reminder|assistant|human|developer|instructions?|prompt|thinking|tools?|functions?|invoke|skills?|hook|notification|untrusted|script|style|iframe)\b/;

/**
 * Returns code with every angle bracket as an entity that is neither part of a placeholder such as `<image tag>` nor a
 * redirection. Markdown decodes no entity in code, so a command stays readable only if its brackets stay. What could
 * form a tag or a comment, or close a frame around the skill, becomes an entity. Idempotent.
 */
export function escapeAngles(code: string): string {
  return code.replace(ANGLE, (found, at: number) => {
    if (found.length > 1) return FRAME_WORD.test(found) ? `&lt;${found.slice(1, -1)}&gt;` : found;
    if (found === '>') return /[-/?!%|\]]$/.test(code.slice(Math.max(0, at - 1), at)) ? '&gt;' : found;
    return isRedirection(code.slice(Math.max(0, at - 1), at), code.slice(at + 1, at + 40)) ? found : '&lt;';
  });
}

/** A `<` that reads from something and begins no tag: `< in.txt`, `<(sort a)`, `<<'END'`, `<<EOF`. */
function isRedirection(before: string, after: string): boolean {
  if (/^[\p{L}]/u.test(after)) return before === '<' && /^[A-Z_]{1,20}(?![\w>-])/.test(after);
  return /^(?:$|<|[(&0-9$"'=]|-[^-]| (?! {0,40}[/!?|%<]))/.test(after) && !FRAME_WORD.test(after.slice(0, 24));
}
