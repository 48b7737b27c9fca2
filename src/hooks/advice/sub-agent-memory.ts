import type { HookFacts } from '../../capture/hook-events/hook-event.js';

/** The tools of the session memory, as products name a tool of an MCP server: `mcp__guildbook__read_session`. */
const TOOLS = /guildbook\W?_{0,3}(?:recall_sessions|read_session)$/;
const REMEMBER = /guildbook\W?_{0,3}remember$/;

/** Why a sub-agent's call is refused that uses the session memory: it is that of the agent that started it. */
export const NO_MEMORY =
  'Guildbook: a sub-agent has no session memory. Return what matters to the agent that started you; it decides what to keep.';

/** Returns whether a sub-agent is about to read the session memory or to write to it. */
export function usesMemoryAsSubAgent({
  event,
  subAgent,
  tool,
}: Pick<HookFacts, 'event' | 'subAgent' | 'tool'>): boolean {
  if (event !== 'PreToolUse' || !subAgent || tool === undefined) return false;
  const { name, arguments: given = [] } = tool;
  return TOOLS.test(name) || (REMEMBER.test(name) && given.some(({ key }) => key === 'kind'));
}
