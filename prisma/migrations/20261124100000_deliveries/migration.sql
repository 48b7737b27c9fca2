-- What the hooks of an agent's session were answered, and what became of it. No foreign key: a lesson may be pruned, and
-- what was delivered stays counted.
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "memory_id" UUID NOT NULL,
    "skill_name" TEXT,
    "version" INTEGER,
    "agent_id" UUID NOT NULL,
    "session" TEXT NOT NULL,
    "harness" TEXT NOT NULL,
    "moment" TEXT NOT NULL,
    "shape" TEXT NOT NULL,
    "arm" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "execution_id" UUID,
    "followed" BOOLEAN,
    "overcome" BOOLEAN,
    "calls" INTEGER,
    "seconds" INTEGER,
    "again" INTEGER,
    "judged_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "delivery_moment" CHECK ("moment" IN ('start', 'prompt', 'failure', 'refused')),
    CONSTRAINT "delivery_arm" CHECK ("arm" IN ('delivered', 'withheld'))
);
CREATE UNIQUE INDEX "delivery_agent_id_session_moment_shape_memory_id_key"
  ON "delivery"("agent_id", "session", "moment", "shape", "memory_id");
CREATE INDEX "delivery_skill_name_version_moment_idx" ON "delivery"("skill_name", "version", "moment");
CREATE INDEX "delivery_at_idx" ON "delivery"("at");
