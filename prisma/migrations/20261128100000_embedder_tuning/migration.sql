-- The embedder learns from the stored memories: runs, what they made, and what is served.

-- One run: no person's data but the id of who asked for it. `saved`: all that its next step depends on.
CREATE TABLE "tuning_run" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "stage" TEXT NOT NULL,
    "steps_done" INTEGER NOT NULL DEFAULT 0,
    "steps_total" INTEGER NOT NULL DEFAULT 0,
    "plan" JSONB NOT NULL,
    "seed" INTEGER NOT NULL,
    "requested_by" UUID,
    "served_checkpoint_id" UUID,
    "documents" INTEGER,
    "queries" INTEGER,
    "input_sha256" TEXT,
    "saved" BYTEA,
    "notes" TEXT[] NOT NULL,
    "checkpoint_id" UUID,
    "verdict" JSONB,
    "measured_again" JSONB,
    "outcome" TEXT,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "saved_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "tuning_run_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tuning_run_kinds" CHECK ("kind" IN ('base', 'adapter')),
    CONSTRAINT "tuning_run_triggers" CHECK ("trigger" IN ('schedule', 'request')),
    CONSTRAINT "tuning_run_stages" CHECK (
        "stage" IN ('collect', 'embed', 'train', 'choose', 'gate', 'deploy', 'measure', 'done')),
    CONSTRAINT "tuning_run_states" CHECK (
        "state" IN ('queued', 'running', 'completed', 'failed', 'cancelled')
        AND ("state" IN ('queued', 'running')) = ("finished_at" IS NULL)
        AND ("state" = 'failed') = ("failure" IS NOT NULL)
        AND ("state" = 'completed') = ("outcome" IS NOT NULL)),
    CONSTRAINT "tuning_run_outcomes" CHECK ("outcome" IN ('deployed', 'kept', 'rolled_back'))
);
CREATE INDEX "tuning_run_created_at_idx" ON "tuning_run"("created_at");
-- At most one run at a time.
CREATE UNIQUE INDEX "tuning_run_one_at_a_time" ON "tuning_run"((true)) WHERE "state" IN ('queued', 'running');

-- What a run made and its verdict let be served. Derived from memories that every reader may see, and from the words of
-- all memories. A deleted one keeps its numbers and loses its model.
CREATE TABLE "embedder_checkpoint" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "base_name" TEXT NOT NULL,
    "dimensions" INTEGER NOT NULL,
    "model" BYTEA,
    "model_sha256" TEXT NOT NULL,
    "weight" DOUBLE PRECISION NOT NULL,
    "min_similarity" DOUBLE PRECISION NOT NULL,
    "measures" JSONB NOT NULL,
    "documents" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "embedder_checkpoint_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "embedder_checkpoint_kinds" CHECK ("kind" IN ('base', 'adapter')),
    CONSTRAINT "embedder_checkpoint_is_whole" CHECK (("deleted_at" IS NULL) = ("model" IS NOT NULL))
);
CREATE INDEX "embedder_checkpoint_created_at_idx" ON "embedder_checkpoint"("created_at");
CREATE UNIQUE INDEX "embedder_checkpoint_of_run" ON "embedder_checkpoint"("run_id");

-- What is served: one row. No checkpoint: the configured embedder.
CREATE TABLE "active_embedder" (
    "id" INTEGER NOT NULL,
    "checkpoint_id" UUID,
    "previous_checkpoint_id" UUID,
    "switched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "active_embedder_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "active_embedder_is_one" CHECK ("id" = 1),
    CONSTRAINT "active_embedder_checkpoint_id_fkey" FOREIGN KEY ("checkpoint_id") REFERENCES "embedder_checkpoint"("id")
        ON DELETE RESTRICT ON UPDATE CASCADE
);

-- While another base is prepared, a memory has a vector of each.
ALTER TABLE "memory_vector" DROP CONSTRAINT "memory_vector_pkey";
ALTER TABLE "memory_vector" ADD CONSTRAINT "memory_vector_pkey" PRIMARY KEY ("memory_id", "embedder");
