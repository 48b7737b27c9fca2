import type { Dossier } from '../../evidence/gates/dossier.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { clip } from '../../untrusted/text/clip.js';
import type { Family } from '../evidence/candidate.js';
import { inOrder, type RecordedCall, type RecordedExecution } from '../evidence/recorded-execution.js';
import { type ExampleCase, examplesOf } from './dossier-examples.js';
import { maskedCall, type NameMask, nameMaskOf, programsOf } from './masked-names.js';
import { presentableError } from './presentable-call.js';
import { PublicValues } from './public-values.js';
import { environmentOf } from './shared-environment.js';

/** What a dossier of a family is made from. */
interface DossierInput {
  /** Returns whether a failed call belongs to the family. */
  readonly isMember: (call: RecordedCall) => boolean;
  /** The sample: executions with the failure and without it. */
  readonly executions: readonly RecordedExecution[];
}

type Counted = Dossier['tools'][number];

/** One execution with the places of its members, and its calls with the names masked on demand. */
interface Examined {
  readonly run: RecordedExecution;
  readonly members: readonly number[];
  readonly call: (at: number) => RecordedCall | undefined;
}

/** Names of tools and actions are shown from this many origins. */
const ORIGINS_OF_NAME = 2;
/** Calls after a failure that nothing overcame, of which an example shows some. */
const WITHIN = 4;
/** Bounds for hostile reports: failures of one execution, and the length of a name. */
const LIMITS = { members: 200, label: 120 } as const;

/** The executions of a sample with masked calls, and the values that may be shown. */
export interface DossierSample {
  readonly all: readonly Examined[];
  readonly values: PublicValues;
}

/** Reads a sample for a dossier. Does not depend on the order of the executions. */
export function dossierSample({ isMember, executions }: DossierInput): DossierSample {
  const runs = [...executions].sort(inOrder);
  const keep = programsOf(runs);
  const all = runs.map((run) => examined(run, isMember, keep));
  const values = new PublicValues();
  for (const one of all) values.read(one.run.origin, callsOf(one));
  return { all, values };
}

/** A call of a sample as it may be shown; undefined if it may not. */
export function shownCallAt({ values }: DossierSample, one: Examined, at: number): string | undefined {
  const call = one.call(at);
  return call && values.call(call, (_, shape) => shape)?.call;
}

/** Makes the dossier of a family of failures. Pure; independent of the order of the executions. */
export function dossierOf({ signature }: Pick<Family, 'signature'>, { all, values }: DossierSample): Dossier {
  const own = all.filter(({ members }) => members.length > 0);
  const failures = own.flatMap((one) => one.members.map((at) => ({ one, at })));
  const places = placesOf(own);
  return {
    kind: 'failure',
    signature: clip(values.template(signature) || 'an error that addresses its reader', 200),
    failures: failures.length,
    executions: own.length,
    examined: all.length,
    ...places,
    tools: namesIn(own, ({ tool }) => tool, 5),
    actions: namesIn(own, actionLabel, 8),
    recovered: failures.filter(({ one, at }) => recoveryOf(one, at) !== undefined).length,
    examples: examplesOf(own.flatMap(casesOf), values),
  };
}

function examined(run: RecordedExecution, isMember: DossierInput['isMember'], keep: ReadonlySet<string>): Examined {
  const masked = new Map<number, RecordedCall>();
  let mask: NameMask | undefined;
  const members: number[] = [];
  run.calls.forEach((call, at) => {
    if (call.ok === false && members.length < LIMITS.members && isMember(call)) members.push(at);
  });
  return {
    run,
    members,
    call: (at) => {
      const known = masked.get(at);
      const call = run.calls[at];
      if (known !== undefined || call === undefined) return known;
      mask ??= nameMaskOf(run.source.report.toolCalls, keep);
      const made = maskedCall(call, mask);
      masked.set(at, made);
      return made;
    },
  };
}

function* callsOf({ run, call }: Examined): Iterable<RecordedCall> {
  for (const at of run.calls.keys()) {
    const one = call(at);
    if (one !== undefined) yield one;
  }
}

/** The action in words of the product: its coarse form; of an edit, the kind of file. */
function actionLabel(call: Pick<RecordedCall, 'tool' | 'goal' | 'actions' | 'text'>): string {
  const [coarse = call.tool, fine = ''] = call.actions;
  if (call.tool !== 'shell') {
    const [, kind] = /^\S{1,80} \[file:(\.\w{1,8})\]/.exec(fine) ?? [];
    return kind === undefined ? coarse : `${coarse} ${kind}`;
  }
  const [, verb] = /^file:(write|edit)$/.exec(call.goal) ?? [];
  if (verb === undefined) return coarse;
  const [, kind] =
    /\[file:(\.\w{1,8})\]/.exec(fine) ?? /(?:\s|>)[\w./<>-]{1,200}(\.[a-z]{1,6})(?=\s|$)/.exec(call.text) ?? [];
  return kind === undefined ? `${verb} file` : `${verb} ${kind}`;
}

