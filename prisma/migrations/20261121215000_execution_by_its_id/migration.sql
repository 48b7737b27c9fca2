-- A parent is found by the id that its agent gave it, whoever that agent is.
CREATE INDEX "execution_execution_id_idx" ON "execution"("execution_id");
