import { type ExecutionReport, REPORT_LIMITS, type ToolCall } from '../src/capture/report/execution-report.schema.js';
import { SECRET_RULES } from '../src/untrusted/redaction/secret-spans.js';
import { SeededRandom } from './seeded-random.js';

/** The size of a hostile report as JSON, in bytes: within every limit, and near the limit of a body. */
export const HOSTILE_BYTES = 3_700_000;

const KEYWORDS = [...new Set(SECRET_RULES.flatMap(({ keywords }) => keywords))];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const WORDS = ['the', 'build', 'of', 'this', 'module', 'failed', 'in', 'line', 'because', 'a', 'file', 'is', 'missing'];

type Piece = (random: SeededRandom) => string;

const pick = (random: SeededRandom, from: readonly string[]): string =>
  from[Math.floor(random.uniform() * from.length)] ?? '';
const letters = (random: SeededRandom, count: number): string =>
  Array.from({ length: count }, () => LETTERS[Math.floor(random.uniform() * LETTERS.length)]).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Pieces of text that make the rules work as much as possible, each against another part of them. */
const PIECES = {
  /** A keyword of every rule, with the sign that follows it in an assignment. */
  keywords: (random) => `${pick(random, KEYWORDS)} = `,
  /** The same, which only a decoder sees. */
  nested: (random) => `${base64(base64(Array.from({ length: 60 }, () => `${pick(random, KEYWORDS)}=`).join('')))} `,
  escapes: (random) => `%25%34%31${pick(random, KEYWORDS)}\\n`,
  values: (random) => `api_key = "${letters(random, 10)}" `,
  secrets: (random) => `password=${letters(random, 12)} ${'gh'}p_${letters(random, 36)} `,
  random: (random) => `${letters(random, 60)} `,
  lines: (random) => `${letters(random, 9)}1\n`,
  ligatures: () => '\ufdfa',
} as const satisfies Record<string, Piece>;

/** Harmless text of the same size, for comparison. */
const ORDINARY: Piece = (random) => `${pick(random, WORDS)} `;

export type HostileKind = keyof typeof PIECES;
export const HOSTILE_KINDS = Object.keys(PIECES) as HostileKind[];

/** A report of about `bytes` as JSON that the server accepts, with different texts in each call. */
export function hostileReport(kind: HostileKind | 'ordinary', id: string, bytes = HOSTILE_BYTES): ExecutionReport {
  const random = new SeededRandom(id.length * 31 + bytes);
  const piece = kind === 'ordinary' ? ORDINARY : PIECES[kind];
  const toolCalls: ToolCall[] = [];
  for (let size = 600; size < bytes && toolCalls.length < REPORT_LIMITS.toolCalls; ) {
    const [action, errorMessage] = [REPORT_LIMITS.action, REPORT_LIMITS.errorMessage].map((length) => {
      let text = `${toolCalls.length} `;
      while (text.length < length) text += piece(random);
      return text.slice(0, length);
    });
    const call = { name: 'shell', action: action ?? '', ok: false, errorMessage: errorMessage ?? '' };
    toolCalls.push(call);
    size += Buffer.byteLength(JSON.stringify(call)) + 1;
  }
  return {
    executionId: `hostile-${id}`,
    taskId: `task-${id}`,
    taskTitle: 'a build of many steps',
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:01:30.000Z',
    status: 'failed',
    verification: { outcome: 'none' },
    terminationReason: 'end_turn',
    toolCalls,
    retryCount: 0,
    maxRetries: 0,
  };
}
