import { sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { ExecutionReport } from './execution-report.schema.js';

/** What a record says of a call. */
interface RecordedCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly input: unknown;
  readonly at: string;
}

/** Ids that a program draws at random. Others begin again with every session, such as `call_0` and `Bash:0`. */
const RANDOM_ID = /^(?=[^\d]*\d)[\w-]{0,40}[A-Za-z0-9]{16,80}$/;

/**
 * The keys of calls, the same in every copy of their records. A random id that one call of the session has tells it apart;
 * of another one, its time, its tool and its input do too. Empty where the record says neither.
 */
export function callKeysOf(calls: readonly RecordedCall[]): string[] {
  const uses = new Map<string, number>();
  for (const { id = '' } of calls) uses.set(id, (uses.get(id) ?? 0) + 1);
  return calls.map(({ id = '', name, input, at }) => {
    if (uses.get(id) === 1 && isRandomId(id)) return keyOf(id);
    return Number.isNaN(Date.parse(at)) ? '' : keyOf(id, new Date(at).toISOString(), name, JSON.stringify(input) ?? '');
  });
}

const isRandomId = (id: string): boolean => RANDOM_ID.test(id);

/** The key of a call for records that hold no more of it than its id; none for an id that may be that of another call. */
export const callKeyField = (id: string | undefined): { callKey?: string } =>
  id !== undefined && isRandomId(id) ? { callKey: keyOf(id) } : {};

const keyOf = (...parts: readonly string[]): string => sha256(JSON.stringify(parts)).slice(0, 32);

/** An execution with the keys of its calls. */
export interface KeyedExecution {
  readonly executionId: string;
  readonly finishedAt: Date;
  readonly callKeys: readonly string[];
}

/**
 * The places of the calls that count in another session. A call counts in the session that ended first, since those that
 * repeat it went on from there. `others`: all that share a call with it, each in its last state, so that the order in
 * which they were reported changes nothing.
 */
export function copiedCalls(own: KeyedExecution, others: readonly KeyedExecution[]): number[] {
  const earlier = new Set(others.filter((other) => compareOrigin(other, own) < 0).flatMap(({ callKeys }) => callKeys));
  return own.callKeys.flatMap((key, at) => (key !== '' && earlier.has(key) ? [at] : []));
}

const compareOrigin = (a: KeyedExecution, b: KeyedExecution): number =>
  a.finishedAt.getTime() - b.finishedAt.getTime() || compareText(a.executionId, b.executionId);

/** The report with the calls that count in its session. */
export function withoutCopies<T extends Pick<ExecutionReport, 'toolCalls'>>(report: T, copied: readonly number[]): T {
  if (copied.length === 0) return report;
  const places = new Set(copied);
  return { ...report, toolCalls: report.toolCalls.filter((_, at) => !places.has(at)) };
}
