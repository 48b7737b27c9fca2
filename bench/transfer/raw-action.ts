import { commandIn, isShell } from '../fidelity/call-pattern.js';
import { type Token, tokensOf } from '../fidelity/shell-tokens.js';
import type { SetCall } from '../sets/set-row.js';

/**
 * A call of a row, taken apart by the benchmark itself: neither the product's parser nor its normalised actions are
 * used, so that the figure over recoverable failures does not share their mistakes.
 */
export interface RawAction {
  /** What the call is for: calls with one action are tries of the same thing. */
  readonly action: string;
  /** How the action is written: `python3`, `./venv/bin/python`, `python -m pytest`. */
  readonly form: string;
  /** What stands in front of the command: folders, variables, wrappers. */
  readonly prefixes: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
  /** Words of the command that are neither flags nor content; names in an SQL statement. */
  readonly operands: ReadonlySet<string>;
  /** The pattern that is searched for, or the editing script: with another one the call asks for something else. */
  readonly asked: string | undefined;
  /** Argument keys of a tool other than a shell, also inside objects and lists, and their short values. */
  readonly keys: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** Its result is that of another command: behind `||`, or in front of a pipe. */
  readonly hidesResult: boolean;
  /** The arguments were cut, so that nothing says which keys, values or operands are missing. */
  readonly isCut: boolean;
}

const NONE: ReadonlySet<string> = new Set();
const NO_VALUES: ReadonlyMap<string, string> = new Map();
const CHAIN = /^(?:&&|\|\||;;|\|&|[|;&()])$/;
/** Commands that prepare the one behind them on the same line. */
const PREPARES = /^(?:cd|pushd|export|set|source|\.)$/;
/** Commands that run the rest of their own words. */
const WRAPS = /^(?:sudo|timeout|env|time|nohup)$/;
const WRAPPER_FLAG_WITH_VALUE = /^-(?:[unkgsioe]|-(?:signal|kill-after|user|group|adjustment))$/;
const ASSIGNMENT = /^[A-Za-z_]\w{0,60}=/;
const INTERPRETER = /^(?:python|pypy|node|nodejs|ruby|perl|php|rscript|deno|bun)$/;
const SHELL = /^(?:ba|z|da|k)?sh$/;
/** Flags whose value is code or a message. */
const CONTENT_FLAGS: Readonly<Record<string, RegExp>> = {
  git: /^(?:-m|--message|-[a-z]m)$/,
  grep: /^(?:-e|--regexp)$/,
  sed: /^(?:-e|--expression)$/,
  curl: /^(?:-d|--data|--data-raw|--data-binary|-H|--header)$/,
};
/** Programs whose first operand is a pattern or a script. */
const FIRST_IS_CONTENT = /^(?:[efz]?grep|rg|ag|ack|sed|g?awk|jq)$/;
/** Programs whose operands are content. */
const SAYS = /^(?:echo|printf)$/;
/** Programs whose first operand names what they do. */
const HAS_SUBCOMMANDS =
  /^(?:git|gh|pip|pipx|uv|poetry|conda|npm|pnpm|yarn|npx|apt|apt-get|brew|dnf|yum|docker|docker-compose|podman|kubectl|helm|cargo|go|dotnet|mix|gem|bundle|rails|mvn|gradle|make|systemctl|service|aws|gcloud|az|terraform|tox|nox|composer|bazel|hg|svn)$/;
