import { credential, cronOrOff, define, flag, httpAddress, integer, oneOf, optionalText, secret } from './setting.js';

/** Lifetime, propagation and corroboration of private lessons. */
export const MEMORY_SETTINGS = {
  upkeepCron: define(
    'GUILDBOOK_UPKEEP_CRON',
    cronOrOff('30 3 * * *'),
    'Schedule on which private lessons are pruned, evicted and copied (server time). Choose a time when your agents are idle, or off to run it on request only.',
    'memory.md#upkeep',
  ),
  memoryCapacity: define(
    'GUILDBOOK_MEMORY_CAPACITY',
    integer(100, 1, 10_000),
    'Number of private lessons that an agent keeps after pruning and eviction. Raise it for agents with many kinds of tasks.',
    'memory.md#upkeep',
  ),
  keepReportsDays: define(
    'GUILDBOOK_KEEP_REPORTS_DAYS',
    integer(0, 0, 3_650),
    'Days for which reports are kept that nothing cites; at least one more than GUILDBOOK_EVOLVER_WINDOW_DAYS. Set it if the database must not grow for ever, or to your retention policy; 0 keeps them.',
    'operate.md#remove-old-reports-and-deliveries',
  ),
  keepDeliveriesDays: define(
    'GUILDBOOK_KEEP_DELIVERIES_DAYS',
    integer(0, 0, 3_650),
    'Days for which records of deliveries and recalls are kept, from which effects are counted. Set it if the database must not grow for ever; 0 keeps them.',
    'operate.md#remove-old-reports-and-deliveries',
  ),
  sessionPreambleBytes: define(
    'GUILDBOOK_SESSION_PREAMBLE_BYTES',
    integer(1_024, 0, 1_900),
    'Maximum size in bytes of the session memory that hooks deliver at the start of a session. Lower it to spend fewer tokens in each session; 0 delivers none.',
    'session-memory.md#on-the-server',
  ),
  subAgentsUseSessionMemory: define(
    'GUILDBOOK_SUB_AGENTS_USE_SESSION_MEMORY',
    flag(false),
    'Whether sub-agents receive the session memory of the agent that started them, and may use its tools. Set it to true if your sub-agents continue work of earlier sessions.',
    'session-memory.md#on-the-server',
  ),
  neverRetrievedDays: define(
    'GUILDBOOK_MEMORY_NEVER_RETRIEVED_DAYS',
    integer(30, 1, 3_650),
    'Days after which a lesson that was never retrieved is removed. Raise it for rare tasks, or if agents read lessons without recalls.',
    'memory.md#upkeep',
  ),
  pruning: define(
    'GUILDBOOK_PRUNING',
    oneOf('hybrid', ['none', 'ttl', 'pareto', 'hybrid']),
    'Which private lessons are pruned: by age (ttl), by Pareto fronts of relevance and recency (pareto), by both (hybrid), or none. Choose none to keep everything that fits.',
    'memory.md#upkeep',
  ),
  pruningMaxAgeDays: define(
    'GUILDBOOK_PRUNING_MAX_AGE_DAYS',
    integer(90, 1, 3_650),
    'Age in days from which ttl and hybrid remove a lesson. Set it to how long your tools and code stay stable, or to your retention policy.',
    'memory.md#upkeep',
  ),
  propagation: define(
    'GUILDBOOK_PROPAGATION',
    oneOf('none', ['none', 'role', 'department']),
    "Which agents receive copies of an agent's lessons: agents of its role or department. Choose one if these agents do the same work.",
    'memory.md#copies-for-peers',
  ),
  propagationTargets: define(
    'GUILDBOOK_PROPAGATION_TARGETS',
    integer(10, 1, 1_000),
    'Maximum number of agents that receive a copy of one lesson. Raise it to the size of your largest role or department, so that all of its agents learn from each other.',
    'memory.md#copies-for-peers',
  ),
  consolidationCron: define(
    'GUILDBOOK_CONSOLIDATION_CRON',
    cronOrOff('15 * * * *'),
    'Schedule on which agents whose memory is due are consolidated (server time): lessons that say the same become one. Each agent waits for the two settings below. Choose off to run it, and the daily search for skills to merge, on request only.',
    'memory.md#consolidation',
  ),
  consolidationMinHours: define(
    'GUILDBOOK_CONSOLIDATION_MIN_HOURS',
    integer(24, 0, 8_760),
    'Hours between two scheduled consolidations of one agent. Lower it for agents that learn a lot in a day.',
    'memory.md#consolidation',
  ),
  consolidationMinSessions: define(
    'GUILDBOOK_CONSOLIDATION_MIN_SESSIONS',
    integer(5, 0, 10_000),
    'New sessions that an agent needs before its next scheduled consolidation. Raise it for agents with many short sessions.',
    'memory.md#consolidation',
  ),
  verifierModel: define(
    'GUILDBOOK_VERIFIER_MODEL',
    optionalText,
    'A second model that assesses memories; another provider than that of the model that writes them must serve it. Set it if too few agents share a task to confirm each other. Empty: none.',
    'memory.md#corroboration',
  ),
  verifierBaseUrl: define(
    'GUILDBOOK_VERIFIER_BASE_URL',
    httpAddress,
    'Base URL of the Messages API that serves the verifier model. Set it to another address than ANTHROPIC_BASE_URL: the start is refused if one server both writes and checks lessons. Empty: the API of Anthropic, while rules write the lessons.',
  ),
  verifierApiKey: secret(
    'GUILDBOOK_VERIFIER_API_KEY',
    credential,
    'API key for the verifier model. Set it if another provider serves it. Empty: ANTHROPIC_API_KEY.',
  ),
  verifierDayCalls: define(
    'GUILDBOOK_VERIFIER_DAY_CALLS',
    integer(200, 0, 1_000_000),
    'Number of memories that the verifier model assesses in 24 hours. Set it to what you are willing to pay.',
  ),
} as const;
