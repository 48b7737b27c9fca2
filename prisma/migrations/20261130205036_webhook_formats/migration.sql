-- How the messages to an address are written. The body in the outbox is the standard one for every address: it is written
-- in the form of the address when it is sent, so that background work, which writes the outbox, reads no more of it.
CREATE TYPE "WebhookFormat" AS ENUM ('standard', 'slack', 'teams');
ALTER TABLE "webhook_endpoint" ADD COLUMN "format" "WebhookFormat" NOT NULL DEFAULT 'standard';

-- Background work announces what the evolver did, too: its cycles, what it proposed, and that it is off. Decisions, and
-- the skills that they supersede, stay with the server.
DROP POLICY webhook_delivery_is_no_decision ON "webhook_delivery";
CREATE POLICY webhook_delivery_is_no_decision ON "webhook_delivery" FOR INSERT WITH CHECK (
  "event" IN ('proposal.submitted', 'proposal.withdrawn', 'evolver.cycle_started', 'evolver.cycle_completed',
              'evolver.cycle_failed', 'evolver.proposal_emitted', 'evolver.conflict_detected', 'evolver.disabled')
  AND "body"::jsonb ->> 'type' = "event" AND "state" = 'pending' AND "attempts" = 0);
