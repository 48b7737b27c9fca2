import { cron, define, flag, fraction, integer, oneOf } from './setting.js';

/** When lessons become proposals, and how many people decide. */
export const REVIEW_SETTINGS = {
  evolverEnabled: define(
    'GUILDBOOK_EVOLVER_ENABLED',
    flag(false),
    'Whether cycles run on schedule; they can always be requested. Choose true once reviewers expect proposals.',
  ),
  evolverCron: define(
    'GUILDBOOK_EVOLVER_CRON',
    cron('0 */6 * * *'),
    'Schedule of the cycles (server time). Choose times when reviewers are available.',
  ),
  evolverWindowDays: define(
    'GUILDBOOK_EVOLVER_WINDOW_DAYS',
    integer(30, 1, 365),
    'Days of executions that a cycle examines. Raise it for a fleet with few executions, lower it if tools change often.',
  ),
  minAgentsForPattern: define(
    'GUILDBOOK_MIN_AGENTS_FOR_PATTERN',
    integer(3, 2, 1_000),
    'Distinct agents on independent tasks that must have met a failure before it is examined. Raise it in a large fleet to see only widespread failures.',
  ),
  minOwnersForPattern: define(
    'GUILDBOOK_MIN_OWNERS_FOR_PATTERN',
    integer(1, 1, 1_000),
    'Distinct owners of those agents. Raise it in an organisation: with 2 or more, one owner cannot create evidence by registering more agents.',
  ),
  minConfidenceForProposal: define(
    'GUILDBOOK_MIN_CONFIDENCE_FOR_PROPOSAL',
    fraction(0.8),
    'Confidence from which a lesson is proposed; lessons below it are only counted. Raise it if reviewers reject too many proposals, lower it if cycles propose nothing.',
  ),
  maxProposalsPerCycle: define(
    'GUILDBOOK_MAX_PROPOSALS_PER_CYCLE',
    integer(10, 1, 100),
    'Maximum number of proposals of one cycle; further ones are only counted. Set it to what your reviewers can read between two cycles.',
  ),
  proposeSkippedChecks: define(
    'GUILDBOOK_PROPOSE_SKIPPED_CHECKS',
    flag(false),
    'Whether a failure that was only overcome by skipping a check, such as with --no-verify, is proposed, at critical risk. Choose true to discuss such habits in review.',
  ),
  rolloutPercent: define(
    'GUILDBOOK_ROLLOUT_PERCENT',
    percent(),
    'Percentage of agents that receive a newly approved skill over HTTP. Lower it to measure the effect of skills first. A clone of the repository has every skill at once.',
    'effect.md#stages',
  ),
  approvalQuorum: define(
    'GUILDBOOK_APPROVAL_QUORUM',
    integer(1, 1, 20),
    'Number of reviewers who must approve a proposal. Raise it if your policy requires two-person approval.',
    'review-rules.md#how-many-people-approve',
  ),
  approvalQuorumHighRisk: define(
    'GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK',
    integer(2, 1, 20),
    'Number of reviewers who must approve a proposal of high or critical risk. Set it to 1 if one person approves alone.',
    'review-rules.md#how-many-people-approve',
  ),
  proposalExpiryDays: define(
    'GUILDBOOK_PROPOSAL_EXPIRY_DAYS',
    integer(14, 1, 365),
    'Days until a pending proposal expires. Raise it if reviewers work through the queue less often.',
  ),
} as const;

function percent() {
  const { allowed, schema } = oneOf('100', ['5', '25', '100']);
  return { allowed, schema: schema.transform(Number) };
}
