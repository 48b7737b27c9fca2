/** Bounds of histograms in seconds: of a request or a query, of background work, and of a person's decision. */
const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const SLOW = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];
const HUMAN = [60, 600, 3_600, 14_400, 86_400, 259_200, 604_800, 2_592_000];

const PURPOSES = ['lesson', 'wording', 'verifier', 'recall', 'summary'] as const;

export interface MetricDefinition {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * Of a counter or a histogram: every value of these labels. A series is shown with 0 from the start if all its values
   * are known, because `rate` and `increase` do not see the event with which a series begins.
   */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly bounds?: readonly number[];
  /** Something else counts: the value is read when metrics are collected. */
  readonly observed?: true;
}

/**
 * Every metric, by its name in Prometheus and in OTLP. Each label has few values, which the program knows: never an id, a
 * name or a text from outside. Counters and histograms belong to one process and are summed over the processes. Of the
 * gauges, those of queues are of the whole installation, the same in each process, and are not summed.
 */
export const METRICS = {
  guildbook_http_requests_total: {
    kind: 'counter',
    help: 'Requests by the pattern of their route.',
    labels: ['method', 'route', 'status'],
  },
  guildbook_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the first bytes of a request to the end of its answer.',
    labels: ['method', 'route'],
    bounds: FAST,
  },
  guildbook_queue_length: {
    kind: 'gauge',
    help: 'Rows that wait for background work, of all processes together.',
    labels: ['queue'],
  },
  guildbook_queue_oldest_age_seconds: {
    kind: 'gauge',
    help: 'How long the oldest waiting row has waited, of all processes together; 0 for an empty queue.',
    labels: ['queue'],
  },
  guildbook_work_runs_total: {
    kind: 'counter',
    help: 'Runs of background workers that ended. A failed one is repeated.',
    labels: ['worker', 'result'],
    values: { result: ['done', 'failed'] },
  },
  guildbook_work_run_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of a run of a background worker.',
    labels: ['worker'],
    bounds: SLOW,
  },
  guildbook_reports_total: {
    kind: 'counter',
    help: 'Reports of executions: stored, a repetition of one, or the same session in another format.',
    labels: ['result'],
    values: { result: ['stored', 'duplicate', 'twin'] },
  },
  guildbook_redactions_total: {
    kind: 'counter',
    help: 'Texts that were redacted in stored reports, by rule.',
    labels: ['rule'],
  },
  guildbook_cycles_total: {
    kind: 'counter',
    help: 'Cycles of the evolver that ended.',
    labels: ['result'],
    values: { result: ['completed', 'failed'] },
  },
  guildbook_cycle_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of a cycle of the evolver.',
    labels: [],
    bounds: SLOW,
  },
  guildbook_candidates_total: {
    kind: 'counter',
    help: 'Candidates that cycles examined, by verdict.',
    labels: ['verdict'],
    values: { verdict: ['confirmed', 'observed', 'undecided', 'refuted'] },
  },
  guildbook_decisions_total: {
    kind: 'counter',
    help: 'Decisions of reviewers.',
    labels: ['decision'],
    values: { decision: ['approved', 'overridden', 'rejected', 'vote'] },
  },
  guildbook_decision_age_seconds: {
    kind: 'histogram',
    help: 'Time from a proposal to the decision that ended its review.',
    labels: ['decision'],
    values: { decision: ['approved', 'overridden', 'rejected'] },
    bounds: HUMAN,
  },
  guildbook_publications_total: {
    kind: 'counter',
    help: 'Commits of decisions in the skills repository, and attempts that failed.',
    labels: ['result'],
    values: { result: ['published', 'failed'] },
  },
  guildbook_deliveries_total: {
    kind: 'counter',
    help: 'Lessons that were delivered or held back for comparison, by moment.',
    labels: ['moment', 'arm'],
    values: { moment: ['start', 'prompt', 'failure', 'refused'], arm: ['delivered', 'withheld'] },
  },
  guildbook_model_calls_total: {
    kind: 'counter',
    help: 'Calls of a model by purpose.',
    labels: ['purpose', 'result'],
    values: { purpose: PURPOSES, result: ['answer', 'none', 'unavailable'] },
  },
  guildbook_model_call_duration_seconds: {
    kind: 'histogram',
    help: 'Time that a model took to answer.',
    labels: ['purpose'],
    values: { purpose: PURPOSES },
    bounds: SLOW,
  },
  guildbook_model_tokens_total: {
    kind: 'counter',
    help: 'Tokens by purpose and direction.',
    labels: ['purpose', 'kind'],
    values: { purpose: PURPOSES, kind: ['input', 'cache_write', 'cache_read', 'output'] },
  },
  guildbook_model_cost_dollars_total: {
    kind: 'counter',
    help: 'Cost of the proposer model by the configured prices, in US dollars.',
    labels: [],
  },
  guildbook_database_connections: {
    kind: 'gauge',
    help: 'Connections of the pool by role and state.',
    labels: ['role', 'state'],
  },
  guildbook_database_waiting: {
    kind: 'gauge',
    help: 'Transactions and queries that wait for a connection.',
    labels: ['role'],
  },
  guildbook_database_query_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of a statement.',
    labels: ['result'],
    values: { result: ['done', 'failed'] },
    bounds: FAST,
  },
  guildbook_database_conflicts_total: {
    kind: 'counter',
    help: 'Transactions that were repeated or given up after a write conflict.',
    labels: ['result'],
    values: { result: ['repeated', 'given_up'] },
  },
  guildbook_log_lines_lost_total: {
    kind: 'counter',
    help: 'Lines of the log that could not be written.',
    labels: [],
  },
  guildbook_info: {
    kind: 'gauge',
    help: 'Always 1; the version of the process.',
    labels: ['version', 'node', 'database'],
  },
  process_start_time_seconds: { kind: 'gauge', help: 'Start of the process, in seconds since 1970.', labels: [] },
  process_cpu_seconds_total: { kind: 'counter', help: 'Processor time of the process.', labels: [], observed: true },
  process_resident_memory_bytes: { kind: 'gauge', help: 'Resident memory of the process.', labels: [] },
  nodejs_heap_used_bytes: { kind: 'gauge', help: 'Used part of the heap of the main thread.', labels: [] },
  nodejs_heap_limit_bytes: { kind: 'gauge', help: 'Size that the heap cannot exceed.', labels: [] },
  nodejs_eventloop_utilization_ratio: {
    kind: 'gauge',
    help: 'Part of the time since the last collection in which the event loop was busy.',
    labels: [],
  },
  nodejs_eventloop_delay_seconds: {
    kind: 'gauge',
    help: 'Delay of the event loop since the last collection: its median, 99th percentile and maximum.',
    labels: ['statistic'],
    values: { statistic: ['p50', 'p99', 'max'] },
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;
type OfKind<K> = { [N in MetricName]: (typeof METRICS)[N]['kind'] extends K ? N : never }[MetricName];
export type CounterName = OfKind<'counter'>;
export type HistogramName = OfKind<'histogram'>;
export type GaugeName = OfKind<'gauge'>;
type Values<N extends MetricName> = (typeof METRICS)[N] extends { readonly values: infer V } ? V : object;
/** A label whose values are listed takes no other. */
export type Labels<N extends MetricName> = {
  readonly [L in (typeof METRICS)[N]['labels'][number]]: L extends keyof Values<N>
    ? Values<N>[L] extends readonly (infer V extends string)[]
      ? V
      : never
    : string;
};

/** With a type that has all properties, for code that handles every metric alike. */
export const METRIC_DEFINITIONS: Readonly<Record<string, MetricDefinition>> = METRICS;
