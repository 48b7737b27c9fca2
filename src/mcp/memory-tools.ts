import type { McpServer } from '@modelcontextprotocol/server';
import type { Caller } from '../access/identity/caller.js';
import { SessionId } from '../recall/ranking/recall.schema.js';
import type { RecallService } from '../recall/strategies/recall.service.js';
import type { MemoryTool } from '../recall/strategies/strategy.js';
import { READ_HINTS, SESSION, toolResult, WRITE_HINTS } from './mcp-result.js';
import { toolSchema } from './tool-schema.js';

/**
 * Registers the tools of a strategy as they are, such as those of self_editing. Each call runs the same service method
 * as over REST.
 */
export function registerStrategyTools(
  server: McpServer,
  caller: Caller,
  tools: readonly MemoryTool[],
  call: RecallService['call'],
): void {
  for (const { name, title, description, input, writes } of tools)
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: toolSchema(input.extend({ sessionId: SessionId.optional().describe(SESSION) })),
        annotations: writes ? { ...WRITE_HINTS, idempotentHint: true } : READ_HINTS,
      },
      ({ sessionId, ...input }) =>
        toolResult(
          () =>
            call(caller, name, {
              input,
              ...(sessionId === undefined ? {} : { sessionId: SessionId.parse(sessionId) }),
            }),
          ({ content }) => content,
        ),
    );
}
