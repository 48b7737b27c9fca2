-- The same rule as before: a function in SQL is planned anew in every statement that calls it, which took longer than
-- the rest of the triggers that ask it; this one is planned once in a session, and most reviewers have no remit.
CREATE OR REPLACE FUNCTION remit_covers(remit jsonb, audience jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN remit IS NULL OR (jsonb_array_length(audience) > 0 AND NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(audience) place WHERE NOT EXISTS (
      SELECT 1 FROM jsonb_array_elements(remit) part
       WHERE (part ->> 'department' IS NOT NULL OR part ->> 'role' IS NOT NULL)
         AND (part ->> 'department' IS NULL OR part ->> 'department' = place ->> 'department')
         AND (part ->> 'role' IS NULL OR part ->> 'role' = place ->> 'role'))));
END $$;
