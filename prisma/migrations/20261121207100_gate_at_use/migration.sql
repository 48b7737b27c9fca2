-- What a memory was concluded from. A conclusion rests on all of it, however it comes to be called verified itself.
CREATE TABLE "memory_source" (
    "memory_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,

    CONSTRAINT "memory_source_pkey" PRIMARY KEY ("memory_id", "source_id")
);
CREATE INDEX "memory_source_source_id_idx" ON "memory_source"("source_id");

-- Where something comes from is written once: no later word makes it another thing's conclusion, or nobody's.
CREATE TRIGGER memory_source_append_only BEFORE UPDATE OR DELETE ON "memory_source"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER memory_source_no_truncate BEFORE TRUNCATE ON "memory_source"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
