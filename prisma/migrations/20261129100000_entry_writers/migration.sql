-- Until now, an agent could state that a person or a session had written its entry. The journal has the holder of the
-- credential: what an agent stored last, and no person has edited or stored since, is the agent's.
UPDATE "session_entry" e SET "written_by" = 'agent', "writer" = NULL
 WHERE e."written_by" <> 'agent' AND (
   SELECT j."action" = 'session.entry_saved' AND j."actor_kind" = 'agent' FROM "journal_entry" j
    WHERE j."subject_type" = 'session_entry' AND j."subject_id" = e."id"::text
      AND j."action" IN ('session.entry_saved', 'session.entry_edited', 'session.summarised')
    ORDER BY j."seq" DESC LIMIT 1);
