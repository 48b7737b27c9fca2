import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { HookPayload } from '../../src/capture/hook-events/hook.schema.js';
import { TranscriptBlock, TranscriptRecord } from '../../src/capture/importers/claude-code-transcript.schema.js';
import { RolloutLine } from '../../src/capture/importers/codex-rollout.schema.js';
import { REPORT_IDENTIFIERS } from '../../src/capture/report/report-identifiers.js';
import { OtlpLogRecord, OtlpSpan } from '../../src/capture/traces/otlp.schema.js';
import { AtifStep, AtifToolCall, AtifTrajectory } from '../../src/capture/trajectories/atif.schema.js';
import { MiniMessage, MiniTrajectory } from '../../src/capture/trajectories/mini-swe-agent.schema.js';
import { V0Event, V0Row } from '../../src/capture/trajectories/openhands-v0.schema.js';
import { V1Event, V1State } from '../../src/capture/trajectories/openhands-v1.schema.js';
import { RunRow } from '../../src/capture/trajectories/runs.schema.js';
import { SweConfig } from '../../src/capture/trajectories/swe-agent.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { otlp, otlpLogs, PYTHON_RUN, postTraces } from '../support/otlp.js';
import { postOtlp } from '../support/otlp-protobuf.js';
import { report } from '../support/reports.js';
import { approvedSkill } from '../support/skills.js';

/**
 * What becomes of the identifiers that others make. A new field or column with such a name fails this spec until it has
 * a row here.
 */
const TREATMENTS = {
  reference: 'stored as a readable beginning and a keyed hash (`IdentifierReferences.of`)',
  key: 'stored as a keyed hash and only compared (`IdentifierReferences.keyOf`)',
  hexadecimal: 'stored as it is: the schema allows only hexadecimal digits of a fixed length',
  local: 'read by the command line alone: the server gets it inside another field, as a reference',
  own: 'made by this server, or the name of a skill',
  provider: 'stored as it is: made by the model provider, which asks for it',
  name: 'no identifier: the name of an argument, stored as redacted text; a name that looks like data is replaced',
  dropped: 'not stored',
} as const;
type Treatment = keyof typeof TREATMENTS;

/** Fields of requests. */
const FIELDS: Readonly<Record<string, Treatment>> = {
  'ExecutionReport.executionId': 'reference',
  'ExecutionReport.taskId': 'reference',
  'ExecutionReport.sessionId': 'reference',
  'ExecutionReport.parentExecutionId': 'reference',
  'ExecutionReport.key': 'name',
  'GET /v1/executions executionId': 'reference',
  // The beginning of an id, which is compared and not stored.
  'GET /v1/lessons id': 'own',
  'GET /v1/memory/upkeep id': 'own',
  'GET /v1/consolidation/runs id': 'own',
  'NewDeliveryPause.sessionId': 'reference',
  'NewSessionEntry.sessionId': 'reference',
  'SessionStart.sessionId': 'reference',
  'SkillUse.executionId': 'reference',
  'RecallRequest.sessionId': 'reference',
  'MemoryToolCall.sessionId': 'reference',
  'NewMemory.sessionId': 'reference',
  'ToolCallCheck.sessionId': 'reference',
  'HookPayload.session_id': 'reference',
  'HookPayload.prompt_id': 'key',
  'HookPayload.turn_id': 'key',
  'HookPayload.tool_use_id': 'key',
  'HookPayload.agent_id': 'key',
};

/**
 * Fields of transcripts and telemetry. Attributes of a span or a log record have no schema: `gen_ai.conversation.id`,
 * `session.id` and `conversation.id` are references, call ids keys.
 */
const IMPORTED: Readonly<Record<string, Treatment>> = {
  action_id: 'local',
  agentId: 'local',
  // Of a hook; that of a run becomes the name of an agent (`recordedAgentName`).
  agent_id: 'key',
  call_id: 'local',
  forked_from_id: 'local',
  id: 'local',
  instance_id: 'local',
  // The name of a field of a conversation's state.
  key: 'dropped',
  llm_response_id: 'local',
  parentSpanId: 'hexadecimal',
  prompt_id: 'key',
  requestId: 'local',
  sessionId: 'local',
  session_id: 'reference',
  spanId: 'hexadecimal',
  task_id: 'local',
  tool_call_id: 'local',
  tool_use_id: 'key',
  traceId: 'hexadecimal',
  trajectory_id: 'local',
  turn_id: 'key',
  uuid: 'local',
};

