import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { markedDifference } from '../frame/difference.js';

type Pairs = NonNullable<ProposalDetails['evidence']['pairs']>;

/**
 * Failing calls beside the calls that worked, with the difference marked. `agents`: the names of the agents of the
 * executions that are still stored. Of proposals of earlier versions, the example of the file, which names no execution.
 */
export function pairsView({ id, evidence, proposedSkill }: ProposalDetails, agents: ReadonlyMap<string, string>) {
  const { example } = proposedSkill;
  const old = example?.worked ? [pairView(example.failed, example.error, example.between, example.worked)] : [];
  return (
    evidence.pairs?.map((pair, index, all) => {
      const agent = agents.get(pair.executionId);
      // The same error is read once.
      const error = pair.error === all[index - 1]?.error ? '' : pair.error;
      return {
        ...pairView(pair.failed, error, pair.between, pair.worked),
        key: index + 1,
        at: pair.failedAt,
        agent: agent ?? null,
        href: agent === undefined ? null : callHref(pair.executionId, id, pair.failedAt),
      };
    }) ?? old.map((pair) => ({ ...pair, key: 0, at: 0, agent: null, href: null }))
  );
}

/** The page of an execution at a call, with the way back to the proposal. */
const callHref = (execution: string, proposal: string, at: number): string =>
  `/executions/${execution}?${new URLSearchParams({ proposal, at: String(at) })}#call-${at}`;

function pairView(
  failed: Pairs[number]['failed'],
  error: string,
  between: Pairs[number]['between'],
  worked: typeof failed,
) {
  const marked = markedDifference(callText(failed), callText(worked));
  return { failed: marked.before, error, between: between.map(callText), worked: marked.after };
}
