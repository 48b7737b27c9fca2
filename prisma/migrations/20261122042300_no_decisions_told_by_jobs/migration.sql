-- What is told outside is signed, whoever wrote the row. Background work tells of what it does itself, items that it
-- submits and withdraws, and cannot have it said that somebody decided. The body is what the receiver reads.
ALTER TABLE "webhook_delivery" ENABLE ROW LEVEL SECURITY;
CREATE POLICY webhook_delivery_is_no_decision ON "webhook_delivery" FOR INSERT WITH CHECK (
  "event" IN ('approval.submitted', 'approval.withdrawn') AND "body"::jsonb ->> 'type' = "event"
  AND "state" = 'PENDING' AND "attempts" = 0);
