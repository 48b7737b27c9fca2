-- The last executions of one agent: what a lesson by rules counts over.
CREATE INDEX "execution_agent_id_received_at_idx" ON "execution"("agent_id", "received_at");
