/** Sizes that a SKILL.md stays below (formats A2). Tokens are estimated as a quarter of the characters. */
export const SKILL_BUDGET = { lines: 500, tokens: 5_000 } as const;
