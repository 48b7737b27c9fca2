-- Two items that cannot both hold, found while one of them waited: each shows the other, whatever becomes of it.
CREATE TABLE "approval_contradiction" (
    "item_id" UUID NOT NULL,
    "other_id" UUID NOT NULL,

    CONSTRAINT "approval_contradiction_pkey" PRIMARY KEY ("item_id","other_id")
);

CREATE INDEX "approval_contradiction_other_id_idx" ON "approval_contradiction"("other_id");

ALTER TABLE "approval_contradiction" ADD CONSTRAINT "approval_contradiction_item_id_fkey"
  FOREIGN KEY ("item_id") REFERENCES "approval_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "approval_contradiction" ADD CONSTRAINT "approval_contradiction_other_id_fkey"
  FOREIGN KEY ("other_id") REFERENCES "approval_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Neither side comes first: a pair is one row.
ALTER TABLE "approval_contradiction" ADD CONSTRAINT "approval_contradiction_is_a_pair" CHECK ("item_id" < "other_id");
CREATE TRIGGER approval_contradiction_append_only BEFORE UPDATE OR DELETE ON "approval_contradiction"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER approval_contradiction_no_truncate BEFORE TRUNCATE ON "approval_contradiction"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

COMMENT ON TABLE "approval_contradiction" IS 'worker: SELECT, INSERT';
