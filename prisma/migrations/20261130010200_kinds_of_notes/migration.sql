-- Notes that agents wrote for themselves, and those of the core block. Apart from the migration before: it locks the rows
-- only, so agents recall and report meanwhile.
UPDATE "memory" SET "kind" = CASE WHEN "category" = 'SEMANTIC' AND 'core' = ANY ("tags") THEN 'core' ELSE 'note' END
 WHERE "kind" = 'lesson' AND "scope" = 'agent' AND "proposer" = 'the agent itself' AND "propagated_from_id" IS NULL;
