-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "PrincipalKind" AS ENUM ('AGENT', 'PERSON', 'SERVICE');

-- CreateEnum
CREATE TYPE "CredentialKind" AS ENUM ('ONE_TIME', 'SIGN_IN', 'PERSONAL', 'TOKEN');

-- CreateEnum
CREATE TYPE "CaptureState" AS ENUM ('PENDING', 'CAPTURED', 'NOT_TEACHING');

-- CreateEnum
CREATE TYPE "PayloadKind" AS ENUM ('FAILURE', 'SUCCESS');

-- CreateEnum
CREATE TYPE "PayloadState" AS ENUM ('PENDING', 'DONE', 'DISCARDED');

-- CreateEnum
CREATE TYPE "MemoryScope" AS ENUM ('AGENT', 'ROLE', 'DEPARTMENT', 'ORG');

-- CreateEnum
CREATE TYPE "MemoryProvenance" AS ENUM ('VERIFIED', 'UNVERIFIED', 'UNAVAILABLE_AT_WRITE_TIME');

-- CreateEnum
CREATE TYPE "ApprovalKind" AS ENUM ('NEW_SKILL', 'SUPERSEDE', 'CONFLICT');

-- CreateEnum
CREATE TYPE "ApprovalState" AS ENUM ('PENDING', 'APPROVED', 'REJECTED', 'EXPIRED', 'WITHDRAWN');

-- CreateEnum
CREATE TYPE "ApprovalRisk" AS ENUM ('LOW', 'MEDIUM', 'HIGH', 'CRITICAL');

-- CreateEnum
CREATE TYPE "Verdict" AS ENUM ('APPROVED', 'REJECTED');

-- CreateEnum
CREATE TYPE "PublicationState" AS ENUM ('PENDING', 'PUBLISHED');

-- CreateEnum
CREATE TYPE "CycleState" AS ENUM ('RUNNING', 'COMPLETED', 'FAILED');

