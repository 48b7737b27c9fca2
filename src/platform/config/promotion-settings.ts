import { define, flag, integer, optionalText, secret } from './setting.js';

/** The part of the settings that is about who corroborates what agents remember. */
export const PROMOTION_SETTINGS = {
  promotionEnabled: define(
    'GUILDBOOK_PROMOTION_ENABLED',
    flag(true),
    'true: private memories are corroborated in the background, and when they are retrieved. By request they always are.',
  ),
  promotionBudget: define(
    'GUILDBOOK_PROMOTION_BUDGET',
    integer(50, 1, 10_000),
    'Memories that are checked in a minute, those that are retrieved most first; who asks for one by name does not wait.',
  ),
  promotionExecutions: define(
    'GUILDBOOK_PROMOTION_EXECUTIONS',
    integer(2, 1, 1_000),
    'Later executions in which what a memory says has to have worked.',
  ),
  promotionOtherAgents: define(
    'GUILDBOOK_PROMOTION_OTHER_AGENTS',
    integer(1, 0, 1_000),
    "Agents besides the memory's own that have to be among them. 0: an agent corroborates itself by what its tools do.",
  ),
  verifierModel: define(
    'GUILDBOOK_VERIFIER_MODEL',
    optionalText,
    'A second model that is asked what it thinks of a memory; another one than those that write. Empty: none.',
  ),
  verifierBaseUrl: define(
    'GUILDBOOK_VERIFIER_BASE_URL',
    optionalText,
    'Base URL of the Messages API that serves it. Empty: ANTHROPIC_BASE_URL.',
  ),
  verifierApiKey: secret('GUILDBOOK_VERIFIER_API_KEY', 'Its key. Empty: ANTHROPIC_API_KEY.'),
  verifierDayCalls: define(
    'GUILDBOOK_VERIFIER_DAY_CALLS',
    integer(200, 0, 1_000_000),
    'Memories that it is asked about in 24 hours.',
  ),
} as const;
