import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { type CallWord, readCallWords } from '../../evidence/calls/call-role.js';
import { nameOfPlace } from '../../evidence/calls/placeholder-name.js';
import { LONGEST_SHOWN_CALL, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { isKeyword } from '../../learning/calls/tokens.js';
import { parseJson } from '../../platform/base/parse-json.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { isProgramName, kindOfKey } from './masked-names.js';
import { presentableCall, presentableError } from './presentable-call.js';

/** A call as this room redacts it: one of an execution, with its names masked. */
export type MaskedCall = Pick<RecordedCall, 'tool' | 'goal' | 'text' | 'error'>;

/** Returns what goes in the place of a value: `value`, or `value 1` if the same value occurs again. */
export type NameOfValue = (value: string, shape: string) => string;

/** Bounds for hostile reports: distinct words of one execution, and of all. */
const LIMITS = { own: 4_000, all: 300_000, word: 60, depth: 3, items: 10 } as const;
/** In the place of the first origin of a word that several have. */
const SEVERAL = Symbol('several origins');

const PLACEHOLDER = '<[a-z][a-z0-9 -]{0,29}>';
const ONLY_PLACEHOLDERS = new RegExp(`^(?:[ .,/*'"-]{0,3}${PLACEHOLDER}){1,8}[ .,/*'"-]{0,3}$`);
/** A word, which may hold placeholders; a marker of a template such as `[n]` stays as it is. */
const TOKEN = new RegExp(
  String.raw`\[[a-z][\w :.-]{0,30}\]|(?:${PLACEHOLDER}|[\p{L}\p{N}_#$])(?:(?:${PLACEHOLDER}|[\p{L}\p{N}_./:@%+$-]){0,199}(?:${PLACEHOLDER}|[\p{L}\p{N}_/$]))?`,
  'gu',
);
const PLAIN_PROGRAM = /^\.?[a-z][a-z_+-]{0,20}\d?(?:\.\d{1,2})?$/;
const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[a-z][a-z0-9.+-]{0,20}$/;
const PLAIN_FLAG = /^--?[A-Za-z][A-Za-z-]{0,30}$/;
const MODULE = /^[a-z_][a-z_.]{0,40}\d?$/;
const EXCEPTION = /^[\w.]{0,60}(?:Error|Exception|Warning|Exit|Interrupt)$/;
/** The first folder of a path. */
const FOLDER = /^(?:\.\/)?[\w.-]{1,40}\/(?=.)/;
const FILE = /^(?:(.*)\/)?([^/]{1,100}?)((?:\.[A-Za-z][A-Za-z0-9]{0,5}){1,2})$/s;

/** The words of a call as they stand there: its own, those within its texts and its error, and the first folders of paths. */
function* wordsOf({ tool, text, error }: MaskedCall): Iterable<string> {
  const values = tool === 'shell' ? undefined : argumentsOf(text)?.values();
  const own = values ? [...values] : readCallWords(text).map((word) => word.text.replace(/^(["'])(.*)\1$/s, '$2'));
  const words = own.filter((word) => word.length <= LIMITS.word && !/\s/.test(word));
  const tokens = [text, error].flatMap((one) => [...one.matchAll(TOKEN)].map(([token]) => token));
  for (const word of [...words, ...tokens]) {
    yield word;
    const [folder] = FOLDER.exec(word) ?? [];
    if (folder !== undefined) yield folder;
  }
}

/** The values that at least two origins hold, so that they are private to none. */
export class PublicValues {
  private readonly holders = new Map<string, string | typeof SEVERAL>();

  /** Adds the words of an execution. Read executions in one order, so that the bounds are the same. */
  read(origin: string, calls: Iterable<MaskedCall>): void {
    const own = new Set<string>();
    for (const call of calls) {
      if (own.size >= LIMITS.own) break;
      for (const word of wordsOf(call)) own.add(word);
    }
    for (const word of own) {
      const holder = this.holders.get(word);
      if (holder === undefined) {
        if (this.holders.size < LIMITS.all) this.holders.set(word, origin);
      } else if (holder !== origin) this.holders.set(word, SEVERAL);
    }
  }

  /** Words that the lesson itself says. */
  publish(words: readonly string[]): void {
    for (const word of words) this.holders.set(word, SEVERAL);
  }

  /** At least two origins hold it: a value of one origin may be private to it. A key word of a statement belongs to none. */
  has(word: string): boolean {
    return this.holders.get(word) === SEVERAL || isKeyword(word.toLowerCase());
  }

  /** The call with the shapes of private values; undefined if it is hostile, unreadable or too long. */
  call(call: MaskedCall, nameOf: NameOfValue): ShownCall | undefined {
    const text = call.tool === 'shell' ? this.line(call, nameOf) : this.arguments(call, nameOf);
    // What was too long for a lesson was cut, so that its last word is not known.
    if (text === '' || call.text.length > LONGEST_SHOWN_CALL) return undefined;
    return presentableCall({ tool: call.tool, call: text.slice(0, LONGEST_SHOWN_CALL) });
  }

  /** The decisive line with the shapes of private values; empty if it is hostile. */
  error(line: string, nameOf: NameOfValue): string {
    return presentableError(this.text(readableError(line), nameOf));
  }

  /** The template of an error. Its own words, such as those of a missing output, are in no error line. */
  template(text: string): string {
    return presentableError(this.text(readableError(text), (_, shape) => shape, true));
  }

  private line({ text, goal }: MaskedCall, nameOf: NameOfValue): string {
    const isEdit = /^file:(?:edit|write)$/.test(goal);
    return readCallWords(text)
      .map((word) => this.word(word, isEdit, nameOf))
      .join(' ');
  }

  private word(word: CallWord, isEdit: boolean, nameOf: NameOfValue): string {
    const { text, role } = word;
    switch (role) {
      case 'operator':
        return text;
      case 'program':
        if (PLAIN_PROGRAM.test(text) || SYSTEM_PROGRAM.test(text) || this.has(text)) return text;
        return this.shape(text, 'program', nameOf);
      case 'subcommand':
        return this.has(text) || (word.flag === '-m' && MODULE.test(text)) ? text : this.shape(text, 'value', nameOf);
      case 'assignment':
      case 'flag': {
        const at = text.indexOf('=');
        if (this.has(text) || (at < 0 && PLAIN_FLAG.test(text))) return text;
        if (at < 0) return /^-[A-Za-z]\d{1,4}$/.test(text) ? text : '<flag>';
        return text.slice(0, at + 1) + this.operand(text.slice(at + 1), nameOfPlace(word), false, nameOf);
      }
      case 'operand':
        return this.operand(text, placeOf(word), isEdit, nameOf);
      default:
        return '<value>';
    }
  }

  private operand(text: string, place: string, isEdit: boolean, nameOf: NameOfValue): string {
    const [, quote = '', inner = text] = /^(["'])(.*)\1$/s.exec(text) ?? [];
    if (ONLY_PLACEHOLDERS.test(inner) || /^(?:[.*~-]{0,3}\/?|[+-]?\d{1,3})$/.test(inner)) return text;
    // The text of an edit is content.
    if (isEdit && quote !== '') return `${quote}<text>${quote}`;
    if (this.has(inner)) return text;
    if (/\s/.test(inner)) return `${quote}<${place === 'value' ? 'text' : place}>${quote}`;
    return quote + this.shape(inner, place, nameOf) + quote;
  }

  private arguments({ text }: MaskedCall, nameOf: NameOfValue): string {
    const parsed = argumentsOf(text) === undefined ? undefined : parseJson(text);
    if (typeof parsed !== 'object' || parsed === null) return this.text(text, nameOf);
    return JSON.stringify(this.value('', parsed, nameOf, 0));
  }

  private value(key: string, value: unknown, nameOf: NameOfValue, depth: number): unknown {
    if (typeof value === 'object' && value !== null) {
      if (depth >= LIMITS.depth) return '<value>';
      const items = Object.entries(value).slice(0, depth === 0 ? 40 : LIMITS.items);
      if (Array.isArray(value)) return items.map(([, one]) => this.value(key, one, nameOf, depth + 1));
      return Object.fromEntries(
        items.map(([name, one]) => [this.key(name), this.value(name, one, nameOf, depth + 1)] as const),
      );
    }
    if (typeof value === 'boolean' || value === null || value === '') return value;
    const text = String(value);
    if (ONLY_PLACEHOLDERS.test(text)) return value;
    const kind = kindOfKey(key);
    if (kind !== undefined && !(kind === 'name' && isProgramName(text) && this.has(text)))
      return `<${nameOf(text, kind)}>`;
    if (typeof value === 'number' && (Math.abs(value) < 1_000 || this.has(text))) return value;
    return this.has(text) ? value : this.text(text, nameOf);
  }

  private key(key: string): string {
    return /^[A-Za-z_][\w.-]{0,39}$/.test(key) && !/\d{4}/.test(key) ? key : '<name>';
  }

  private text(text: string, nameOf: NameOfValue, keepsUnknown = false): string {
    const isKept = (token: string): boolean =>
      /^\[|^<[^>]*>$/.test(token) || this.has(token) || (keepsUnknown && !this.holders.has(token));
    return text
      .replace(TOKEN, (token) => (isKept(token) ? token : this.shape(token, 'value', nameOf)))
      .replace(/(?:<value> ?){3,200}/g, (run) => (run.endsWith(' ') ? '<text> ' : '<text>'));
  }

  /** What kind of value it is, with the parts of it that several origins hold. */
  private shape(text: string, place: string, nameOf: NameOfValue): string {
    if (/^[+-]?\d{1,3}$/.test(text) || EXCEPTION.test(text) || ONLY_PLACEHOLDERS.test(text)) return text;
    if (/^\d{4}-\d{2}(?:-\d{2})?/.test(text)) return '<date>';
    const [, path = '', test] = /^(.{1,200}?)(?:::(.{1,200}))?$/s.exec(text) ?? [];
    const [, folder, , kind] = FILE.exec(path) ?? [];
    const file = nameOf(text, 'file');
    if (kind !== undefined && (!/^\.\d/.test(kind) || folder !== undefined))
      return `${this.folder(path)}<${file}>${kind}${test === undefined ? '' : '::<test>'}`;
    if (/[^/]\/./.test(text)) return `${this.folder(text)}<${nameOf(text, place === 'value' ? 'path' : place)}>`;
    if (/^[\d.,:%-]{1,200}$/.test(text)) return `<${nameOf(text, place === 'value' ? 'number' : place)}>`;
    return `<${nameOf(text, place === 'value' && /\d{4}/.test(text) ? 'id' : place)}>`;
  }

  /** The first folder of a path if several origins have it. */
  private folder(path: string): string {
    const [first = ''] = FOLDER.exec(path) ?? [];
    if (first !== '' && this.has(first)) return path.indexOf('/', first.length) < 0 ? first : `${first}<folder>/`;
    return path.includes('/') ? '<folder>/' : '';
  }
}

/** `-n` and `-c` take a number or code in few programs, and what `find` runs is no folder. */
function placeOf(word: CallWord): string {
  const { program, flag, text } = word;
  if (/^(?:grep|egrep|rg|sed|awk)$/.test(program) && /^-[a-zA-Z]{1,4}$/.test(flag)) return 'pattern';
  return program === 'find' && flag !== '' && !text.includes('/') ? 'value' : nameOfPlace(word);
}

/** An error that only says "you" to its reader is shown without the word; one that says more stays hidden. */
function readableError(line: string): string {
  const plain = presentableError(line);
  return plain === '' ? presentableError(line.replace(/\b(?:you|your)\b/gi, '<word>')) : plain;
}
