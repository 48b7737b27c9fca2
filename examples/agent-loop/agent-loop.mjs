// An agent loop with memory: recall, think, act behind the gate, remember, report.
// GUILDBOOK_SERVER=http://127.0.0.1:4747 GUILDBOOK_TOKEN=gba_... node examples/agent-loop/agent-loop.mjs "run the nightly export"
import { randomUUID } from 'node:crypto';
import { AgentSession, GateDenied } from 'guildbook/client';

const task = process.argv[2] ?? 'run the nightly export';
const run = randomUUID();
const startedAt = new Date().toISOString();
const memory = new AgentSession({
  server: process.env.GUILDBOOK_SERVER ?? 'http://127.0.0.1:4747',
  token: process.env.GUILDBOOK_TOKEN,
  sessionId: run,
});

/**
 * Stands for your model: it receives the messages and returns the next tool call with the memories that led to it, or
 * undefined when the task is done. Your model names the memories by the ids in their records.
 */
async function think(memories, calls) {
  if (calls.length === 0) return { name: 'Read', action: 'export.py', effect: 'reads', fedBy: [] };
  if (calls.length > 1 && (calls.at(-1).ok || calls.length > 2)) return undefined;
  const hint = memories.find(({ discovery }) => discovery.includes('python3'));
  if (hint) return { name: 'Bash', action: 'python3 export.py', effect: 'changes', fedBy: [hint.id] };
  const program = calls.length === 1 ? 'python' : 'python3';
  return { name: 'Bash', action: `${program} export.py`, effect: 'changes', fedBy: [] };
}

/** Stands for your tools: `python` fails, as on a machine where it is an old version. */
async function execute({ action }) {
  if (action.startsWith('python ')) throw new Error('SyntaxError: invalid syntax');
  return 'done';
}

// Before the task: recall memories, fenced, each line with its provenance. Pass `messages` to your model unchanged.
const recalled = await memory.recall(task, { tokenBudget: 1_000 });
const denied = new Set();
const usable = () =>
  recalled.memories
    .filter(({ id }) => !denied.has(id))
    .sort((a, b) => Number(b.provenance === 'verified') - Number(a.provenance === 'verified'));

const toolCalls = [];
for (let next = await think(usable(), toolCalls); next; next = await think(usable(), toolCalls)) {
  const { name, action, effect, fedBy } = next;
  try {
    // Around each tool call: an unverified memory may be read, but must not make this agent change anything.
    await memory.guard({ name, action, effect }, () => execute(next), fedBy);
    toolCalls.push({ name, action, ok: true });
  } catch (error) {
    if (error instanceof GateDenied) {
      // The call was not made. Think again without the memories that may not lead to it.
      for (const { memory: id } of error.reasons) denied.add(id);
      continue;
    }
    toolCalls.push({ name, action, ok: false, errorMessage: error.message });
  }
}

// After the task: store what no file says, with its sources, and report the run so that others can learn from it.
const overcame = toolCalls.some(({ ok }) => !ok) && toolCalls.at(-1).ok;
if (overcame)
  await memory.remember({
    lesson: 'export.py needs python3: under python it ends with a SyntaxError.',
    task,
    tags: ['non-inferable'],
    // Observed by this run itself. If memories led to the conclusion, name them here.
    sources: [],
  });
await memory.report({
  executionId: run,
  taskId: 'nightly-export',
  taskTitle: task,
  startedAt,
  finishedAt: new Date().toISOString(),
  status: toolCalls.at(-1).ok ? 'completed' : 'failed',
  verification: { outcome: 'none' },
  terminationReason: 'ended',
  toolCalls,
  retryCount: 0,
  maxRetries: 0,
});
console.log(JSON.stringify({ recalled: recalled.memories.length, denied: [...denied], remembered: overcame, toolCalls }));
