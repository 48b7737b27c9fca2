-- Types, tables, constraints and indexes. The next file (gate) contains the rules that triggers enforce, the last one
-- (roles) the role of background work.
--
-- The comment of a table states what background work may do with it, in the words of GRANT ("worker: SELECT"). Without
-- a comment it may do nothing. worker_role_install() reads these comments.

CREATE SCHEMA IF NOT EXISTS "public";

-- Types. ---------------------------------------------------------------------------------------------------------
CREATE TYPE "PrincipalKind" AS ENUM ('agent', 'person', 'service');
CREATE TYPE "CredentialKind" AS ENUM ('one_time', 'sign_in', 'personal', 'token', 'session', 'link');
CREATE TYPE "CaptureState" AS ENUM ('pending', 'captured', 'skipped');
CREATE TYPE "FragmentAssemblyStage" AS ENUM ('ended', 'paused');
CREATE TYPE "PayloadKind" AS ENUM ('failure', 'success');
CREATE TYPE "PayloadState" AS ENUM ('pending', 'done', 'discarded');
CREATE TYPE "MemoryScope" AS ENUM ('agent', 'role', 'department', 'org');
CREATE TYPE "MemoryProvenance" AS ENUM ('verified', 'unverified', 'unavailable_at_write_time');
CREATE TYPE "ProposalKind" AS ENUM ('new_skill', 'supersede', 'conflict', 'retire', 'amend');
CREATE TYPE "ProposalState" AS ENUM ('pending', 'approved', 'rejected', 'expired', 'withdrawn');
CREATE TYPE "ProposalRisk" AS ENUM ('low', 'medium', 'high', 'critical');
-- In the order of the queue, from its end.
CREATE TYPE "CheckVerdict" AS ENUM ('observed', 'unchecked', 'confirmed');
CREATE TYPE "Verdict" AS ENUM ('approved', 'rejected', 'override');
CREATE TYPE "PublicationKind" AS ENUM ('publish', 'retire', 'restore');
CREATE TYPE "PublicationState" AS ENUM ('pending', 'published');
CREATE TYPE "SkillUseEvent" AS ENUM ('offered', 'loaded', 'applied');
CREATE TYPE "SkillUseOutcome" AS ENUM ('success', 'failure', 'unknown');
CREATE TYPE "CycleState" AS ENUM ('running', 'completed', 'failed');
CREATE TYPE "WebhookDeliveryState" AS ENUM ('pending', 'delivered', 'failed');

-- People, agents, services and their credentials. ---------------------------------------------------------------

CREATE TABLE "principal" (
    "id" UUID NOT NULL,
    "kind" "PrincipalKind" NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "is_reviewer" BOOLEAN NOT NULL DEFAULT false,
    "is_admin" BOOLEAN NOT NULL DEFAULT false,
    "review_scope" JSONB,
    "role" TEXT,
    "department" TEXT,
    "owner" TEXT,
    "oidc_account" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "principal_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "principal_only_people_decide" CHECK ("kind" = 'person' OR NOT ("is_reviewer" OR "is_admin")),
    CONSTRAINT "principal_review_scope_is_a_persons" CHECK (
        "review_scope" IS NULL OR ("kind" = 'person' AND jsonb_typeof("review_scope") = 'array'))
);
-- One account at the identity provider belongs to one person, even if its address changes: votes count people.
CREATE UNIQUE INDEX "principal_oidc_account_key" ON "principal"("oidc_account");
CREATE UNIQUE INDEX "principal_kind_name_key" ON "principal"("kind", "name");
COMMENT ON TABLE "principal" IS 'worker: SELECT';

-- Only a short-lived credential of a person may carry the right to decide. Every session is short-lived, regardless of its
-- scopes. A link signs in one browser and has no scopes.
CREATE TABLE "credential" (
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "kind" "CredentialKind" NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credential_principal_id_fkey"
        FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "credential_decide_is_short_lived" CHECK (
        NOT ('decide' = ANY ("scopes"))
        OR ("kind" IN ('personal', 'session')
            AND "expires_at" IS NOT NULL AND "expires_at" <= "created_at" + interval '1 hour')),
    CONSTRAINT "credential_session_is_short_lived" CHECK (
        "kind" <> 'session' OR ("expires_at" IS NOT NULL AND "expires_at" <= "created_at" + interval '1 hour')),
    CONSTRAINT "credential_link_is_short_lived" CHECK (
        "kind" <> 'link'
        OR ("scopes" = '{}' AND "expires_at" IS NOT NULL AND "expires_at" <= "created_at" + interval '1 hour'))
);
CREATE UNIQUE INDEX "credential_hash_key" ON "credential"("hash");
CREATE INDEX "credential_principal_id_idx" ON "credential"("principal_id");
-- Background work may not read credentials.

