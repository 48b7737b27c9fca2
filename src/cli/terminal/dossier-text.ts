import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { formatCount, oneLine } from './terminal.js';

type Dossier = NonNullable<ProposalDetails['evidence']['dossier']>;

/** The dossier in lines, each safe for a terminal: counts and examples. */
export function dossierLines(dossier: Dossier): string[] {
  const { signature, failures, executions, examined, recovered, examples } = dossier;
  return [
    `Dossier: ${signature}`,
    `  ${formatCount(failures, 'failure')} in ${executions} of ${formatCount(examined, 'examined execution')}; ${recovered} recovered`,
    ...namedLine('harnesses', dossier.harnesses),
    ...namedLine('tools', dossier.tools),
    ...namedLine('actions', dossier.actions),
    ...examples.flatMap(exampleLines),
  ].map(oneLine);
}

const namedLine = (noun: string, list: Dossier['tools']): string[] =>
  list.length === 0 ? [] : [`  ${noun}: ${list.map(({ name, n }) => `${name} (${n})`).join(', ')}`];

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
