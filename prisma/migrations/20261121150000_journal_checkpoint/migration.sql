-- Signed heads of the journal: what was signed stays as it was signed.
CREATE TABLE "journal_checkpoint" (
    "size" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "note" TEXT NOT NULL,
    "subtrees" TEXT[],

    CONSTRAINT "journal_checkpoint_pkey" PRIMARY KEY ("size")
);

CREATE TRIGGER journal_checkpoint_append_only BEFORE UPDATE OR DELETE ON "journal_checkpoint" FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_checkpoint_no_truncate BEFORE TRUNCATE ON "journal_checkpoint" FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- The signature of the decision's entry, for the commit. Decisions of before have none.
ALTER TABLE "publication" ADD COLUMN "journal_signature" TEXT;
