import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { isBound, placeOf } from '../../evidence/predicate/binding.js';
import { pairInWords, pairSource, robustnessInWords } from '../../evidence/predicate/check-words.js';
import { say } from '../texts/texts.js';

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
    witnesses: witnesses ? say('check.witnesses', { ...witnesses }) : null,
  };
}

/** Where the proposal holds, and what limits of the live skill it drops. */
export const bindingView = ({ binding, widens }: ProposalDetails) => ({
  place: isBound(binding ?? undefined) ? placeOf(binding ?? {}) : null,
  widens: widens.map(({ part, was, now }) =>
    now === null
      ? say('binding.widens', { part: say(`binding.${part}`), was })
      : say('binding.changes', { part: say(`binding.${part}`), was, now }),
  ),
});

/** Whether a call is refused with the proposal; null if it is no gate and replaces none. */
export function gateView({ kind, proposedSkill, dropsGate }: ProposalDetails) {
  if (kind === 'retire') return null;
  if (proposedSkill.gate) return { says: say('gate.says'), isDropped: false };
  return dropsGate ? { says: say('gate.drops'), isDropped: true } : null;
}

/** The dossier as lists of names with their numbers; an empty list is left out. */
export function dossierView({ evidence: { dossier } }: ProposalDetails) {
  if (!dossier) return null;
  const { signature, failures, executions, examined, recovered } = dossier;
  return {
    signature,
    counts: say('dossier.counts', { n: failures, executions, examined }),
    recovered: say('dossier.recovered', { n: recovered }),
    lists: namedLists(dossier).filter(({ entries }) => entries !== ''),
    examples: dossier.examples.map(exampleView),
  };
}

const namedLists = ({ harnesses, tools, actions }: Dossier) =>
  Object.entries({ harnesses, tools, actions }).map(([name, list]) => ({
    title: say(`dossier.${name}`),
    entries: list.map(({ name: entry, n }) => `${entry} (${n})`).join(', '),
  }));

function exampleView({ recovered, before, failed, later }: Dossier['examples'][number]) {
  return {
    title: say(recovered ? 'dossier.example-recovered' : 'dossier.example-open'),
    lines: [
      ...(before ? [{ role: say('dossier.before'), call: callText(before.call), error: before.error }] : []),
      { role: say('dossier.failed'), call: callText(failed.call), error: failed.error },
      ...later.map(({ call, ok, error }) => ({
        role: say(ok === null ? 'dossier.unknown' : ok ? 'dossier.worked' : 'dossier.failed'),
        call: callText(call),
        error,
      })),
    ],
  };
}
