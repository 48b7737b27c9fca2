import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { percentOf } from '../../platform/base/percent.js';
import { counted, grouped, moment, plural } from '../frame/in-words.js';

type Evidence = ProposalDetails['evidence'];
type Rate = Evidence['repeating'];

const FEW_TRIES = 5;
const AGENTS_SHOWN = 6;
/** The size of the chart, in units of its view box. */
const WIDTH = 240;
const ROW = 22;

/** The evidence of a proposal, short enough to read in half a minute. */
export function evidenceView({ id, evidence, confidence, proposedSkill, artifact }: ProposalDetails, now: Date) {
  const { agents, independent = agents, owners, independentOwners = owners, origins } = evidence;
  const { failures, executions, executionIds, failing, seenBy, callsLost } = evidence;
  const hrefOf = (query: Record<string, string>) => (executionIds ? `/fleet?${new URLSearchParams(query)}` : null);
  const best = evidence.alternatives[0];
  const most = Math.max(1, ...seenBy.map((agent) => agent.failures));
  return {
    href: hrefOf({ proposal: id }),
    agents,
    owners,
    origins,
    projects: evidence.projects,
    days: evidence.days,
    // Of proposals before whole runs were removed.
    failures:
      evidence.dossier?.kind === 'runs'
        ? `${counted(executions, 'execution')} with the step that ended well`
        : `${counted(failures, 'failure')} in ${counted(executions, 'execution')}`,
    lost: callsLost === undefined ? null : counted(callsLost, 'call'),
    when: { from: moment(evidence.firstSeen, now), to: moment(evidence.lastSeen, now) },
    confidence: confidenceText(evidence, confidence),
    warnings: [
      ...(independent < agents || independentOwners < owners
        ? [
            `On independent tasks they count as ${counted(independent, 'agent')} of ${counted(independentOwners, 'owner')}.`,
          ]
        : []),
      ...(owners === 1 && agents > 1
        ? [`All ${counted(agents, 'agent')} belong to one owner and count as one voice.`]
        : []),
      ...(agents === 1 ? [`It rests on ${counted(origins, 'task')} of one agent.`] : []),
      ...(origins === 1 && agents > 1
        ? ['All of it is one task: a single malicious page could have caused this.']
        : []),
      ...(best && best.n < FEW_TRIES ? ['The remedy was tried fewer than five times: weak evidence.'] : []),
    ],
    failing: { tool: failing.tool, action: failing.action, errorClass: failing.errorClass, example: failing.example },
    rates: rateChart(evidence),
    // The file leaves out sentences with figures.
    rationale: artifact.includes(proposedSkill.rationale) ? null : proposedSkill.rationale,
    agentRows: seenBy.slice(0, AGENTS_SHOWN).map((agent) => ({
      agent: agent.agent,
      owner: agent.owner ?? '',
      failures: agent.failures,
      executions: agent.executions,
      href: hrefOf({ proposal: id, agent: agent.agent }),
      bar: Math.max(1, Math.round((agent.failures / most) * 60)),
    })),
    moreAgents: Math.max(0, agents - AGENTS_SHOWN),
    models: evidence.models && evidence.models.length > 0 ? evidence.models.join(', ') : null,
  };
}

/** The tries of the remedy with their interval, and the probability that it beats doing without it: no certainty. */
export function confidenceText({ alternatives }: Pick<Evidence, 'alternatives'>, confidence: number): string {
  const [best] = alternatives;
  if (!best) return 'no remedy was tried';
  const { worked, n, low, high } = best;
  const tries = { worked, n, low: percentOf(low), high: percentOf(high) };
  return `${grouped(tries.worked)} of ${counted(tries.n, 'try', 'tries')} worked (${tries.low} to ${tries.high} %); ${Math.min(99, percentOf(confidence))} % likely to help`;
}

/** The backtest in one line: where the condition matched among executions that are not in the evidence. */
export function backtestText({ backtest }: Evidence): string {
  if (!backtest) return 'not run for this proposal';
  const { verdict, tested, read, supporting, nearMisses, precision, recall } = backtest;
  if (verdict === 'not_enough_evidence')
    return `not enough evidence: only ${grouped(tested)} of ${grouped(read)} other ${plural(read, 'execution', 'executions')} could be tested`;
  const shares = [
    ...(precision
      ? [`precision ${percentOf(precision.rate)} % (${grouped(precision.worked)} of ${grouped(precision.n)})`]
      : []),
    ...(recall ? [`recall ${percentOf(recall.rate)} % (${grouped(recall.worked)} of ${grouped(recall.n)})`] : []),
  ];
  const fired = { n: tested, fired: supporting + nearMisses, supporting, near: nearMisses };
  return [
    `matched ${grouped(fired.fired)} of ${grouped(fired.n)} other ${plural(fired.n, 'execution', 'executions')}: ${grouped(fired.supporting)} before the failure, ${grouped(fired.near)} without it`,
    ...shares,
  ].join('; ');
}

function rateChart({ repeating, alternatives }: Evidence) {
  const rates: { label: string; rate: Rate; isBest: boolean }[] = [
    ...alternatives.slice(0, 3).map((rate, index) => ({ label: rate.action, rate, isBest: index === 0 })),
    { label: 'without it', rate: repeating, isBest: false },
  ];
  const rows = rates.map(({ label, rate, isBest }, index) => drawRate(label, rate, isBest, index * ROW + ROW / 2));
  return { rows, width: WIDTH, height: rows.length * ROW, half: WIDTH / 2 };
}

/** One row of the chart: the interval as a line, the rate as a dot. */
function drawRate(label: string, { worked, n, rate, low, high }: Rate, isBest: boolean, y: number) {
  const at = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * WIDTH * 10) / 10;
  return {
    label,
    y,
    isBest,
    tries: `${grouped(worked)} of ${grouped(n)}`,
    says: `${percentOf(rate)} %, 95 % interval ${percentOf(low)} to ${percentOf(high)} %`,
    from: at(low),
    to: at(high),
    dot: at(rate),
  };
}
