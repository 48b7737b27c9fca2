-- What names the calls of an execution in every copy of their records, and which of them count in another session. Hashes
-- and places only. The version before writes neither, so that nothing of its reports is a copy. Whether an execution
-- failed is what a judge says, else what its agent says; it is read at intake.
ALTER TABLE "execution" ADD COLUMN     "call_keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "copied_calls" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
ADD COLUMN     "failed" BOOLEAN,
ADD COLUMN     "recaptured_at" TIMESTAMPTZ(3);

CREATE INDEX "execution_call_keys_idx" ON "execution" USING GIN ("call_keys");
CREATE INDEX "execution_recaptured_at_idx" ON "execution"("recaptured_at");
