import {
  credential,
  define,
  dollars,
  flag,
  httpAddress,
  integer,
  oneOf,
  optionalDollars,
  optionalFolder,
  secret,
  text,
} from './setting.js';

/** Which executions teach, who writes the lessons, and what it may cost. */
export const PROPOSER_SETTINGS = {
  captureStrategy: define(
    'GUILDBOOK_CAPTURE',
    oneOf('hybrid', ['failure', 'success', 'hybrid']),
    'Which finished executions may teach. Choose failure when your verifications are not to be relied on, success to learn from good runs alone.',
  ),
  proposerEnabled: define(
    'GUILDBOOK_PROPOSER_ENABLED',
    flag(true),
    'Whether reports become lessons. With false reports still land, and those received meanwhile never teach. Choose false to import first, or to stop learning.',
  ),
  anthropicApiKey: secret(
    'ANTHROPIC_API_KEY',
    credential,
    'Key of the proposer model. Set it to have a model write lessons. Without key and base URL, rules write them.',
  ),
  anthropicBaseUrl: define(
    'ANTHROPIC_BASE_URL',
    httpAddress,
    'Base URL of the Messages API. Set it for a gateway or a local model.',
  ),
  proposerModel: define(
    'GUILDBOOK_PROPOSER_MODEL',
    text('claude-haiku-5-5'),
    'Model of the proposer. Change it for better lessons, for a lower price, or with ANTHROPIC_BASE_URL.',
  ),
  proposerTimeoutSeconds: define(
    'GUILDBOOK_PROPOSER_TIMEOUT_SECONDS',
    integer(60, 1, 600),
    'Seconds that one call to the model may take. Raise it for a slow local model.',
  ),
  proposerDayTokens: define(
    'GUILDBOOK_PROPOSER_DAY_TOKENS',
    integer(5_000_000, 0, 10_000_000_000),
    'Tokens that the model may use in a day of UTC, input and output together; an hour has a fifth of it. Raise it for a large fleet or a model without a price. 0: it is not asked.',
    'proposer.md#budgets',
  ),
  proposerDayUsd: define(
    'GUILDBOOK_PROPOSER_DAY_USD',
    dollars(5, 1_000_000),
    'US dollars that it may cost in a day of UTC; an hour has a fifth of it. Set it to what learning is worth to you.',
    'proposer.md#budgets',
  ),
  proposerInputPrice: define(
    'GUILDBOOK_PROPOSER_INPUT_PRICE',
    optionalDollars(10_000),
    'US dollars for a million input tokens. Set it when you pay another price than the list, or 0 for a model of your own. Empty: the list price, or the dearest one for a model without.',
    'proposer.md#budgets',
  ),
  proposerOutputPrice: define(
    'GUILDBOOK_PROPOSER_OUTPUT_PRICE',
    optionalDollars(10_000),
    'The same for output tokens. Set it together with GUILDBOOK_PROPOSER_INPUT_PRICE.',
    'proposer.md#budgets',
  ),
  skillMdDirectory: define(
    'GUILDBOOK_SKILL_MD_DIRECTORY',
    optionalFolder,
    "Folder where agents' own lessons are also written as SKILL.md. Set it to read them as files. It cannot be, hold or lie in the skills repository. Empty: nowhere.",
    'proposer.md#lessons-as-files',
  ),
} as const;
