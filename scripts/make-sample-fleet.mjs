/**
 * Writes examples/sample-fleet: Claude Code transcripts of an invented company, from the sessions in examples/source.
 * Needs only Node and uses no clock and no randomness: a second run changes nothing.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectedOf } from '../examples/source/expected.mjs';
import { FRIDAY } from '../examples/source/friday.mjs';
import { MONDAY } from '../examples/source/monday.mjs';
import { NODE_PROJECTS } from '../examples/source/projects-node.mjs';
import { PYTHON_PROJECTS } from '../examples/source/projects-python.mjs';
import { SATURDAY } from '../examples/source/saturday.mjs';
import { THURSDAY } from '../examples/source/thursday.mjs';
import { TUESDAY } from '../examples/source/tuesday.mjs';
import { WEDNESDAY } from '../examples/source/wednesday.mjs';

const TARGET = join(dirname(fileURLToPath(import.meta.url)), '..', 'examples', 'sample-fleet');
const VERSION = '2.1.318';
const PROJECTS = { ...NODE_PROJECTS, ...PYTHON_PROJECTS };
const SESSIONS = [...MONDAY, ...TUESDAY, ...WEDNESDAY, ...THURSDAY, ...FRIDAY, ...SATURDAY];

/** A stream of numbers, identifiers and times that depends on its seed only. */
class Seeded {
  #seed;
  #count = 0;

  constructor(seed) {
    this.#seed = seed;
  }

  hex(length) {
    this.#count += 1;
    return createHash('sha256').update(`${this.#seed}#${this.#count}`).digest('hex').slice(0, length);
  }

  between(low, high) {
    return low + (Number.parseInt(this.hex(8), 16) % (high - low + 1));
  }

  uuid() {
    const h = this.hex(32);
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
  }
}

/** Collects the records of one transcript; every record is chained to the one before it, as Claude Code does. */
class Transcript {
  records = [];
  #parent = null;
  #millis;
  #messages = 0;

  constructor(project, base, seeded, at) {
    this.project = project;
    this.base = base;
    this.seeded = seeded;
    this.#millis = Date.parse(at);
  }

  get turns() {
    return this.#messages;
  }

  get lastUuid() {
    return this.#parent;
  }

  /** Advances the clock by seconds and a few milliseconds, so that the timestamps look recorded. */
  pass(seconds) {
    this.#millis += seconds * 1000 + this.seeded.between(3, 870);
  }

  stamp() {
    return this.#millis;
  }

