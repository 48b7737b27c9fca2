import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { parseJson } from '../../platform/base/parse-json.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';

/** Replaces the names and ids of one execution in a text: `<name>`, `<id>`. Linear in the length of the text. */
export type NameMask = (text: string) => string;

/** Arguments whose value names a person or something of one. */
const NAME_KEY =
  /(?:^|_)(?:(?:first|last|full|user|display|given|family|middle|nick|customer|passenger)_?name|surname|name|users?|customers?|clients?|patients?|passengers?|owner|author|recipients?|sender|assignee|contact|login|account|e_?mails?|phone|mobile|address|street|city)$/;
const ID_KEY = /(?:^|_)(?:id|ids|uuid|guid|iban|ssn|card|zip|zip_code|postal_code|dob)$/;
/** Names of things of a program. */
const TECHNICAL_NAME =
  /(?:^|_)(?:file|path|dir|directory|folder|tool|function|class|method|module|package|table|column|field|branch|tag|image|container|service|host|server|model|skill|schema|database|db|collection|index|event|env|variable|key|task|job|workflow|agent|command|program|test|project|repo|repository)_?names?$/;
/** As programs spell the names of their things: `pdf-tools`, `cart.ts`. */
const PROGRAM_SPELLING = /^[a-z][a-z0-9]{0,40}(?:[-_./:][a-z0-9]{1,40}){1,8}$/;
/** Accounts and roles that many machines share. */
const SHARED = new Set(
  `admin app default node public root runner shared ubuntu user users postgres mysql nginx git jenkins deploy guest test
   tests daemon docker redis name none null true false undefined unknown main master self this the and for all any text
   value list object number boolean customer client owner author text email mail street address com org net`.split(
    /\s+/,
  ),
);
const NAMING_FLAG = /^--(?:user|user-?name|author|owner|assignee|reviewer|customer|login|email)(?:=(.{1,200}))?$/;
const NAMING_VARIABLE = /^(?:\w{0,30}_)?(?:USER|USERNAME|OWNER|AUTHOR|CUSTOMER|LOGIN|EMAIL)=(.{1,200})$/i;
const LIMITS = { words: 2_000, value: 200, depth: 4, items: 60 } as const;
const TOKEN = /<[a-z][a-z0-9 -]{0,29}>|[\p{L}\p{N}_#][\p{L}\p{N}_.@#+-]{0,199}/gu;
const WORD = /[\p{L}\p{N}]{1,200}/gu;
const PLACEHOLDER = /^(?:<[a-z][a-z0-9 -]{0,29}>|\[[\w:-]{1,40}\])$/;

/** What the value of an argument with this key is; undefined if the key says nothing about a person or a record. */
export function kindOfKey(key: string): 'name' | 'id' | undefined {
  const plain = key
    .slice(0, 80)
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll('-', '_')
    .toLowerCase();
  if (ID_KEY.test(plain)) return 'id';
  return NAME_KEY.test(plain) && !TECHNICAL_NAME.test(plain) ? 'name' : undefined;
}

/** Returns whether a value of a name-like key is spelled as programs spell the names of their things. */
export const isProgramName = (value: string): boolean => PROGRAM_SPELLING.test(value);

/**
 * The mask of one execution. Names are the values of name-like keys in any of its calls, as a whole and word by word;
 * ids those of keys such as `order_id`. `keep`: words that are no names although a key holds them, such as programs.
 */
export function nameMaskOf(calls: readonly ToolCall[], keep: ReadonlySet<string> = new Set()): NameMask {
  const found = new FoundNames(keep);
  for (const call of calls) found.readCall(call);
  return found.isEmpty ? (text) => text : (text) => found.mask(text);
}

class FoundNames {
  private readonly names = new Set<string>();
  private readonly ids = new Set<string>();

  constructor(private readonly keep: ReadonlySet<string>) {}

  get isEmpty(): boolean {
    return this.names.size + this.ids.size === 0;
  }

  readCall({ action, arguments: args }: ToolCall): void {
    for (const { key, type, value } of args ?? []) {
      if (value !== undefined) this.read(key, type === 'text' ? value : (parseJson(value) ?? value), 0);
    }
    if (action.startsWith('{')) {
      const parsed = parseJson(action);
      if (typeof parsed === 'object' && parsed !== null) this.read('', parsed, 0);
      return;
    }
    if (/user|author|owner|assignee|reviewer|customer|login|email/i.test(action)) this.readLine(action);
  }

  mask(text: string): string {
    return text
      .replace(TOKEN, (token) => this.maskToken(token))
      .replace(/<name>(?:[ ._@+-]{1,2}<name>){1,20}/g, '<name>');
  }

  private maskToken(token: string): string {
    if (token.startsWith('<')) return token;
    const [end = ''] = /[.@#+-]{0,200}$/.exec(token) ?? [];
    const plain = token.slice(0, token.length - end.length).toLowerCase();
    if (this.ids.has(plain) || this.ids.has(plain.replace(/^#/, ''))) return `<id>${end}`;
    return token.replace(WORD, (word) => {
      if (this.keep.has(word)) return word;
      if (this.names.has(word.toLowerCase()) || this.names.has(word)) return '<name>';
      return this.ids.has(word.toLowerCase()) ? '<id>' : word;
    });
  }

  private readLine(line: string): void {
    const words = wordsOfLine(line);
    words.forEach((word, at) => {
      const [flag, value] = NAMING_FLAG.exec(word) ?? [];
      if (flag !== undefined) this.add('name', value ?? words[at + 1] ?? '');
      else if (/^user\.(?:name|email)$/.test(word)) this.add('name', words[at + 1] ?? '');
      else this.add('name', NAMING_VARIABLE.exec(word)?.[1] ?? '');
    });
  }

  private read(key: string, value: unknown, depth: number): void {
    if (typeof value === 'object' && value !== null) {
      if (depth >= LIMITS.depth) return;
      // Inside `passengers: ["…"]` the key of the list says what its texts are.
      for (const [name, one] of Object.entries(value).slice(0, LIMITS.items))
        this.read(Array.isArray(value) ? key : name, one, depth + 1);
      return;
    }
    const kind = kindOfKey(key);
    if (kind !== undefined && (typeof value === 'string' || typeof value === 'number')) this.add(kind, String(value));
  }

  private add(kind: 'name' | 'id', raw: string): void {
    const value = raw.slice(0, LIMITS.value).replace(/^["']|["']$/g, '');
    if (value === '' || value.startsWith('-') || PLACEHOLDER.test(value) || this.keep.has(value)) return;
    if (kind === 'id') {
      if (value.length > 2 && this.ids.size < LIMITS.words) this.ids.add(value.toLowerCase());
      return;
    }
    if (isProgramName(value)) return;
    for (const word of value.match(WORD) ?? []) {
      if (this.names.size >= LIMITS.words) return;
      if (SHARED.has(word.toLowerCase()) || this.keep.has(word) || /^\d{1,3}$/.test(word)) continue;
      if (word.length > 2) this.names.add(word.toLowerCase());
      // A short name such as `Li` only in this spelling: `li` is a word of many texts.
      else if (/^\p{Lu}\p{Ll}$/u.test(word)) this.names.add(word);
    }
  }
}

/** A word that fewer origins use as a program may be a name. */
const ORIGINS_OF_PROGRAM = 3;

/** Programs, subcommands and tools of several origins: a person may be called like one, but not in this spelling. */
export function programsOf(runs: readonly RecordedExecution[]): Set<string> {
  const holders = new Map<string, Set<string>>();
  for (const { origin, calls } of runs) {
    const own = new Set<string>();
    for (const { tool, actions } of calls) {
      own.add(tool);
      const [coarse = ''] = actions;
      for (const word of coarse.split(' ', 3)) if (/^[a-z][a-z0-9._+-]{1,30}$/.test(word)) own.add(word);
    }
    for (const word of own) {
      const known = holders.get(word) ?? new Set();
      if (known.size < ORIGINS_OF_PROGRAM) holders.set(word, known.add(origin));
    }
  }
  return new Set([...holders].filter(([, origins]) => origins.size >= ORIGINS_OF_PROGRAM).map(([word]) => word));
}

/** The call with the names of its execution masked; of another tool in the values, so that the JSON stays whole. */
export function maskedCall(call: RecordedCall, mask: NameMask): RecordedCall {
  const { tool, text, error } = call;
  const parsed = tool !== 'shell' && text.startsWith('{') ? parseJson(text) : undefined;
  const isObject = typeof parsed === 'object' && parsed !== null;
  return { ...call, text: isObject ? JSON.stringify(maskedValue(parsed, mask)) : mask(text), error: mask(error) };
}

function maskedValue(value: unknown, mask: NameMask): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return mask(String(value)) === String(value) ? value : '<id>';
  if (Array.isArray(value)) return value.map((one) => maskedValue(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [mask(key), maskedValue(one, mask)]));
}
