-- A model may write the summary of a session. `pattern`: the first 16 digits of the hash of the summary by rules that it is
-- to replace, so that no summary is asked about twice.
ALTER TABLE "proposer_call" DROP CONSTRAINT "proposer_call_is_about_something";
ALTER TABLE "proposer_call" ADD CONSTRAINT "proposer_call_is_about_something" CHECK (
    ("purpose" = 'lesson' AND "payload_id" IS NOT NULL AND "execution_id" IS NOT NULL AND "agent_id" IS NOT NULL
      AND "cycle_id" IS NULL AND "pattern" IS NULL)
    OR ("purpose" IN ('wording', 'family') AND "cycle_id" IS NOT NULL AND "pattern" IS NOT NULL
      AND "payload_id" IS NULL AND "execution_id" IS NULL AND "agent_id" IS NULL AND "memory_id" IS NULL
      AND ("batch_id" IS NULL OR "purpose" = 'family'))
    OR ("purpose" = 'summary' AND "agent_id" IS NOT NULL AND "pattern" IS NOT NULL AND "cycle_id" IS NULL
      AND "payload_id" IS NULL AND "execution_id" IS NULL AND "memory_id" IS NULL AND "batch_id" IS NULL));
CREATE INDEX "proposer_call_of_summary" ON "proposer_call"("agent_id", "pattern") WHERE "purpose" = 'summary';
