import { errorKind, kindTool } from '../errors/error-kind.js';
import { type Episode, GRANULARITIES, type Granularity, OBSERVATION_SETTINGS, type Trial } from './episode.js';
import {
  type Approach,
  approachOf,
  type Call,
  type FailedCall,
  isConclusive,
  isFailed,
  isRecurrence,
  limitTrials,
  type ParsedCall,
  sameGoal,
} from './trial.js';
import { dangersOfRemedy } from './trial-dangers.js';
import { stepsBefore, stepsBetween, windowsAround } from './workflow.js';

/** Groups the failures of an execution at every granularity. Linear in the number of calls. */
export function episodesOf(calls: readonly Call[]): Episode[] {
  const byKey = new Map<string, { granularity: Granularity; failures: FailedCall[] }>();
  for (const call of calls) {
    if (!isFailed(call)) continue;
    for (const granularity of GRANULARITIES) {
      const identity = identityOf(call, granularity);
      if (identity === undefined) continue;
      const key = JSON.stringify([granularity, toolAt(call, granularity), ...identity]);
      const known = byKey.get(key);
      if (known) known.failures.push(call);
      else if (byKey.size < OBSERVATION_SETTINGS.episodes) byKey.set(key, { granularity, failures: [call] });
    }
  }
  return [...byKey.values()].flatMap(({ granularity, failures }) => episodeOf(granularity, failures, calls));
}

/** The tool of an episode. For kinds of error, all file tools count as one, and other tools have no kinds. */
function toolAt({ failing }: FailedCall, granularity: Granularity): string | undefined {
  return granularity === 'kind' ? kindTool(failing.tool, failing.purpose) : failing.tool;
}

/** The fields that all failures of one episode share; undefined if the granularity does not apply to this call. */
function identityOf(call: FailedCall, granularity: Granularity): string[] | undefined {
  const { failing, shape, errorClass: name, template } = call;
  switch (granularity) {
    case 'kind': {
      const kind = toolAt(call, granularity) === undefined ? undefined : errorKind(name, template);
      return kind === undefined ? undefined : [kind];
    }
    case 'program':
      return failing.tool === 'shell' && failing.program === shape.program ? [failing.program] : undefined;
    case 'class':
      return [failing.coarse, name];
    case 'template':
      return [failing.coarse, name, template];
    case 'fine':
      return [failing.coarse, name, failing.fine];
  }
}

function episodeOf(granularity: Granularity, failures: readonly FailedCall[], calls: readonly Call[]): Episode[] {
  const [first] = failures;
  if (!first) return [];
  // By the index of the later call: one remedy counts once, however many failures precede it.
  const trials = new Map<number, Trial>();
  for (const failed of failures) collectTrials(failed, calls, granularity, trials);
  const kind = errorKind(first.errorClass, first.template);
  return [
    {
      granularity,
      tool: toolAt(first, granularity) ?? first.failing.tool,
      purpose: first.failing.purpose,
      coarse: first.failing.coarse,
      fine: first.failing.fine,
      errorClass: first.errorClass,
      template: first.template,
      program: first.failing.program,
      ...(kind ? { kind } : {}),
      failures: failures.length,
      at: first.index,
      trials: limitTrials([...trials.values()], OBSERVATION_SETTINGS.trialsPerApproach),
      windows: granularity === 'class' ? windowsAround(first.index, (at) => nameOf(calls[at])) : [],
    },
  ];
}

function collectTrials(
  failed: FailedCall,
  calls: readonly Call[],
  granularity: Granularity,
  trials: Map<number, Trial>,
): void {
  for (let at = failed.index + 1; at <= failed.index + OBSERVATION_SETTINGS.remedyWithin; at++) {
    const later = calls[at];
    if (!later) return;
    if (!sameGoal(failed, later) || 'excused' in later || !isConclusive(failed, later)) continue;
    const worked = later.ok && !recurs(failed, later, calls);
    const between = calls.slice(failed.index + 1, at);
    const dangers = dangersOfRemedy(later, between);
    // A skipped check says nothing about the failure: it is neither a remedy nor a repeat.
    const isSkipped = dangers.some((danger) => danger.class === 'check');
    if (isSkipped && later.ok) return;
    if (isSkipped) continue;
    const approach = atGranularity(approachOf(failed, later, between), failed, granularity);
    const isNarrow = granularity !== 'kind' && granularity !== 'program';
    const after = isNarrow && approach.how === 'repeat' ? stepsBetween(failed, between) : undefined;
    const before = granularity === 'class' ? stepsBefore(failed, calls) : undefined;
    const found = dangers.length > 0 ? { dangers } : {};
    trials.set(at, {
      ...approach,
      worked,
      from: failed.index,
      at,
      ...(after ? { after } : {}),
      ...(before ? { before } : {}),
      ...found,
    });
    if (later.ok) return;
  }
}

/** Reduces an approach: a pattern of a whole program varies only the program, one of any action varies no action. */
function atGranularity(
  { program, ...approach }: Approach,
  failed: FailedCall,
  granularity: Granularity,
): Omit<Approach, 'program'> {
  const { how, coarse } = approach;
  if (granularity === 'program' && (how === 'repeat' || how === 'replace'))
    return { how: program === failed.failing.program ? 'repeat' : how, coarse: program, fine: program };
  if (granularity !== 'kind') return approach;
  if (how === 'relocate') return { ...approach, coarse: toolAt(failed, granularity) ?? coarse };
  return how === 'replace' && coarse === failed.failing.coarse ? { ...approach, how: 'repeat' } : approach;
}

function recurs(failed: FailedCall, remedy: ParsedCall, calls: readonly Call[]): boolean {
  const from = remedy.index + 1;
  return calls
    .slice(from, from + OBSERVATION_SETTINGS.quietFor)
    .some((call) => isFailed(call) && isRecurrence(failed, call));
}

function nameOf(call: Call | undefined): string | undefined {
  return call && (isFailed(call) ? `${call.failing.coarse}!` : `${call.shape.coarse}${call.ok ? '' : '!'}`);
}
