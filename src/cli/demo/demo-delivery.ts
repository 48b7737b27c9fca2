import { join } from 'node:path';
import { z } from 'zod';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { PROJECT_ROOT } from '../../platform/config/environment.js';
import { writeHookSettings } from '../connect/hook-settings.js';
import { runProgram } from '../connect/run-program.js';
import { commandProcess } from '../terminal/command-process.js';
import { print } from '../terminal/terminal.js';

const CLIENT = join(PROJECT_ROOT, 'plugins', 'guildbook-hook');
const PRODUCT = 'claude-code';
const EVENT = 'PostToolUseFailure';
/** A decision has an effect on answers within a second. */
const TRIES = 5;
const WAIT_MS = 500;

const Answer = z.object({ hookSpecificOutput: z.object({ additionalContext: z.string() }) });

/**
 * Lets another agent make the mistake of an approved lesson, through the client that `guildbook connect` installs, and
 * prints what its model gets together with the failure. Returns the text; null if the lesson is not delivered.
 */
export async function showDelivery(
  administrator: Guildbook,
  server: string,
  folder: string,
  { proposedSkill, evidence }: ProposalDetails,
): Promise<string | null> {
  const { example, binding } = proposedSkill;
  if (!example || evidence.check?.verdict !== 'confirmed')
    return explain('Only a lesson that executions confirmed is delivered at a failure; this one is in the file alone.');
  if (binding?.harness !== undefined && binding.harness !== PRODUCT)
    return explain(`This lesson was seen only in ${binding.harness}, so it is not delivered elsewhere.`);
  const { token } = await administrator.agents.add({ name: 'a new agent', owner: 'Demo' });
  const config = join(folder, 'agent');
  const folders = { home: folder, config, data: config, cache: config, environment: {} };
  await writeHookSettings(folders, PRODUCT, { server, token, node: '', program: '', gate: false });
  const shell = example.failed.tool === 'shell';
  const failure = {
    hook_event_name: EVENT,
    cwd: `/${binding?.project ?? 'demo'}`,
    tool_name: shell ? 'Bash' : example.failed.tool,
    tool_use_id: 'call-1',
    tool_input: shell ? { command: example.failed.call } : parseJson(example.failed.call),
    error: `Exit code 1\n${example.error}`,
  };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { stdout } = await runProgram('/bin/sh', [CLIENT, PRODUCT, EVENT], {
      cwd: folder,
      environment: { ...commandProcess().env, XDG_CONFIG_HOME: config },
      input: JSON.stringify({ ...failure, session_id: `demo-${attempt}` }),
    });
    const answer = Answer.safeParse(parseJson(stdout));
    if (answer.success) {
      const text = answer.data.hookSpecificOutput.additionalContext;
      print(`Another agent runs: ${example.failed.call}\nIt fails: ${example.error}`);
      print(
        `Its hook sends the failure and gets, before the model reads the result:\n\n${text.replaceAll(/^/gm, '  ')}`,
      );
      return text;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  return explain('The hook got no answer; it needs /bin/sh and curl.');
}

function explain(reason: string): null {
  print(reason);
  return null;
}
