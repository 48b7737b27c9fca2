import {
  credential,
  define,
  dollars,
  flag,
  fraction,
  httpAddress,
  integer,
  oneOf,
  optionalDollars,
  optionalFolder,
  optionalFraction,
  scoreAndPercentile,
  secret,
  text,
} from './setting.js';

/** Which executions become lessons, which model writes them, and what it may cost. */
export const PROPOSER_SETTINGS = {
  captureStrategy: define(
    'GUILDBOOK_CAPTURE',
    oneOf('hybrid', ['failure', 'success', 'hybrid']),
    'Which finished executions become lessons. Choose failure if your verifications are unreliable, success to learn from successful runs only.',
  ),
  successQuality: define(
    'GUILDBOOK_SUCCESS_QUALITY',
    scoreAndPercentile(8, 75),
    'Quality that a verified success needs to become a lesson: a minimum score, and the percentile of the last executions of its agent, such as 8.5,97.5. Raise both to learn from fewer, better executions; a percentile of 0 leaves the score alone.',
    'proposer.md#what-becomes-a-lesson',
  ),
  proposerEnabled: define(
    'GUILDBOOK_PROPOSER_ENABLED',
    flag(true),
    'Whether reports become lessons. With false, reports are stored, but those received meanwhile never become lessons. Choose false to import first, or to stop learning.',
  ),
  anthropicApiKey: secret(
    'ANTHROPIC_API_KEY',
    credential,
    'API key for the proposer model. Set it so that a model writes the lessons. Without key and base URL, rules write them.',
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
  proposerTemperature: define(
    'GUILDBOOK_PROPOSER_TEMPERATURE',
    optionalFraction,
    'Sampling temperature of the proposer model. Lower it for lessons that vary less, or set it for a model of your own. It is never sent to a Claude model newer than 4.6, which refuses it. Empty: 0.3 for older Claude models, none for others.',
    'proposer.md#temperature',
  ),
  proposerMaxTokens: define(
    'GUILDBOOK_PROPOSER_MAX_TOKENS',
    integer(1_500, 200, 32_000),
    'Tokens of one answer of the proposer model. Raise it for a model that thinks first.',
  ),
  proposerMinConfidence: define(
    'GUILDBOOK_PROPOSER_MIN_CONFIDENCE',
    fraction(0.5),
    "Least confidence of a model's lesson. Raise it for fewer lessons.",
  ),
  proposerTimeoutSeconds: define(
    'GUILDBOOK_PROPOSER_TIMEOUT_SECONDS',
    integer(60, 1, 600),
    'Timeout of one call to the proposer model, in seconds. Raise it for a slow local model.',
  ),
  proposerDayTokens: define(
    'GUILDBOOK_PROPOSER_DAY_TOKENS',
    integer(5_000_000, 0, 10_000_000_000),
    'Tokens that the proposer model may use per UTC day, input and output together; one hour may use a fifth of them. Raise it for a large fleet or a free model. 0: the model is not called.',
    'proposer.md#budgets',
  ),
  proposerDayUsd: define(
    'GUILDBOOK_PROPOSER_DAY_USD',
    dollars(5, 1_000_000),
    'US dollars that the proposer model may cost per UTC day; one hour may use a fifth of them. Set it to what you are willing to pay.',
    'proposer.md#budgets',
  ),
  proposerInputPrice: define(
    'GUILDBOOK_PROPOSER_INPUT_PRICE',
    optionalDollars(10_000),
    'US dollars per million input tokens. Set it if you do not pay the list price, or to 0 for your own model. Empty: the list price, or the highest one for a model without a list price.',
    'proposer.md#budgets',
  ),
  proposerOutputPrice: define(
    'GUILDBOOK_PROPOSER_OUTPUT_PRICE',
    optionalDollars(10_000),
    'US dollars per million output tokens. Set it together with GUILDBOOK_PROPOSER_INPUT_PRICE.',
    'proposer.md#budgets',
  ),
  skillMdDirectory: define(
    'GUILDBOOK_SKILL_MD_DIRECTORY',
    optionalFolder,
    'Folder into which private lessons are also written as SKILL.md files. Set it to read them as files. It must not be, contain or lie in the skills repository. Empty: none.',
    'proposer.md#lessons-as-files',
  ),
} as const;
