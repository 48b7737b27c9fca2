import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { BuiltProgram } from '../support/cli.js';
import { report } from '../support/reports.js';
import { type Installed, installedFile } from './install.js';
import type { Sandbox } from './sandbox.js';
import { type ScriptedTurn, serveModel } from './servers.js';

export const MCP_COMMAND = 'claude -p --mcp-config FILE, over streamable HTTP and by guildbook mcp';

const Request = z.object({
  tools: z.array(z.object({ name: z.string() })).default([]),
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(z.looseObject({}))]) })),
});
const ToolResult = z.object({
  type: z.literal('tool_result'),
  is_error: z.boolean().optional(),
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]),
});
const SERVERS = ['http', 'stdio'] as const;

interface Call {
  readonly tool: string;
  /** `$` is replaced by the id that `remember` returned. */
  readonly input: Record<string, unknown>;
  /** Must match the result. */
  readonly answer: RegExp;
}

/** The tools that recall, by strategy of the server. */
const RECALLING = {
  context: (run: string): readonly Call[] => [
    { tool: 'search_memory', input: { query: run }, answer: /untrusted-data-[0-9a-f]{32}/ },
    { tool: 'recall_memory', input: { id: '$' }, answer: /untrusted-data-[0-9a-f]{32}/ },
  ],
  self_editing: (run: string): readonly Call[] => [
    ...['core', 'archival', 'recall'].map((block) => ({
      tool: `${block}_memory_write`,
      input: { lesson: `The ${run} in ${block}`, tags: ['non-inferable'] },
      answer: /unverified/,
    })),
    { tool: 'core_memory_read', input: {}, answer: /in core/ },
    { tool: 'archival_memory_search', input: { query: run }, answer: /untrusted-data/ },
    { tool: 'recall_memory_read', input: {}, answer: /in recall/ },
  ],
};
const STRATEGIES = ['context', 'self_editing'] as const;
type Strategy = (typeof STRATEGIES)[number];

const callsOf = (run: string, strategy: Strategy): readonly Call[] => [
  { tool: 'remember', input: { lesson: `The ${run} needs python3`, tags: ['non-inferable'] }, answer: /unverified/ },
  ...RECALLING[strategy](run),
  { tool: 'check_action', input: { tool: { name: 'Bash' }, memories: ['$'] }, answer: /deny/ },
  { tool: 'recall_sessions', input: { query: 'nothing of this' }, answer: /No earlier session matches/ },
  { tool: 'read_session', input: { id: 'no-such-session' }, answer: /no such session/ },
  { tool: 'report_execution', input: { ...report({ executionId: run }) }, answer: /"duplicate": ?false/ },
  { tool: 'list_skills', input: {}, answer: /items|No skills/ },
  { tool: 'get_skill', input: { name: 'no-such-skill' }, answer: /skill\.not_found/ },
  {
    tool: 'report_skill_use',
    input: { name: 'no-such-skill', use: { executionId: run, event: 'applied', at: '2026-11-21T10:00:00Z' } },
    answer: /skill\.not_found/,
  },
];

/**
 * Lets Claude Code list and call every tool of a running server, over both transports, as a scripted model requests.
 * Returns the problems; empty if there are none.
 */
export async function claudeCodeOverMcp(sandbox: Sandbox, installed: Installed): Promise<string[]> {
  const problems: string[] = [];
  for (const strategy of STRATEGIES) problems.push(...(await overMcp(sandbox, installed, strategy)));
  return problems;
}

async function overMcp(sandbox: Sandbox, installed: Installed, strategy: Strategy): Promise<string[]> {
  const program = await BuiltProgram.prepare();
  try {
    const server = await program.serve({ GUILDBOOK_RECALL_STRATEGY: strategy });
    const { token } = await (await server.administrator()).agents.add({ name: 'claude-code' });
    const config = join(sandbox.home, 'mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: serversFor(server.url, token) }));
    const script = SERVERS.flatMap((transport) =>
      callsOf(`run-${transport}`, strategy).map((call) => ({ transport, ...call })),
    );
    const model = await serveModel((body) => nextTurn(body, script));
    try {
      const claude = installedFile(installed, '@anthropic-ai/claude-code', 'claude');
      const environment = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: model.url, ENABLE_TOOL_SEARCH: 'false' };
      const allowed = SERVERS.map((transport) => `mcp__${transport}`).join(',');
      const options = ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', allowed];
      await sandbox.run(claude, ['-p', 'use every tool', ...options], environment);
    } finally {
      await model.close();
    }
    return problemsOf(model.requests, script);
  } finally {
    await program.remove();
  }
}

const serversFor = (url: string, token: string) => ({
  http: { type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } },
  stdio: {
    command: process.execPath,
    args: [join(PROJECT_ROOT, 'dist', 'cli', 'main.js'), 'mcp'],
    env: { GUILDBOOK_SERVER: url, GUILDBOOK_TOKEN: token },
  },
});

type Script = readonly (Call & { readonly transport: string })[];

/** The call after those that have results. Claude Code also sends requests without tools, for example for a title. */
function nextTurn(body: string, script: Script): ScriptedTurn | undefined {
  const request = Request.safeParse(parsed(body));
  if (!request.success || request.data.tools.length === 0) return undefined;
  const results = resultsOf(body);
  const call = script[results.length];
  if (!call) return undefined;
  const ids = results.map((result) => /"id": ?"([0-9a-f-]{36})"/.exec(result)?.[1]);
  const id = ids[script.findLastIndex(({ tool }, at) => tool === 'remember' && at < results.length)] ?? '';
  const input: unknown = JSON.parse(JSON.stringify(call.input).replaceAll('"$"', JSON.stringify(id)));
  return { name: `mcp__${call.transport}__${call.tool}`, input };
}

/** The texts of all tool results of a conversation, in order. */
function resultsOf(body: string): string[] {
  const request = Request.safeParse(parsed(body));
  const parts = request.success
    ? request.data.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    : [];
  return parts.flatMap((part) => {
    const result = ToolResult.safeParse(part);
    if (!result.success) return [];
    const { content } = result.data;
    return [typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')];
  });
}

function problemsOf(requests: readonly string[], script: Script): string[] {
  const offered = new Set(
    requests.flatMap((body) => Request.safeParse(parsed(body)).data?.tools ?? []).map(({ name }) => name),
  );
  const called = script.map(({ transport, tool }) => `mcp__${transport}__${tool}`);
  const missing = called.filter((name) => !offered.has(name));
  const uncalled = [...offered].filter((name) => name.startsWith('mcp__') && !called.includes(name));
  const results = requests.map(resultsOf).reduce((most, some) => (some.length > most.length ? some : most), []);
  const wrong = script.flatMap(({ transport, tool, answer }, at) =>
    answer.test(results[at] ?? '')
      ? []
      : [`${transport} ${tool} answered ${JSON.stringify(results[at]?.slice(0, 200))}`],
  );
  return [
    ...missing.map((name) => `${name} is not offered`),
    ...uncalled.map((name) => `${name} is not called`),
    ...wrong,
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
