// An agent's loop with a memory: recall, think, act behind the gate, remember, report.
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
 * Stands for your model: it is given the messages, and says which tool to call next and which memories made it say so;
 * undefined when it is done. Yours names the memories by the ids in their records.
 */
async function think(memories, calls) {
  if (calls.length === 0) return { name: 'Read', action: 'export.py', effect: 'reads', fedBy: [] };
  if (calls.length > 1 && (calls.at(-1).ok || calls.length > 2)) return undefined;
  const hint = memories.find(({ discovery }) => discovery.includes('python3'));
  if (hint) return { name: 'Bash', action: 'python3 export.py', effect: 'changes', fedBy: [hint.id] };
  const program = calls.length === 1 ? 'python' : 'python3';
  return { name: 'Bash', action: `${program} export.py`, effect: 'changes', fedBy: [] };
}

/** Stands for your tools: bare python is not what it was. */
async function execute({ action }) {
  if (action.startsWith('python ')) throw new Error('SyntaxError: invalid syntax');
  return 'done';
}

// Before the task: what was learned, fenced, each line with its provenance. `messages` go before your model as they are.
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
    // Around each tool call: what nobody verified may be read, and may not make this agent change anything.
    await memory.guard({ name, action, effect }, () => execute(next), fedBy);
    toolCalls.push({ name, action, ok: true });
  } catch (error) {
    if (error instanceof GateDenied) {
      // The call was not made. Think again without what may not feed it.
      for (const { memory: id } of error.reasons) denied.add(id);
      continue;
    }
    toolCalls.push({ name, action, ok: false, errorMessage: error.message });
  }
}

// After it: what no file says, with what it was concluded from, and the run for others to learn from.
const overcame = toolCalls.some(({ ok }) => !ok) && toolCalls.at(-1).ok;
if (overcame)
  await memory.remember({
    lesson: 'export.py needs python3: under python it ends with a SyntaxError.',
    task,
    tags: ['non-inferable'],
    // Seen by this run itself. What it concluded from memories would name them here.
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
