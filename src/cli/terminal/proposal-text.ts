import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { type LoweredBy, REJECTION_SENTENCES } from '../../approvals/texts/rejection-reason.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { bindingInWords, factsBeside, wideningInWords } from '../../evidence/predicate/binding.js';
import { VERDICT_TEXTS } from '../../evidence/predicate/check-words.js';
import { percentText } from '../../platform/base/percent.js';
import { formatCount, oneLine, print, table } from './terminal.js';

/** Prints a proposal in reading order: what it is, the evidence, the findings, the file. */
export function printProposal(proposal: ProposalDetails): void {
  const { evidence, findings } = proposal;
  for (const line of headLines(proposal)) print(oneLine(line));
  print(oneLine(`Agents concerned: ${proposal.audience.map(agentGroupName).join(', ') || 'the whole organisation'}`));
  for (const line of [...boundLines(proposal), ...gateLines(proposal), ...checkLines(proposal)]) print(oneLine(line));
  const { action, errorClass, example } = evidence.failing;
  print(oneLine(`Failing: ${action} (${errorClass}): ${example}`));
  for (const line of partLines(proposal)) print(oneLine(line));
  print();
  const { repeating } = evidence;
  print(
    table(
      ['next action', 'worked', 'tried', '95 % interval', 'agents'],
      [
        ...evidence.alternatives.map((a) => [
          a.action,
          a.worked,
          a.n,
          `${percentText(a.low)} to ${percentText(a.high)}`,
          a.agents,
        ]),
        [
          '(repeated the failing action)',
          repeating.worked,
          repeating.n,
          `${percentText(repeating.low)} to ${percentText(repeating.high)}`,
          '',
        ],
      ],
    ),
  );
  if (evidence.backtest || !evidence.check) print(`\n${backtestText(evidence.backtest)}`);
  if (evidence.dossier) for (const line of dossierLines(evidence.dossier)) print(line);
  print(`Failures by agent: ${evidence.seenBy.map(({ agent, failures }) => `${agent} (${failures})`).join(', ')}`);
  if (evidence.writer) print(oneLine(`Written by ${evidence.writer.by}, checked by counting`));
  if (evidence.wording) print(oneLine(wordingText(evidence.wording)));
  const findingTexts = [
    ...findings.redactions.map(({ rule, count }) => `${count} × ${rule} redacted`),
    ...findings.suspicions.map(({ kind, count }) => `${count} × ${kind} SUSPICIOUS`),
  ];
  print(`Findings: ${findingTexts.join(', ') || 'none'}`, findings.suspicions.length > 0 ? 'red' : undefined);
  for (const { class: danger, program, form, call, times } of evidence.dangers ?? [])
    print(
      oneLine(`DANGER (${DANGERS[danger]}), ${formatCount(times, 'try', 'tries')}: ${program} ${form}, in: ${call}`),
      'red',
    );
  if (proposal.request)
    print(oneLine(`Requested by a background job, ${proposal.request.reason}: ${proposal.request.says}`));
  printOtherSkills(proposal);
  for (const { line, message, carried } of proposal.edit?.notes ?? [])
    print(
      oneLine(`${carried ? 'Note on' : 'NOT TAKEN OVER:'} line ${line} of the edited file: ${message}`),
      carried ? undefined : 'red',
    );
  for (const { reason, decidedAt } of proposal.earlierRejections)
    print(oneLine(`Rejected before, ${decidedAt.slice(0, 10)}: ${reason}`));
  for (const line of keptTexts(proposal)) print(oneLine(line));
  const lowered = loweredText(evidence.lowered);
  if (lowered !== '') print(oneLine(`Submitted later than its figures say: ${lowered}`));
  const { given, needed } = proposal.votes;
  if (needed > 1 || proposal.editedBy !== null || proposal.ownedBy !== null)
    print(
      oneLine(
        `Votes: ${given} of ${needed}${proposal.editedBy ? `; revision written by ${proposal.editedBy}` : ''}${proposal.ownedBy ? `; all agents belong to ${proposal.ownedBy}` : ''}`,
      ),
    );
  for (const { by, verdict, reason, decidedAt } of proposal.decisions)
    print(oneLine(`${verdict} by ${by}, ${decidedAt}${reason ? `: ${reason}` : ''}`));
  for (const line of authorLines(proposal)) print(oneLine(line));
  printDifferences(proposal);
  print(`\n--- SKILL.md, sha256 ${proposal.artifactSha256} ---\n${proposal.artifact.trimEnd()}`);
  print('--- end ---');
}

