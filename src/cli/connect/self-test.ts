import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Product } from '../../access/identity/access.schema.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { restPath } from './hook-settings.js';
import { type Folders, SETUPS } from './products.js';
import { runProgram } from './run-program.js';

const Answer = z.union([
  z.object({ hookSpecificOutput: z.object({ additionalContext: z.string() }) }).transform((a) => a.hookSpecificOutput),
  z.object({ additionalContext: z.string() }),
]);

/** What the server answered to the start of a session that the installed client sent. */
export interface SelfTest {
  /** The HTTP status; 0 if no server answered. */
  readonly status: number;
  /** The text that an agent would get at the start of a session; empty if the server has nothing to say yet. */
  readonly text: string;
}

/** Sends the start of a session through the client that the product runs. */
export async function runSelfTest(folders: Folders, product: Product, plugin: string): Promise<SelfTest> {
  // A person who checks does not want to wait until the client has rested.
  await rm(restPath(folders, product), { force: true });
  const { startEvent } = SETUPS[product];
  const session = 'guildbook-connect-check';
  const event = { session_id: session, sessionId: session, hook_event_name: startEvent, source: 'guildbook connect' };
  const { stdout, stderr } = await runProgram(
    '/bin/sh',
    [join(plugin, 'guildbook-hook'), product, startEvent, 'check'],
    { cwd: folders.home, environment: folders.environment, input: JSON.stringify({ ...event, cwd: folders.home }) },
  );
  const answer = Answer.safeParse(parseJson(stdout));
  return {
    status: Number(/^(\d{3})$/m.exec(stderr)?.[1] ?? 0),
    text: answer.success ? answer.data.additionalContext : '',
  };
}

/** One sentence for a person. */
export function describeSelfTest({ status, text }: SelfTest, server: string): string {
  if (status === 200 && text === '') return `${server} answered: it has nothing to say at the start of a session yet.`;
  if (status === 200) return `${server} answered with ${text.length} characters for the agent.`;
  if (status === 401 || status === 403) return `${server} refused the token (status ${status}).`;
  if (status === 404) return `${server} does not know the hooks of this product (status 404): upgrade the server.`;
  return status === 0 ? `${server} did not answer within two seconds.` : `${server} answered with status ${status}.`;
}
