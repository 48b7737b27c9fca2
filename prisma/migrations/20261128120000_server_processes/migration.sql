-- Several processes on one database: which live, and which job one of them runs next. Background work under its own role
-- reads and writes neither table.

-- No person's data. `host` is redacted. A row whose process does not renew `last_seen_at` is deleted by another process.
CREATE TABLE "server_process" (
    "id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "role_in_force" BOOLEAN,
    "skills_folder" TEXT,
    "index_behind" INTEGER,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "server_process_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "server_process_skills_folders" CHECK ("skills_folder" IN ('shared', 'own'))
);
CREATE INDEX "server_process_last_seen_at_idx" ON "server_process"("last_seen_at");

-- No person's data. The holder runs the job until `held_until`; another process takes over afterwards.
CREATE TABLE "scheduled_job" (
    "name" TEXT NOT NULL,
    "schedule" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "holder" UUID,
    "held_until" TIMESTAMPTZ(3),
    "host" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "outcome" TEXT,

    CONSTRAINT "scheduled_job_pkey" PRIMARY KEY ("name"),
    CONSTRAINT "scheduled_job_is_held_for_a_time" CHECK (("holder" IS NULL) = ("held_until" IS NULL)),
    CONSTRAINT "scheduled_job_outcomes" CHECK (
        "outcome" IN ('completed', 'busy', 'failed') AND ("outcome" IS NULL) = ("finished_at" IS NULL))
);

-- The length and age of the queue of webhooks are read every few seconds; the rows of a month stay in the table.
CREATE INDEX "webhook_delivery_pending" ON "webhook_delivery"("created_at") WHERE "state" = 'pending';