/** Flags of an interpreter behind which comes a module, code, or code from the input. */
const RUNS_NEXT = /^-(?:[cemr]|-eval|)$/;
const SQL_TOOL = /sql|query|database/;
const SQL =
  /^[\s(]*(select|show|describe|desc|insert|update|delete|create|drop|alter|use|with|explain|replace|set|call)\b/i;
const LONGEST_OPERAND = 200;
const LONGEST_STATEMENT = 10_000;
const MOST_KEYS = 1_000;
const DEEPEST = 6;

type WholeAction = Omit<RawAction, 'isCut'>;

/** Takes a call apart; undefined if it holds no command, or nothing that can be read. */
export function rawActionOf(call: SetCall): RawAction | undefined {
  const action = isShell(call.tool) ? shellActionOf(commandIn(call.input)) : toolActionOf(call);
  return action && { ...action, isCut: call.isCut };
}

/** A line that the agent put in a code fence or in `name[…]`. */
function unwrapped(text: string): { wrapping: string[]; line: string } {
  const fence = /^\s*(```\w{0,12})\s*\n([\s\S]*?)(?:```|$)/.exec(text);
  const bracket = /^\s*(\w{2,20}\[)([\s\S]*)\]\s*$/.exec(text);
  const [, wrapping, line = text] = fence ?? bracket ?? [];
  return { wrapping: wrapping === undefined ? [] : [wrapping], line };
}

interface Step {
  readonly words: readonly string[];
  /** The operator behind it. */
  readonly operator: string;
  readonly hasDocument: boolean;
}

function shellActionOf(text: string): WholeAction | undefined {
  const { wrapping, line } = unwrapped(text);
  const steps = stepsOf(tokensOf(line));
  const prefixes = new Set(wrapping);
  for (const [at, step] of steps.entries()) {
    const { own, words } = withoutWrappers(step.words);
    for (const prefix of own) prefixes.add(prefix);
    const inner = innerLine(words);
    if (inner !== undefined) {
      const action = shellActionOf(inner);
      return action && { ...action, prefixes: new Set([...prefixes, words.slice(0, 2).join(' '), ...action.prefixes]) };
    }
    const isLast = at === steps.length - 1;
    if (words.length === 0 || (isPreparation(words) && !isLast)) {
      if (words.length > 0) prefixes.add(words.join(' ').slice(0, LONGEST_OPERAND));
      continue;
    }
    return {
      ...commandOf(words, step.hasDocument),
      prefixes,
      keys: NONE,
      values: NO_VALUES,
      hidesResult: hidesResult(steps.slice(at)),
    };
  }
  return undefined;
}

const isPreparation = ([program = '']: readonly string[]): boolean => PREPARES.test(program);

/** A pipe gives the result of its last command, `||` and `;` that of what comes after. */
const hidesResult = (steps: readonly Step[]): boolean =>
  steps.slice(0, -1).some(({ operator }) => ['|', '|&', '||', ';', '&'].includes(operator));

function stepsOf(tokens: readonly Token[]): Step[] {
  const steps: Step[] = [];
  let words: string[] = [];
  let hasDocument = false;
  let isTarget = false;
  for (const { text, isOperator } of [...tokens, { text: ';', isOperator: true }]) {
    if (isOperator && CHAIN.test(text)) {
      if (words.length > 0) steps.push({ words, operator: text, hasDocument });
      words = [];
      hasDocument = false;
    } else if (!isOperator && !isTarget) words.push(text);
    isTarget = isOperator && /[<>]/.test(text) && !/&(?:\d|-)$/.test(text);
    hasDocument ||= isOperator && text.includes('<<');
  }
  return steps;
}

/** The variables and wrappers in front of a command, and the command. */
function withoutWrappers(words: readonly string[]): { own: string[]; words: string[] } {
  const own: string[] = [];
  let rest = [...words];
  for (;;) {
    const [first = ''] = rest;
    if (ASSIGNMENT.test(first)) own.push(first.slice(0, LONGEST_OPERAND));
    else if (!WRAPS.test(first) || rest.length === 1) return { own, words: rest };
    let length = 1;
    if (WRAPS.test(first)) {
      while (rest[length]?.startsWith('-') === true) length += WRAPPER_FLAG_WITH_VALUE.test(rest[length] ?? '') ? 2 : 1;
      if (first === 'timeout') length += 1;
      own.push(rest.slice(0, length).join(' '));
    }
    rest = rest.slice(length);
  }
}

/** The line that a shell is given: `bash -lc '…'`. */
function innerLine([program = '', flag = '', line]: readonly string[]): string | undefined {
  return SHELL.test(baseOf(program)) && /^-[a-z]{0,4}c$/.test(flag) ? line : undefined;
}

const baseOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1);
/** `python3.11` and `pip3` are forms of `python` and `pip`. */
const familyOf = (program: string): string => {
  const base = baseOf(program).toLowerCase();
  const family = /^([a-z]{3,}?)-?\d+(?:\.\d+){0,2}$/.exec(base)?.[1] ?? base;
  return family === 'py.test' ? 'pytest' : family;
};

type Command = Pick<RawAction, 'action' | 'form' | 'flags' | 'operands' | 'asked'>;

/** A call for the version or help of a program is an action of its own, and so is one with a here document. */
function commandOf(words: readonly string[], hasDocument: boolean): Command {
  const [program = '', ...rest] = words;
  const family = familyOf(program);
  const isInterpreted = INTERPRETER.test(family);
  const command = isInterpreted ? interpretedOf(program, family, rest) : programOf(program, family, rest);
  const [information] = [...command.flags].filter((flag) => /^--(?:version|help)$/.test(flag));
  const purpose = information ?? (hasDocument && !isInterpreted ? '<<' : undefined);
  return purpose === undefined ? command : { ...command, action: `${command.action} ${purpose}` };
}