/** The skills that the proposal keeps, replaces, retires or contradicts. */
function printOtherSkills(proposal: ProposalDetails): void {
  if (proposal.keeps)
    print(
      oneLine(
        `Keeps the skill "${proposal.keeps.skillName}"${proposal.keeps.isLive ? '' : ', which is no longer live'}: ` +
          `${formatCount(proposal.keeps.evidence.agents, 'agent')}, ${formatCount(proposal.keeps.evidence.executions, 'execution')}`,
      ),
    );
  if (proposal.supersedes)
    print(
      oneLine(
        `${proposal.kind === 'retire' ? 'Retires' : 'Replaces'} the skill "${proposal.supersedes.name}": ${proposal.supersedes.condition} → ${proposal.supersedes.action}`,
      ),
    );
  for (const { id, state, title, condition, action: other } of proposal.contradicts)
    print(oneLine(`Contradicts "${title}", which is ${state} (${id}): ${condition} → ${other}`));
}

/** What the revisions and an amendment change, and how the skill that a merge retires differs from the one that stays. */
function printDifferences(proposal: ProposalDetails): void {
  for (const { revision, by, at, difference } of proposal.revisions) {
    print(`\n${oneLine(`Revision ${revision} by ${by}, ${at}`)}`);
    printDifference(difference, '');
  }
  if ((proposal.kind === 'amend' || proposal.keeps) && proposal.difference) printDifference(proposal.difference);
}

/** Removed lines in red, added ones in green. */
function printDifference(difference: string, before = '\n'): void {
  for (const [at, line] of difference.trimEnd().split('\n').entries())
    print(
      `${at === 0 ? before : ''}${line}`,
      line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined,
    );
}

/** What happened: cause, environment and example, as far as the evidence shows them. */
function partLines({ proposedSkill: { cause, environment = [], example, binding } }: ProposalDetails): string[] {
  const facts = factsBeside(environment, binding);
  return [
    ...(cause ? [`Cause: ${cause}`] : []),
    ...(facts.length > 0 ? [`Seen with: ${facts.map((fact) => `${fact.name} ${fact.value}`).join(', ')}`] : []),
    ...(example
      ? [
          `Example: failed: ${callText(example.failed)}`,
          `         error:  ${example.error}`,
          ...example.between.map((call) => `         then:   ${callText(call)}`),
          ...(example.worked ? [`         worked: ${callText(example.worked)}`] : []),
        ]
      : []),
  ];
}

/** What it is, and who reported it. */
function headLines({ title, kind, state, verdict, risk, revision, evidence }: ProposalDetails): string[] {
  const { agents, independent = agents, owners, independentOwners = owners } = evidence;
  const isLess = independent < agents || independentOwners < owners;
  const counted = `${formatCount(independent, 'agent')} of ${formatCount(independentOwners, 'owner')}`;
  const executions = formatCount(evidence.executions, 'execution');
  // Proposals before whole runs were removed.
  const isOfRuns = evidence.dossier?.kind === 'runs';
  const met = isOfRuns
    ? `${executions} with the step that ended well`
    : `${formatCount(evidence.failures, 'failure')} in ${executions}`;
  const inProjects = evidence.projects === undefined ? '' : ` in ${formatCount(evidence.projects, 'project')}`;
  const status = [
    kind,
    state,
    ...(verdict ? [VERDICT_TEXTS[verdict]] : []),
    `risk ${risk}`,
    `revision ${revision}`,
  ].join(', ');
  return [
    `${title}   [${status}]`,
    `Seen by ${formatCount(agents, 'agent')} of ${formatCount(owners, 'owner')}${inProjects} on ` +
      `${formatCount(evidence.origins, 'task')}: ${met}, ${evidence.firstSeen.slice(0, 10)} to ${evidence.lastSeen.slice(0, 10)}`,
    ...(isLess ? [`On independent tasks they count as ${counted}`] : []),
  ];
}

/** Where it holds, and what limits of the live skill it drops. */
const boundLines = ({ binding, widens }: ProposalDetails): string[] =>
  [...(binding ? [bindingInWords(binding)] : []), ...widens.map(wideningInWords)].filter((line) => line !== '');

/** Whether a call is refused with it. */
function gateLines({ proposedSkill, dropsGate }: ProposalDetails): string[] {
  if (proposedSkill.gate) return ['Gate: refuses a call that it is about once in a session, with this lesson.'];
  return dropsGate ? ['No gate any more: the live version refuses a call once, and this version does not.'] : [];
}

