import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Guildbook } from '../../client/guildbook.js';
import { answersOf, failure, headersOf, messageOf } from '../server/mcp-message.js';
import { type ConnectionOptions, connect } from '../server/session.js';

export function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description("the Model Context Protocol over stdio, for clients without HTTP: set GUILDBOOK_TOKEN to the agent's")
    .action(async () => bridge(await connect(program.opts<ConnectionOptions>())));
}

const Initialised = z.object({ result: z.object({ protocolVersion: z.string() }) });

/** Each line is a message, and goes to the server as it is; what the server answers is a line. Ends with its input. */
async function bridge(client: Guildbook): Promise<void> {
  let agreed: string | undefined;
  const forward = async (line: string): Promise<void> => {
    const message = messageOf(line);
    if (!message) return write([JSON.stringify(NO_MESSAGE)]);
    try {
      const { response, text } = await client.mcp(line, headersOf(message, agreed));
      const answers = answersOf(message, response, text);
      if (message.method === 'initialize') agreed = versionIn(answers[0]) ?? agreed;
      write(answers);
    } catch (error) {
      write(failure(message, error instanceof Error ? error.message : 'the server does not answer'));
    }
  };
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const going = forward(line).finally(() => open.delete(going));
    open.add(going);
  }
  await Promise.all(open);
}

const NO_MESSAGE = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'this is no message' } };

/** Nothing but messages goes to the output. */
function write(messages: readonly string[]): void {
  for (const message of messages) process.stdout.write(`${message}\n`);
}

function versionIn(answer: string | undefined): string | undefined {
  const initialised = Initialised.safeParse(answer === undefined ? undefined : JSON.parse(answer));
  return initialised.success ? initialised.data.result.protocolVersion : undefined;
}
