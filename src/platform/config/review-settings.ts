import { cron, define, flag, fraction, integer, oneOf } from './setting.js';

/** When patterns become proposals, and who decides. */
export const REVIEW_SETTINGS = {
  evolverEnabled: define(
    'GUILDBOOK_EVOLVER_ENABLED',
    flag(false),
    'Whether cycles also run on schedule; by request they always can. Choose true once reviewers expect proposals.',
  ),
  evolverCron: define(
    'GUILDBOOK_EVOLVER_CRON',
    cron('0 */6 * * *'),
    'When scheduled cycles run (server time). Change it to when reviewers have time.',
  ),
  evolverWindowDays: define(
    'GUILDBOOK_EVOLVER_WINDOW_DAYS',
    integer(30, 1, 365),
    'Days that a cycle looks back. Raise it for a fleet with few executions, lower it when tools change often.',
  ),
  minAgentsForPattern: define(
    'GUILDBOOK_MIN_AGENTS_FOR_PATTERN',
    integer(3, 2, 1_000),
    'Distinct agents on independent tasks that a pattern needs. Raise it in a large fleet to see only what many meet.',
  ),
  minOwnersForPattern: define(
    'GUILDBOOK_MIN_OWNERS_FOR_PATTERN',
    integer(1, 1, 1_000),
    'Distinct owners of those agents. Raise it in an organisation: with 2 or more, one owner cannot make a pattern by inventing agents.',
  ),
  minConfidenceForProposal: define(
    'GUILDBOOK_MIN_CONFIDENCE_FOR_PROPOSAL',
    fraction(0.8),
    'Confidence from which a pattern is proposed; below it, it is counted. Raise it when reviewers reject too much, lower it when cycles propose nothing.',
  ),
  maxProposalsPerCycle: define(
    'GUILDBOOK_MAX_PROPOSALS_PER_CYCLE',
    integer(10, 1, 100),
    'Proposals of one cycle; the rest is counted. Set it to what your reviewers read between two cycles.',
  ),
  rolloutPercent: define(
    'GUILDBOOK_ROLLOUT_PERCENT',
    percent(),
    'Share of the agents that receives a skill over HTTP when it is approved. Lower it to measure the effect of skills first. A clone of the repository has every skill at once.',
    'effect.md#stages',
  ),
  approvalQuorum: define(
    'GUILDBOOK_APPROVAL_QUORUM',
    integer(1, 1, 20),
    'Reviewers who have to approve an item. Raise it when your policy asks for four eyes.',
    'review-rules.md#how-many-people-approve',
  ),
  approvalQuorumHighRisk: define(
    'GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK',
    integer(2, 1, 20),
    'The same for items of high and critical risk. Set it to 1 where one person approves alone.',
    'review-rules.md#how-many-people-approve',
  ),
  proposalExpiryDays: define(
    'GUILDBOOK_PROPOSAL_EXPIRY_DAYS',
    integer(14, 1, 365),
    'Days until an undecided item expires. Raise it when reviewers look less often.',
  ),
} as const;

function percent() {
  const { allowed, schema } = oneOf('100', ['5', '25', '100']);
  return { allowed, schema: schema.transform(Number) };
}
