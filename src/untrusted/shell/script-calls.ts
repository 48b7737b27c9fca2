import { parseJson } from '../../platform/base/parse-json.js';

/** A tool call that a script makes. */
export interface ScriptCall {
  readonly name: string;
  readonly input: unknown;
}

const MAX_SCRIPT = 100_000;
/** A comment, a string, a name, a number or a sign. */
const TOKEN =
  /\/\/[^\n]{0,10000}|\/\*[^*]{0,10000}\*\/|"(?:[^"\\\n]|\\[\s\S]){0,99999}"|'(?:[^'\\\n]|\\[\s\S]){0,99999}'|`(?:[^`\\]|\\[\s\S]){0,99999}`|[A-Za-z_$][\w$]{0,99}|\d[\d.]{0,30}|=>|&&|\|\||\S/g;
/** What follows one of these may run never, or often. */
const BRANCHES: ReadonlySet<string> = new Set('if for while do switch function try class => ? && ||'.split(' '));
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\n': '' };

/**
 * The calls of a script such as `const r = await tools.exec_command({ cmd: "make" }); text(r.output)`, in their order.
 * Undefined if its text does not say which calls it makes: a branch, a loop or a function in front of one, or arguments
 * that are computed.
 */
export function scriptCalls(script: string): ScriptCall[] | undefined {
  if (script.length > MAX_SCRIPT) return undefined;
  const tokens = (script.match(TOKEN) ?? []).filter((token) => !/^\/[/*]/.test(token));
  const constants = new Map<string, string>();
  const calls: ScriptCall[] = [];
  let isStraight = true;
  for (const [at, word] of tokens.entries()) {
    const [name = '', sign = '', value = ''] = tokens.slice(at + 1, at + 4);
    if (BRANCHES.has(word)) isStraight = false;
    if (word === 'const' && sign === '=') constants.set(name, value);
    if (word !== 'tools' || tokens[at - 1] === '.') continue;
    const input = value === '(' ? argumentOf(tokens, at + 4, constants) : undefined;
    if (!isStraight || name !== '.' || input === undefined) return undefined;
    calls.push({ name: sign, input });
  }
  return calls;
}

/** The only argument of a call, from its first token on; undefined if it is no literal. */
function argumentOf(tokens: readonly string[], from: number, constants: ReadonlyMap<string, string>): unknown {
  if (tokens[from] === ')') return {};
  let json = '';
  for (let at = from; at < tokens.length && tokens[at] !== ')'; at += 1) {
    const token = tokens[at] ?? '';
    const [before = '', next = ''] = [tokens[at - 1], tokens[at + 1]];
    const constant = constants.get(token);
    if (/^[{}[\]:]$|^(?:true|false|null|\d.*)$/.test(token)) json += token;
    else if (token === ',') json += /[}\])]/.test(next) ? '' : ',';
    else if (next === ':') json += JSON.stringify(textOf(token) ?? token);
    else if (constant !== undefined)
      json += `${/[{,]/.test(before) ? `${JSON.stringify(token)}:` : ''}${JSON.stringify(textOf(constant))}`;
    else json += JSON.stringify(textOf(token)) ?? '?';
  }
  return parseJson(json);
}

/** The text of a string without placeholders. */
function textOf(token: string): string | undefined {
  if (!/^["'`]/.test(token) || (token.startsWith('`') && token.includes('${'))) return undefined;
  return token.slice(1, -1).replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g, (_, long, short, other) => {
    const code: string | undefined = long ?? short;
    return code === undefined ? (ESCAPED[other] ?? other) : String.fromCharCode(Number.parseInt(code, 16));
  });
}
