import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { actionLabel, countedNames, type DossierSample, type Examined, placesOf } from './dossier-builder.js';
import { type ExampleCase, examplesOf } from './dossier-examples.js';
import { presentableError } from './presentable-call.js';

/** Runs that took an action, and those of them that took a step before it, by their ids. */
interface RunDossierInput {
  readonly action: string;
  readonly prior: string;
  readonly universe: ReadonlySet<string>;
  readonly did: ReadonlySet<string>;
}

/** Calls after the action that an example shows. */
const LATER = 2;

/** The dossier of a contrast of whole runs: two that did it and ended well, and one that did neither. Pure. */
export function dossierOfRuns({ action, prior, universe, did }: RunDossierInput, sample: DossierSample): Dossier {
  const runs = sample.all.filter(({ run }) => universe.has(run.id));
  const own = runs.filter(({ run }) => did.has(run.id));
  const examples = runs
    .filter(({ run }) => run.succeeded === did.has(run.id))
    .flatMap((one) => exampleCase(one, action, prior));
  return {
    kind: 'runs',
    signature: clip(presentableError(`${prior} before the first ${action}`), 200),
    failures: runs.filter(({ run }) => run.succeeded === false).length,
    executions: own.length,
    examined: runs.length,
    ...placesOf(own),
    tools: namesOfRuns(own, ({ tool }) => tool, 5),
    actions: namesOfRuns(own, actionLabel, 8),
    recovered: own.filter(({ run }) => run.succeeded === true).length,
    examples: examplesOf(examples, sample.values),
  };
}

/** Names with the number of executions that have them. */
const namesOfRuns = (
  runs: readonly Examined[],
  nameOf: (call: RecordedCall) => string,
  most: number,
): Dossier['tools'] =>
  countedNames(
    runs.flatMap(({ run: { origin, calls } }) => [...new Set(calls.map(nameOf))].map((name) => ({ name, origin }))),
    most,
  );

/** The first use of the action, and the step before it or what was called instead. */
function exampleCase({ run, call }: Examined, action: string, prior: string): ExampleCase[] {
  const isOf = (name: string) => (one: RecordedCall) => [...one.actions][0] === name;
  const at = run.calls.findIndex(isOf(action));
  const failed = call(at);
  if (failed === undefined) return [];
  const step = run.calls.slice(0, at).findLastIndex(isOf(prior));
  return [
    {
      origin: run.origin,
      agentId: run.agentId,
      recovered: run.succeeded === true,
      before: call(step < 0 ? at - 1 : step),
      failed,
      later: Array.from({ length: LATER }, (_, n) => call(at + 1 + n)).flatMap((one) => one ?? []),
    },
  ];
}