-- Executions: reports of agents and the data derived from them.

CREATE TABLE "execution" (
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "execution_id" TEXT NOT NULL,
    "report_sha256" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "session_id" TEXT,
    "parent_execution_id" TEXT,
    "origin" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "report" JSONB NOT NULL,
    "model" TEXT,
    "patterns" TEXT[],
    "findings" JSONB NOT NULL,
    "capture_state" "CaptureState" NOT NULL,
    "capture_reason" TEXT,
    -- Who reported it, as it was then: the stated owner of the agent, the holder of the credential, and the credential.
    "owner" TEXT,
    "reporter_id" UUID NOT NULL,
    "credential_id" UUID NOT NULL,

    CONSTRAINT "execution_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "execution_agent_id_fkey"
        FOREIGN KEY ("agent_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
-- Finds a parent by the id that its agent assigned, for any agent.
CREATE INDEX "execution_execution_id_idx" ON "execution"("execution_id");
CREATE INDEX "execution_capture_state_received_at_idx" ON "execution"("capture_state", "received_at");
CREATE INDEX "execution_finished_at_id_idx" ON "execution"("finished_at", "id");
-- The evolver reads the executions of a window in order of arrival.
CREATE INDEX "execution_received_at_id_idx" ON "execution"("received_at", "id");
-- Finds the children that arrived before their parent.
CREATE INDEX "execution_parent_execution_id_idx" ON "execution"("parent_execution_id");
CREATE INDEX "execution_agent_id_session_id_idx" ON "execution"("agent_id", "session_id");
-- The rules that write lessons count over the last executions of one agent.
CREATE INDEX "execution_agent_id_received_at_idx" ON "execution"("agent_id", "received_at");
CREATE INDEX "execution_started_at_idx" ON "execution"("started_at");
CREATE INDEX "execution_patterns_idx" ON "execution" USING GIN ("patterns");
CREATE UNIQUE INDEX "execution_agent_id_execution_id_key" ON "execution"("agent_id", "execution_id");
COMMENT ON TABLE "execution" IS 'worker: SELECT';

-- An execution that is reported in fragments, until no more fragments can arrive.
CREATE TABLE "fragment_assembly" (
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "format" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fragment_count" INTEGER NOT NULL,
    "last_fragment_at" TIMESTAMPTZ(3) NOT NULL,
    "stage" "FragmentAssemblyStage",
    "due_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "owner" TEXT,
    "reporter_id" UUID NOT NULL,
    "credential_id" UUID NOT NULL,

    CONSTRAINT "fragment_assembly_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "fragment_assembly_agent_id_fkey"
        FOREIGN KEY ("agent_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "fragment_assembly_due_at_idx" ON "fragment_assembly"("due_at");
CREATE INDEX "fragment_assembly_expires_at_idx" ON "fragment_assembly"("expires_at");
CREATE UNIQUE INDEX "fragment_assembly_agent_id_format_key_key" ON "fragment_assembly"("agent_id", "format", "key");
-- The proposer and the evolver may not read unfinished executions: neither table has a comment for them.

-- A fragment as it arrived, redacted.
CREATE TABLE "report_fragment" (
    "assembly_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "parent_key" TEXT,
    "join_key" TEXT,
    "facts" JSONB NOT NULL,
    "findings" JSONB NOT NULL,

    CONSTRAINT "report_fragment_pkey" PRIMARY KEY ("assembly_id","key"),
    CONSTRAINT "report_fragment_assembly_id_fkey"
        FOREIGN KEY ("assembly_id") REFERENCES "fragment_assembly"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The part of an execution that a cycle needs, so that it reads no report twice. No foreign key to the execution:
-- capture locks that row while it writes here, and a cycle that fills in a missing row would deadlock with it.
CREATE TABLE "observation" (
    "execution_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "body" JSONB NOT NULL,

    CONSTRAINT "observation_pkey" PRIMARY KEY ("execution_id")
);
COMMENT ON TABLE "observation" IS 'worker: SELECT, INSERT, UPDATE';

-- The proposer: calls of the model, and their cost. ------------------------------------------------------------

CREATE TABLE "analysis_payload" (
    "id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "kind" "PayloadKind" NOT NULL,
    "body" JSONB NOT NULL,
    "state" "PayloadState" NOT NULL,
    "outcome" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lease_token" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "done_at" TIMESTAMPTZ(3),
    "placeholder_id" UUID,

    CONSTRAINT "analysis_payload_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "analysis_payload_execution_id_fkey"
        FOREIGN KEY ("execution_id") REFERENCES "execution"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "analysis_payload_execution_id_key" ON "analysis_payload"("execution_id");
CREATE INDEX "analysis_payload_state_created_at_idx" ON "analysis_payload"("state", "created_at");
COMMENT ON TABLE "analysis_payload" IS 'worker: SELECT, UPDATE ("state", "outcome", "attempts", "lease_token", "lease_until", "done_at", "placeholder_id")';

-- A call is about an execution, or a cycle makes it: to word a draft, or to learn from a family. All count in the same
-- budgets.
CREATE TABLE "proposer_call" (
    "id" UUID NOT NULL,
    "payload_id" UUID,
    "execution_id" UUID,
    "agent_id" UUID,
    "proposer" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "reserved_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "outcome" TEXT,
    "input_tokens" INTEGER NOT NULL,
    "cache_write_tokens" INTEGER NOT NULL,
    "cache_read_tokens" INTEGER NOT NULL,
    "output_tokens" INTEGER NOT NULL,
    "cost_nano" BIGINT NOT NULL,
    "memory_id" UUID,
    "batch_id" UUID,
    "purpose" TEXT NOT NULL DEFAULT 'lesson',
    "cycle_id" UUID,
    "pattern" TEXT,

    CONSTRAINT "proposer_call_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "proposer_call_counts_up" CHECK (
        "input_tokens" >= 0 AND "cache_write_tokens" >= 0 AND "cache_read_tokens" >= 0 AND "output_tokens" >= 0
        AND "cost_nano" >= 0),
    CONSTRAINT "proposer_call_is_about_something" CHECK (
        ("purpose" = 'lesson' AND "payload_id" IS NOT NULL AND "execution_id" IS NOT NULL AND "agent_id" IS NOT NULL
          AND "cycle_id" IS NULL AND "pattern" IS NULL)
        OR ("purpose" IN ('wording', 'family') AND "cycle_id" IS NOT NULL AND "pattern" IS NOT NULL
          AND "payload_id" IS NULL AND "execution_id" IS NULL AND "agent_id" IS NULL AND "memory_id" IS NULL
          AND ("batch_id" IS NULL OR "purpose" = 'family')))
);
CREATE INDEX "proposer_call_reserved_at_idx" ON "proposer_call"("reserved_at");
CREATE INDEX "proposer_call_batch_id_idx" ON "proposer_call"("batch_id");
CREATE INDEX "proposer_call_execution_id_idx" ON "proposer_call"("execution_id");
CREATE INDEX "proposer_call_memory_id_idx" ON "proposer_call"("memory_id");
CREATE INDEX "proposer_call_cycle_id_idx" ON "proposer_call"("cycle_id");
COMMENT ON TABLE "proposer_call" IS 'worker: SELECT, INSERT, UPDATE';

CREATE TABLE "proposer_batch" (
    "id" UUID NOT NULL,
    "purpose" TEXT NOT NULL DEFAULT 'lesson',
    "state" TEXT NOT NULL,
    "provider_id" TEXT,
    "payloads" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "submitted_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "note" TEXT,

    CONSTRAINT "proposer_batch_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "proposer_batch_purposes" CHECK ("purpose" IN ('lesson', 'family')),
    CONSTRAINT "proposer_batch_states" CHECK (
        "state" IN ('prepared', 'ended', 'lost') OR ("state" = 'submitted' AND "provider_id" IS NOT NULL))
);
CREATE INDEX "proposer_batch_state_created_at_idx" ON "proposer_batch"("state", "created_at");
COMMENT ON TABLE "proposer_batch" IS 'worker: SELECT, INSERT, UPDATE';

-- The questions of a batch about families, by the id of their calls. They are deleted when the batch ends.
CREATE TABLE "family_question" (
    "id" UUID NOT NULL,
    "batch_id" UUID NOT NULL,
    "family" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "shown" TEXT NOT NULL,
    "question" JSONB NOT NULL,

    CONSTRAINT "family_question_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "family_question_batch_id_idx" ON "family_question"("batch_id");
COMMENT ON TABLE "family_question" IS 'worker: SELECT, INSERT, DELETE';

-- What a model answered about a family of failures, with the dossier that it read. An answer that cannot be read is NULL,
-- so that its family is not asked about again.
CREATE TABLE "family_answer" (
    "id" UUID NOT NULL,
    "family" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "executions" INTEGER NOT NULL,
    "learned_from" TEXT NOT NULL,
    "dossier" JSONB NOT NULL,
    "shown" TEXT NOT NULL,
    "answer" JSONB,
    "outcome" TEXT NOT NULL,
    "rewritten" BOOLEAN NOT NULL,
    "cycle_id" UUID NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "family_answer_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "family_answer_form" CHECK (
        "learned_from" IN ('a', 'b') AND "executions" > 0 AND "hash" ~ '^sha256:[0-9a-f]{64}$')
);
-- Two families can have the same dossier.
CREATE UNIQUE INDEX "family_answer_by_hash_family_key" ON "family_answer"("by", "hash", "family");
CREATE INDEX "family_answer_family_idx" ON "family_answer"("family");
COMMENT ON TABLE "family_answer" IS 'worker: SELECT, INSERT, UPDATE ("executions", "learned_from", "dossier", "shown", "answer", "outcome", "cycle_id", "asked_at")';

-- The calls of the recall model, counted over all processes: they share one budget.
CREATE TABLE "recall_model_day" (
    "day" DATE NOT NULL,
    "calls" INTEGER NOT NULL,

    CONSTRAINT "recall_model_day_pkey" PRIMARY KEY ("day")
);
COMMENT ON TABLE "recall_model_day" IS 'worker: SELECT, INSERT, UPDATE';

-- The approval queue. --------------------------------------------------------------------------------------------

-- The database computes the hash of the bytes that people vote on.
CREATE TABLE "proposal" (
    "id" UUID NOT NULL,
    "kind" "ProposalKind" NOT NULL,
    "state" "ProposalState" NOT NULL,
    "revision" INTEGER NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "fingerprints" TEXT[],
    "action_fingerprint" TEXT NOT NULL,
    "applicability" TEXT NOT NULL,
    "skill_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "proposed_skill" JSONB NOT NULL,
    "artifact" TEXT NOT NULL,
    "artifact_sha256" TEXT NOT NULL,
    "evidence" JSONB NOT NULL,
    "findings" JSONB NOT NULL,
    "risk" "ProposalRisk" NOT NULL,
    "confidence" DOUBLE PRECISION NOT NULL,
    "impact" INTEGER NOT NULL,
    "verdict" "CheckVerdict" NOT NULL DEFAULT 'unchecked',
    "urgent" BOOLEAN NOT NULL,
    "request" JSONB,
    "agents" INTEGER NOT NULL,
    "audience" JSONB NOT NULL,
    "supersedes_id" UUID,
    "edit" JSONB,
    "editor_id" UUID,
    "earlier_editor_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "source_owner_id" UUID,
    "votes_needed" INTEGER NOT NULL,
    "reopened_from_id" UUID,
    "cluster" UUID NOT NULL,
    "cycle_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "proposal_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "proposal_editor_id_fkey"
        FOREIGN KEY ("editor_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "proposal_source_owner_id_fkey"
        FOREIGN KEY ("source_owner_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "proposal_hash_is_of_artifact" CHECK (
        "artifact_sha256" = encode(sha256(convert_to("artifact", 'UTF8')), 'hex')),
    CONSTRAINT "proposal_needs_a_person" CHECK ("votes_needed" >= 1),
    CONSTRAINT "proposal_verdict_is_of_check" CHECK (
        "verdict" = 'unchecked' OR "verdict"::text = "evidence" -> 'check' ->> 'verdict'),
    CONSTRAINT "proposal_audience_is_a_list" CHECK (jsonb_typeof("audience") = 'array')
);
CREATE INDEX "proposal_state_urgent_verdict_impact_id_idx" ON "proposal"("state", "urgent", "verdict", "impact", "id");
CREATE INDEX "proposal_state_cluster_idx" ON "proposal"("state", "cluster");
CREATE INDEX "proposal_fingerprint_state_idx" ON "proposal"("fingerprint", "state");
-- The review page shows earlier decisions about the same patterns.
CREATE INDEX "proposal_fingerprints_idx" ON "proposal" USING GIN ("fingerprints");
-- One pending proposal per pattern and action: a second cycle refreshes it and cannot duplicate it.
CREATE UNIQUE INDEX "proposal_one_pending" ON "proposal"("fingerprint", "action_fingerprint") WHERE "state" = 'pending';
-- A decision writes a new version of the proposal's row with an entry in every index. Partial indexes leave out the
-- rows that they never find.
CREATE INDEX "proposal_replaces" ON "proposal"("supersedes_id") WHERE "supersedes_id" IS NOT NULL;
-- Not among its columns: who the proposal is, who edited it, its order in the queue, its end, and an external edit.
COMMENT ON TABLE "proposal" IS 'worker: SELECT, INSERT, UPDATE ("kind", "state", "revision", "fingerprints", "action_fingerprint", "applicability", "skill_name", "version", "title", "proposed_skill", "artifact", "artifact_sha256", "evidence", "findings", "risk", "confidence", "impact", "verdict", "agents", "audience", "supersedes_id", "source_owner_id", "votes_needed", "cycle_id", "updated_at", "decided_at")';

-- The search words of proposals. A separate table, because a decision writes the proposal's row again with all of its
-- indexes and leaves its words unchanged.
CREATE TABLE "proposal_words" (
    "proposal_id" UUID NOT NULL,
    "rules" INTEGER NOT NULL,
    "words" tsvector NOT NULL,

    CONSTRAINT "proposal_words_pkey" PRIMARY KEY ("proposal_id"),
    CONSTRAINT "proposal_words_proposal_id_fkey"
        FOREIGN KEY ("proposal_id") REFERENCES "proposal"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "proposal_words_words_idx" ON "proposal_words" USING GIN ("words");
COMMENT ON TABLE "proposal_words" IS 'worker: SELECT, INSERT, UPDATE';

-- Two proposals that cannot both hold, found while one of them was pending. Each shows the other, regardless of the
-- decisions. The pair is unordered and stored as one row.
CREATE TABLE "proposal_contradiction" (
    "proposal_id" UUID NOT NULL,
    "other_proposal_id" UUID NOT NULL,

    CONSTRAINT "proposal_contradiction_pkey" PRIMARY KEY ("proposal_id","other_proposal_id"),
    CONSTRAINT "proposal_contradiction_proposal_id_fkey"
        FOREIGN KEY ("proposal_id") REFERENCES "proposal"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "proposal_contradiction_other_proposal_id_fkey"
        FOREIGN KEY ("other_proposal_id") REFERENCES "proposal"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "proposal_contradiction_is_a_pair" CHECK ("proposal_id" < "other_proposal_id")
);
CREATE INDEX "proposal_contradiction_other_proposal_id_idx" ON "proposal_contradiction"("other_proposal_id");
COMMENT ON TABLE "proposal_contradiction" IS 'worker: SELECT, INSERT';

-- Every decision on exactly these bytes is a vote. A person has one of each kind per revision. A vote states how many
-- people have to approve, as the server computed it from the bytes when the vote was cast: background work writes the
-- proposal, but no vote.
CREATE TABLE "proposal_decision" (
    "id" UUID NOT NULL,
    "proposal_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL,
    "artifact_sha256" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "verdict" "Verdict" NOT NULL,
    "reason" TEXT,
    "votes_needed" INTEGER NOT NULL,
    "decided_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "proposal_decision_needs_a_person" CHECK ("votes_needed" >= 1),
    CONSTRAINT "proposal_decision_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "proposal_decision_proposal_id_fkey"
        FOREIGN KEY ("proposal_id") REFERENCES "proposal"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "proposal_decision_principal_id_fkey"
        FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "proposal_decision_proposal_id_idx" ON "proposal_decision"("proposal_id");
-- The queue omits proposals on which its reader has voted, without reading every decision.
CREATE INDEX "proposal_decision_principal_id_proposal_id_idx" ON "proposal_decision"("principal_id", "proposal_id");
-- The first override lapses after an hour and can be repeated; every other decision is made once.
CREATE UNIQUE INDEX "proposal_decision_once" ON "proposal_decision"("proposal_id", "principal_id", "revision", "verdict")
  WHERE "verdict" IN ('approved', 'rejected');
COMMENT ON TABLE "proposal_decision" IS 'worker: SELECT';

-- Memory: lessons of agents, and org memory (scope org). ---------------------------------------------------------

CREATE TABLE "memory" (
    "id" UUID NOT NULL,
    "scope" "MemoryScope" NOT NULL,
    "category" TEXT NOT NULL,
    "agent_id" UUID,
    "role" TEXT,
    "department" TEXT,
    "discovery" TEXT NOT NULL,
    "condition" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "rationale" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "parts" JSONB,
    "confidence" DOUBLE PRECISION NOT NULL,
    "tags" TEXT[],
    "control_tags" TEXT[],
    "provenance" "MemoryProvenance" NOT NULL,
    "proposer" TEXT NOT NULL,
    "awaiting_proposer" BOOLEAN NOT NULL,
    "cost" JSONB,
    "source_execution_id" UUID,
    "session_id" TEXT,
    "skill_name" TEXT,
    "version" INTEGER,
    "proposal_id" UUID,
    "content_sha256" TEXT NOT NULL,
    "superseded_by_id" UUID,
    "superseded_at" TIMESTAMPTZ(3),
    "application_count" INTEGER NOT NULL DEFAULT 0,
    "last_applied_at" TIMESTAMPTZ(3),
    "relevance_count" INTEGER NOT NULL DEFAULT 0,
    "last_retrieved_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "pinned_at" TIMESTAMPTZ(3),
    "propagated_from_id" UUID,
    "end_reason" TEXT,
    "ended_by_run_id" UUID,
    "failure_key" TEXT,
    "remedy_key" TEXT,
    "witness_count" INTEGER NOT NULL DEFAULT 1,
    "last_witnessed_at" TIMESTAMPTZ(3),

    CONSTRAINT "memory_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "memory_proposal_id_fkey"
        FOREIGN KEY ("proposal_id") REFERENCES "proposal"("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "memory_org_needs_approval" CHECK (
        "scope" <> 'org' OR ("proposal_id" IS NOT NULL AND "skill_name" IS NOT NULL AND "version" IS NOT NULL)),
    CONSTRAINT "memory_agent_scope_has_agent" CHECK ("scope" <> 'agent' OR "agent_id" IS NOT NULL),
    CONSTRAINT "memory_copies_are_private" CHECK (
        "propagated_from_id" IS NULL OR ("scope" = 'agent' AND "propagated_from_id" <> "id")),
    -- An upkeep run removes only private lessons that are not pinned, and claims no tombstone of another cause.
    CONSTRAINT "memory_upkeep_ends_private_lessons" CHECK (
        "ended_by_run_id" IS NULL OR ("scope" = 'agent' AND "pinned_at" IS NULL AND "superseded_at" IS NOT NULL))
);
CREATE INDEX "memory_created_at_idx" ON "memory"("created_at");
CREATE INDEX "memory_scope_superseded_at_idx" ON "memory"("scope", "superseded_at");
-- A new lesson is compared with its agent's lessons of the same content.
CREATE INDEX "memory_content_sha256_agent_id_idx" ON "memory"("content_sha256", "agent_id");
CREATE INDEX "memory_skill_name_idx" ON "memory"("skill_name");
CREATE UNIQUE INDEX "memory_agent_id_propagated_from_id_key" ON "memory"("agent_id", "propagated_from_id");
-- One live org entry per skill name.
CREATE UNIQUE INDEX "memory_one_live_skill" ON "memory"("skill_name") WHERE "scope" = 'org' AND "superseded_at" IS NULL;
-- One approval admits one entry: it cannot be reused under another name.
CREATE UNIQUE INDEX "memory_one_entry_per_approval" ON "memory"("proposal_id") WHERE "scope" = 'org';
-- Org memory, which decisions insert, has no agent: these indexes leave out the rows that they never find.
CREATE INDEX "memory_of_agent" ON "memory"("agent_id", "created_at") WHERE "agent_id" IS NOT NULL;
CREATE INDEX "memory_copies" ON "memory"("propagated_from_id") WHERE "propagated_from_id" IS NOT NULL;
CREATE INDEX "memory_ended_by_run" ON "memory"("ended_by_run_id") WHERE "ended_by_run_id" IS NOT NULL;
-- A new lesson is compared with its agent's live lessons about the same failure.
-- By failure first: a cycle asks which agents hold lessons about a failure.
CREATE INDEX "memory_same_failure" ON "memory"("failure_key", "agent_id") WHERE "superseded_at" IS NULL AND "failure_key" IS NOT NULL;
COMMENT ON TABLE "memory" IS 'worker: SELECT, INSERT, UPDATE ("superseded_by_id", "superseded_at", "awaiting_proposer", "end_reason", "ended_by_run_id", "witness_count", "last_witnessed_at")';

-- The executions that showed what a lesson says.
CREATE TABLE "memory_witness" (
    "memory_id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,
    "session_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memory_witness_pkey" PRIMARY KEY ("memory_id","execution_id")
);
CREATE INDEX "memory_witness_session_id_idx" ON "memory_witness"("session_id");
COMMENT ON TABLE "memory_witness" IS 'worker: SELECT, INSERT, DELETE';

-- Changed memories, so that every process keeps its search index up to date.
CREATE TABLE "memory_change" (
    "transaction" BIGINT NOT NULL,
    "memory_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memory_change_pkey" PRIMARY KEY ("transaction","memory_id")
);
CREATE INDEX "memory_change_at_idx" ON "memory_change"("at");
COMMENT ON TABLE "memory_change" IS 'worker: INSERT';

-- The sources of a memory. A conclusion rests on all of them, even once it is verified itself. A copy for a peer rests
-- on the sources of its original.
CREATE TABLE "memory_source" (
    "memory_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,

    CONSTRAINT "memory_source_pkey" PRIMARY KEY ("memory_id","source_id")
);
CREATE INDEX "memory_source_source_id_idx" ON "memory_source"("source_id");
COMMENT ON TABLE "memory_source" IS 'worker: SELECT, INSERT';

-- Evidence for or against a private memory.
CREATE TABLE "memory_evidence" (
    "id" UUID NOT NULL,
    "memory_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "stance" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "whole" BOOLEAN NOT NULL,
    "execution_id" UUID,
    "agent_id" UUID,
    "owner" TEXT,
    "reporter_id" UUID,
    "reason" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memory_evidence_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "memory_evidence_kinds" CHECK (
        "kind" IN ('person', 'primary_source', 'tool_result', 'second_model')
        AND "stance" IN ('supports', 'contradicts', 'unsure'))
);
CREATE INDEX "memory_evidence_memory_id_at_idx" ON "memory_evidence"("memory_id", "at");
-- No privileges for background work here or on promotion: the proposer of lessons does not corroborate them.

CREATE TABLE "promotion" (
    "memory_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "promoted_by" TEXT,
    "attempts" INTEGER NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    "asked_at" TIMESTAMPTZ(3),
    "token" UUID,

    CONSTRAINT "promotion_pkey" PRIMARY KEY ("memory_id"),
    CONSTRAINT "promotion_states" CHECK (
        "state" IN ('queued', 'unresolved', 'verified') AND ("state" = 'verified') = ("promoted_by" IS NOT NULL))
);
CREATE INDEX "promotion_due_at_idx" ON "promotion"("due_at");
CREATE INDEX "promotion_state_due_at_idx" ON "promotion"("state", "due_at");
CREATE INDEX "promotion_asked_at_idx" ON "promotion"("asked_at");

-- A session in which a memory was delivered to an agent.
CREATE TABLE "memory_retrieval" (
    "memory_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "session_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memory_retrieval_pkey" PRIMARY KEY ("memory_id","agent_id","session_id")
);

-- The vector of a memory's text, with the embedder's name: another embedder computes it again. Derived from the memory
-- and deleted with it.
CREATE TABLE "memory_vector" (
    "memory_id" UUID NOT NULL,
    "embedder" TEXT NOT NULL,
    "text_sha256" TEXT NOT NULL,
    "vector" BYTEA NOT NULL,

    CONSTRAINT "memory_vector_pkey" PRIMARY KEY ("memory_id")
);
-- The proposer and the evolver do not use it.

CREATE TABLE "upkeep_run" (
    "id" UUID NOT NULL,
    "trigger" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "report" JSONB,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "upkeep_run_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "upkeep_run_started_at_idx" ON "upkeep_run"("started_at");
COMMENT ON TABLE "upkeep_run" IS 'worker: SELECT, INSERT, UPDATE';

-- Publishing: the outbox to git, and the use of skills.

CREATE TABLE "publication" (
    "id" UUID NOT NULL,
    "proposal_id" UUID NOT NULL,
    "kind" "PublicationKind" NOT NULL,
    "skill_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "artifact" TEXT NOT NULL,
    "artifact_sha256" TEXT NOT NULL,
    "renamed_from" TEXT,
    "author_name" TEXT NOT NULL,
    "author_email" TEXT NOT NULL,
    "journal_seq" BIGINT NOT NULL,
    "journal_hash" TEXT NOT NULL,
    "journal_signature" TEXT,
    "decided_at" TIMESTAMPTZ(3) NOT NULL,
    "state" "PublicationState" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "commit" TEXT,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "publication_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "publication_proposal_id_fkey"
        FOREIGN KEY ("proposal_id") REFERENCES "proposal"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "publication_hash_is_of_artifact" CHECK (
        "artifact_sha256" = encode(sha256(convert_to("artifact", 'UTF8')), 'hex'))
);
CREATE UNIQUE INDEX "publication_proposal_id_key" ON "publication"("proposal_id");
CREATE INDEX "publication_state_decided_at_idx" ON "publication"("state", "decided_at");
-- The page of a skill lists the decisions about it.
CREATE INDEX "publication_skill_name_idx" ON "publication"("skill_name");

-- The use of a skill and its rollout. Neither table refers to memory or to an agent: the history of a skill outlives
-- both.
-- One row: the folder of the skills repository holds the same id, so that another folder is not mistaken for it.
CREATE TABLE "skills_repository" (
    "id" UUID NOT NULL,
    "single" BOOLEAN NOT NULL DEFAULT true,
    "known_commit" TEXT,
    "held_commit" TEXT,
    "held_reason" TEXT,

    CONSTRAINT "skills_repository_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "skills_repository_is_one_row" CHECK ("single")
);
CREATE UNIQUE INDEX "skills_repository_single_key" ON "skills_repository"("single");

CREATE TABLE "skill_use" (
    "id" UUID NOT NULL,
    "skill_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "agent_id" UUID NOT NULL,
    "execution_id" TEXT NOT NULL,
    "event" "SkillUseEvent" NOT NULL,
    "outcome" "SkillUseOutcome" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "skill_use_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "skill_use_skill_name_agent_id_execution_id_event_key"
  ON "skill_use"("skill_name", "agent_id", "execution_id", "event");

CREATE TABLE "skill_rollout" (
    "id" UUID NOT NULL,
    "memory_id" UUID NOT NULL,
    "skill_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "percent" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "skill_rollout_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "skill_rollout_stage" CHECK ("percent" IN (5, 25, 100))
);
CREATE INDEX "skill_rollout_memory_id_since_idx" ON "skill_rollout"("memory_id", "since");
-- A version has one stage at a time; a second one started at the same moment is rejected.
CREATE UNIQUE INDEX "skill_rollout_one_open" ON "skill_rollout"("memory_id") WHERE "until" IS NULL;

-- Background work. -----------------------------------------------------------------------------------------------

CREATE TABLE "evolver_cycle" (
    "id" UUID NOT NULL,
    "trigger" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "state" "CycleState" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "report" JSONB,
    "families" JSONB,
    "error" TEXT,

    CONSTRAINT "evolver_cycle_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "evolver_cycle_started_at_idx" ON "evolver_cycle"("started_at");
COMMENT ON TABLE "evolver_cycle" IS 'worker: SELECT, INSERT, UPDATE';

CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);
COMMENT ON TABLE "lease" IS 'worker: SELECT, INSERT, UPDATE, DELETE';

-- The journal. ---------------------------------------------------------------------------------------------------

CREATE TABLE "journal_entry" (
    "seq" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "journal_entry_pkey" PRIMARY KEY ("seq")
);
CREATE INDEX "journal_entry_subject_type_subject_id_idx" ON "journal_entry"("subject_type", "subject_id");
CREATE INDEX "journal_entry_action_seq_idx" ON "journal_entry"("action", "seq");
COMMENT ON TABLE "journal_entry" IS 'worker: SELECT, INSERT';

CREATE TABLE "journal_head" (
    "id" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "journal_head_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "journal_head_is_one" CHECK ("id" = 1)
);
-- The chain starts here: a single row that every append locks.
INSERT INTO "journal_head" ("id", "seq", "hash") VALUES (1, 0, repeat('0', 64));
COMMENT ON TABLE "journal_head" IS 'worker: SELECT, UPDATE ("seq", "hash")';

-- Signed heads of the journal.
CREATE TABLE "journal_checkpoint" (
    "size" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "note" TEXT NOT NULL,
    "subtrees" TEXT[],

    CONSTRAINT "journal_checkpoint_pkey" PRIMARY KEY ("size")
);

-- Webhooks. ------------------------------------------------------------------------------------------------------

-- A job that submits a proposal writes the body for the receivers, and sees neither addresses nor secrets.
CREATE TABLE "webhook_endpoint" (
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "events" TEXT[],
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);
COMMENT ON TABLE "webhook_endpoint" IS 'worker: SELECT ("id", "events", "disabled_at")';

-- No foreign key to the endpoint: deleting an endpoint must not fail a concurrent decision that notifies it.
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "state" "WebhookDeliveryState" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "last_status" INTEGER,
    "last_answer" TEXT,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_delivery_endpoint_id_state_next_attempt_at_idx"
  ON "webhook_delivery"("endpoint_id", "state", "next_attempt_at");
CREATE INDEX "webhook_delivery_endpoint_id_created_at_idx" ON "webhook_delivery"("endpoint_id", "created_at");
COMMENT ON TABLE "webhook_delivery" IS 'worker: INSERT';

-- Without a comment: background work compares references and never makes one.
CREATE TABLE "installation_key" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "installation_key_pkey" PRIMARY KEY ("name")
);