/** A module run by an interpreter is the action; otherwise it is the kind of what the interpreter runs. */
function interpretedOf(program: string, family: string, words: readonly string[]): Command {
  const found = words.findIndex((word) => !word.startsWith('-') || RUNS_NEXT.test(word));
  const at = found < 0 ? words.length : found;
  const [word = '', next = ''] = words.slice(at);
  const own = words.slice(0, at);
  if (word === '-m' && next !== '') {
    const module = programOf(next, familyOf(next), words.slice(at + 2));
    return { ...module, form: `${program} -m ${module.form}`, flags: new Set([...own, ...module.flags]) };
  }
  if (word === '' || word.startsWith('-')) {
    const form = [program, word].join(' ').trim();
    return { action: `${family} code`, form, flags: new Set(own), operands: NONE, asked: undefined };
  }
  const kind = /\.\w{1,8}$/.exec(word)?.[0] ?? 'script';
  const { flags, operands } = partsOf(words.slice(at), family);
  return {
    action: `${family} ${kind}`,
    form: program,
    flags: new Set([...own, ...flags]),
    operands,
    asked: undefined,
  };
}

function programOf(program: string, family: string, words: readonly string[]): Command {
  const at = HAS_SUBCOMMANDS.test(family) ? words.findIndex((word) => !word.startsWith('-')) : -1;
  const rest = words.filter((_, index) => index !== at);
  return { action: at < 0 ? family : `${family} ${words[at]}`, form: program, ...partsOf(rest, family) };
}

/** Flags with a value keep its text out: `--depth 1` and `--depth=2` are the flag `--depth`. */
function partsOf(words: readonly string[], family: string): Pick<Command, 'flags' | 'operands' | 'asked'> {
  const [flags, operands] = [new Set<string>(), new Set<string>()];
  const hasContent = CONTENT_FLAGS[family];
  const hasPattern = FIRST_IS_CONTENT.test(family);
  let asked: string | undefined;
  let isContent = false;
  for (const word of words) {
    if (/^-{1,2}[A-Za-z]/.test(word)) {
      flags.add(word.split('=', 1)[0] ?? word);
      isContent = hasContent?.test(word) === true;
    } else if (hasPattern && (isContent || asked === undefined)) {
      asked = word;
      isContent = false;
    } else if (isContent) isContent = false;
    else if (isName(word) && !SAYS.test(family)) operands.add(word);
  }
  return { flags, operands, asked };
}

/** A path, a module or a name; no code, pattern or prose. */
const isName = (word: string): boolean =>
  word !== '' && word.length <= LONGEST_OPERAND && !/\n|\S\s+\S+\s+\S/.test(word);

function toolActionOf({ tool, input }: SetCall): WholeAction | undefined {
  if (input === undefined) return undefined;
  const name = tool.toLowerCase();
  const plain = { form: tool, prefixes: NONE, flags: NONE, operands: NONE, asked: undefined, hidesResult: false };
  const none = { keys: NONE, values: NO_VALUES };
  const { wrapping, line } = unwrapped(onlyText(input) ?? '');
  const verb = SQL_TOOL.test(name) ? SQL.exec(line)?.[1]?.toLowerCase() : undefined;
  if (verb !== undefined)
    return {
      ...plain,
      ...none,
      action: `${name} ${verb}`,
      prefixes: new Set(wrapping),
      operands: namesInStatement(line),
    };
  return { ...plain, action: `${name}()`, ...argumentsOf(input) };
}

function onlyText(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  const values: unknown[] = typeof input === 'object' && input !== null ? Object.values(input) : [];
  const [value] = values;
  return values.length === 1 && typeof value === 'string' ? value : undefined;
}

/** Key words, names and functions of a statement, without the texts and numbers that it compares with. */
function namesInStatement(statement: string): ReadonlySet<string> {
  const text = statement.slice(0, LONGEST_STATEMENT).replace(/'[^']*'|"[^"]*"/g, ' ');
  const names = text.match(/[A-Za-z_][\w$]*(?:\.[A-Za-z_*][\w$]*)?/g) ?? [];
  return new Set(names.map((word) => word.toLowerCase()));
}

/** The keys by their path, `passengers[].name`, and the short values under them. */
function argumentsOf(input: unknown): Pick<RawAction, 'keys' | 'values'> {
  const keys = new Set<string>();
  const values = new Map<string, string>();
  const visit = (value: unknown, at: string, depth: number): void => {
    if (keys.size > MOST_KEYS || depth > DEEPEST) return;
    if (typeof value !== 'object' || value === null) {
      const text = String(value);
      if (isName(text)) values.set(at, values.has(at) ? `${values.get(at)} ${text}`.slice(0, LONGEST_STATEMENT) : text);
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      const path = Array.isArray(value) ? `${at}[]` : at === '' ? key : `${at}.${key}`;
      if (!Array.isArray(value)) keys.add(path);
      visit(inner, path, depth + 1);
    }
  };
  visit(input, '', 0);
  return { keys, values };
}
