/**
 * A SKILL.md stays below these sizes, as the Agent Skills format recommends. Tokens are estimated as a quarter of the
 * characters.
 */
export const SKILL_BUDGET = { lines: 500, tokens: 5_000 } as const;
