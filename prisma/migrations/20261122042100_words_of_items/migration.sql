-- The words by which approval items are found. Beside the items and not in them: a decision writes its item's row anew
-- with all of its indexes, and leaves what the item says as it was.
-- CreateTable
CREATE TABLE "approval_words" (
    "item_id" UUID NOT NULL,
    "rules" INTEGER NOT NULL,
    "words" tsvector NOT NULL,

    CONSTRAINT "approval_words_pkey" PRIMARY KEY ("item_id")
);
COMMENT ON TABLE "approval_words" IS 'worker: SELECT, INSERT, UPDATE';

-- CreateIndex
CREATE INDEX "approval_words_words_idx" ON "approval_words" USING GIN ("words");

-- AddForeignKey
ALTER TABLE "approval_words" ADD CONSTRAINT "approval_words_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "approval_item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
