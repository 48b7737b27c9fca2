-- Background work journals as a job and nobody else: an entry of a person, an administrator or an agent was written by
-- the server itself. A policy is asked of the worker's role alone, so that decisions pay nothing for it.
DROP POLICY journal_entry_is_no_reviewers ON "journal_entry";
CREATE POLICY journal_entry_is_a_jobs ON "journal_entry" FOR INSERT WITH CHECK ("actor_kind" = 'job');
