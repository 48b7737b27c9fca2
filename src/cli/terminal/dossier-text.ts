import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { percentText } from '../../platform/base/percent.js';
import { formatCount, oneLine } from './terminal.js';

type Dossier = NonNullable<ProposalDetails['evidence']['dossier']>;
type Contrast = Dossier['inFailed'][number];

/** The dossier in lines, each safe for a terminal: counts, contrasts, next steps, examples. */
export function dossierLines(dossier: Dossier): string[] {
  const { signature, value, failures, executions, examined, agents, origins } = dossier;
  const { recovered, identicalNext, sameActionWorked, examples } = dossier;
  return [
    `Dossier: ${signature}${value === null ? '' : ` (${value})`}`,
    `  ${formatCount(failures, 'failure')} in ${executions} of ${formatCount(examined, 'execution')}, ` +
      `${formatCount(agents, 'agent')}, ${formatCount(origins, 'origin')}; the same action worked ${formatCount(sameActionWorked, 'time')}`,
    `  ${recovered} recovered within four calls; the next call was identical ${formatCount(identicalNext, 'time')}`,
    ...namedLine('harnesses', dossier.harnesses),
    ...namedLine('tools', dossier.tools),
    ...namedLine('actions', dossier.actions),
    ...contrastLine('words of failed calls', dossier.inFailed),
    ...contrastLine('words of calls that worked', dossier.inWorked),
    ...contrastLine('argument keys of failed calls', dossier.keys),
    ...contrastLine('words after which it recovered', dossier.afterRecovered),
    ...contrastLine('words after which it did not', dossier.afterOthers),
    ...dossier.next.map(({ action, n, worked }) => `  next ${action}: ${worked} of ${n} worked`),
    ...outcomeLine(dossier.outcome),
    ...examples.flatMap(exampleLines),
  ].map(oneLine);
}

const namedLine = (noun: string, list: Dossier['tools']): string[] =>
  list.length === 0 ? [] : [`  ${noun}: ${list.map(({ name, n }) => `${name} (${n})`).join(', ')}`];

/** Each word with its share here, and there. */
const contrastLine = (noun: string, list: readonly Contrast[]): string[] =>
  list.length === 0
    ? []
    : [
        `  ${noun}: ${list.map(({ word, here, there }) => `${word} ${percentText(here)} against ${percentText(there)}`).join(', ')}`,
      ];

const outcomeLine = (outcome: Dossier['outcome']): string[] =>
  outcome === null
    ? []
    : [
        `  executions that ended well: ${outcome.with.worked} of ${outcome.with.n} with it, ${outcome.without.worked} of ${outcome.without.n} without it`,
      ];

function exampleLines({ recovered, before, failed, later }: Dossier['examples'][number]): string[] {
  return [
    `  example, ${recovered ? 'recovered' : 'not recovered'}:`,
    ...(before ? [`    before: ${callText(before.call)}`] : []),
    `    failed: ${callText(failed.call)}`,
    ...(failed.error === null ? [] : [`    error:  ${failed.error}`]),
    ...later.map(({ call, ok, error }) => `    then:   ${callText(call)}${saidOf(ok, error)}`),
  ];
}

const saidOf = (ok: boolean | null, error: string | null): string =>
  ok === null ? '' : ok ? ' (worked)' : ` (failed${error === null ? '' : `: ${error}`})`;
