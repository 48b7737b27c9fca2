import type { Approval } from '../../approvals/proposals/approvals.schema.js';
import { oneLine, print, table } from './terminal.js';

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** One item for half a minute of reading: what, the evidence, the findings, the file. */
export function printApproval(approval: Approval): void {
  const { evidence, findings } = approval;
  print(
    `${oneLine(approval.title)}   [${approval.kind}, ${approval.state}, risk ${approval.risk}, revision ${approval.revision}]`,
  );
  print(
    `Seen by ${evidence.agents} distinct agents of ${evidence.owners} owner(s) in ${evidence.origins} origins: ` +
      `${evidence.failures} failures in ${evidence.executions} executions, ${evidence.firstSeen.slice(0, 10)} to ${evidence.lastSeen.slice(0, 10)}`,
  );
  print(oneLine(`About: ${approval.audience.map(placeName).join(', ') || 'the whole organisation'}`));
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
  print(`\n${backtestWords(evidence.backtest)}`);
  print(`Agents: ${evidence.seenBy.map(({ agent, failures }) => `${agent} (${failures})`).join(', ')}`);
  if (evidence.wording) print(oneLine(wordingWords(evidence.wording)));
  const noticed = [
    ...findings.redactions.map(({ rule, count }) => `${count} × ${rule} redacted`),
    ...findings.suspicions.map(({ kind, count }) => `${count} × ${kind} SUSPICIOUS`),
  ];
  print(`Findings: ${noticed.join(', ') || 'none'}`);
  if (approval.request) print(oneLine(`Asked for by a job, ${approval.request.reason}: ${approval.request.says}`));
  if (approval.supersedes)
    print(
      oneLine(
        `${approval.kind === 'retire' ? 'Retires' : 'Replaces'} the skill "${approval.supersedes.name}": ${approval.supersedes.condition} → ${approval.supersedes.action}`,
      ),
    );
  for (const { id, state, title, condition, action: other } of approval.contradicts)
    print(oneLine(`Contradicts "${title}", which is ${state} (${id}): ${condition} → ${other}`));
  for (const { line, message, carried } of approval.edit?.notes ?? [])
    print(oneLine(`${carried ? 'Note' : 'NOT CARRIED OVER'}, line ${line} of the edited file: ${message}`));
  for (const { reason, decidedAt } of approval.earlierRejections)
    print(oneLine(`Rejected before, ${decidedAt.slice(0, 10)}: ${reason}`));
  const { given, needed } = approval.votes;
  if (needed > 1 || approval.editedBy !== null || approval.ownedBy !== null)
    print(
      oneLine(
        `Votes: ${given} of ${needed}${approval.editedBy ? `; this revision was written by ${approval.editedBy}` : ''}${approval.ownedBy ? `; all its agents are those of ${approval.ownedBy}` : ''}`,
      ),
    );
  for (const { by, verdict, reason, decidedAt } of approval.decisions)
    print(oneLine(`${verdict} by ${by}, ${decidedAt}${reason ? `: ${reason}` : ''}`));
  if (approval.kind === 'amend' && approval.difference) print(`\n${approval.difference.trimEnd()}`);
  print(`\n--- SKILL.md, sha256 ${approval.artifactSha256} ---`);
  print(approval.artifact.trimEnd());
  print('--- end ---');
}

/** Who found the words; the rest is by rules. */
function wordingWords({ by, words, reason }: NonNullable<Approval['evidence']['wording']>): string {
  if (words) return `Words: title, description, the reason before the figures and notes by ${by}`;
  return `Words: by rules${reason === null ? '' : ` (the model: ${reason.replaceAll('_', ' ')})`}`;
}

/** Where the condition would have fired, rightly and wrongly. */
function backtestWords(backtest: Approval['evidence']['backtest']): string {
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

const placeName = ({ department, role }: Approval['audience'][number]): string =>
  [role, department].filter((word) => word !== null).join(' in ') || 'agents without a department';
