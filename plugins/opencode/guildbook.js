/**
 * Guildbook for OpenCode: hands what happens to guildbook-hook, and its answer to the agent. Throws only to refuse a call.
 * OpenCode takes every export for a plugin, so there is one.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIENT = join(dirname(fileURLToPath(import.meta.url)), 'guildbook-hook');
const folderFor = (variable, otherwise) =>
  join(process.env[variable] || join(homedir(), otherwise), 'guildbook');

export const Guildbook = async ({ client, directory }) => {
  const started = new Set();
  const ask = (event, body) => answerOf(event, { ...body, cwd: directory, hook_event_name: event });
  const hooks = {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const prompt = parts.map(({ text }) => text ?? '').join('\n');
      const answers = [];
      if (!started.has(sessionID)) answers.push(await ask('SessionStart', { session_id: sessionID }));
      started.add(sessionID);
      answers.push(await ask('UserPromptSubmit', { session_id: sessionID, prompt }));
      for (const [index, { additionalContext: text }] of answers.entries())
        if (text)
          parts.push({
            id: `prt_guildbook${index}${Date.now()}`,
            sessionID,
            messageID: message.id,
            type: 'text',
            text,
            synthetic: true,
          });
    },
    'tool.execute.after': async ({ sessionID, tool, callID, args }, output) => {
      const call = { session_id: sessionID, tool_name: tool, tool_use_id: callID, tool_input: args };
      const result = { tool_response: output.output, exit_code: output.metadata?.exit };
      const { additionalContext } = await ask('PostToolUse', { ...call, ...result });
      if (additionalContext) output.output += `\n\n${additionalContext}`;
    },
    event: async ({ event: { type, properties } }) => {
      // OpenCode has no end of a session. Each time it is idle, the whole of it so far is reported.
      if (type !== 'session.idle') return;
      const { id: session_id, parentID, path } = await storedSession(client, properties.sessionID);
      // The session of a sub-agent is a part of its parent.
      if (parentID === undefined) await ask('SessionEnd', { session_id, ...(path ? { transcript_path: path } : {}) });
    },
  };
  if (!isGated()) return hooks;
  return {
    ...hooks,
    'tool.execute.before': async ({ sessionID, tool, callID }, { args }) => {
      const call = { session_id: sessionID, tool_name: tool, tool_use_id: callID, tool_input: args };
      const { permissionDecision, permissionDecisionReason } = await ask('PreToolUse', call);
      if (permissionDecision === 'deny') throw new Error(permissionDecisionReason);
    },
  };
};

/** What the client printed, read; empty on every failure. */
function answerOf(event, body) {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', [CLIENT, 'opencode', event], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 5000 });
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += chunk));
    child.stdin.on('error', () => undefined);
    child.once('error', () => resolve({}));
    child.once('close', () => resolve(outputOf(printed)));
    child.stdin.end(JSON.stringify(body));
  });
}

function outputOf(printed) {
  try {
    return JSON.parse(printed).hookSpecificOutput ?? {};
  } catch {
    return {};
  }
}

/** Stores the session as `opencode export` prints it, in a file that the client deletes after the import. */
async function storedSession(client, id) {
  try {
    const path = { id };
    const { data: info } = await client.session.get({ path });
    const { data: messages } = await client.session.messages({ path });
    if (!info || !messages) return { id };
    const { parentID } = info;
    if (parentID !== undefined) return { id, parentID };
    const folder = folderFor('XDG_CACHE_HOME', '.cache');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `opencode-${id}-${Date.now()}.json`);
    writeFileSync(file, JSON.stringify({ info, messages }), { mode: 0o600, flag: 'wx' });
    return { id, path: file };
  } catch {
    return { id };
  }
}

/** Whether calls are checked before they run: not with `guildbook connect opencode --no-gate`. */
function isGated() {
  try {
    return /^gate=on$/m.test(readFileSync(join(folderFor('XDG_CONFIG_HOME', '.config'), 'opencode.conf'), 'utf8'));
  } catch {
    return false;
  }
}
