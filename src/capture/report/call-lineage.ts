import { sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { ExecutionReport, ToolCall } from './execution-report.schema.js';

/** What a record says of a call. */
interface RecordedCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly input: unknown;
  /** Empty if the record does not say it. */
  readonly at: string;
  /** What names the record in all its copies, where its time does not. */
  readonly record?: unknown;
}

/**
 * Ids that a program draws at random, with letters and digits after the last separator. Others begin again with every
 * session, such as `call_0` and `toolu_0000000000000001`.
 */
const RANDOM_ID = /^[\w-]{0,40}(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,80}$/;

/**
 * The keys of calls, the same in every copy of their records. A random id that one call of the session has, the tool and
 * the input tell it apart; of another id the record or its time, too. The same again has its number. Empty where nothing
 * tells it apart.
 */
export function callKeysOf(calls: readonly RecordedCall[]): string[] {
  const uses = new Map<string, number>();
  for (const { id = '' } of calls) uses.set(id, (uses.get(id) ?? 0) + 1);
  const known = new Map<string, number>();
  return calls.map((call) => {
    const { id = '', at, record } = call;
    const isOwn = uses.get(id) === 1 && RANDOM_ID.test(id);
    if (id === '' || (!isOwn && record === undefined && Number.isNaN(Date.parse(at)))) return '';
    const when = (): string => (record === undefined ? new Date(at).toISOString() : JSON.stringify(record));
    const parts = isOwn ? partsOf(id, call) : [...partsOf(id, call), when()];
    const n = (known.get(parts.join('\n')) ?? 0) + 1;
    known.set(parts.join('\n'), n);
    return keyOf(...parts, ...(n === 1 ? [] : [`${n}`]));
  });
}

const partsOf = (id: string, { name, input }: Pick<RecordedCall, 'name' | 'input'>): string[] => [
  id,
  name,
  JSON.stringify(input) ?? '',
];

/** The key of a call whose record has no time; none for an id that may be that of another call. */
export const callKeyField = (
  id: string | undefined,
  call: Pick<RecordedCall, 'name' | 'input'>,
): { callKey?: string } => (id !== undefined && RANDOM_ID.test(id) ? { callKey: keyOf(...partsOf(id, call)) } : {});

const keyOf = (...parts: readonly string[]): string => sha256(JSON.stringify(parts)).slice(0, 32);

/** What became of a failed call in its own record: 2, a remedy overcame it; 1, a later call got past it. */
export type CallOutcomes = Readonly<Record<string, number>>;

/** An execution with the keys of its calls. */
export interface KeyedExecution {
  readonly executionId: string;
  readonly finishedAt: Date;
  readonly callKeys: readonly string[];
  /** By the key of a failed call; none for one that nothing got past. */
  readonly outcomes: CallOutcomes;
}

/**
 * The places of the calls that count in another session. A call counts in the session that ended first, since those that
 * repeat it went on from there; a failed one in the first that overcame it, so that its remedy counts with it. `others`:
 * those that count a call of it, each in its last state, so that the order in which they were reported changes nothing.
 */
export function copiedCalls(own: KeyedExecution, others: readonly KeyedExecution[]): number[] {
  const places = new Map<string, number[]>();
  for (const [at, key] of own.callKeys.entries()) if (key !== '') places.set(key, [...(places.get(key) ?? []), at]);
  const copied = new Set<number>();
  for (const other of others)
    for (const key of other.callKeys)
      if (places.has(key) && compareClaim(key, other, own) < 0) for (const at of places.get(key) ?? []) copied.add(at);
  return [...copied].sort((a, b) => a - b);
}

/** Negative if the call counts in `a`. */
const compareClaim = (key: string, a: KeyedExecution, b: KeyedExecution): number =>
  (b.outcomes[key] ?? 0) - (a.outcomes[key] ?? 0) ||
  a.finishedAt.getTime() - b.finishedAt.getTime() ||
  compareText(a.executionId, b.executionId);

/** The keys of the calls that count in the session. */
export function countedKeys(callKeys: readonly string[] = [], copied: readonly number[]): string[] {
  const places = new Set(copied);
  return [...new Set(callKeys.filter((key, at) => key !== '' && !places.has(at)))];
}

/** The report with its copies marked: they show what came before and after the calls that count. */
export function markCopies<T extends Pick<ExecutionReport, 'toolCalls'>>(report: T, copied: readonly number[]): T {
  if (copied.length === 0) return report;
  const places = new Set(copied);
  return {
    ...report,
    toolCalls: report.toolCalls.map((call, at) => (places.has(at) ? { ...call, copied: true } : call)),
  };
}

/** The calls that count in their session. */
export const countedCalls = (calls: readonly ToolCall[]): ToolCall[] => calls.filter(({ copied }) => copied !== true);
