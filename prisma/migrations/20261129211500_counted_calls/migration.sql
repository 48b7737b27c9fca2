-- Which calls count in an execution, what became of its failed ones, and its times where a clock is wrong: hashes, numbers
-- and times only. The version before writes none, and no keys: nothing of its reports is a copy.
ALTER TABLE "execution" ADD COLUMN     "counted_keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "call_outcomes" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "stated_start" TIMESTAMPTZ(3),
ADD COLUMN     "stated_end" TIMESTAMPTZ(3);

CREATE INDEX "execution_counted_keys_idx" ON "execution" USING GIN ("counted_keys");

UPDATE "execution" SET "capture_state" = 'pending' WHERE "call_keys" <> '{}';
