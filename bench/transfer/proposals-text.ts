import type { Arm } from '../../src/evidence/predicate/check.schema.js';
import type { ComparedDraft } from '../../src/evolve/drafts/draft.js';
import { CYCLE_DEFAULTS, runCycle } from '../../test/support/cycles.js';
import { judgedProposal, type ObservedExecution } from '../fidelity/product-lessons.js';

/** Every proposal that one cycle with default settings writes about a set, whole, as a reviewer reads it. */
export function proposalsText(name: string, executions: readonly ObservedExecution[]): string {
  const outcome = runCycle({
    executions: executions.map(({ execution }) => execution),
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
  });
  const proposals = [...outcome.drafts, ...outcome.heldBack];
  const parts = proposals.map((draft, at) => proposalText(`${name} ${at + 1}`, draft));
  return [`# ${name}: ${outcome.drafts.length} proposals, ${outcome.heldBack.length} held back`, ...parts, ''].join(
    '\n\n',
  );
}

function proposalText(number: string, draft: ComparedDraft): string {
  const { title, file } = judgedProposal(draft);
  const { check, predicate, binding, template } = draft.evidence;
  const decides = check.comparisons.find(({ kind }) => kind === check.by);
  return [
    `## ${number}: ${title}`,
    [
      `- verdict: ${check.verdict}${decides === undefined ? '' : `, by ${decides.kind}`}`,
      ...(decides === undefined ? [] : [`- held out: ${pair(decides)}`]),
      `- all: ${pair(check.seen)}`,
      `- failure: ${template}`,
      `- predicate: ${JSON.stringify(predicate)}`,
      `- binding: ${JSON.stringify(binding)}`,
    ].join('\n'),
    file,
  ].join('\n\n');
}

const pair = ({ with: taught, without }: { readonly with: Arm; readonly without: Arm }): string =>
  `with it ${taught.worked} of ${taught.n} worked, without it ${without.worked} of ${without.n}`;
