/**
 * What background work may change, column by column, and why each change is harmless or how it is refused. Anyone who grants
 * another column has to give a reason here.
 */
export interface Attempt {
  /** A value that would serve an attacker; another value of the column's type by default. */
  readonly to?: string;
  /** Why the change lowers no promise. */
  readonly harmless?: string;
  /** The error. */
  readonly refused?: string;
}

const LOG = { harmless: 'a record of the job itself, read by people only' };
const COST = { harmless: 'spends or saves money of the model budget; no one decides by it' };
const NOT_TWICE = { refused: 'a call is settled once and kept' };
const QUEUE = { harmless: 'which report is analysed next; a lesson stays private and unverified' };
const CONTENT = { harmless: 'a new revision has no votes, and people approve the bytes that they see' };
const WRITTEN = { harmless: 'words of a model, which gates and check judge in every cycle, and then people' };
const SHOWN = { harmless: 'shown beside the bytes; the vote computes its own ratings from them' };

export const CHANGES: Readonly<Record<string, Readonly<Record<string, Attempt>>>> = {
  analysis_payload: {
    state: { to: `'done'`, ...QUEUE },
    outcome: QUEUE,
    attempts: QUEUE,
    lease_token: QUEUE,
    lease_until: QUEUE,
    done_at: QUEUE,
    placeholder_id: QUEUE,
  },
  consolidation_run: {
    state: { to: `'completed', failure = NULL`, ...LOG },
    phase: { to: `'prune'`, ...LOG },
    sessions: LOG,
    finished_at: LOG,
    failure: LOG,
    report: LOG,
  },
  evolver_cycle: {
    id: LOG,
    trigger: LOG,
    dry_run: LOG,
    state: { to: `'failed'`, ...LOG },
    started_at: LOG,
    finished_at: LOG,
    report: LOG,
    families: LOG,
    error: LOG,
  },
  family_answer: {
    executions: { harmless: 'when a family is asked about again, at the cost of one call' },
    learned_from: { to: `'b'`, ...WRITTEN },
    dossier: WRITTEN,
    shown: WRITTEN,
    answer: WRITTEN,
    outcome: LOG,
    cycle_id: LOG,
    asked_at: WRITTEN,
  },
  journal_head: {
    seq: { refused: 'the journal continues with the next entry only' },
    hash: { refused: 'the journal continues with the next entry only' },
  },
  lease: {
    name: { to: `'memory-vectors'`, refused: 'row-level security' },
    holder: { harmless: 'a lease of its own jobs: at worst a job runs twice or not at all' },
    until: { harmless: 'a lease of its own jobs: at worst a job runs twice or not at all' },
  },
  live_check: Object.fromEntries(
    ['memory_id', 'check', 'agents', 'owners', 'projects', 'tasks', 'cycle_id', 'at'].map((column) => [
      column,
      { harmless: 'what a skill says of its evidence and to whose agents it goes, never what it tells them' },
    ]),
  ),
  memory: {
    superseded_by_id: { harmless: 'private lessons only, never org memory' },
    superseded_at: { harmless: 'ends private lessons only, never org memory' },
    awaiting_proposer: { harmless: 'a placeholder for a lesson of the same agent' },
    end_reason: { harmless: 'the words of a tombstone of a private lesson' },
    ended_by_run_id: { to: 'gen_random_uuid(), superseded_at = now()', harmless: 'a person undoes the run' },
    witness_count: { harmless: 'shown beside a private lesson; nothing is decided by it' },
    last_witnessed_at: { harmless: 'shown beside a private lesson; nothing is decided by it' },
  },
  observation: {
    execution_id: { harmless: 'evidence that a cycle reads; people see it and decide' },
    version: { harmless: 'evidence that a cycle reads; people see it and decide' },
    body: { harmless: 'evidence that a cycle reads; people see it and decide' },
  },
  proposal: {
    action_fingerprint: CONTENT,
    agents: SHOWN,
    applicability: CONTENT,
    artifact: { to: `artifact || ' '`, refused: 'proposal_hash_is_of_artifact' },
    artifact_sha256: { to: `repeat('0', 64)`, refused: 'proposal_hash_is_of_artifact' },
    audience: { to: `'[{"department": "other", "role": null}]'`, refused: 'names every group' },
    confidence: SHOWN,
    cycle_id: SHOWN,
    decided_at: { harmless: 'the decision sets it again; nothing reads it while a proposal is pending' },
    evidence: { to: `jsonb_set(evidence, '{owners}', '2')`, ...SHOWN },
    findings: { to: `'{"suspicions": [], "redactions": []}'`, refused: 'removes no finding' },
    fingerprints: CONTENT,
    impact: { harmless: 'the order in the queue' },
    kind: { to: `'retire'`, refused: 'turns no proposal into an amendment or a retirement' },
    proposed_skill: CONTENT,
    revision: { to: 'revision + 2', refused: 'skips no revision' },
    risk: { to: `'low'`, refused: 'lowers neither votes nor risk' },
    skill_name: CONTENT,
    source_owner_id: { to: 'NULL', refused: 'names the owner of all agents' },
    state: { to: `'expired'`, refused: 'row-level security' },
    supersedes_id: CONTENT,
    title: CONTENT,
    updated_at: SHOWN,
    verdict: { harmless: 'the order in the queue, and a label; the check itself is shown beside the bytes' },
    version: CONTENT,
    votes_needed: { to: '1', refused: 'lowers neither votes nor risk' },
  },
  proposal_words: {
    proposal_id: { refused: 'proposal_words_proposal_id_fkey' },
    rules: { harmless: 'a sweep of the server writes the words again' },
    words: { to: `''::tsvector`, harmless: 'hides a proposal from the search, not from the queue' },
  },
  proposer_batch: {
    id: LOG,
    purpose: { to: `'family'`, ...LOG },
    state: { to: `'lost'`, ...LOG },
    provider_id: LOG,
    payloads: LOG,
    created_at: LOG,
    submitted_at: LOG,
    ended_at: LOG,
    note: LOG,
  },
  proposer_call: {
    id: NOT_TWICE,
    payload_id: NOT_TWICE,
    execution_id: NOT_TWICE,
    agent_id: NOT_TWICE,
    proposer: NOT_TWICE,
    model: NOT_TWICE,
    reserved_at: NOT_TWICE,
    settled_at: COST,
    outcome: COST,
    input_tokens: COST,
    cache_write_tokens: COST,
    cache_read_tokens: COST,
    output_tokens: COST,
    cost_nano: COST,
    memory_id: COST,
    batch_id: COST,
    purpose: { to: `'wording'`, ...NOT_TWICE },
    cycle_id: NOT_TWICE,
    pattern: NOT_TWICE,
  },
  recall_model_day: { day: COST, calls: COST },
  run: {
    state: { to: `'completed'`, ...LOG },
    phase: LOG,
    report: LOG,
    failure: LOG,
    finished_at: LOG,
  },
  upkeep_run: {
    id: LOG,
    trigger: LOG,
    dry_run: LOG,
    started_at: LOG,
    finished_at: LOG,
    report: LOG,
    undone_at: LOG,
  },
};