/** The check: what worked with it and without it, and what it claims. */
function checkLines({ verdict, checkWords, predicateWords, evidence: { witnesses } }: ProposalDetails): string[] {
  const [pair, ...others] = checkWords;
  return [
    ...(pair === undefined ? [] : [`Check, ${verdict ? VERDICT_TEXTS[verdict] : 'not counted'}: ${pair}`]),
    ...others.map((line) => `  ${line}`),
    ...(predicateWords.length > 0 ? ['It counts:', ...predicateWords.map((line) => `  ${line}`)] : []),
    ...(witnesses
      ? [`Private lessons: ${witnesses.agents} on the same failure, ${witnesses.remedies} with the same remedy`]
      : []),
  ];
}

/** Who wrote which text. Nothing if all of them are by rules or a model. */
function authorLines({ authors }: ProposalDetails): string[] {
  const byPerson = new Map<string, string[]>();
  for (const { part, number, by } of authors) {
    const name = by ?? 'an edit outside Guildbook';
    byPerson.set(name, [...(byPerson.get(name) ?? []), number > 0 ? `${part} ${number}` : part]);
  }
  return [...byPerson].map(([name, parts]) => `Written by ${name}: ${parts.join(', ')}`);
}

const DANGERS = {
  check: 'skips a check',
  protection: 'turns a protection off',
  source: 'changes the source of code or credentials',
} as const;

/** The author of the wording. Everything else in the file is rendered by rules. */
function wordingText({ by, words, reason }: NonNullable<ProposalDetails['evidence']['wording']>): string {
  if (words) return `Wording: title, description, rationale and notes by ${by}`;
  return `Wording: by rules${reason === null ? '' : ` (model: ${reason.replaceAll('_', ' ')})`}`;
}

/** The executions in which the condition would have matched, correctly and incorrectly. */
function backtestText(backtest: ProposalDetails['evidence']['backtest']): string {
  if (!backtest) return 'Backtest: none.';
  const { verdict, tested, read, supporting, nearMisses, missed } = backtest;
  const matched = supporting + nearMisses;
  if (verdict === 'not_enough_evidence')
    return tested === 0
      ? `Backtest: not enough evidence. No half of the ${formatCount(read, 'execution')} supports this proposal alone.`
      : `Backtest: not enough evidence. It would have matched ${matched} of ${formatCount(tested, 'held-out execution')}.`;
  const rate = (share: typeof backtest.precision): string =>
    share
      ? `${percentText(share.rate)} (${percentText(share.low)} to ${percentText(share.high)}, n = ${share.n})`
      : 'unknown';
  return (
    `Backtest on ${formatCount(tested, 'held-out execution')}: ${matched} matched (${supporting} correctly, ` +
    `${nearMisses} incorrectly), ${missed} missed. Precision ${rate(backtest.precision)}, recall ${rate(backtest.recall)}.`
  );
}

const agentGroupName = ({ department, role }: ProposalDetails['audience'][number]): string =>
  [role, department].filter((word) => word !== null).join(' in ') || 'agents without a department';

/** What a new version kept of the texts that people wrote. */
function keptTexts({ authors, evidence: { kept } }: ProposalDetails): string[] {
  const named = authors
    .filter((one) => one.kept)
    .map(({ part, number, by }) => `${part}${number > 0 ? ` ${number}` : ''} (${by ?? 'outside Guildbook'})`);
  return [
    ...(named.length > 0 ? [`Kept from the edit of the earlier version: ${named.join(', ')}`] : []),
    ...(kept?.left ?? []).map(({ part, reason }) => `Not kept from the edit: ${part}, because ${reason}`),
  ];
}

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

const RESEMBLES: Readonly<Record<LoweredBy['resembles'], string>> = {
  remedy: 'the same remedy against other failures',
  action: 'lessons about the same action',
  writer: 'lessons by the same kind of writer',
};

/** Why a proposal came later than its figures say; empty if nothing lowered it. A newer server may know other reasons. */
export function loweredText(lowered: readonly LoweredBy[] | undefined): string {
  const texts = (lowered ?? []).map(({ reason, resembles, rejections }) => {
    const said = reason === 'other' ? 'another reason' : (REJECTION_SENTENCES[reason] ?? reason);
    return `${formatCount(rejections, 'rejection')} of ${RESEMBLES[resembles] ?? resembles} (${said})`;
  });
  return texts.length === 0 ? '' : `lowered by ${texts.join(', ')}`;
}
