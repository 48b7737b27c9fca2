-- The core block of an agent: its budget, if it is not that of the server, and whether the agent may write it.
ALTER TABLE "principal" ADD COLUMN "core_tokens" INTEGER;
ALTER TABLE "principal" ADD COLUMN "core_writable" BOOLEAN;
ALTER TABLE "principal" ADD CONSTRAINT "principal_core_tokens" CHECK ("core_tokens" BETWEEN 1 AND 8192);
