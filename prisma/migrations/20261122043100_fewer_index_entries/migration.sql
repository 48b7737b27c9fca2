-- A decision writes its item's row anew, with an entry in every index, and admits a memory that has no agent: what an
-- index never finds is not in it.
DROP INDEX "approval_item_supersedes_id_idx";
CREATE INDEX "approval_item_replaces" ON "approval_item"("supersedes_id") WHERE "supersedes_id" IS NOT NULL;

DROP INDEX "memory_agent_id_created_at_idx";
CREATE INDEX "memory_of_agent" ON "memory"("agent_id", "created_at") WHERE "agent_id" IS NOT NULL;
DROP INDEX "memory_propagated_from_id_idx";
CREATE INDEX "memory_copies" ON "memory"("propagated_from_id") WHERE "propagated_from_id" IS NOT NULL;
DROP INDEX "memory_ended_by_run_id_idx";
CREATE INDEX "memory_ended_by_run" ON "memory"("ended_by_run_id") WHERE "ended_by_run_id" IS NOT NULL;
