-- Where the journal is sent, and how far each receiver has it. A stream's cursor is the last entry that its receiver
-- acknowledged; it moves by compare-and-set, after the acknowledgement. No data of agents; the id of the person who
-- added it. Without a comment on the table: background work reads neither addresses nor secrets.
CREATE TABLE "audit_stream" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    -- The address, or the path on the machine of the process that writes the file.
    "target" TEXT NOT NULL,
    "secret" TEXT,
    "acknowledged_seq" BIGINT NOT NULL,
    "acknowledged_hash" TEXT NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3),
    -- Failed attempts since the last acknowledgement.
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "last_status" INTEGER,
    "last_answer" TEXT,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_stream_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "audit_stream_kinds" CHECK ("kind" IN ('webhook', 'file')),
    CONSTRAINT "audit_stream_webhook_is_signed" CHECK (("kind" = 'webhook') = ("secret" IS NOT NULL)),
    -- A path never comes from a request: the operator's setting names it.
    CONSTRAINT "audit_stream_file_is_the_operators" CHECK (("kind" = 'file') = ("created_by" IS NULL)),
    CONSTRAINT "audit_stream_failing_since_first_failure" CHECK (("failures" = 0) = ("failing_since" IS NULL))
);
CREATE UNIQUE INDEX "audit_stream_kind_target_key" ON "audit_stream"("kind", "target");
