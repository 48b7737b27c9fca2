import { z } from 'zod';
import { define, flag, fraction, integer, list, optionalText, secret, webOrigin } from './setting.js';

/** The part of the settings that is about how memories are found. */
export const RECALL_SETTINGS = {
  recallStrategy: define(
    'GUILDBOOK_RECALL_STRATEGY',
    z.enum(['context', 'tool_based', 'self_editing']).default('context'),
    'How memory reaches an agent where a recall does not say: context, tool_based or self_editing.',
  ),
  minRelevance: define(
    'GUILDBOOK_MIN_RELEVANCE',
    fraction(0.3),
    'What answers a query less well is not told; each source of a hybrid recall measures by its own relevance.',
  ),
  searchAndAskRounds: define(
    'GUILDBOOK_SEARCH_AND_ASK_ROUNDS',
    integer(0, 0, 5),
    'How often a search goes on for words of the query that nothing found holds. 0: it does not.',
  ),
  searchAndAskBy: define(
    'GUILDBOOK_SEARCH_AND_ASK_BY',
    z.enum(['terms', 'model']).default('terms'),
    'Who says what a search still lacks: terms (its words) or model (GUILDBOOK_RECALL_MODEL).',
  ),
  recallSelector: define(
    'GUILDBOOK_RECALL_SELECTOR',
    z.enum(['none', 'model']).default('none'),
    'model: GUILDBOOK_RECALL_MODEL chooses at most five of what was found. What a session was told is then left out.',
  ),
  recallModel: define(
    'GUILDBOOK_RECALL_MODEL',
    optionalText,
    'A small model that recalls may ask and wait for, at ANTHROPIC_BASE_URL. Empty: none.',
  ),
  recallModelDayCalls: define(
    'GUILDBOOK_RECALL_MODEL_DAY_CALLS',
    integer(1_000, 0, 1_000_000),
    'How often it is asked in a day of UTC, by all processes together; then recalls do without.',
  ),
  recallModelTimeoutSeconds: define(
    'GUILDBOOK_RECALL_MODEL_TIMEOUT_SECONDS',
    integer(5, 1, 60),
    'How long a recall waits for one answer of it.',
  ),
  coreTokens: define(
    'GUILDBOOK_CORE_TOKENS',
    integer(1_024, 64, 16_384),
    'With self_editing: what the notes that are always before an agent may take together.',
  ),
  coreWrites: define('GUILDBOOK_CORE_WRITES', flag(true), 'false: agents read these notes and cannot write them.'),
  writableCategories: define(
    'GUILDBOOK_WRITABLE_CATEGORIES',
    list.default(['PROCEDURAL', 'SEMANTIC', 'EPISODIC']),
    'What agents may write themselves: PROCEDURAL, SEMANTIC, EPISODIC, separated by commas.',
  ),
  retrieval: define(
    'GUILDBOOK_RETRIEVAL',
    z.enum(['words', 'vectors', 'hybrid', 'smallest']).default('words'),
    'By what memories are found where a recall does not say: words, vectors, hybrid (both) or smallest.',
  ),
  embedder: define(
    'GUILDBOOK_EMBEDDER',
    z.enum(['local', 'http']).default('local'),
    'What makes vectors: local (spelling; no model, no network) or http (a model behind POST /v1/embeddings).',
  ),
  embedderUrl: define(
    'GUILDBOOK_EMBEDDER_URL',
    webOrigin(true),
    'With http: the address before /embeddings, such as http://127.0.0.1:11434/v1. Memories and queries go there, redacted.',
  ),
  embedderModel: define('GUILDBOOK_EMBEDDER_MODEL', optionalText, 'The model there. Another one makes vectors anew.'),
  embedderApiKey: secret('GUILDBOOK_EMBEDDER_API_KEY', 'Its key, where it asks for one.'),
  embedderTimeoutSeconds: define(
    'GUILDBOOK_EMBEDDER_TIMEOUT_SECONDS',
    integer(5, 1, 120),
    'How long one request to it may take. It is tried three times, and a recall waits for it.',
  ),
  embedderMinSimilarity: define(
    'GUILDBOOK_EMBEDDER_MIN_SIMILARITY',
    fraction(0.4),
    'With http: the cosine from which a memory answers a query. It depends on the model.',
  ),
  embedderWeight: define(
    'GUILDBOOK_EMBEDDER_WEIGHT',
    z.coerce.number().min(0).max(100).default(1),
    'With http: how much the order of vectors counts in hybrid, beside 1 for the order of words.',
  ),
} as const;