const OWN_SESSION = 'a session cannot change what other sessions read';
/** Statements beside INSERT and UPDATE. `harmless` says what would have to happen for it to matter. */
export const STATEMENTS: Readonly<Record<string, Attempt>> = {
  'SET session_replication_role = replica': { refused: 'permission denied to set parameter' },
  'ALTER TABLE proposal DISABLE TRIGGER ALL': { refused: 'must be owner' },
  'ALTER TABLE journal_head DISABLE TRIGGER ALL': { refused: 'must be owner' },
  'DROP TRIGGER proposal_worker_lowers_nothing ON proposal': { refused: 'must be owner' },
  'DROP POLICY memory_new_is_private ON memory': { refused: 'must be owner' },
  'CREATE OR REPLACE FUNCTION worker_role() RETURNS name LANGUAGE sql AS $$ SELECT NULL::name $$': {
    refused: 'permission denied for schema public',
  },
  'CREATE TABLE public.other (a int)': { refused: 'permission denied for schema public' },
  'CREATE SCHEMA other': { refused: 'permission denied for database' },
  'CREATE EXTENSION dblink': { refused: 'permission denied' },
  'CREATE ROLE other LOGIN': { refused: 'permission denied to create role' },
  'SELECT worker_role_install()::text': { refused: 'permission denied' },
  'TRUNCATE journal_head': { refused: 'permission denied' },
  'TRUNCATE proposal CASCADE': { refused: 'permission denied' },
  'TRUNCATE lease': { refused: 'permission denied' },
  'DELETE FROM proposal': { refused: 'permission denied' },
  'DELETE FROM journal_entry': { refused: 'permission denied' },
  'DELETE FROM journal_head': { refused: 'permission denied' },
  [`INSERT INTO journal_head VALUES (1, 0, '')`]: { refused: 'permission denied' },
  'UPDATE journal_head SET id = 1': { refused: 'permission denied' },
  'UPDATE proposal SET edit = NULL': { refused: 'permission denied' },
  'UPDATE proposal SET expires_at = now()': { refused: 'permission denied' },
  'UPDATE proposal SET editor_id = NULL': { refused: 'permission denied' },
  'UPDATE proposal SET created_at = now()': { refused: 'permission denied' },
  [`UPDATE memory SET provenance = 'verified'`]: { refused: 'permission denied' },
  'UPDATE memory SET pinned_at = now()': { refused: 'permission denied' },
  'UPDATE analysis_payload SET agent_id = gen_random_uuid()': { refused: 'permission denied' },
  [`UPDATE analysis_payload SET body = '{}'`]: { refused: 'permission denied' },
  [`COPY proposal TO PROGRAM 'true'`]: { refused: 'pg_execute_server_program' },
  [`COPY principal TO '/tmp/principals'`]: { refused: 'pg_write_server_files' },
  [`SELECT pg_read_file('/etc/hostname')`]: { refused: 'permission denied for function' },
  [`SELECT pg_ls_dir('/')`]: { refused: 'permission denied for function' },
  'SET LOCAL row_security = off': { harmless: 'turns a filtered read into an error; policies stay in force' },
  'RESET ROLE': { harmless: 'returns to the role: it is an option of the connection' },
  'RESET ALL': { harmless: 'returns to the role: it is an option of the connection' },
  'CREATE TEMP TABLE journal_entry (LIKE public.journal_entry)': { harmless: OWN_SESSION },
  'SET search_path = pg_temp': { harmless: OWN_SESSION },
  'SELECT lo_create(0)::text': { harmless: 'nothing reads large objects' },
  [`NOTIFY other, ''`]: { harmless: 'the server listens to nothing' },
  'SET CONSTRAINTS ALL DEFERRED': { harmless: 'no constraint can be deferred' },
};
