import { randomUUID } from 'node:crypto';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import type { Database } from '../../src/platform/database/database.js';

type Row = Record<string, unknown>;

export const AT = '2026-03-01T10:00:00.000Z';
const EXPIRES = '2026-03-15T10:00:00.000Z';

/** The content of every proposal here. Its org memory must match. */
const PROPOSAL = {
  title: 'Use python3',
  discovery: 'Use when python fails.',
  condition: 'python is about to be run.',
  action: 'Run python3 instead.',
  rationale: 'It worked three times.',
  steps: ['Write python3.'],
  gotchas: [],
  tags: ['shell'],
};

/** A unique address for each person. */
export const emailOf = (name: string): string => `${name.replaceAll(' ', '.')}@example.org`;
const approverOf = (proposal: ProposalRow): string => `Reviewer of ${proposal.id}`;

export interface ProposalRow extends Row {
  readonly id: string;
  readonly skill_name: string;
  readonly artifact: string;
  readonly artifact_sha256: string;
}

/** Writes rows around the application, as a wrong query or a background job with the database client could. */
export class GateRows {
  private count = 0;

  constructor(private readonly database: Database) {}

  sql(statement: string): Promise<number> {
    return this.database.client.$executeRawUnsafe(statement);
  }

  /** Inserts exactly these columns. Missing ones are NULL, so that no default applies. */
  async insert(table: string, row: Row): Promise<void> {
    await this.database.client.$executeRawUnsafe(
      `INSERT INTO "${table}" SELECT * FROM jsonb_populate_record(NULL::"${table}", $1::jsonb)`,
      JSON.stringify(row),
    );
  }

  /** Inserts all rows in one statement. */
  async insertAll(table: string, all: readonly Row[]): Promise<void> {
    await this.database.client.$executeRawUnsafe(
      `INSERT INTO "${table}" SELECT * FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)`,
      JSON.stringify(all),
    );
  }

  async principal(kind: 'agent' | 'person' | 'service', more: Row = {}): Promise<string> {
    const id = randomUUID();
    const name = String(more['name'] ?? `${kind} ${this.next()}`);
    const roles = { is_reviewer: false, is_admin: false };
    await this.insert('principal', { id, kind, name, email: emailOf(name), created_at: AT, ...roles, ...more });
    return id;
  }

  reviewer(more: Row = {}): Promise<string> {
    return this.principal('person', { is_reviewer: true, ...more });
  }

  proposalRow(more: Row = {}): ProposalRow {
    const n = this.next();
    const artifact = `the file of skill ${n}`;
    const id = randomUUID();
    return {
      id,
      kind: 'new_skill',
      state: 'pending',
      revision: 1,
      fingerprint: `fingerprint ${n}`,
      fingerprints: [],
      action_fingerprint: '',
      applicability: '',
      skill_name: `skill-${n}`,
      version: 1,
      title: PROPOSAL.title,
      proposed_skill: PROPOSAL,
      artifact,
      artifact_sha256: sha256(artifact),
      evidence: {},
      findings: {},
      risk: 'low',
      confidence: 0.9,
      impact: 1,
      verdict: 'unchecked',
      urgent: false,
      agents: 3,
      audience: [],
      earlier_editor_ids: [],
      votes_needed: 1,
      cluster: id,
      created_at: AT,
      updated_at: AT,
      expires_at: EXPIRES,
      ...more,
    };
  }

  async proposal(more: Row = {}): Promise<ProposalRow> {
    const row = this.proposalRow(more);
    await this.insert('proposal', row);
    return row;
  }

  decision(proposal: ProposalRow, principal: string, more: Row = {}): Row {
    return {
      id: randomUUID(),
      proposal_id: proposal.id,
      revision: 1,
      artifact_sha256: proposal.artifact_sha256,
      principal_id: principal,
      verdict: 'approved',
      votes_needed: 1,
      decided_at: AT,
      ...more,
    };
  }

  decide(proposal: ProposalRow, principal: string, more: Row = {}): Promise<void> {
    return this.insert('proposal_decision', this.decision(proposal, principal, more));
  }

  setState(proposal: ProposalRow, state: string): Promise<number> {
    return this.sql(`UPDATE "proposal" SET "state" = '${state}' WHERE "id" = '${proposal.id}'`);
  }

