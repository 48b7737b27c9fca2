import { actionShape } from '../../capture/actions/action.js';
import { shownCall } from '../../capture/actions/shown-call.js';
import { readError } from '../../capture/errors/error-class.js';
import { episodeFingerprints } from '../../capture/observations/fingerprint.js';
import type { Trial } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { type Alternative, isApproach } from '../patterns/contrast.js';
import type { Case, ReportedExecution } from './case.js';
import { presentableCall, presentableError } from './presentable-call.js';

/** Which failures and which remedy the cases show. */
export interface CaseQuery {
  /** All fingerprints that the lesson covers. */
  readonly fingerprints: ReadonlySet<string>;
  readonly chosen: Pick<Alternative, 'how' | 'action' | 'granularity' | 'following' | 'skipsCheck'>;
}

/** What differs from the failed call, as the observation of a trial names it. */
type ChangedTrial = Trial & { readonly change?: readonly { readonly to?: string; readonly from?: string }[] };

const MOST_BETWEEN = 3;
const MOST_CASES = 4;
/** The most telling form of line first: an exception, then a message that says what is wrong. */
const ERROR_LINES = [
  /^\s{0,8}(?:E {1,7})?[\w.]{0,60}(?:Error|Exception)\b(?!\.{3})/,
  /^fatal:|not found|no such|denied|does not exist|cannot |unable to|invalid|\berror\b/i,
  /fail|error/i,
];
/** Rulers of test reports, frames of tracebacks and the code in them. */
const NO_MESSAGE = /^\s{0,20}(?:[=_-]{4,}|File "|\^|at |>|\d{1,3} (?:passed|failed)|Traceback)/;

/** Returns the cases of one execution: those in which the remedy worked first. Pure. */
export function casesOf(execution: ReportedExecution, { fingerprints, chosen }: CaseQuery): Case[] {
  const { episodes, project } = execution.observed;
  const found = new Map<string, Case>();
  for (const episode of episodes) {
    if (!episodeFingerprints(episode, project).some((print) => fingerprints.has(print))) continue;
    for (const trial of episode.trials.filter((one) => one.worked && isApproach(one, chosen))) {
      const one = caseOf(execution, trial.from, trial);
      if (one?.worked) found.set(`${trial.from} ${trial.at}`, one);
    }
  }
  const worked = [...found.values()].slice(0, MOST_CASES);
  if (worked.length > 0) return worked;
  const failed = episodes.find((episode) =>
    episodeFingerprints(episode, project).some((print) => fingerprints.has(print)),
  );
  const one = failed && caseOf(execution, failed.at);
  return one ? [one] : [];
}

function caseOf({ observed, report }: ReportedExecution, from: number, trial?: ChangedTrial): Case | undefined {
  const failedCall = report.toolCalls[from];
  const failed = failedCall && presentableCall(shownCall(failedCall));
  if (!failedCall || !failed || failedCall.ok) return undefined;
  const later = trial && report.toolCalls[trial.at];
  const worked = later && presentableCall(shownCall(later));
  const { agentId, owner, origin } = observed.support;
  return {
    executionId: observed.executionId,
    agentId,
    owner,
    origin,
    environment: report.environment ?? {},
    ...(observed.project ? { projectKind: observed.project } : {}),
    failed,
    error: presentableError(errorLineOf(failedCall)),
    between: trial ? stepsOf(report.toolCalls, trial) : [],
    ...(worked ? { worked } : {}),
    changed: trial?.change?.flatMap(({ to }) => to ?? []) ?? [],
  };
}

/** The calls between failure and remedy that prepared it, as far as they may be shown. */
function stepsOf(calls: readonly ToolCall[], trial: ChangedTrial): Case['between'] {
  return (trial.via ?? preparingCalls(calls, trial)).slice(-MOST_BETWEEN).flatMap((at) => {
    const call = calls[at];
    return (call?.ok ? presentableCall(shownCall(call)) : undefined) ?? [];
  });
}

function preparingCalls(calls: readonly ToolCall[], { how, coarse, fine, after, from, at }: Trial): number[] {
  const steps = after?.split(' > ') ?? (how === 'prepare' ? [coarse] : how === 'relocate' && fine !== '' ? [fine] : []);
  if (steps.length === 0) return [];
  const found = calls.slice(from + 1, at).flatMap((call, n) => {
    return call.ok && steps.includes(actionShape(call.name, call.action).coarse) ? [from + 1 + n] : [];
  });
  return after === undefined ? found.slice(-1) : found;
}

/** The decisive line of an error: as the report has it, otherwise the last line that names an error; may be empty. */
export function errorLineOf({ errorLine, errorMessage = '' }: ToolCall): string {
  if (errorLine !== undefined) return errorLine;
  const { lines } = readError(errorMessage);
  const messages = lines.filter((line) => !NO_MESSAGE.test(line));
  for (const pattern of ERROR_LINES) {
    const found = messages.findLast((line) => pattern.test(line));
    if (found !== undefined) return found.trim();
  }
  return (messages.at(-1) ?? '').trim();
}
