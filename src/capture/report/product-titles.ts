/** The task title of a session, by product, for sessions that are reported by hooks or telemetry. */
export const PRODUCT_TITLES = {
  'claude-code': 'Claude Code session',
  codex: 'Codex session',
  gemini: 'Gemini CLI session',
  opencode: 'OpenCode session',
  copilot: 'Copilot CLI session',
} as const;
