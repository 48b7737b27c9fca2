import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { isBound, placeOf } from '../../evidence/predicate/binding.js';
import { pairInWords, pairSource, robustnessInWords } from '../../evidence/predicate/check-words.js';
import { counted, grouped, plural } from '../frame/quantity.js';

type Dossier = NonNullable<ProposalDetails['evidence']['dossier']>;

/** What executions say of the proposal: the pair first, everything else folded. Null if it was not checked. */
export function checkView(proposal: ProposalDetails) {
  const { binding, checkWords, predicateWords, verdict } = proposal;
  const { check, witnesses } = proposal.evidence;
  if (!check) return null;
  // The limits below name the only harness.
  const robustness = robustnessInWords(check, { namesHarness: binding?.harness === undefined });
  return {
    pair: pairInWords(check).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
    source: pairSource(check),
    verdict,
    robustness: robustness.join('; '),
    // The pair stands above it.
    more: checkWords.slice(1).filter((line) => !robustness.includes(line)),
    predicate: predicateWords,
    witnesses: witnesses
      ? `Private lessons: ${grouped(witnesses.agents)} on the same failure, ${grouped(witnesses.remedies)} with the same remedy`
      : null,
  };
}

/** Where the proposal holds, and what limits of the live skill it drops. */
export const bindingView = ({ binding, widens }: ProposalDetails) => ({
  place: isBound(binding ?? undefined) ? placeOf(binding ?? {}) : null,
  widens: widens.map(({ part, was, now }) =>
    now === null
      ? `Widens: was bound to the ${part} ${was}.`
      : `Widens: was bound to the ${part} ${was}, now to ${now}.`,
  ),
});

/** Whether a call is refused with the proposal; null if it is no gate and replaces none. */
export function gateView({ kind, proposedSkill, dropsGate }: ProposalDetails) {
  if (kind === 'retire') return null;
  if (proposedSkill.gate)
    return { says: 'Refuses a call that it is about once in a session, with this lesson.', isDropped: false };
  return dropsGate
    ? { says: 'No gate any more: the live version refuses a call once, and this version does not.', isDropped: true }
    : null;
}

/** The dossier as lists of names with their numbers; an empty list is left out. */
export function dossierView({ evidence: { dossier } }: ProposalDetails) {
  if (!dossier) return null;
  const { signature, failures, executions, examined, recovered } = dossier;
  return {
    signature,
    counts: `${counted(failures, 'failure')} in ${grouped(executions)} of ${grouped(examined)} examined ${plural(examined, 'execution', 'executions')}`,
    recovered: `${grouped(recovered)} recovered`,
    lists: namedLists(dossier).filter(({ entries }) => entries !== ''),
    examples: dossier.examples.map(exampleView),
  };
}

const namedLists = ({ harnesses, tools, actions }: Dossier) =>
  Object.entries({ Harnesses: harnesses, Tools: tools, Actions: actions }).map(([title, list]) => ({
    title,
    entries: list.map(({ name: entry, n }) => `${entry} (${n})`).join(', '),
  }));

function exampleView({ recovered, before, failed, later }: Dossier['examples'][number]) {
  return {
    title: recovered ? 'Example, recovered' : 'Example, not recovered',
    lines: [
      ...(before ? [{ role: 'before', call: callText(before.call), error: before.error }] : []),
      { role: 'failed', call: callText(failed.call), error: failed.error },
      ...later.map(({ call, ok, error }) => ({
        role: ok === null ? 'result unknown' : ok ? 'worked' : 'failed',
        call: callText(call),
        error,
      })),
    ],
  };
}
