-- The decisions about one skill, for its page.
CREATE INDEX "publication_skill_name_idx" ON "publication"("skill_name");

-- What was said before about a pattern, for the page of an item that has it.
CREATE INDEX "approval_item_fingerprints_idx" ON "approval_item" USING GIN ("fingerprints");