/** Columns of type text. */
const COLUMNS: Readonly<Record<string, Treatment | readonly Treatment[]>> = {
  'agent_session.session_id': 'reference',
  'execution.execution_id': 'reference',
  'execution.parent_execution_id': 'reference',
  'execution.session_id': 'reference',
  'execution.task_id': 'reference',
  'fragment_assembly.key': ['key', 'hexadecimal'],
  'journal_entry.actor_id': 'own',
  'journal_entry.subject_id': 'own',
  'memory.failure_key': 'own',
  'memory.remedy_key': 'own',
  'memory.session_id': 'reference',
  'memory_evidence.source': 'own',
  'memory_retrieval.session_id': 'reference',
  'memory_witness.session_id': 'reference',
  'proposer_batch.provider_id': 'provider',
  'report_fragment.join_key': 'key',
  'report_fragment.key': ['key', 'hexadecimal'],
  'report_fragment.parent_key': 'hexadecimal',
  'server_process.journal_key': 'own',
  'session_entry.session_id': 'reference',
  'skill_use.execution_id': 'reference',
};

const STORED: Partial<Record<Treatment, RegExp>> = {
  reference: /^(?:[a-z-]{1,20}:)?[a-z]{2,12}~[a-z]{32}(?::[a-z]{2,12}~[a-z]{32})*(?::[0-9a-f]{8})?$/,
  key: /^[0-9a-f]{32}$/,
  hexadecimal: /^[0-9a-f]{16}(?:[0-9a-f]{16})?$/,
};

const ID_NAME = /^ids?$|I[dD]s?$|_ids?$|[kK]ey$|^uuid$/;
const ID_COLUMN = /^id$|_id$|key$|^source$/;
// Assembled here, so that no file contains a whole secret.
const SECRET = ['gh', 'p_', 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb'].join('');

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

/** The names of the fields of a JSON schema that look like identifiers and can hold any text. */
function idFields(schema: unknown): string[] {
  const names = new Set<string>();
  const waiting: unknown[] = [schema];
  for (let n = 0; n < waiting.length; n += 1) {
    const node = waiting[n];
    if (typeof node !== 'object' || node === null) continue;
    if ('properties' in node && typeof node.properties === 'object' && node.properties !== null)
      for (const [name, inner] of Object.entries(node.properties))
        if (ID_NAME.test(name) && canHoldAnyText(inner)) names.add(name);
    waiting.push(...Object.values(node));
  }
  return [...names].sort();
}

function canHoldAnyText(schema: unknown): boolean {
  const text = JSON.stringify(schema);
  return (text.includes('"string"') || text === '{}') && !text.includes('"uuid"');
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: unknown }[];
  readonly requestBody?: unknown;
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

async function requestFields(): Promise<string[]> {
  // The document of this server, whose other specs check it.
  const { paths, components } = (await (await fetch(`${app.url}/v1/openapi.json`)).json()) as ApiDocument;
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
      const asked = parameters
        .filter(({ name, schema }) => ID_NAME.test(name) && canHoldAnyText(schema))
        .map(({ name }) => `${method.toUpperCase()} ${path} ${name}`);
      const bodies = [...(JSON.stringify(requestBody) ?? '').matchAll(/#\/components\/schemas\/(\w+)/g)];
      const given = bodies.flatMap(([, name = '']) => idFields(components.schemas[name]).map((id) => `${name}.${id}`));
      return [...asked, ...given];
    }),
  );
  return [...new Set(found)].sort();
}

