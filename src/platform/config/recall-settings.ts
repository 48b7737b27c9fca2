import { credential, define, fraction, integer, oneOf, optionalText, safeAddress, secret, someOf } from './setting.js';

/** How memories are found and reach an agent. */
export const RECALL_SETTINGS = {
  recallStrategy: define(
    'GUILDBOOK_RECALL_STRATEGY',
    oneOf('context', ['context', 'tool_based', 'self_editing']),
    'How memory reaches an agent when a recall does not say. Choose tool_based for agents that search themselves, self_editing for agents that keep notes.',
    'recall.md#choose-a-strategy',
  ),
  queryExpansionRounds: define(
    'GUILDBOOK_QUERY_EXPANSION_ROUNDS',
    integer(0, 0, 5),
    'How often a search goes on for words of the query that nothing found holds. Raise it when queries name several things at once; each round takes time. 0: it does not.',
  ),
  queryExpander: define(
    'GUILDBOOK_QUERY_EXPANDER',
    oneOf('terms', ['terms', 'model']),
    'Who says what a search still lacks: terms (its words) or model (GUILDBOOK_RECALL_MODEL). Choose model when queries and lessons use different words.',
    'recall.md#let-a-model-help',
  ),
  recallSelector: define(
    'GUILDBOOK_RECALL_SELECTOR',
    oneOf('none', ['none', 'model']),
    'Whether GUILDBOOK_RECALL_MODEL chooses at most five of the memories found, without those that the session has. Choose model when agents get too many that do not matter.',
    'recall.md#let-a-model-help',
  ),
  recallModel: define(
    'GUILDBOOK_RECALL_MODEL',
    optionalText,
    'A small model at ANTHROPIC_BASE_URL that recalls may ask and wait for. Set it with one of the two settings above. Empty: none.',
    'recall.md#let-a-model-help',
  ),
  recallModelDayCalls: define(
    'GUILDBOOK_RECALL_MODEL_DAY_CALLS',
    integer(1_000, 0, 1_000_000),
    'How often it is asked in a day of UTC, by all processes together; then recalls do without. Set it to what you are willing to pay.',
  ),
  writableCategories: define(
    'GUILDBOOK_WRITABLE_CATEGORIES',
    someOf(['CORE', 'PROCEDURAL', 'SEMANTIC', 'EPISODIC']),
    'What agents may write with the tools of self_editing. CORE are the notes that are always before them; it needs SEMANTIC. Leave out what only the proposer or people may write.',
  ),
  retrieval: define(
    'GUILDBOOK_RETRIEVAL',
    oneOf('words', ['words', 'vectors', 'hybrid', 'keyword_overlap']),
    'By what memories are found when a recall does not say. Choose hybrid with an embedder; smallest matches keywords without an index.',
    'recall.md#choose-a-retrieval',
  ),
  embedderUrl: define(
    'GUILDBOOK_EMBEDDER_URL',
    safeAddress,
    'Address before /embeddings of a model that makes vectors, such as http://127.0.0.1:11434/v1; memories and queries go there, redacted. Set it to find by meaning. Empty: vectors of spelling, made here.',
    'recall.md#choose-a-retrieval',
  ),
  embedderModel: define(
    'GUILDBOOK_EMBEDDER_MODEL',
    optionalText,
    'The model there. Set it with GUILDBOOK_EMBEDDER_URL; a change makes all vectors again.',
  ),
  embedderApiKey: secret('GUILDBOOK_EMBEDDER_API_KEY', credential, 'Its key. Set it when the address asks for one.'),
  embedderMinSimilarity: define(
    'GUILDBOOK_EMBEDDER_MIN_SIMILARITY',
    fraction(0.4),
    'Cosine from which a memory answers a query, with GUILDBOOK_EMBEDDER_URL. Set it for your model: similarities of unrelated texts differ between models.',
  ),
} as const;
