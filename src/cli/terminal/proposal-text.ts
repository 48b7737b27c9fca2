import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { oneLine, print, table } from './terminal.js';

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** One item for half a minute of reading: what, the evidence, the findings, the file. */
export function printProposal(proposal: ProposalDetails): void {
  const { evidence, findings } = proposal;
  print(
    `${oneLine(proposal.title)}   [${proposal.kind}, ${proposal.state}, risk ${proposal.risk}, revision ${proposal.revision}]`,
  );
  print(
    `Seen by ${evidence.agents} distinct agents of ${evidence.owners} owner(s) in ${evidence.origins} origins: ` +
      `${evidence.failures} failures in ${evidence.executions} executions, ${evidence.firstSeen.slice(0, 10)} to ${evidence.lastSeen.slice(0, 10)}`,
  );
  print(oneLine(`About: ${proposal.audience.map(agentGroupName).join(', ') || 'the whole organisation'}`));
  const { action, errorClass, example } = evidence.failing;
  print(`${oneLine(`Failing: ${action} (${errorClass}): ${example}`)}\n`);
  const { repeating } = evidence;
  print(
    table(
      ['what was tried next', 'worked', 'of', '95 % interval', 'agents'],
      [
        ...evidence.alternatives.map((a) => [
          a.action,
          a.worked,
          a.n,
          `${percent(a.low)} to ${percent(a.high)}`,
          a.agents,
        ]),
        [
          '(the same again)',
          repeating.worked,
          repeating.n,
          `${percent(repeating.low)} to ${percent(repeating.high)}`,
          0,
        ],
      ],
    ),
  );
  print(`\n${backtestText(evidence.backtest)}`);
  print(`Agents: ${evidence.seenBy.map(({ agent, failures }) => `${agent} (${failures})`).join(', ')}`);
  if (evidence.wording) print(oneLine(wordingText(evidence.wording)));
  const findingTexts = [
    ...findings.redactions.map(({ rule, count }) => `${count} × ${rule} redacted`),
    ...findings.suspicions.map(({ kind, count }) => `${count} × ${kind} SUSPICIOUS`),
  ];
  print(`Findings: ${findingTexts.join(', ') || 'none'}`);
  if (proposal.request) print(oneLine(`Asked for by a job, ${proposal.request.reason}: ${proposal.request.says}`));
  if (proposal.supersedes)
    print(
      oneLine(
        `${proposal.kind === 'retire' ? 'Retires' : 'Replaces'} the skill "${proposal.supersedes.name}": ${proposal.supersedes.condition} → ${proposal.supersedes.action}`,
      ),
    );
  for (const { id, state, title, condition, action: other } of proposal.contradicts)
    print(oneLine(`Contradicts "${title}", which is ${state} (${id}): ${condition} → ${other}`));
  for (const { line, message, carried } of proposal.edit?.notes ?? [])
    print(oneLine(`${carried ? 'Note' : 'NOT CARRIED OVER'}, line ${line} of the edited file: ${message}`));
  for (const { reason, decidedAt } of proposal.earlierRejections)
    print(oneLine(`Rejected before, ${decidedAt.slice(0, 10)}: ${reason}`));
  const { given, needed } = proposal.votes;
  if (needed > 1 || proposal.editedBy !== null || proposal.ownedBy !== null)
    print(
      oneLine(
        `Votes: ${given} of ${needed}${proposal.editedBy ? `; this revision was written by ${proposal.editedBy}` : ''}${proposal.ownedBy ? `; all its agents are those of ${proposal.ownedBy}` : ''}`,
      ),
    );
  for (const { by, verdict, reason, decidedAt } of proposal.decisions)
    print(oneLine(`${verdict} by ${by}, ${decidedAt}${reason ? `: ${reason}` : ''}`));
  if (proposal.kind === 'amend' && proposal.difference) print(`\n${proposal.difference.trimEnd()}`);
  print(`\n--- SKILL.md, sha256 ${proposal.artifactSha256} ---`);
  print(proposal.artifact.trimEnd());
  print('--- end ---');
}

/** Who found the words; the rest is by rules. */
function wordingText({ by, words, reason }: NonNullable<ProposalDetails['evidence']['wording']>): string {
  if (words) return `Words: title, description, the reason before the figures and notes by ${by}`;
  return `Words: by rules${reason === null ? '' : ` (the model: ${reason.replaceAll('_', ' ')})`}`;
}

/** Where the condition would have fired, rightly and wrongly. */
function backtestText(backtest: ProposalDetails['evidence']['backtest']): string {
  if (!backtest) return 'Backtest: none was made.';
  const { verdict, tested, read, supporting, nearMisses, missed } = backtest;
  const fired = supporting + nearMisses;
  if (verdict === 'not_enough_evidence')
    return tested === 0
      ? `Backtest: not enough evidence. Neither half of the ${read} executions would have made this proposal alone.`
      : `Backtest: not enough evidence. In ${tested} executions that did not make the proposal it would have fired ${fired} time(s).`;
  const rate = (share: typeof backtest.precision): string =>
    share ? `${percent(share.rate)} (${percent(share.low)} to ${percent(share.high)}, n = ${share.n})` : 'not known';
  return (
    `Backtest on ${tested} executions that did not make it: fires in ${fired}, rightly in ${supporting}, wrongly in ${nearMisses}; ` +
    `missed ${missed}. Precision ${rate(backtest.precision)}, recall ${rate(backtest.recall)}`
  );
}

const agentGroupName = ({ department, role }: ProposalDetails['audience'][number]): string =>
  [role, department].filter((word) => word !== null).join(' in ') || 'agents without a department';
