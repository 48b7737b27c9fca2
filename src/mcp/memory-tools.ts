import type { McpServer } from '@modelcontextprotocol/server';
import type { Caller } from '../access/identity/caller.js';
import { ToolAnswer } from '../recall/ranking/recall.schema.js';
import type { Recalling } from '../recall/strategies/recall.service.js';
import type { MemoryTool } from '../recall/strategies/strategy.js';
import { answered, READS, WRITES } from './mcp-answer.js';

/** The tools by which an agent keeps its own memory, as they are declared; each is called as over REST. */
export function addMemoryTools(
  server: McpServer,
  caller: Caller,
  tools: readonly MemoryTool[],
  call: Recalling['call'],
): void {
  for (const { name, title, description, input, writes } of tools)
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        outputSchema: ToolAnswer,
        annotations: writes ? { ...WRITES, idempotentHint: true } : READS,
      },
      (given) =>
        answered(
          () => call(caller, name, { input: given }),
          ({ content }) => content,
        ),
    );
}
