import { decisiveLine } from '../../src/capture/errors/decisive-line.js';
import { predicateOfAnswer } from '../../src/evidence/answers/answered-predicate.js';
import {
  ANSWERED_TESTS,
  type AnsweredMatcher,
  type AnsweredPredicate,
  type AnsweredTest,
  type LessonAnswer,
} from '../../src/evidence/answers/lesson-answer.schema.js';
import type { Dossier } from '../../src/evidence/dossier/dossier.schema.js';
import { compileMatchers } from '../../src/evidence/predicate/compiled-predicate.js';
import { recordedCallOf } from '../../src/evolve/writers/dossier-calls.js';
import { isShellTool } from '../../src/untrusted/shell/shell-tool.js';

/** A row of `lessons.jsonl` or `hostile.jsonl` of the recorded lessons, as their README describes it. */
export interface RecordedRow {
  readonly id: string;
  readonly family: string;
  readonly decision: 'lesson' | 'no_lesson';
  readonly label?: string;
  readonly reason_kind?: string;
  readonly reason?: string;
  readonly title?: string;
  readonly condition?: string;
  readonly cause?: string;
  readonly steps?: readonly string[];
  readonly gotchas?: readonly string[];
  readonly example?: { readonly before: string; readonly after: string };
  readonly applies_to?: {
    readonly harness?: string;
    readonly project?: string;
    readonly environment?: string;
    readonly tools?: readonly string[];
  };
  readonly predicate?: RecordedPredicate;
  readonly quotes?: readonly string[];
  readonly confidence?: 'low' | 'medium' | 'high';
}

type RecordedMatcher = Readonly<Record<string, string | boolean>>;
type RecordedMatchers = RecordedMatcher | readonly RecordedMatcher[];
type RecordedPredicate = Readonly<Record<string, RecordedMatchers | Readonly<Record<string, RecordedMatchers>>>>;

/** A row of `dossiers.jsonl`. */
export interface RecordedDossier {
  readonly id: string;
  readonly set: string;
  readonly signature: string;
  readonly value: string | null;
  readonly failures: number;
  readonly executions: number;
  readonly executions_in_set: number;
  readonly agents: number;
  readonly origins: number;
  readonly dossier: string;
}

/**
 * The answer in the form of the product. The recorded examples are texts, and the product's are numbers: the calls with
 * these texts, otherwise the first that the predicate describes.
 */
export function answerOfRecorded(row: RecordedRow, dossier: Dossier): LessonAnswer {
  const { decision, reason_kind, reason = '' } = row;
  if (decision === 'no_lesson') {
    const kind = (reason_kind ?? 'noise') as NonNullable<LessonAnswer['refusal']>['kind'];
    return { decision, lesson: null, refusal: { kind, reason } };
  }
  const predicate = answeredPredicate(row.predicate ?? {});
  const { harness = '', project = '', environment = '', tools = [] } = row.applies_to ?? {};
  return {
    decision,
    refusal: null,
    lesson: {
      title: row.title ?? '',
      condition: row.condition ?? '',
      cause: row.cause ?? '',
      steps: [...(row.steps ?? [])],
      gotchas: [...(row.gotchas ?? [])],
      quotes: [...(row.quotes ?? [])],
      example: exampleNumbers(row.example ?? { before: '', after: '' }, predicate, dossier),
      binding: { harness, project, environment, tools: [...tools] },
      predicate,
      confidence: row.confidence ?? 'high',
    },
  };
}

const PARTS = ['when', 'follow', 'attempt', 'against', 'covers'] as const;

function answeredPredicate(recorded: RecordedPredicate): AnsweredPredicate {
  const part = (name: string): AnsweredMatcher[] => matchersOf(recorded[name]);
  const inner = (name: string, key: string): AnsweredMatcher[] =>
    matchersOf((recorded[name] as Readonly<Record<string, RecordedMatchers>> | undefined)?.[key]);
  const [when = [], follow = [], attempt = [], against = [], covers = []] = PARTS.map(part);
  const within = Number(recorded['within'] ?? 0);
  return {
    when,
    follow,
    attempt,
    against,
    covers,
    within,
    start: { action: inner('start', 'action'), form: inner('start', 'form'), prior: inner('start', 'prior') },
    execution: {
      first: inner('execution', 'first'),
      before: inner('execution', 'before'),
      after: inner('execution', 'after'),
      did: inner('execution', 'did'),
    },
  };
}

function matchersOf(recorded: unknown): AnsweredMatcher[] {
  if (typeof recorded !== 'object' || recorded === null) return [];
  return [recorded].flat().map((one) => ({
    tests: Object.entries(one as RecordedMatcher).map(([test, value]) => {
      if (!Object.hasOwn(ANSWERED_TESTS, test)) throw new Error(`unknown test ${test}`);
      return {
        test: test as AnsweredTest,
        value: typeof value === 'boolean' ? (value ? 'yes' : 'no') : inJson(test, value),
      };
    }),
  }));
}

/** The recorded arguments are texts, and those of the product JSON, where a text begins behind its name. */
const inJson = (test: string, pattern: string): string =>
  /args$/.test(test) ? pattern.replace(/^\^/, '(^|":\\s*")') : pattern;