  add(record) {
    const uuid = this.seeded.uuid();
    this.records.push({
      parentUuid: this.#parent,
      ...record,
      uuid,
      timestamp: isoOf(this.#millis),
      userType: 'external',
      entrypoint: 'cli',
      ...this.base,
    });
    this.#parent = uuid;
    return uuid;
  }

  user(content, extra = {}) {
    return this.add({ type: 'user', message: { role: 'user', content }, ...extra });
  }

  /** One API message: one record per content block, all with the same message id. */
  assistant(blocks, stopReason) {
    this.#messages += 1;
    const id = `msg_01${this.seeded.hex(22)}`;
    const usage = {
      input_tokens: this.seeded.between(4, 30),
      cache_read_input_tokens: 9_000 + 700 * this.#messages,
      output_tokens: this.seeded.between(40, 420),
    };
    return blocks.map((block, i) => {
      if (i > 0) this.pass(1);
      const stop_reason = i === blocks.length - 1 ? stopReason : null;
      const message = {
        id,
        type: 'message',
        role: 'assistant',
        model: this.project.model,
        content: [block],
        stop_reason,
        usage,
      };
      return this.add({ type: 'assistant', message });
    });
  }
}

const isoOf = (millis) => new Date(millis).toISOString();

/** Groups steps into turns: text, pause, and the calls of one API message. */
function turnsOf(steps, project) {
  const turns = [];
  let next = { blocks: [], pause: 0, calls: [] };
  for (const action of steps.flatMap((step) => step(project))) {
    if (action.lead) next.blocks.push({ type: 'text', text: action.lead });
    else if (action.thought) next.blocks.push({ type: 'thinking', thinking: action.thought, signature: '' });
    else if (action.pause) next.pause += action.pause;
    else {
      next.calls.push(action);
      // An update of the plan shares the message of the next call: two calls with one message id.
      if (action.tool === 'TodoWrite') continue;
      turns.push(next);
      next = { blocks: [], pause: 0, calls: [] };
    }
  }
  if (next.calls.length > 0 || next.blocks.length > 0) turns.push(next);
  return turns;
}

function playTurn(transcript, turn) {
  transcript.pass(turn.pause * 60 + transcript.seeded.between(3, 24));
  const uses = turn.calls.map((call) => ({
    type: 'tool_use',
    id: `toolu_01${transcript.seeded.hex(22)}`,
    name: call.tool,
    input: call.input,
  }));
  const uuids = transcript.assistant([...turn.blocks, ...uses], 'tool_use').slice(turn.blocks.length);
  turn.calls.forEach((call, i) => {
    transcript.pass(secondsOf(call, transcript.seeded));
    answer(transcript, call, uses[i].id, uuids[i]);
  });
}

function secondsOf(call, seeded) {
  const sleep = /^sleep (\d+)$/.exec(call.input.command ?? '');
  if (sleep) return Number(sleep[1]);
  return call.tool === 'Bash' ? seeded.between(1, 14) : 0;
}

function answer(transcript, call, toolUseId, sourceUuid) {
  const result = { tool_use_id: toolUseId, type: 'tool_result', content: call.output };
  const flagged = call.tool === 'Bash' || !call.ok ? { ...result, is_error: !call.ok } : result;
  const toolUseResult = call.ok ? call.detail : `Error: ${call.output}`;
  transcript.user([flagged], { toolUseResult, sourceToolAssistantUUID: sourceUuid });
}

function playSession(session) {
  const project = { ...PROJECTS[session.project], plan: session.plan };
  const seeded = new Seeded(`${session.project}@${session.at}`);
  const id = seeded.uuid();
  const base = { cwd: project.cwd, sessionId: id, version: VERSION, gitBranch: 'main' };
  const transcript = new Transcript(project, { isSidechain: false, ...base }, seeded, session.at);
  transcript.user(session.task, { promptId: seeded.uuid(), permissionMode: 'acceptEdits' });
  transcript.add({ type: 'attachment', attachment: { type: 'environment' } });
  const turns = turnsOf(session.steps, project);
  for (const turn of turns) playTurn(transcript, turn);
  close(transcript, session);
  const calls = turns.flatMap((turn) => turn.calls);
  const inner = session.subagent ? playSubagent(session, project, id, transcript) : { calls: [], files: [] };
  const lines = [...opening(transcript, id), ...transcript.records, ...trailer(transcript, session, id)];
  const own = { path: `${session.project}/${id}.jsonl`, text: textOf(lines, session.end === 'damaged') };
  return { ...session, id, calls, inner: inner.calls, files: [own, ...inner.files] };
}

function close(transcript, session) {
  transcript.pass(transcript.seeded.between(4, 15));
  if (session.close) transcript.assistant([{ type: 'text', text: session.close }], 'end_turn');
  else if (session.end === 'interrupted') transcript.user([{ type: 'text', text: '[Request interrupted by user]' }]);
  else if (session.end === 'api_error') transcript.add(apiError());
  else if (session.end === 'max_turns') transcript.add({ type: 'attachment', attachment: maxTurns(transcript.turns) });
}

const maxTurns = (turns) => ({ type: 'max_turns_reached', maxTurns: turns, turnCount: turns + 1 });

function apiError() {
  const content = [{ type: 'text', text: 'API Error: 529 Overloaded' }];
  const message = { id: 'synthetic-529', type: 'message', role: 'assistant', model: '<synthetic>', content };
  return {
    type: 'assistant',
    message: { ...message, stop_reason: 'stop_sequence', usage: { input_tokens: 0, output_tokens: 0 } },
    error: 'overloaded',
    isApiErrorMessage: true,
    apiErrorStatus: 529,
    apiErrorType: 'overloaded_error',
  };
}

const opening = (transcript, sessionId) => [
  { type: 'queue-operation', operation: 'dequeue', timestamp: transcript.records[0].timestamp, sessionId },
];

const trailer = (transcript, session, sessionId) => [
  { type: 'last-prompt', lastPrompt: session.task, leafUuid: transcript.lastUuid, sessionId },
  {
    type: 'cost-state',
    sessionId,
    totalCostUSD: transcript.turns / 100,
    totalDuration: transcript.stamp() - Date.parse(session.at),
  },
];

function playSubagent(session, project, sessionId, parent) {
  const { task, description, steps, close: text } = session.subagent;
  const seeded = new Seeded(`${session.project}@${session.at}/sub-agent`);
  const agentId = `a${seeded.hex(16)}`;
  const launch = parent.records.find((r) => r.message?.content?.[0]?.name === 'Agent');
  const base = { cwd: project.cwd, sessionId, version: VERSION, gitBranch: 'main' };
  const transcript = new Transcript(project, { isSidechain: true, agentId, ...base }, seeded, launch.timestamp);
  transcript.user(task, { promptId: seeded.uuid() });
  const turns = turnsOf(steps, project);
  for (const turn of turns) playTurn(transcript, turn);
  transcript.assistant([{ type: 'text', text }], 'end_turn');
  const meta = { agentType: 'general-purpose', description, toolUseId: launch.message.content[0].id, spawnDepth: 1 };
  const stem = `${session.project}/${sessionId}/subagents/agent-${agentId}`;
  return {
    calls: turns.flatMap((turn) => turn.calls),
    files: [
      { path: `${stem}.jsonl`, text: textOf(transcript.records, false) },
      { path: `${stem}.meta.json`, text: `${JSON.stringify(meta)}\n` },
    ],
  };
}

/** A damaged file has lines that are not objects, and an incomplete last line. */
function textOf(records, damaged) {
  const lines = records.map((record) => conceal(JSON.stringify(record)));
  if (!damaged) return `${lines.join('\n')}\n`;
  lines.splice(6, 0, '"a line that is JSON, but no object"', 'a line that is no JSON at all');
  const text = lines.join('\n');
  return text.slice(0, text.length - 90);
}

/** Writes the planted keys with JSON escapes: a parser reads them complete, a host's secret scanner does not see them. */
const conceal = (json) => json.replaceAll('AKIA', '\\u0041KIA').replaceAll('sk_live_', 'sk\\u005flive\\u005f');

const played = SESSIONS.map(playSession);
rmSync(TARGET, { recursive: true, force: true });
for (const { path, text } of played.flatMap((session) => session.files)) {
  mkdirSync(dirname(join(TARGET, path)), { recursive: true });
  writeFileSync(join(TARGET, path), text);
}
writeFileSync(join(TARGET, 'expected.json'), `${conceal(JSON.stringify(expectedOf(PROJECTS, played), null, 2))}\n`);
console.log(`${played.length} sessions of ${Object.keys(PROJECTS).length} agents`);