/** The place of the call that overcame a failure, as the learning core sees it. */
function recoveryOf({ run }: Examined, at: number): number | undefined {
  const outcome = run.outcomes.get(at);
  return outcome?.kind === 'overcome' || outcome?.kind === 'repeated' ? outcome.taken.at(-1) : undefined;
}

/** The cases of the first failures of an execution: one that was overcome, and one that was not. */
function casesOf(one: Examined): ExampleCase[] {
  const { run, members } = one;
  const recovered = members.find((at) => recoveryOf(one, at) !== undefined);
  const failing = members.find((at) => recoveryOf(one, at) === undefined);
  return [recovered, failing].flatMap((at) => {
    const failed = at === undefined ? undefined : one.call(at);
    if (at === undefined || failed === undefined) return [];
    const end = recoveryOf(one, at) ?? at + WITHIN;
    const later: RecordedCall[] = [];
    for (let next = at + 1; next <= end; next += 1) {
      const call = one.call(next);
      if (call) later.push(call);
    }
    return [
      {
        origin: run.origin,
        agentId: run.agentId,
        recovered: at === recovered,
        before: one.call(at - 1),
        failed,
        later,
      },
    ];
  });
}

/** Names of the failed calls with the number of failures. */
const namesIn = (own: readonly Examined[], nameOf: (call: RecordedCall) => string, most: number): Counted[] =>
  countedNames(
    own.flatMap(({ run, members, call }) =>
      members.flatMap((at) => {
        const member = call(at);
        return member ? [{ name: nameOf(member), origin: run.origin }] : [];
      }),
    ),
    most,
  );

/** Harnesses with the number of executions; with the version if there is only one. */
function harnessesOf(runs: readonly RecordedExecution[]): Counted[] {
  const used = runs.flatMap(({ origin, environment: { harness, harnessVersion = '' } }) =>
    harness === undefined ? [] : [{ harness, version: harnessVersion, origin }],
  );
  const nameOf = (harness: string): string => {
    const [version = '', ...others] = new Set(used.filter((one) => one.harness === harness).map((one) => one.version));
    return others.length === 0 && version !== '' ? `${harness} ${version}` : harness;
  };
  const names = new Map([...new Set(used.map(({ harness }) => harness))].map((harness) => [harness, nameOf(harness)]));
  return countedNames(
    used.map(({ harness, origin }) => ({ name: names.get(harness) ?? harness, origin })),
    5,
  );
}

/** How often each name is used, if several origins use it and it may be shown; the most frequent first. */
function countedNames(uses: readonly { readonly name: string; readonly origin: string }[], most: number): Counted[] {
  const found = new Map<string, { n: number; origins: Set<string> }>();
  for (const { name, origin } of uses) {
    const known = found.get(name) ?? { n: 0, origins: new Set() };
    found.set(name, { n: known.n + 1, origins: known.origins.add(origin) });
  }
  return [...found]
    .filter(([, { origins }]) => origins.size >= ORIGINS_OF_NAME)
    .sort((a, b) => b[1].n - a[1].n || compareText(a[0], b[0]))
    .flatMap(([text, { n }]) => {
      const name = shownName(text);
      return name === undefined ? [] : [{ name, n }];
    })
    .slice(0, most);
}

/** Who met it and where: agents, origins, harnesses, and the facts that the executions share. */
function placesOf(own: readonly Examined[]): Pick<Dossier, 'agents' | 'origins' | 'harnesses' | 'environment'> {
  const runs = own.map(({ run }) => run);
  return {
    agents: new Set(runs.map(({ agentId }) => agentId)).size,
    origins: new Set(runs.map(({ origin }) => origin)).size,
    harnesses: harnessesOf(runs),
    environment: environmentOf(
      runs.map(({ id, environment, projectKind }) => ({
        executionId: id,
        environment,
        ...(projectKind ? { projectKind } : {}),
      })),
    ),
  };
}

/** The name of a tool or an action, or undefined if it may not be shown. */
function shownName(text: string): string | undefined {
  const shown = presentableError(text);
  return shown === '' || shown.startsWith('[') ? undefined : clip(shown, LIMITS.label);
}