function exampleNumbers(
  { before, after }: { readonly before: string; readonly after: string },
  answered: AnsweredPredicate,
  { examples }: Dossier,
): { number: number; worked: number } {
  const isSame = (one: string, other: string): boolean => plain(one) === plain(other);
  const pairs = examples.flatMap(({ failed, later }, at) =>
    later.map((call, n) => ({ failed, call, later, number: at + 1, worked: n + 1 })),
  );
  const quoted = pairs.filter(({ failed, call }) => isSame(failed.call.call, before) && isSame(call.call.call, after));
  const exact = quoted.find(({ call }) => call.ok === true);
  if (exact) return { number: exact.number, worked: exact.worked };
  const read = predicateOfAnswer(answered);
  if ('problem' in read || !read.predicate.when) return { number: 0, worked: 0 };
  const { when, follow, attempt } = read.predicate;
  const fires = compileMatchers(when);
  const described = pairs.find(({ failed, call, later, worked }) => {
    const [first, own] = [recordedCallOf(failed, 0), recordedCallOf(call, worked)];
    if (!follow || call.ok !== true || !fires(first)) return false;
    const follows = compileMatchers(follow);
    const isPrepared = later.slice(0, worked - 1).some((one, n) => follows(recordedCallOf(one, n + 1), first));
    return attempt ? isPrepared && compileMatchers(attempt)(own, first) : follows(own, first);
  });
  const found = described ?? quoted[0];
  if (found) return { number: found.number, worked: found.worked };
  return { number: 1 + examples.findIndex(({ failed }) => fires(recordedCallOf(failed, 0))), worked: 0 };
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

type ExampleCall = Dossier['examples'][number]['failed'];

/**
 * Whether a failed call belongs to the recorded family, as far as its value says; a family without one is that of its
 * template. For the scope of an answer that is replayed against a larger family of the product.
 */
export const hasRecordedValue =
  ({ value }: Pick<RecordedDossier, 'value'>) =>
  ({ error, text }: { readonly error: string; readonly text: string }): boolean =>
    value === null || `${error} ${text}`.toLowerCase().includes(value.toLowerCase());

/** A dossier of the product with the head and the examples of a recorded one, whose text is what its writer read. */
export function readableDossier(recorded: RecordedDossier): Dossier {
  const { id, signature, value, failures, executions, executions_in_set, agents, origins, dossier } = recorded;
  const isRuns = id.endsWith('-S');
  return {
    kind: isRuns ? 'runs' : 'failure',
    signature: signature.slice(0, 200),
    value,
    failures,
    executions,
    examined: executions_in_set,
    agents,
    origins,
    harnesses: [],
    tools: [],
    actions: [],
    position: 0,
    repeats: 0,
    identicalNext: 0,
    sameActionWorked: 0,
    inFailed: [],
    inWorked: [],
    keys: [],
    recovered: 0,
    next: [],
    afterRecovered: [],
    afterOthers: [],
    outcome: null,
    environment: [],
    examples: examplesIn(dossier),
  };
}

function examplesIn(text: string): Dossier['examples'] {
  const examples: Dossier['examples'] = [];
  for (const block of text.split(/\n- example /).slice(1)) {
    const lines = block.split('\n');
    const error = lines.map((line) => /^\s+error (.*)$/.exec(line)?.[1]).find((found) => found !== undefined) ?? "''";
    const calls = lines.flatMap((line) => {
      const [, role = '', tool = '', rest = ''] = /^\s+(before|failed|then)\s+(\S+) (.*)$/.exec(line) ?? [];
      return role === '' ? [] : [{ role, call: calledIn(tool, rest, role === 'failed' ? error : undefined) }];
    });
    const failed = calls.find(({ role }) => role === 'failed')?.call;
    if (!failed) continue;
    const before = calls.find(({ role }) => role === 'before')?.call ?? null;
    const later = calls.filter(({ role }) => role === 'then').map(({ call }) => call);
    examples.push({ recovered: block.startsWith('(recovered'), before, failed, later });
  }
  return examples;
}

/** A call with its result: `'the call' ok 'its answer'`. */
function calledIn(tool: string, line: string, errorOfFailed: string | undefined): ExampleCall {
  const { value, rest } = pythonText(line);
  const isFailed = errorOfFailed !== undefined || /^ FAILED/.test(rest);
  const answer = pythonText(errorOfFailed ?? rest.replace(/^ (?:ok|FAILED) ?/, '')).value;
  const call = value.slice(0, 600).trim();
  return {
    call: { tool: isShellTool(tool) ? 'shell' : tool, call: call === '' ? '{}' : call },
    ok: !isFailed,
    error: isFailed ? errorLine(answer) : null,
  };
}

function errorLine(answer: string): string {
  const whole = answer.replace(/\s+/g, ' ').trim();
  return (whole.length <= 300 ? whole : (decisiveLine(answer) ?? whole)).slice(0, 300);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** The string at the start of a text, as Python prints it, and what stands behind it. */
function pythonText(text: string): { value: string; rest: string } {
  const quote = text.charAt(0);
  if (quote !== "'" && quote !== '"') return { value: '', rest: text };
  let value = '';
  for (let at = 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === quote) return { value, rest: text.slice(at + 1) };
    if (char !== '\\') value += char;
    else {
      at += 1;
      const code = text.charAt(at);
      if (code === 'x') {
        value += String.fromCharCode(Number.parseInt(text.slice(at + 1, at + 3), 16));
        at += 2;
      } else value += ESCAPES[code] ?? code;
    }
  }
  return { value, rest: '' };
}
