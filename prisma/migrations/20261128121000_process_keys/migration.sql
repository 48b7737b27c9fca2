-- The public key with which a process signs the journal: a process with another one does not start beside it.
ALTER TABLE "server_process" ADD COLUMN "journal_key" TEXT;
