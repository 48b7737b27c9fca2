-- Executions that arrive piece by piece: what is kept of the pieces, redacted, until no more can come.
CREATE TYPE "GatheringStage" AS ENUM ('ENDED', 'PAUSED');

CREATE TABLE "gathering" (
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "format" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "piece_count" INTEGER NOT NULL,
    "last_piece_at" TIMESTAMPTZ(3) NOT NULL,
    "stage" "GatheringStage",
    "due_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gathering_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "gathering_agent_id_format_key_key" ON "gathering"("agent_id", "format", "key");
CREATE INDEX "gathering_due_at_idx" ON "gathering"("due_at");
CREATE INDEX "gathering_expires_at_idx" ON "gathering"("expires_at");

CREATE TABLE "gathered_piece" (
    "gathering_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "parent_key" TEXT,
    "join_key" TEXT,
    "facts" JSONB NOT NULL,
    "findings" JSONB NOT NULL,

    CONSTRAINT "gathered_piece_pkey" PRIMARY KEY ("gathering_id", "key")
);

ALTER TABLE "gathering" ADD CONSTRAINT "gathering_agent_id_fkey"
  FOREIGN KEY ("agent_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "gathered_piece" ADD CONSTRAINT "gathered_piece_gathering_id_fkey"
  FOREIGN KEY ("gathering_id") REFERENCES "gathering"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- No comment for the worker's role: proposing and evolving have no business with what has not ended.