-- CreateTable
CREATE TABLE "principal" (
    "id" UUID NOT NULL,
    "kind" "PrincipalKind" NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "is_reviewer" BOOLEAN NOT NULL DEFAULT false,
    "is_admin" BOOLEAN NOT NULL DEFAULT false,
    "role" TEXT,
    "department" TEXT,
    "owner" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "principal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "findings" JSONB NOT NULL,
    "capture_state" "CaptureState" NOT NULL,
    "capture_reason" TEXT,

    CONSTRAINT "execution_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "analysis_payload_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "approval_id" UUID,
    "content_sha256" TEXT NOT NULL,
    "superseded_by_id" UUID,
    "superseded_at" TIMESTAMPTZ(3),
    "application_count" INTEGER NOT NULL DEFAULT 0,
    "last_applied_at" TIMESTAMPTZ(3),
    "relevance_count" INTEGER NOT NULL DEFAULT 0,
    "last_retrieved_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memory_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approval_item" (
    "id" UUID NOT NULL,
    "kind" "ApprovalKind" NOT NULL,
    "state" "ApprovalState" NOT NULL,
    "revision" INTEGER NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "fingerprints" TEXT[],
    "action_fingerprint" TEXT NOT NULL,
    "setting" TEXT NOT NULL,
    "skill_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "proposal" JSONB NOT NULL,
    "artifact" TEXT NOT NULL,
    "artifact_sha256" TEXT NOT NULL,
    "evidence" JSONB NOT NULL,
    "findings" JSONB NOT NULL,
    "risk" "ApprovalRisk" NOT NULL,
    "confidence" DOUBLE PRECISION NOT NULL,
    "impact" INTEGER NOT NULL,
    "agents" INTEGER NOT NULL,
    "supersedes_id" UUID,
    "cycle_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "approval_item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approval_decision" (
    "id" UUID NOT NULL,
    "item_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL,
    "artifact_sha256" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "verdict" "Verdict" NOT NULL,
    "reason" TEXT,
    "decided_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "approval_decision_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "publication" (
    "id" UUID NOT NULL,
    "approval_id" UUID NOT NULL,
    "skill_name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "artifact" TEXT NOT NULL,
    "artifact_sha256" TEXT NOT NULL,
    "author_name" TEXT NOT NULL,
    "author_email" TEXT NOT NULL,
    "journal_seq" BIGINT NOT NULL,
    "journal_hash" TEXT NOT NULL,
    "decided_at" TIMESTAMPTZ(3) NOT NULL,
    "state" "PublicationState" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "commit" TEXT,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "publication_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "evolver_cycle" (
    "id" UUID NOT NULL,
    "trigger" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "state" "CycleState" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "report" JSONB,
    "error" TEXT,

    CONSTRAINT "evolver_cycle_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "journal_head" (
    "id" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "journal_head_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "principal_kind_name_key" ON "principal"("kind", "name");

-- CreateIndex
CREATE UNIQUE INDEX "credential_hash_key" ON "credential"("hash");

-- CreateIndex
CREATE INDEX "credential_principal_id_idx" ON "credential"("principal_id");

-- CreateIndex
CREATE INDEX "execution_capture_state_received_at_idx" ON "execution"("capture_state", "received_at");

-- CreateIndex
CREATE INDEX "execution_finished_at_id_idx" ON "execution"("finished_at", "id");

-- CreateIndex
CREATE INDEX "execution_agent_id_session_id_idx" ON "execution"("agent_id", "session_id");

-- CreateIndex
CREATE UNIQUE INDEX "execution_agent_id_execution_id_key" ON "execution"("agent_id", "execution_id");

-- CreateIndex
CREATE UNIQUE INDEX "analysis_payload_execution_id_key" ON "analysis_payload"("execution_id");

-- CreateIndex
CREATE INDEX "analysis_payload_state_created_at_idx" ON "analysis_payload"("state", "created_at");

-- CreateIndex
CREATE INDEX "memory_scope_superseded_at_idx" ON "memory"("scope", "superseded_at");

-- CreateIndex
CREATE INDEX "memory_agent_id_created_at_idx" ON "memory"("agent_id", "created_at");

-- CreateIndex
CREATE INDEX "memory_skill_name_idx" ON "memory"("skill_name");

-- CreateIndex
CREATE INDEX "approval_item_state_impact_id_idx" ON "approval_item"("state", "impact", "id");

-- CreateIndex
CREATE INDEX "approval_item_fingerprint_state_idx" ON "approval_item"("fingerprint", "state");

-- CreateIndex
CREATE UNIQUE INDEX "approval_decision_item_id_principal_id_artifact_sha256_key" ON "approval_decision"("item_id", "principal_id", "artifact_sha256");

-- CreateIndex
CREATE UNIQUE INDEX "publication_approval_id_key" ON "publication"("approval_id");

-- CreateIndex
CREATE INDEX "publication_state_decided_at_idx" ON "publication"("state", "decided_at");

-- CreateIndex
CREATE INDEX "evolver_cycle_started_at_idx" ON "evolver_cycle"("started_at");

-- CreateIndex
CREATE INDEX "journal_entry_subject_type_subject_id_idx" ON "journal_entry"("subject_type", "subject_id");

-- CreateIndex
CREATE INDEX "journal_entry_action_seq_idx" ON "journal_entry"("action", "seq");

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "execution" ADD CONSTRAINT "execution_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "analysis_payload" ADD CONSTRAINT "analysis_payload_execution_id_fkey" FOREIGN KEY ("execution_id") REFERENCES "execution"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memory" ADD CONSTRAINT "memory_approval_id_fkey" FOREIGN KEY ("approval_id") REFERENCES "approval_item"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_decision" ADD CONSTRAINT "approval_decision_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "approval_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_decision" ADD CONSTRAINT "approval_decision_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "publication" ADD CONSTRAINT "publication_approval_id_fkey" FOREIGN KEY ("approval_id") REFERENCES "approval_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


