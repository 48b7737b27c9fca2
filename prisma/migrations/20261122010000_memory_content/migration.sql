-- Whoever remembers asks first whether its agent knows the same already: without an index, of all that the agent holds.
CREATE INDEX "memory_content_sha256_agent_id_idx" ON "memory"("content_sha256", "agent_id");
