-- What somebody has voted on is left out of their queue: found by the person, not by reading every decision.
CREATE INDEX "approval_decision_principal_id_item_id_idx" ON "approval_decision"("principal_id", "item_id");
