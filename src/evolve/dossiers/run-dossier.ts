import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { clip } from '../../untrusted/text/clip.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { actionLabel, countedNames, harnessesOf, sharedBy } from './dossier-builder.js';
import { maskedCall, nameMaskOf } from './masked-names.js';
import { presentableError } from './presentable-call.js';
import type { PublicValues } from './public-values.js';

/** A judged run as a contrast sees it. */
interface JudgedRun {
  readonly execution: RecordedExecution;
  readonly good: boolean;
}

/** What a dossier of runs is made from. */
export interface RunDossierInput<T extends JudgedRun> {
  readonly signature: string;
  readonly action: string;
  readonly prior: string;
  /** Runs that could do it, and those that did. */
  readonly universe: readonly T[];
  readonly did: ReadonlySet<T>;
  readonly outcome: NonNullable<Dossier['outcome']>;
  /** Of all judged runs: what several origins hold, and words that are no names. */
  readonly values: PublicValues;
  readonly keep: ReadonlySet<string>;
}

type Example = Dossier['examples'][number];

const MOST_TRIED = 40;

/** The dossier of a contrast of whole runs: two that did it and ended well, and one that did neither. Pure. */
export function dossierOfRuns<T extends JudgedRun>(input: RunDossierInput<T>): Dossier {
  const { signature, universe, did, outcome } = input;
  const own = universe.filter((run) => did.has(run)).map(({ execution }) => execution);
  return {
    kind: 'runs',
    signature: clip(presentableError(signature), 200),
    value: null,
    failures: universe.filter(({ good }) => !good).length,
    executions: own.length,
    examined: universe.length,
    agents: new Set(own.map(({ agentId }) => agentId)).size,
    origins: new Set(own.map(({ origin }) => origin)).size,
    harnesses: harnessesOf(own),
    tools: namesOfRuns(own, ({ tool }) => tool, 5),
    actions: namesOfRuns(own, actionLabel, 8),
    identicalNext: 0,
    sameActionWorked: 0,
    recovered: outcome.with.worked,
    next: [],
    outcome,
    examples: examplesOfRuns(input),
    environment: sharedBy(own),
  };
}

/** Names with the number of executions that have them. */
const namesOfRuns = (
  executions: readonly RecordedExecution[],
  nameOf: (call: RecordedCall) => string,
  most: number,
): Dossier['tools'] =>
  countedNames(
    executions.flatMap(({ origin, calls }) => [...new Set(calls.map(nameOf))].map((name) => ({ name, origin }))),
    most,
  );

function examplesOfRuns<T extends JudgedRun>(input: RunDossierInput<T>): Example[] {
  const { universe, did } = input;
  const tools = new Set<string>();
  for (const { execution } of did)
    for (const { actions, tool } of execution.calls) if (actionOf(actions) === input.action) tools.add(tool);
  const sorted = [...universe].sort(
    (a, b) => a.execution.calls.length - b.execution.calls.length || compareText(a.execution.id, b.execution.id),
  );
  const origins = new Set<string>();
  const take = (pool: readonly T[], most: number): Example[] => {
    const shown: Example[] = [];
    for (const run of pool.slice(0, MOST_TRIED)) {
      if (shown.length >= most || origins.has(run.execution.origin)) continue;
      const example = exampleOf(run, input);
      if (example === undefined) continue;
      origins.add(run.execution.origin);
      shown.push(example);
    }
    return shown;
  };
  return [
    ...take(
      sorted.filter((run) => run.good && did.has(run)),
      2,
    ),
    ...take(
      sorted.filter((run) => !run.good && !did.has(run) && usesOneOf(run, tools)),
      1,
    ),
  ];
}

const usesOneOf = ({ execution }: JudgedRun, tools: ReadonlySet<string>): boolean =>
  execution.calls.some(({ tool }) => tools.has(tool));

/** The step before the action and its first use; without the action the first calls of the run. */
function exampleOf<T extends JudgedRun>(
  { execution, good }: T,
  { action, prior, values, keep }: RunDossierInput<T>,
): Example | undefined {
  const { calls } = execution;
  const mask = nameMaskOf(execution.source.report.toolCalls, keep);
  const found = calls.findIndex(({ actions }) => actionOf(actions) === action);
  const at = Math.max(0, found);
  const before = calls.slice(0, at).findLast(({ actions }) => actionOf(actions) === prior);
  const shown = (call: RecordedCall | undefined): Example['failed'] | undefined => {
    const masked = call && maskedCall(call, mask);
    const text = masked && values.call(masked, (_, shape) => shape);
    if (masked === undefined || text === undefined) return undefined;
    return { call: text, ok: masked.ok ?? null, error: null };
  };
  const failed = shown(calls[at]);
  if (failed === undefined) return undefined;
  return {
    recovered: good,
    before: shown(before ?? calls[at - 1]) ?? null,
    failed,
    later: calls.slice(at + 1, at + 3).flatMap((call) => shown(call) ?? []),
  };
}

const actionOf = ([coarse = '']: ReadonlySet<string>): string => coarse;
