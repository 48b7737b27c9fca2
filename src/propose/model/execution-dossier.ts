import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Obstacle } from '../../capture/observations/obstacle.schema.js';
import { callText, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import { clip } from '../../untrusted/text/clip.js';
import { withoutBareHosts } from '../../untrusted/text/named-hosts.js';
import { plainText } from '../../untrusted/text/plain-text.js';

/** The longest text in UTF-16 code units: about 1,500 tokens. */
export const LONGEST_EXECUTION_DOSSIER = 6_000;

/**
 * How much is shown. Each step is shorter than the one before. `calls` and `listed`: how many calls the list holds, and
 * the longest of them; the calls of a failure are shown whole, because a lesson may only name whole ones.
 */
const DETAIL = [
  { failures: 10, later: 4, tried: 3, calls: 40, listed: 600 },
  { failures: 10, later: 4, tried: 3, calls: 40, listed: 200 },
  { failures: 6, later: 3, tried: 2, calls: 30, listed: 120 },
  { failures: 4, later: 2, tried: 1, calls: 20, listed: 120 },
  { failures: 2, later: 2, tried: 1, calls: 16, listed: 100 },
  { failures: 1, later: 1, tried: 1, calls: 12, listed: 80 },
  { failures: 1, later: 0, tried: 0, calls: 8, listed: 60 },
] as const;
/** Of a verified success the calls teach, and its failures say little. */
const DETAIL_OF_SUCCESS = [
  DETAIL[0],
  { failures: 4, later: 2, tried: 1, calls: 40, listed: 600 },
  { failures: 2, later: 0, tried: 0, calls: 40, listed: 300 },
  { failures: 1, later: 0, tried: 0, calls: 40, listed: 140 },
  { failures: 0, later: 0, tried: 0, calls: 40, listed: 90 },
  { failures: 0, later: 0, tried: 0, calls: 20, listed: 90 },
] as const;
type Detail = (typeof DETAIL | typeof DETAIL_OF_SUCCESS)[number];
type Call = AnalysisPayload['calls'][number];

const LONGEST = { text: 200, word: 100, facts: 600, error: 300 } as const;

const OUTCOMES: Readonly<Record<Obstacle['outcome'], string>> = {
  overcome: 'overcome',
  check_skipped: 'only got past by skipping a check, which is no remedy',
  passed: 'a later call got past it, and nothing that may be advised says why',
  repeated: 'the same call worked later without a change',
  open: 'nothing overcame it',
};
/**
 * What one execution shows, as text for a model: its task, environment and end, each failure with its decisive error
 * line, the calls after it and what overcame it, and its calls in order. Holds calls and error lines only, without
 * private values, in at most {@link LONGEST_EXECUTION_DOSSIER} visible characters. The same payload gives the same text.
 * Calls are not numbered, so that no number but those of the execution is evidence.
 */
export function executionDossier(payload: AnalysisPayload): string {
  let text = '';
  for (const detail of payload.kind === 'success' ? DETAIL_OF_SUCCESS : DETAIL) {
    const lines = [...headLines(payload), ...obstacleLines(payload, detail), ...callLines(payload, detail)];
    text = withoutBareHosts(generalOf(lines.join('\n')));
    if (text.length <= LONGEST_EXECUTION_DOSSIER) return text;
  }
  return clip(text, LONGEST_EXECUTION_DOSSIER);
}

/** One line, whatever a field holds. Line breaks of a call stay visible. */
const inLine = (text: string): string => plainText(text).trim().replace(/\n/g, '\\n').replace(/\t/g, '\\t');
const short = (text: string, max: number): string => clip(inLine(text), max);
/** `name: text`, or nothing if there is no text. */
const field = (name: string, text: string | undefined, max: number = LONGEST.text): string[] => {
  const shown = short(text ?? '', max);
  return shown === '' ? [] : [`${name}: ${shown}`];
};
const plural = (n: number, word: string, words = `${word}s`): string => `${n} ${n === 1 ? word : words}`;

function headLines(payload: AnalysisPayload): string[] {
  const { kind, task, environment, status, terminationReason } = payload;
  const { errorCategory, errorMessage, missingCapability, turnCount, retryCount } = payload;
  const facts = environment.map(({ name, value }) => `${name} ${value}`).join(', ');
  const end = [status, terminationReason].filter((text) => text !== '').join(', ');
  const counts = [
    ...(turnCount === undefined ? [] : [plural(turnCount, 'turn')]),
    ...(retryCount === 0 ? [] : [plural(retryCount, 'retry', 'retries')]),
  ];
  return [
    kind === 'success' ? 'EXECUTION whose success was verified' : 'EXECUTION in which something failed',
    ...field('task', task.title),
    ...field('kind of task', task.type, LONGEST.word),
    ...field('about the task', task.description),
    ...field('environment', facts, LONGEST.facts),
    ...field('end', [end, ...counts].join('; ')),
    ...field('error at the end', errorMessage, LONGEST.error),
    ...field('its category', errorCategory, LONGEST.word),
    ...field('missing', missingCapability),
  ];
}

function obstacleLines({ obstacles, calls }: AnalysisPayload, detail: Detail): string[] {
  const shown = obstacles.slice(0, detail.failures);
  const left = obstacles.length - shown.length;
  return [
    ...shown.flatMap((obstacle) => linesOf(obstacle, calls, detail)),
    ...(left > 0 && detail.failures > 0 ? ['FAILURES that are left out here'] : []),
  ];
}

function linesOf(obstacle: Obstacle, calls: readonly Call[], detail: Detail): string[] {
  const { outcome, failed, errorLine, between, worked, attempts } = obstacle;
  const { action, errorClass, failures, stage } = obstacle;
  const name = [action, errorClass].map((text) => short(text, LONGEST.word)).filter((text) => text !== '');
  return [
    `FAILURE of ${name.join(', ')}; ${plural(failures, 'time')}, at stage ${stage}; ${OUTCOMES[outcome]}`,
    ...(failed ? [line('failed', failed)] : []),
    `  error     ${short(errorLine, LONGEST.error)}`,
    ...laterCalls(calls, failed, detail.later).map((call) => `  then      ${result(call, 600)}`),
    ...attempts.slice(0, detail.tried).map((call) => line('tried', call)),
    ...between.map((call) => line('first', call)),
    ...(worked ? [line(outcome === 'overcome' ? 'worked' : 'skips', worked)] : []),
  ];
}

const line = (title: string, call: ShownCall): string => `  ${title.padEnd(9)} ${inLine(callText(call))}`;

/** The calls after the failed one, as far as the execution shows them. */
function laterCalls(calls: readonly Call[], failed: ShownCall | undefined, most: number): Call[] {
  const at = calls.findIndex(({ tool, call, ok }) => !ok && tool === failed?.tool && call === failed.call);
  return at < 0 ? [] : calls.slice(at + 1, at + 1 + most);
}

function callLines({ calls, omittedCalls }: AnalysisPayload, { calls: most, listed }: Detail): string[] {
  if (calls.length === 0) return [];
  const head = calls.length <= most ? calls.length : Math.ceil(most / 2);
  const tail = calls.length <= most ? [] : calls.slice(calls.length - Math.floor(most / 2));
  const left = omittedCalls + calls.length - head - tail.length;
  return [
    `CALLS in their order${left > 0 ? `, without ${plural(left, 'other')}` : ''}`,
    ...[...calls.slice(0, head), ...tail].map((call) => `  ${result(call, listed)}`),
  ];
}

/** A call with its result. A call that is cut ends in three dots. */
function result({ tool, call, purpose, ok, ran, skipsCheck, errorCategory, errorLine }: Call, max: number): string {
  const text = call === undefined ? `a call of ${short(tool, 80)} that cannot be shown` : callText({ tool, call });
  const end = ok
    ? skipsCheck === true
      ? 'worked by skipping a check'
      : 'worked'
    : ran === false
      ? 'did not run'
      : 'failed';
  // the line says more than its category
  const why = ok ? '' : short(errorLine ?? errorCategory ?? '', LONGEST.error);
  return `${short(text, max)} -> ${end}${why === '' ? '' : `: ${why}`} (${short(purpose, 60)})`;
}
