-- A process reads the live memories of one visibility group at a time, by id. One index for each scope, so that a memory
-- stands in one of them only.
CREATE INDEX "memory_live_of_agent" ON "memory"("agent_id", "id") WHERE "scope" = 'agent' AND "superseded_at" IS NULL;
CREATE INDEX "memory_live_of_role" ON "memory"("role", "id") WHERE "scope" = 'role' AND "superseded_at" IS NULL;
CREATE INDEX "memory_live_of_department" ON "memory"("department", "id")
  WHERE "scope" = 'department' AND "superseded_at" IS NULL;
CREATE INDEX "memory_live_of_org" ON "memory"("id") WHERE "scope" = 'org' AND "superseded_at" IS NULL;
