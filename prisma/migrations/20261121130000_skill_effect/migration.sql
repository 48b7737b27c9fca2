-- Whether a skill helps: who used it, who received it since when, and in which executions its failure occurred.
CREATE TYPE "SkillUseEvent" AS ENUM ('OFFERED', 'LOADED', 'APPLIED');
CREATE TYPE "SkillUseOutcome" AS ENUM ('SUCCESS', 'FAILURE', 'UNKNOWN');

-- Neither table refers to memory or to an agent: the history of a skill stands in nobody's way.
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

    CONSTRAINT "skill_rollout_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "skill_rollout_memory_id_since_idx" ON "skill_rollout"("memory_id", "since");
ALTER TABLE "skill_rollout" ADD CONSTRAINT "skill_rollout_stage" CHECK ("percent" IN (5, 25, 100));
-- A version stands at one stage at a time; a second one started at the same moment is refused.
CREATE UNIQUE INDEX "skill_rollout_one_open" ON "skill_rollout" ("memory_id") WHERE "until" IS NULL;

ALTER TABLE "execution" ADD COLUMN "model" TEXT, ADD COLUMN "patterns" TEXT[];
CREATE INDEX "execution_started_at_idx" ON "execution"("started_at");

-- A request about a live skill says why it was opened, and comes before what is proposed.
ALTER TABLE "approval_item" ADD COLUMN "request" JSONB, ADD COLUMN "urgent" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "approval_item" ALTER COLUMN "urgent" DROP DEFAULT;
DROP INDEX "approval_item_state_impact_id_idx";
CREATE INDEX "approval_item_state_urgent_impact_id_idx" ON "approval_item"("state", "urgent", "impact", "id");
