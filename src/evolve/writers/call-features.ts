import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { readCallWords } from '../../evidence/calls/call-role.js';
import { parseJson } from '../../platform/base/parse-json.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';

/** Something in a call that a lesson can name. */
export interface CallFeature {
  readonly id: string;
  readonly kind:
    | 'program'
    | 'step'
    | 'flag'
    | 'setting'
    | 'variable'
    | 'operand'
    | 'folder'
    | 'key'
    | 'empty'
    | 'type'
    | 'value'
    | 'word'
    | 'mark';
  /** As a lesson names it. */
  readonly name: string;
}

/** Code in the place of a file is another program, not another form. */
const CODE_FLAG = /^-(?:c|e|m|p)$/;
const INTERPRETER = /^(?:python[\d.]*|node|ruby|perl|php|bash|sh|zsh|deno|bun)$/;
const MOST_FEATURES = 120;
const MOST_WORDS = 60;

/** The features of a call. Linear in its length. */
export function featuresOf(call: RecordedCall): CallFeature[] {
  const found = new Map<string, CallFeature>();
  const isJson = call.tool !== 'shell' && argumentsOf(call.text) !== undefined;
  const all = call.tool === 'shell' ? lineFeatures(call) : isJson ? keyFeatures(call.text) : wordFeatures(call.text);
  for (const feature of [...all, ...markFeatures(call.text)]) {
    if (found.size < MOST_FEATURES && !found.has(feature.id)) found.set(feature.id, feature);
  }
  return [...found.values()];
}

/** What only prepares the command of its line is a step, not a program that another could replace. */
const STEP = /^(?:cd|pushd|sudo|source|export|[A-Z_]{2,40}=)$/;

function lineFeatures({ text, actions }: RecordedCall): CallFeature[] {
  const found: CallFeature[] = [];
  for (const action of actions)
    if (STEP.test(action.split(' ', 1)[0] ?? '')) found.push(stepFeature(action.split(' ', 1)[0] ?? ''));
  for (const { text: word, role, program, subcommand, flag } of readCallWords(text).slice(0, MOST_WORDS)) {
    if (role === 'program' && /^[\w./+-]{2,60}$/.test(word) && !STEP.test(word))
      found.push(wordFeature('program', word));
    if (role === 'subcommand' && actions.has(`${program} ${subcommand}`))
      found.push(wordFeature('program', `${program} ${subcommand}`));
    if (role === 'flag' && !(CODE_FLAG.test(word) && INTERPRETER.test(program)))
      found.push(wordFeature('flag', word.replace(/=.*$/s, '')), ...ownSettings(word));
    if (role === 'assignment') {
      const name = word.replace(/\+?=.*$/s, '');
      found.push({ id: `variable ${name}`, kind: 'variable', name });
    }
    if (role !== 'operand') continue;
    const settings = settingsBehind(word, flag, program);
    found.push(...(settings.length > 0 ? settings : operandFeatures(word, program, flag)));
  }
  return found;
}

/** A key and its value: `http.sslVerify=false`. A comparison (`a==b`) is none. */
const SETTING = /^(["']?)([A-Za-z_][\w.-]{1,59})=(?!=)(.*)\1$/s;
/** Another value is of one project or secret, so that only the key is named. */
const PLAIN_VALUE = /^[\w.:+-]{1,30}$/;

/** `-c key=value`, `--config key=value`: the flag alone says nothing, its setting does. */
function settingsBehind(word: string, flag: string, program: string): CallFeature[] {
  const [, , key, value = ''] = SETTING.exec(word) ?? [];
  if (flag === '' || key === undefined || (CODE_FLAG.test(flag) && INTERPRETER.test(program))) return [];
  return namesOf(key, value).map((name) => settingFeature(`${flag} ${name}`));
}

/** `--config=key=value`, `-Dkey=value`: the setting is a part of its flag. */
function ownSettings(word: string): CallFeature[] {
  const [, flag = '', setting = ''] = /^(--[\w-]+=|-[A-Za-z])(.*)$/s.exec(word) ?? [];
  const [, , key, value = ''] = SETTING.exec(setting) ?? [];
  return key === undefined ? [] : namesOf(flag + key, value).map(settingFeature);
}

/** With its value, and alone: where the values differ, the key is what the calls share. */
const namesOf = (key: string, value: string): string[] => [
  ...(PLAIN_VALUE.test(value) ? [`${key}=${value}`] : []),
  key,
];

function settingFeature(name: string): CallFeature {
  return { id: `setting ${name}`, kind: 'setting', name };
}

function stepFeature(action: string): CallFeature {
  return { id: `step ${action}`, kind: 'step', name: action.replace(/=$/, '') };
}

function wordFeature(kind: 'program' | 'flag' | 'operand' | 'word', word: string): CallFeature {
  const name = kind === 'word' ? word.toLowerCase() : word;
  return { id: `${kind} ${name}`, kind, name };
}

/** Programs whose operand without a slash is a folder as well, and the flag before one. */
const OF_FOLDER = /^(?:cd|pushd|ls|tree|find|du)$/;

function operandFeatures(word: string, program: string, flag: string): CallFeature[] {
  const bare = word.replace(/^["']|["']$/g, '');
  const folder = /^(?:\.\/)?([\w.@+-]{1,60})(?=\/|$)/.exec(bare)?.[1];
  const isPath = bare.includes('/') || flag === '-C' || (OF_FOLDER.test(program) && !/\.\w{1,8}$/.test(bare));
  if (isPath) return folder === undefined || /^\.+$/.test(folder) ? [] : [folderFeature(folder)];
  if (/[<>*?$`\s]/.test(bare) || bare.length < 2 || bare.length > 40) return [];
  return [wordFeature('operand', bare)];
}

/** A folder at the start of a relative path. */
function folderFeature(folder: string): CallFeature {
  return { id: `folder ${folder}`, kind: 'folder', name: `${folder}/` };
}

/** Levels of objects and lists in which keys are read. */
const DEEPEST = 4;
/** Longer texts are content. */
const LONGEST_VALUE = 40;

function keyFeatures(call: string): CallFeature[] {
  const found: CallFeature[] = [];
  const read = (value: unknown, depth: number): void => {
    if (typeof value === 'string') found.push(...wordFeatures(value));
    if (typeof value !== 'object' || value === null || depth > DEEPEST || found.length > MOST_FEATURES) return;
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) found.push(...keyFeature(key, inner));
      read(inner, depth + 1);
    }
  };
  read(parseJson(call), 0);
  return found;
}

function keyFeature(key: string, value: unknown): CallFeature[] {
  const type = typeOf(value);
  const found: CallFeature[] = [{ id: `key ${key}`, kind: 'key', name: key }];
  if (type !== 'text') found.push({ id: `type ${key} ${type}`, kind: 'type', name: `${key}: ${type}` });
  // A path is a place of one project, which a look for it teaches better.
  if (typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_VALUE && !value.includes('/'))
    found.push({ id: `value:${key} ${value}`, kind: 'value', name: `${key}: ${value}` });
  if (value === '') found.push({ id: `empty ${key}`, kind: 'empty', name: `empty ${key}` });
  return found;
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return typeof value;
}

/** The words of a text that is no command line. */
function wordFeatures(text: string): CallFeature[] {
  const words = text.slice(0, 1_000).match(/[\p{L}_][\p{L}\p{N}_]{1,39}/gu) ?? [];
  return words.slice(0, MOST_WORDS).map((word) => wordFeature('word', word));
}

const markFeatures = (text: string): CallFeature[] =>
  text.includes('```') ? [{ id: 'mark a code fence', kind: 'mark', name: 'a code fence' }] : [];
