-- Unverified lessons whose failure came back, those of the most executions first.
CREATE INDEX "memory_returning" ON "memory"("witness_count", "id")
  WHERE "scope" = 'agent' AND "superseded_at" IS NULL AND "provenance" <> 'verified' AND "witness_count" > 1;
