-- A skill ends the claims that nothing overcomes a failure once every agent receives it: the worker reads who does.
COMMENT ON TABLE "skill_rollout" IS 'worker: SELECT';