describe('every identifier that others make', () => {
  it('has a treatment: in requests', async () => {
    // The body of a hook is the product's own; these are the fields that are read from it.
    const hook = z.toJSONSchema(HookPayload, { unrepresentable: 'any', io: 'input' });
    const inHooks = idFields([hook]).map((field) => `HookPayload.${field}`);
    expect([...(await requestFields()), ...inHooks].sort()).toEqual(Object.keys(FIELDS).sort());
    const inReports = Object.keys(FIELDS).filter(
      (field) => field.startsWith('ExecutionReport.') && FIELDS[field] === 'reference',
    );
    expect(inReports.map((field) => field.split('.')[1]).sort()).toEqual([...REPORT_IDENTIFIERS].sort());
  });

  it('has a treatment: in transcripts and traces', () => {
    const schemas = [
      ...[HookPayload, OtlpSpan, OtlpLogRecord, AtifTrajectory, AtifStep, AtifToolCall],
      ...[MiniTrajectory, MiniMessage, SweConfig, V0Row, V0Event, V1State, V1Event, RunRow],
      ...[TranscriptRecord, TranscriptBlock, RolloutLine],
    ].map((schema) => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
    expect(idFields(schemas)).toEqual(Object.keys(IMPORTED).sort());
  });

  it('has a treatment: in the columns of the database', async () => {
    const columns = await app.database.client.$queryRaw<{ table: string; name: string }[]>`
      SELECT table_name::text AS "table", column_name::text AS "name" FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type = 'text'`;
    const ids = columns.filter(({ name }) => ID_COLUMN.test(name)).map(({ table, name }) => `${table}.${name}`);
    expect(ids.sort()).toEqual(Object.keys(COLUMNS).sort());
  });

  it('is stored by its treatment, whatever it holds', async () => {
    const skill = await approvedSkill(app, 'Close with python3');
    const { token, client } = await app.agent('Ada');
    const ids = {
      executionId: `a ${SECRET}`,
      taskId: SECRET,
      sessionId: `b:${SECRET}`,
      parentExecutionId: `run-${SECRET}`,
    };
    await client.executions.report(report(ids));
    await client.skills.use(skill, { executionId: `a ${SECRET}`, event: 'loaded', at: app.clock.now().toISOString() });
    await client.recall({ query: 'close with python3', sessionId: SECRET });
    await client.memoryTool('search_memories', { query: 'close with python3' }, SECRET).catch(() => undefined);
    await client.remember({ lesson: 'Close with python3', tags: [], sessionId: SECRET });
    await client.gate({ tool: { name: 'Bash' }, memories: [], sessionId: SECRET });
    await client.sessionMemory.start({ sessionId: SECRET });
    await client.sessionMemory.save({ kind: 'fact', content: 'close with python3', sessionId: SECRET });
    await client.sessionMemory.close(SECRET, {});
    const call = { tool_name: 'Bash', tool_use_id: SECRET, tool_input: { command: 'ls' }, agent_id: SECRET };
    await fetch(`${app.url}/v1/hooks/claude-code`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ session_id: SECRET, prompt_id: SECRET, hook_event_name: 'PreToolUse', ...call }),
    });
    const named = { 'gen_ai.conversation.id': SECRET, 'gen_ai.tool.call.id': SECRET };
    await postTraces(
      app.url,
      token,
      otlp(PYTHON_RUN.map((span) => ({ ...span, attributes: { ...span.attributes, ...named } }))),
    );
    const logged = { 'conversation.id': SECRET, call_id: SECRET, tool_name: 'shell' };
    const records = otlpLogs([{ event: 'codex.tool_result', attributes: logged }]);
    expect(await postOtlp(app.url, 'logs', token, JSON.stringify(records))).toMatchObject({ status: 200 });
    await app.settled();
    for (const [column, treatments] of Object.entries(COLUMNS)) {
      const [table, name] = column.split('.');
      // Names from the list above.
      const rows = await app.database.client.$queryRawUnsafe<{ value: string }[]>(
        `SELECT DISTINCT "${name}" AS "value" FROM "${table}" WHERE "${name}" IS NOT NULL`,
      );
      const patterns = [treatments].flat().flatMap((treatment) => STORED[treatment] ?? []);
      for (const { value } of rows) {
        expect([column, value]).not.toContain(SECRET);
        expect(value).not.toContain(SECRET.slice(4));
        if (patterns.length > 0)
          expect([column, value, patterns.some((one) => one.test(value))]).toEqual([column, value, true]);
      }
    }
    const { client: db } = app.database;
    const counts = [await db.execution.count(), await db.skillUse.count(), await db.memoryRetrieval.count()];
    expect([...counts, await db.reportFragment.count()].every((count) => count > 0)).toBe(true);
  });
});
