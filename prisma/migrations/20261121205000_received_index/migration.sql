-- The evolver reads what was received in a window, in that order.
CREATE INDEX "execution_received_at_id_idx" ON "execution"("received_at", "id");
