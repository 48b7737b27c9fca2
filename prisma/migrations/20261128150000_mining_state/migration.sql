-- The counts of the evolver's window as of one cycle, so that the first cycle of another process reads only what changed
-- since. Derived from observations, of all agents: their names, the templates of their errors and the actions that they
-- used. One state or none; a new one replaces it under a new id. It goes, in the same transaction, with a report that it
-- may have counted.
CREATE TABLE "mining_state" (
    "id" UUID NOT NULL,
    -- The versions of this form and of the rules that made the observations.
    "format" TEXT NOT NULL,
    "window_from" TIMESTAMPTZ(3) NOT NULL,
    "window_to" TIMESTAMPTZ(3) NOT NULL,
    "executions" INTEGER NOT NULL,
    "parts" INTEGER NOT NULL,
    "saved_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mining_state_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "mining_state_one_at_a_time" ON "mining_state"((true));
COMMENT ON TABLE "mining_state" IS 'worker: SELECT, INSERT, DELETE';

-- The counts as compressed JSON, in parts of less than a megabyte.
CREATE TABLE "mining_state_part" (
    "state_id" UUID NOT NULL,
    "part" INTEGER NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "mining_state_part_pkey" PRIMARY KEY ("state_id", "part"),
    CONSTRAINT "mining_state_part_state_id_fkey" FOREIGN KEY ("state_id") REFERENCES "mining_state"("id")
        ON DELETE CASCADE ON UPDATE CASCADE
);
COMMENT ON TABLE "mining_state_part" IS 'worker: SELECT, INSERT, DELETE';
