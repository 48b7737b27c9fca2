import {
  credential,
  define,
  fraction,
  integer,
  oneOf,
  optionalFile,
  optionalText,
  safeAddress,
  secret,
  someOf,
} from './setting.js';

/** How memories are found and delivered to an agent. */
export const RECALL_SETTINGS = {
  recallStrategy: define(
    'GUILDBOOK_RECALL_STRATEGY',
    oneOf('context', ['context', 'tool_based', 'self_editing']),
    'How memory reaches an agent if the recall does not specify it. Choose tool_based for agents that search themselves, self_editing for agents that keep notes.',
    'recall.md#choose-a-strategy',
  ),
  queryExpansionRounds: define(
    'GUILDBOOK_QUERY_EXPANSION_ROUNDS',
    integer(0, 0, 5),
    'Further search rounds for words of the query that no result contains. Raise it if queries name several things at once; each round takes time. 0: none.',
  ),
  queryExpander: define(
    'GUILDBOOK_QUERY_EXPANDER',
    oneOf('terms', ['terms', 'model']),
    'How the words of a further round are chosen: terms (words without a result) or model (GUILDBOOK_RECALL_MODEL). Choose model if queries and lessons use different words.',
    'recall.md#let-a-model-help',
  ),
  recallSelector: define(
    'GUILDBOOK_RECALL_SELECTOR',
    oneOf('none', ['none', 'model']),
    'Whether GUILDBOOK_RECALL_MODEL selects at most five of the memories found, without those that the session already received. Choose model if agents receive too many irrelevant memories.',
    'recall.md#let-a-model-help',
  ),
  recallModel: define(
    'GUILDBOOK_RECALL_MODEL',
    optionalText,
    'A small model at ANTHROPIC_BASE_URL that recalls call and wait for. Set it with one of the two settings above. Empty: none.',
    'recall.md#let-a-model-help',
  ),
  recallModelDayCalls: define(
    'GUILDBOOK_RECALL_MODEL_DAY_CALLS',
    integer(1_000, 0, 1_000_000),
    'Calls of the recall model per UTC day, over all processes; after that, recalls work without it. Set it to what you are willing to pay.',
  ),
  rankingProfile: define(
    'GUILDBOOK_RANKING_PROFILE',
    optionalFile,
    'A JSON file with the weights, thresholds and choices by which memories are ranked, diversified and filtered; read at the start. Set it if a measurement on your own memories finds better ones. Empty: the defaults.',
    'recall.md#change-the-ranking',
  ),
  writableCategories: define(
    'GUILDBOOK_WRITABLE_CATEGORIES',
    someOf(['CORE', 'PROCEDURAL', 'SEMANTIC', 'EPISODIC']),
    'Categories that agents may write, with the self_editing tools, remember and POST /v1/memories, which write PROCEDURAL. CORE contains the notes that are always delivered and requires SEMANTIC. Leave out categories that only the proposer or people may write.',
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
    'Base URL of an embeddings API, such as http://127.0.0.1:11434/v1, without /embeddings; it receives redacted memories and queries. Set it to find by meaning. Empty: built-in vectors of spelling.',
    'recall.md#choose-a-retrieval',
  ),
  embedderModel: define(
    'GUILDBOOK_EMBEDDER_MODEL',
    optionalText,
    'The embedding model. Set it with GUILDBOOK_EMBEDDER_URL; after a change all vectors are computed again.',
  ),
  embedderApiKey: secret(
    'GUILDBOOK_EMBEDDER_API_KEY',
    credential,
    'API key for the embedder. Set it if GUILDBOOK_EMBEDDER_URL requires one.',
  ),
  embedderMinSimilarity: define(
    'GUILDBOOK_EMBEDDER_MIN_SIMILARITY',
    fraction(0.4),
    'Cosine similarity from which a memory matches a query, with GUILDBOOK_EMBEDDER_URL. Set it for your model: the similarity of unrelated texts differs between models.',
  ),
  embedderTuning: define(
    'GUILDBOOK_EMBEDDER_TUNING',
    oneOf('off', ['off', 'base', 'base_and_adapter']),
    'Whether the server tunes the embedder by itself as memory grows. Choose base if you use hybrid without an embeddings API; administrators can start single runs with off. base_and_adapter is the name of base in earlier versions.',
    'tune-the-embedder.md',
  ),
  gateEvidence: define(
    'GUILDBOOK_GATE_EVIDENCE',
    oneOf('owners', ['owners', 'person']),
    'What must stand for a memory that authorises a call which changes something: a person (person), or a person or executions of two owners (owners). Choose person if a wrong call does damage that cannot be undone.',
    'recall.md#ask-the-gate-before-a-tool-call',
  ),
} as const;
