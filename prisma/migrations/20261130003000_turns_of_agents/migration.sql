-- The queues of capture and of the proposer take one row of each agent in turn.
CREATE INDEX "execution_turn" ON "execution"("agent_id", "received_at", "id") WHERE "capture_state" = 'pending';
CREATE INDEX "analysis_payload_turn" ON "analysis_payload"("agent_id", "created_at", "id") WHERE "state" = 'pending';
