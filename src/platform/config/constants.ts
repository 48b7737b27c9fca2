/**
 * Numbers that no operator needs to change, each with its unit and its reason. "Reference" marks a default of the system
 * that Guildbook follows. Services read them from the `Config`, beside the settings; a test or a benchmark passes another
 * value to `loadConfig`, and no variable does.
 */
export const CONSTANTS = {
  /** Bytes of a request body, unpacked; more is a 413. Holds a batch of 100 reports, and bounds what one request costs. */
  bodyLimitBytes: 4_194_304,
  /** Seconds. The span of all limits of requests: short, so that a refused caller waits a minute at most. */
  rateLimitSeconds: 60,
  /** Limit of an owner's agents and services together, as a multiple of the limit of one: two may be at theirs at once. */
  rateLimitOwnerFactor: 2,
  /** Requests of one address with a credential that is not accepted. A token has 32 random bytes: guessing is hopeless. */
  rateLimitRefused: 120,
  /** Requests of one address for published skills without a credential: ten a second, for an office behind one address. */
  rateLimitPublic: 600,
  /** Minutes between signatures of the journal's head, where it has moved: how much a truncation can hide. */
  journalCheckpointMinutes: 10,
  /** The git program, found on the search path of the process. */
  gitBinary: 'git',
  /** Minutes. Only a sign-in's token can decide, so an hour is the most (decision 6). */
  personalTokenMinutes: 60,
  /** The gate cannot be configured away: a literal in the type, too. */
  requiresHumanApproval: true as const,

  /** Seconds after the end of an execution in pieces in which late pieces are taken in (decision 19). */
  fragmentGraceSeconds: 15,
  /** Minutes without another piece after which a pause counts as the end (decision 19). */
  fragmentPauseMinutes: 30,
  /** Hours without another piece after which an execution without an end is reported as unfinished (decision 19). */
  fragmentMaxHours: 24,
  /** Quality from 0 to 10 from which a verified success teaches. Reference. */
  minQualityScore: 8,
  /** Percentile of an agent's recent executions that a success has to reach. Reference. */
  successQualityPercentile: 75,

  /** Tokens of one answer of the proposer. Reference. */
  proposerMaxTokens: 1_500,
  /** Confidence from 0 to 1 below which a model's lesson is not stored. Reference. */
  proposerMinConfidence: 0.5,
  /** Calls to the proposer's model in a minute, of all processes. Budgets bound the money; this keeps a burst polite. */
  proposerCallsPerMinute: 50,
  /** Waiting executions from which they go to the model as a batch: a minute's worth of single calls. 0: never. */
  proposerBatchMinPending: 50,
  /** Minutes of a cycle of the proposer's budget: an hour, so that one bad hour costs a share of the day. */
  proposerCycleMinutes: 60,
  /** Share of the day's budgets, tokens and dollars, that one cycle may use: the day lasts for five busy cycles. */
  proposerCycleShare: 0.2,
  /** Days for which the model is tried again for an execution: as long as a cycle of the evolver looks back. */
  proposerAwaitDays: 30,
  /** Whether the model, where there is one, also words the proposals of cycles. */
  proposerWordsDrafts: true,

  /** Days for which a person can undo a run of the upkeep: as long as a proposal waits. */
  upkeepUndoDays: 14,
  /** Share of GUILDBOOK_MEMORY_CAPACITY that `pareto` leaves: all of it, so that eviction finds nothing more to end. */
  pruningCapacityShare: 1,
  /** Memories that are checked in the background in a minute, so that recalls keep their time. 0: none. */
  promotionBudget: 50,
  /** Later executions in which what a memory says has to have worked: one can be chance (decision 33). */
  promotionExecutions: 2,
  /** Agents besides the memory's own that have to be among them: nobody corroborates itself (decision 33). */
  promotionOtherAgents: 1,

  /** Relevance from 0 to 1 below which a memory is not delivered. Reference. */
  minRelevance: 0.3,
  /** Seconds for which a recall waits for one answer of the recall model: an agent waits, too. */
  recallModelTimeoutSeconds: 5,
  /** Tokens of the notes that `self_editing` always puts before an agent. Reference. */
  coreMemoryTokens: 1_024,
  /** Seconds of one request to an embedder; it is tried three times, and a recall waits for it. */
  embedderTimeoutSeconds: 5,
  /** Weight of the order of an embedder's vectors in hybrid recall, beside 1 for the order of words. */
  embedderWeight: 1,

  /** Skills that can be live at once; at the cap a proposal has to supersede or retire. Reference. */
  maxOrgEntries: 10_000,
  /** Proposals that may wait before cycles hold theirs back: ten cycles' worth. What people ask for is not held back. */
  maxPendingProposals: 100,
};

export type Constants = Readonly<typeof CONSTANTS>;
