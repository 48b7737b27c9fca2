import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { McpTestClient } from '../support/mcp-client.js';

/**
 * What becomes of the names that requests state, in the API and in the tools of MCP. Who did something comes from the
 * credential, so that none of them is recorded as the actor. A new field with such a name fails this spec until it is
 * here.
 */
const STATED = {
  'who wrote an entry; refused unless it is the holder of the credential, or of a lower standing than a person': [
    'POST /v1/session-memory/entries by',
    'POST /v1/session-memory/entries name',
    'POST /v1/session-memory/entries provenance',
  ],
  'the agent of a report: of an agent only itself; others need the scope report-for, and are stored as the reporter': [
    'POST /v1/executions guildbook-agent',
    'POST /v1/executions/batch guildbook-agent',
    'POST /v1/hooks/{product} guildbook-agent',
    'POST /v1/hooks/{product}/{event} guildbook-agent',
    'POST /v1/logs guildbook-agent',
    'POST /v1/metrics guildbook-agent',
    'POST /v1/skills/{name}/uses guildbook-agent',
    'POST /v1/traces guildbook-agent',
  ],
  'what judged an execution: a statement of the reporter, which is stored in the report and authorises nothing': [
    'POST /v1/executions source',
    'tool report_execution source',
  ],
  'whose memory, lessons or deliveries the request is about: the caller needs rights on them, and is the actor': [
    'GET /v1/executions agent',
    'GET /v1/session-memory/entries/{id} agent',
    'GET /v1/session-memory/preamble agent',
    'GET /v1/session-memory/sessions agent',
    'GET /v1/session-memory/sessions/{session} agent',
    'POST /v1/consolidation/pauses agentId',
    'POST /v1/consolidation/runs agentId',
    'POST /v1/deliveries/pauses personId',
    'POST /v1/recall agent',
    'POST /v1/session-memory/entries agent',
    'POST /v1/session-memory/recall agent',
    'POST /v1/session-memory/sessions agent',
    'POST /v1/session-memory/sessions/{session}/close agent',
  ],
  'what an administrator registers': [
    'PATCH /v1/people/{id} reviewer',
    'POST /v1/agents name',
    'POST /v1/agents owner',
    'POST /v1/people name',
    'POST /v1/people reviewer',
    'POST /v1/services name',
    'POST /v1/services owner',
  ],
  'the verdict of a reviewer, who is the caller': ['PUT /v1/lessons/{id}/provenance provenance'],
  'selects what is read': [
    'GET /v1/consolidation/runs agent',
    'GET /v1/lessons agent',
    'GET /v1/lessons provenance',
    'GET /v1/tombstones agent',
  ],
  'the name of a thing: a tool, a check, an interpreter, a skill': [
    'POST /v1/executions name',
    'POST /v1/gate name',
    'POST /v1/proposals/{id}/resolve name',
    'PUT /v1/proposals/{id}/skill name',
    'tool check_action name',
    'tool get_skill name',
    'tool report_execution name',
    'tool report_skill_use name',
  ],
};

const ACTOR =
  /^(?:by|name|provenance|author|writer|writtenBy|actor|agent|agentId|owner|person|personId|reviewer|proposer|principal|reporter|source|guildbook-agent)$/;

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

type Schemas = Readonly<Record<string, unknown>>;

/** The names of the fields of a JSON schema that could state an actor, with the schemas that it refers to. */
function statedIn(schema: unknown, schemas: Schemas = {}): string[] {
  const names = new Set<string>();
  const waiting = new Set<unknown>([schema]);
  for (const node of waiting) {
    if (typeof node !== 'object' || node === null) continue;
    if ('properties' in node && typeof node.properties === 'object' && node.properties !== null)
      for (const name of Object.keys(node.properties)) if (ACTOR.test(name)) names.add(name);
    if ('$ref' in node) waiting.add(schemas[String(node.$ref).split('/').at(-1) ?? '']);
    for (const inner of Object.values(node)) waiting.add(inner);
  }
  return [...names];
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

/** Fields of bodies, queries and headers. A name in a path is what the request is about. */
async function statedInApi(): Promise<string[]> {
  // The document of this server, whose other specs check it.
  const { paths, components } = (await (await fetch(`${app.url}/v1/openapi.json`)).json()) as ApiDocument;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
      const asked = parameters.filter((one) => one.in !== 'path' && ACTOR.test(one.name)).map(({ name }) => name);
      const given = statedIn(requestBody, components.schemas);
      return [...new Set([...asked, ...given])].map((name) => `${method.toUpperCase()} ${path} ${name}`);
    }),
  );
}

async function statedInTools(token: string): Promise<string[]> {
  const client = await McpTestClient.connect(app.url, token);
  const tools = await client.tools();
  await client.close();
  return tools.flatMap(({ name, inputSchema }) => statedIn(inputSchema).map((field) => `tool ${name} ${field}`));
}

it('has a role that is not the actor: every name that a request states', async () => {
  const { token } = await app.agent('Ada');
  const found = [...(await statedInApi()), ...(await statedInTools(token)), ...(await statedInTools(app.adminToken))];
  expect([...new Set(found)].sort()).toEqual(Object.values(STATED).flat().sort());
});
