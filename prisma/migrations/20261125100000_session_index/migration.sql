-- The records of one session can name different agents of one importer, so a session is looked up without its agent.
DROP INDEX "execution_agent_id_session_id_idx";
CREATE INDEX "execution_session_id_agent_id_idx" ON "execution"("session_id", "agent_id");
