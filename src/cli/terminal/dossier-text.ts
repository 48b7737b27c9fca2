import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { formatCount, oneLine } from './terminal.js';

type Dossier = NonNullable<ProposalDetails['evidence']['dossier']>;

/** The dossier in lines, each safe for a terminal: counts, next steps, examples. */
export function dossierLines(dossier: Dossier): string[] {
  const { signature, value, failures, executions, examined } = dossier;
  const { recovered, identicalNext, sameActionWorked, examples } = dossier;
  return [
    `Dossier: ${signature}${value === null ? '' : ` (${value})`}`,
    `  ${formatCount(failures, 'failure')} in ${executions} of ${formatCount(examined, 'examined execution')}; ` +
      `the same action worked ${formatCount(sameActionWorked, 'time')}`,
    `  ${recovered} recovered; the next call was identical ${formatCount(identicalNext, 'time')}`,
    ...namedLine('harnesses', dossier.harnesses),
    ...namedLine('tools', dossier.tools),
    ...namedLine('actions', dossier.actions),
    ...dossier.next.map(({ action, n, worked }) => `  next ${action}: ${worked} of ${n} worked`),
    ...outcomeLine(dossier.outcome),
    ...examples.flatMap(exampleLines),
  ].map(oneLine);
}

const namedLine = (noun: string, list: Dossier['tools']): string[] =>
  list.length === 0 ? [] : [`  ${noun}: ${list.map(({ name, n }) => `${name} (${n})`).join(', ')}`];

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
