/**
 * Numbers that no operator needs to change, each with its unit and reason. Services read them from `Config` beside the
 * settings; no variable sets them, but a test or a benchmark can pass other values to `loadConfig`. "Reference" marks a
 * default that comes from the reference design.
 */
export const CONSTANTS = {
  /**
   * Bytes of a decompressed request body; a larger one is answered with 413. Fits a batch of 100 reports and bounds the
   * cost of one request.
   */
  bodyLimitBytes: 4_194_304,
  /**
   * JSON values and names of a request body; one with more is answered with 400. The largest report has 70,000. A body of
   * empty objects has over a million, which take a quarter of a second to parse.
   */
  bodyLimitValues: 100_000,
  /**
   * Milliseconds that the texts of one report may take to redact. Ordinary text of the largest body takes a tenth of a
   * second; text made to be costly, eight seconds.
   */
  reportTimeBudgetMs: 5_000,
  /**
   * Characters up to which a report is redacted on the event loop: 5 KB is an ordinary report, and 8 KB of the most
   * costly text take 20 ms. A thread costs less from there on.
   */
  inlineCharacters: 8_192,
  /**
   * Milliseconds that a new thread may take to load its code, the rules of redaction among it: a second, several on a
   * busy machine.
   */
  threadStartMs: 20_000,
  /** MiB of the heap of a thread; one that needs more is ended, and not the process. */
  threadHeapMiB: 512,
  /** Characters that may wait for threads: three callers with as much as one may have. */
  waitingCharacters: 96_000_000,
  /** Characters of one caller that may wait for threads: eight of the largest bodies. */
  waitingCharactersOfCaller: 32_000_000,
  /**
   * Lists, exports and other reads of one caller that are processed at once: a page of the console asks for two. Their
   * work grows with the data, so that it is not bounded by a number in a minute.
   */
  readsAtOnce: 2,
  /** Reads of one caller that wait for those before them: two browsers with all their connections, and a margin. */
  readsWaiting: 48,
  /** Seconds. Window of all rate limits: short, so that a rejected caller waits at most a minute. */
  rateLimitSeconds: 60,
  /**
   * Limit of all agents and services of one owner, as a multiple of the limit of one: two of them may be at their limit
   * at once, and others still have a share.
   */
  rateLimitOwnerFactor: 3,
  /**
   * Bytes of bodies that one request of the limit stands for: 6,000 requests a minute are 60 MB. An importer that sends
   * sessions of 5 KB reaches both limits at about the same time.
   */
  rateLimitRequestBytes: 10_240,
  /**
   * Requests per window from one address with a rejected credential. A token has 32 random bytes, so guessing is
   * hopeless at any rate.
   */
  rateLimitRefused: 120,
  /**
   * Requests per window from one address for published skills without a credential: ten per second, for an office
   * behind one address.
   */
  rateLimitPublic: 600,
  /**
   * Minutes between signatures of the journal's head if it has moved. A truncation can hide at most the entries of this
   * interval.
   */
  journalCheckpointMinutes: 10,
  /**
   * Minutes after which a comparison of git with the decisions counts as stalled: it takes seconds with ten thousand
   * skills, and one call of git at most five minutes.
   */
  reconcilerStalledMinutes: 15,
  /**
   * Milliseconds between two looks for scheduled jobs that are due. Added to the time after which another process follows
   * one that died in a job.
   */
  jobPollMs: 5_000,
  /** The git program, found on the search path of the process. */
  gitBinary: 'git',
  /**
   * Minutes. Only the token of a sign-in carries the right to decide, so a stolen one is usable for at most an hour.
   */
  personalTokenMinutes: 60,
  /** Human approval cannot be switched off: the type is the literal `true`. */
  requiresHumanApproval: true as const,

  /** Seconds after the end of an execution reported in fragments during which late fragments are accepted. */
  fragmentGraceSeconds: 15,
  /** Minutes without another fragment after which a pause counts as the end. */
  fragmentPauseMinutes: 30,
  /**
   * Minutes without another hook event after which a session counts as ended: a killed program sends no end. Longer than
   * any ordinary call, and a later event makes the report grow.
   */
  hookSilenceMinutes: 60,
  /** Hours without another fragment after which an execution without an end is reported as unfinished. */
  fragmentMaxHours: 24,

  /** Calls per minute to the proposer's model, over all processes. The budgets bound the cost; this limits bursts. */
  proposerCallsPerMinute: 50,
  /**
   * Pending executions from which they are sent to the model as one batch: a minute's worth of single calls. 0: never.
   */
  proposerBatchMinPending: 50,
  /** Minutes of one budget period of the proposer: an hour, so that one bad hour costs only its share of the day. */
  proposerCycleMinutes: 60,
  /**
   * Share of the daily budgets, tokens and dollars, that one budget period may use: the day lasts for five busy
   * periods.
   */
  proposerCycleShare: 0.2,
  /** Days during which the model is tried again for an execution: as long as a cycle of the evolver looks back. */
  proposerAwaitDays: 30,
  /** Whether the model, if one is configured, also words the drafts of cycles. */
  proposerWordsDrafts: true,
  /** Whether the model, if one is configured, also writes the summaries of sessions. */
  proposerWritesSummaries: true,

  /** Days during which a person can undo an upkeep run: as long as a proposal stays pending. */
  upkeepUndoDays: 14,
  /** Days during which a person can undo a consolidation run: as for an upkeep run. */
  consolidationUndoDays: 14,
  /** Copies that one run makes: some seconds of work. The next run makes the rest. */
  propagationRunCopies: 1_000,
  /** Lessons that wait for their copies after they were stored. The next run copies what does not fit. */
  propagationQueue: 1_000,
  /** Share of GUILDBOOK_MEMORY_CAPACITY that `pareto` keeps: all of it, so that eviction has nothing left to remove. */
  pruningCapacityShare: 1,
  /** Memories per minute that are checked in the background, so that recalls stay fast. 0: none. */
  promotionBudget: 50,
  /** Later executions in which the memory must have worked: one can be chance. */
  promotionExecutions: 2,
  /** Agents other than the memory's own that must be among them: no agent corroborates itself. */
  promotionOtherAgents: 1,
  /**
   * Owners and credentials from which evidence of executions must come, the report that taught the memory included: the
   * agents of one owner are one voice. The database enforces the same minimum.
   */
  promotionOwners: 2,
  promotionCredentials: 2,

  /** Milliseconds that an agent waits for the answer to a hook. Then it goes on without one. Reference. */
  hookDeadlineMs: 300,
  /** Seconds that a recall waits for one response of the recall model: an agent is waiting as well. */
  recallModelTimeoutSeconds: 5,
  /** Tokens of the notes that `self_editing` always delivers to an agent. Reference. */
  coreMemoryTokens: 1_024,
  /** Seconds of one request to an embedder. A recall waits for it, and it is tried three times. */
  embedderTimeoutSeconds: 5,
  /** Weight of the vector ranking in hybrid recall; the keyword ranking has weight 1. */
  embedderWeight: 1,

  /** Share of one core that a tuning run may use: it may take minutes beside the requests. A plan can set another one. */
  tuningCoreShare: 0.5,
  /** Newest memories that a tuning run reads: 20,000 take about a gigabyte in its thread. A plan can set fewer. */
  tuningMaxDocuments: 20_000,
  /** Seconds after which another process takes over the run of one that no longer renews its lease. */
  tuningLeaseSeconds: 20,
  /** Live memories from which the schedule tunes the embedder: with fewer, words find what there is. */
  tuningMinDocuments: 200,
  /** Growth since the last run, as a share, after which the schedule tunes again. */
  tuningGrowth: 1 / 3,

  /** Skills that can be live at once. At the limit a proposal must supersede or retire one. Reference. */
  maxOrgEntries: 10_000,
  /**
   * Pending proposals from which cycles hold theirs back: ten cycles' worth. Proposals that people request are not held
   * back.
   */
  maxPendingProposals: 100,
  /** Entries of session memory that an agent keeps for one project: two for each working day of a year. */
  sessionMemoryCapacity: 500,
  /** When live skills are searched for merges (server time), unless the consolidation is off: before people read the queue. */
  skillMergesCron: '0 5 * * *',
};

export type Constants = Readonly<typeof CONSTANTS>;