  /** The legal path: a reviewer approves exactly the bytes of the proposal. */
  async approved(more: Row = {}): Promise<ProposalRow> {
    const proposal = await this.proposal(more);
    await this.decide(proposal, await this.reviewer({ name: approverOf(proposal) }));
    await this.setState(proposal, 'approved');
    return proposal;
  }

  /** The org memory row that the approval of this proposal writes. */
  orgMemory(proposal: ProposalRow, more: Row = {}): Row {
    return this.memory({
      scope: 'org',
      provenance: 'verified',
      skill_name: proposal.skill_name,
      version: 1,
      proposal_id: proposal.id,
      content_sha256: proposal.artifact_sha256,
      ...more,
    });
  }

  memory(more: Row): Row {
    const { discovery, condition, action, rationale, steps, tags } = PROPOSAL;
    return {
      id: randomUUID(),
      kind: 'lesson',
      category: 'PROCEDURAL',
      discovery,
      condition,
      action,
      rationale,
      steps,
      confidence: 0.9,
      tags,
      control_tags: [],
      provenance: 'unverified',
      proposer: 'rules',
      awaiting_proposer: false,
      content_sha256: 'none',
      application_count: 0,
      relevance_count: 0,
      witness_count: 1,
      created_at: AT,
      ...more,
    };
  }

  publication(proposal: ProposalRow, more: Row = {}): Row {
    return {
      id: randomUUID(),
      proposal_id: proposal.id,
      kind: proposal['kind'] === 'retire' ? 'retire' : 'publish',
      skill_name: proposal.skill_name,
      version: 1,
      artifact: proposal.artifact,
      artifact_sha256: proposal.artifact_sha256,
      author_name: approverOf(proposal),
      author_email: emailOf(approverOf(proposal)),
      journal_seq: 1,
      journal_hash: 'hash',
      decided_at: AT,
      state: 'pending',
      attempts: 0,
      ...more,
    };
  }

  credential(principal: string, more: Row): Row {
    const hash = sha256(`credential ${this.next()}`);
    return { id: randomUUID(), principal_id: principal, prefix: 'gb', hash, scopes: [], created_at: AT, ...more };
  }

  private next(): number {
    this.count += 1;
    return this.count;
  }
}

/** Returns the columns of a table, from the database catalog, each with the SQL of a different value. */
export async function otherValues(database: Database, table: string): Promise<Map<string, string>> {
  const columns = await database.client.$queryRawUnsafe<{ name: string; type: string }[]>(
    `SELECT column_name::text AS name, udt_name::text AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = '${table}'`,
  );
  return new Map(columns.map(({ name, type }) => [name, otherValue(name, type)]));
}

function otherValue(name: string, type: string): string {
  const ofType: Record<string, string> = {
    uuid: 'gen_random_uuid()',
    text: `COALESCE("${name}", '') || ' changed'`,
    _uuid: `"${name}" || gen_random_uuid()`,
    _text: `"${name}" || '{changed}'::text[]`,
    jsonb: `'["changed"]'::jsonb`,
    float8: `"${name}" / 2`,
    int4: `COALESCE("${name}", 0) + 1`,
    int8: `"${name}" + 1`,
    bool: `NOT "${name}"`,
    timestamptz: `COALESCE("${name}", now()) + interval '1 day'`,
    date: `"${name}" + 1`,
    tsvector: `''::tsvector`,
    CycleState: `'failed'::"CycleState"`,
    PayloadKind: `'success'::"PayloadKind"`,
    PayloadState: `'done'::"PayloadState"`,
    MemoryScope: `'agent'::"MemoryScope"`,
    MemoryProvenance: `'unverified'::"MemoryProvenance"`,
    PublicationState: `'published'::"PublicationState"`,
    PublicationKind: `'retire'::"PublicationKind"`,
    Verdict: `'rejected'::"Verdict"`,
    CheckVerdict: `'confirmed'::"CheckVerdict"`,
    ProposalKind: `'amend'::"ProposalKind"`,
    ProposalState: `'withdrawn'::"ProposalState"`,
    ProposalRisk: `'critical'::"ProposalRisk"`,
  };
  const value = ofType[type];
  if (value === undefined) throw new Error(`add a different value for ${name} of type ${type}`);
  return value;
}
