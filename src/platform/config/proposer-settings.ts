import {
  define,
  dollars,
  flag,
  fraction,
  holdOneAnother,
  integer,
  optionalDollars,
  optionalFolder,
  optionalText,
  secret,
  text,
} from './setting.js';

/** The part of the settings that is about who writes lessons, and what it may cost. */
export const PROPOSER_SETTINGS = {
  proposerEnabled: define('GUILDBOOK_PROPOSER_ENABLED', flag(true), 'false: nothing is captured; reports still land.'),
  anthropicApiKey: secret(
    'ANTHROPIC_API_KEY',
    'Key of the proposer model. Without key and base URL the rules proposer works.',
  ),
  anthropicBaseUrl: define(
    'ANTHROPIC_BASE_URL',
    optionalText,
    'Base URL of the Messages API, for a gateway or a local model.',
  ),
  proposerModel: define('GUILDBOOK_PROPOSER_MODEL', text('claude-haiku-5-5'), 'Model of the proposer.'),
  proposerMaxTokens: define('GUILDBOOK_PROPOSER_MAX_TOKENS', integer(1_500, 256, 8_192), 'Tokens of one answer.'),
  proposerMinConfidence: define(
    'GUILDBOOK_PROPOSER_MIN_CONFIDENCE',
    fraction(0.5),
    'A lesson below this confidence is not stored.',
  ),
  proposerTimeoutSeconds: define(
    'GUILDBOOK_PROPOSER_TIMEOUT_SECONDS',
    integer(60, 1, 600),
    'How long one call to the model may take.',
  ),
  proposerCallsPerMinute: define(
    'GUILDBOOK_PROPOSER_CALLS_PER_MINUTE',
    integer(50, 1, 10_000),
    'Calls to the model in a minute, of all processes together; what comes faster waits.',
  ),
  proposerBatchFrom: define(
    'GUILDBOOK_PROPOSER_BATCH_FROM',
    integer(50, 0, 100_000),
    'Waiting executions from which they go to the model as a batch, at half the price and within a day. 0: never.',
  ),
  proposerDayTokens: define(
    'GUILDBOOK_PROPOSER_DAY_TOKENS',
    integer(5_000_000, 0, 10_000_000_000),
    'Tokens that the model may use in a day of UTC, input and output together. 0: it is not asked.',
  ),
  proposerDayUsd: define(
    'GUILDBOOK_PROPOSER_DAY_USD',
    dollars(5, 1_000_000),
    'US dollars that it may cost in a day of UTC.',
  ),
  proposerCycleMinutes: define(
    'GUILDBOOK_PROPOSER_CYCLE_MINUTES',
    integer(60, 1, 1_440),
    'Length of a cycle, which has budgets of its own.',
  ),
  proposerCycleTokens: define(
    'GUILDBOOK_PROPOSER_CYCLE_TOKENS',
    integer(1_000_000, 0, 10_000_000_000),
    'Tokens that the model may use in a cycle.',
  ),
  proposerCycleUsd: define(
    'GUILDBOOK_PROPOSER_CYCLE_USD',
    dollars(1, 1_000_000),
    'US dollars that it may cost in a cycle.',
  ),
  proposerInputPrice: define(
    'GUILDBOOK_PROPOSER_INPUT_PRICE',
    optionalDollars(10_000),
    'US dollars for a million input tokens. Empty: the list price, or the dearest one for a model without.',
  ),
  proposerOutputPrice: define(
    'GUILDBOOK_PROPOSER_OUTPUT_PRICE',
    optionalDollars(10_000),
    'The same for output tokens. 0 for a model of your own.',
  ),
  proposerAwaitDays: define(
    'GUILDBOOK_PROPOSER_AWAIT_DAYS',
    integer(30, 1, 365),
    'For how long the model is tried again for an execution that it could not be asked about.',
  ),
  proposerWording: define(
    'GUILDBOOK_PROPOSER_WORDING',
    flag(true),
    'false: proposals of cycles are worded by rules, also where a model writes the lessons.',
  ),
  skillMdDirectory: define(
    'GUILDBOOK_SKILL_MD_DIRECTORY',
    optionalFolder,
    "Folder where agents' own lessons are written as SKILL.md, too. Empty: nowhere. Never the skills repository.",
  ),
} as const;

/** What the skills repository holds was approved: nothing else is written there. */
export function folderProblems({
  skillMdDirectory,
  skillsDir,
}: Record<'skillMdDirectory' | 'skillsDir', string | undefined>) {
  const isWrong = skillMdDirectory && skillsDir && holdOneAnother(skillMdDirectory, skillsDir);
  return isWrong ? [`${PROPOSER_SETTINGS.skillMdDirectory.env}: is, holds or lies in the skills repository`] : [];
}
