import { credential, cronOrOff, define, httpAddress, integer, oneOf, optionalText, secret } from './setting.js';

/** How long private lessons live, who else gets them, and who confirms them. */
export const MEMORY_SETTINGS = {
  upkeepCron: define(
    'GUILDBOOK_UPKEEP_CRON',
    cronOrOff('30 3 * * *'),
    'When private lessons are pruned, evicted and copied (server time). Change it to an hour when your agents rest, or to off to run it by request alone.',
    'memory.md#upkeep',
  ),
  memoryCapacity: define(
    'GUILDBOOK_MEMORY_CAPACITY',
    integer(100, 1, 10_000),
    'Private lessons that an agent keeps when it is pruned or evicted. Raise it for agents with many kinds of tasks.',
    'memory.md#upkeep',
  ),
  neverRetrievedDays: define(
    'GUILDBOOK_MEMORY_NEVER_RETRIEVED_DAYS',
    integer(30, 1, 3_650),
    'Days after which a lesson ends that was never retrieved. Raise it for tasks that come back rarely, or when agents read lessons without recalls.',
    'memory.md#upkeep',
  ),
  pruning: define(
    'GUILDBOOK_PRUNING',
    oneOf('hybrid', ['none', 'ttl', 'pareto', 'hybrid']),
    'Which private lessons end: by age (ttl), by frontiers of relevance and recency (pareto), by both, or none. Choose none to keep all that fits.',
    'memory.md#upkeep',
  ),
  pruningMaxAgeDays: define(
    'GUILDBOOK_PRUNING_MAX_AGE_DAYS',
    integer(90, 1, 3_650),
    'Age in days from which ttl and hybrid end a lesson. Set it to how long your tools and code stay the same, or to your retention policy.',
    'memory.md#upkeep',
  ),
  propagation: define(
    'GUILDBOOK_PROPAGATION',
    oneOf('none', ['none', 'role', 'department']),
    'To whom lessons of an agent are copied: up to ten agents of its role or department. Choose one when such agents do the same work.',
    'memory.md#copies-for-peers',
  ),
  verifierModel: define(
    'GUILDBOOK_VERIFIER_MODEL',
    optionalText,
    'A second model that is asked what it thinks of a memory; it must not be one of those that write. Set it when too few agents share a task to confirm each other. Empty: none.',
    'memory.md#corroboration',
  ),
  verifierBaseUrl: define(
    'GUILDBOOK_VERIFIER_BASE_URL',
    httpAddress,
    'Base URL of the Messages API that serves it. Set it when another provider does. Empty: ANTHROPIC_BASE_URL.',
  ),
  verifierApiKey: secret(
    'GUILDBOOK_VERIFIER_API_KEY',
    credential,
    'Its key. Set it when another provider serves it. Empty: ANTHROPIC_API_KEY.',
  ),
  verifierDayCalls: define(
    'GUILDBOOK_VERIFIER_DAY_CALLS',
    integer(200, 0, 1_000_000),
    'Memories that it is asked about in 24 hours. Set it to what you are willing to pay.',
  ),
} as const;
