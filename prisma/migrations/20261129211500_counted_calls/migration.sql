-- Which calls count in an execution, what became of its failed ones, and its times where a clock is wrong: hashes, numbers
-- and times only. NULL: never computed; the version before may capture beside this one, and then all keys count.
ALTER TABLE "execution" ADD COLUMN     "counted_keys" TEXT[],
ADD COLUMN     "call_outcomes" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "stated_start" TIMESTAMPTZ(3),
ADD COLUMN     "stated_end" TIMESTAMPTZ(3);

CREATE INDEX "execution_counted_keys_idx" ON "execution" USING GIN ("counted_keys");

UPDATE "execution" SET "capture_state" = 'pending' WHERE "call_keys" <> '{}';
