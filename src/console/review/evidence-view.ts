import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { percentOf } from '../../platform/base/percent.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';

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
    agents: say('evidence.agents', { n: agents }),
    owners: say('evidence.owners', { n: owners }),
    origins: say('evidence.origins', { n: origins }),
    failures: [
      // Of proposals before whole runs were removed.
      evidence.dossier?.kind === 'runs'
        ? say('evidence.runs', { n: executions })
        : say('evidence.failures', { n: failures, executions }),
      ...(callsLost === undefined ? [] : [say('evidence.lost', { n: callsLost })]),
    ].join('; '),
    when: { from: moment(evidence.firstSeen, now), to: moment(evidence.lastSeen, now) },
    confidence: confidenceText(evidence, confidence),
    warnings: [
      ...(independent < agents || independentOwners < owners
        ? [say('evidence.independent', { n: independent, owners: independentOwners })]
        : []),
      ...(owners === 1 && agents > 1 ? [say('evidence.one-owner', { n: agents })] : []),
      ...(origins === 1 && agents > 1 ? [say('evidence.one-origin')] : []),
      ...(best && best.n < FEW_TRIES ? [say('evidence.few')] : []),
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
  if (!best) return say('confidence.none');
  const { worked, n, low, high } = best;
  const tries = { worked, n, low: percentOf(low), high: percentOf(high) };
  return say('confidence.says', { ...tries, percent: Math.min(99, percentOf(confidence)) });
}

/** The backtest in one line: where the condition matched among executions that are not in the evidence. */
export function backtestText({ backtest }: Evidence): string {
  if (!backtest) return say('effect.backtest-none');
  const { verdict, tested, read, supporting, nearMisses, precision, recall } = backtest;
  if (verdict === 'not_enough_evidence') return say('backtest.few', { tested, read });
  const shares = [
    ...(precision ? [say('backtest.precision', { ...precision, rate: percentOf(precision.rate) })] : []),
    ...(recall ? [say('backtest.recall', { ...recall, rate: percentOf(recall.rate) })] : []),
  ];
  const fired = { n: tested, fired: supporting + nearMisses, supporting, near: nearMisses };
  return [say('backtest.says', fired), ...shares].join('; ');
}

/** The model that wrote the lesson; null if the rules wrote it. */
export const writerText = ({ writer }: Evidence): string | null => (writer ? say('writer.says', writer) : null);

/** Who worded the proposal, and why the rules did where a model was configured. Null if the proposal does not say. */
export function wordingText({ wording }: Evidence): string | null {
  if (!wording) return null;
  if (wording.words) return say('wording.model', { by: wording.by });
  return wording.reason === null
    ? say('wording.rules')
    : say('wording.instead', { why: say(`wording.why.${wording.reason}`) });
}

function rateChart({ repeating, alternatives }: Evidence) {
  const rates: { label: string; rate: Rate; isBest: boolean }[] = [
    ...alternatives.slice(0, 3).map((rate, index) => ({ label: rate.action, rate, isBest: index === 0 })),
    { label: say('evidence.repeat'), rate: repeating, isBest: false },
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
    tries: say('evidence.tries', { worked, n }),
    says: say('evidence.rate', { rate: percentOf(rate), low: percentOf(low), high: percentOf(high) }),
    from: at(low),
    to: at(high),
    dot: at(rate),
  };
}
