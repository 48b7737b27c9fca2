import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { ExecutionList } from '../../src/capture/store/executions.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { Console, decoded } from '../support/console.js';
import { onlyPending, pythonReport } from '../support/fleet.js';
import { run, SYNTAX_ERROR } from '../support/reports.js';

/** Agents with their owners; two spellings are one owner, and one agent has none. */
const AGENTS = [
  ['ada', 'Books'],
  ['ben', 'books'],
  ['cleo', 'Rita Reviewer'],
  ['dora', 'rita.reviewer@example.org'],
  ['emil', undefined],
] as const;
/** The same kind of failure without the remedy that the proposal is about. */
const GIVEN_UP = [run('python manage.py check', SYNTAX_ERROR)];

describe('each count of a proposal opens the executions that it counts', () => {
  let app: TestApplication;
  let reviewer: Awaited<ReturnType<typeof Console.signedIn>>;
  let commands: CommandLine;
  let proposal: ProposalDetails;
  let tasks = 0;

  beforeAll(async () => {
    app = await startTestApplication();
    reviewer = await Console.signedIn(app, 'Rita Reviewer', { reviewer: true });
    commands = await CommandLine.create();
    const agents = await Promise.all(AGENTS.map(async ([name, owner]) => (await app.agent(name, owner)).client));
    const report = async (agent: number, change: object = {}) => {
      await agents[agent]?.executions.report({ ...pythonReport(app, `number ${tasks++}`), ...change });
    };
    for (let n = 0; n < 12; n += 1) await report(n % 5);
    // Two agents on one task.
    const shared = { taskTitle: 'Prepare the shared service' };
    for (const agent of [1, 3]) await report(agent, shared);
    await report(0, { toolCalls: [run('ls')] });
    await app.settled();
    await app.admin.evolver.run(false);
    // What is reported later counts once a cycle has refreshed the proposal.
    await report(2, { toolCalls: GIVEN_UP });
    await report(4);
    await app.settled();
    await app.admin.evolver.run(false);
    proposal = await onlyPending(app);
    await report(3);
    await app.settled();
  });
  afterAll(async () => {
    await commands.remove();
    await app.close();
  });

  const listed = (query: Record<string, unknown>): Promise<ExecutionList> =>
    app.admin.executions.list({ proposal: proposal.id, limit: 200, ...query });

  it('has one number of agents, owners and tasks, in the queue, the review and the cycle', async () => {
    const { agents, owners, origins, executions, failures, independent } = proposal.evidence;
    expect({ agents, owners, origins, executions, failures, independent }).toEqual({
      agents: 5,
      owners: 3,
      origins: 15,
      executions: 16,
      failures: 31,
      independent: 5,
    });
    expect(proposal.evidence.seenBy.map(({ agent, owner }) => [agent, owner]).sort()).toEqual([
      ['ada', 'Books'],
      ['ben', 'Books'],
      ['cleo', 'Rita Reviewer'],
      ['dora', 'Rita Reviewer'],
      ['emil', null],
    ]);
    const counts = { agents, owners, origins, executions, failures };
    const { items } = await app.admin.proposals.list({ minAgents: 5 });
    expect(items.map(({ evidence }) => evidence)).toEqual([counts]);
    const [cycle] = (await app.admin.evolver.reports({ limit: 1 })).items;
    expect(cycle?.report?.proposals).toMatchObject([counts]);
  });

  it('lists over REST as many executions as it counts, of as many agents', async () => {
    const { items, total } = await listed({});
    expect(total).toBe(proposal.evidence.executions);
    expect(new Set(items.map(({ agent }) => agent)).size).toBe(proposal.evidence.agents);
    expect(new Set(items.map(({ taskTitle }) => taskTitle)).size).toBe(proposal.evidence.origins);
    for (const { agent, executions } of proposal.evidence.seenBy)
      expect([agent, (await listed({ agent })).total]).toEqual([agent, executions]);
  });

  it('lists them on the pages that a review links', async () => {
    const page = (await reviewer.get(`/review/${proposal.id}`)).text;
    expect(decoded(page.replaceAll(/(?:\s*<[^>]*>\s*)+/g, ' '))).toContain(
      '5 agents · 3 owners · 1 project · 15 tasks · 1 day · 31 failures in 16 executions',
    );
    const links = [...page.matchAll(/<a href="(\/fleet\?[^"]+)"[^>]*>(?:<b>.*?in )?(\d+)/g)].map(([, href = '', n]) => [
      decoded(href),
      Number(n),
    ]);
    expect(links).toHaveLength(1 + AGENTS.length);
    for (const [href, n] of links) {
      const list = (await reviewer.get(String(href))).text;
      expect([href, list.match(/<a href="\/executions\/[^"]+" data-row>/g)?.length]).toEqual([href, n]);
      expect(list).toMatch(new RegExp(`<h2 id="recent-title">${n} executions? .*that the proposal counts</h2>`));
    }
  });

  it('lists them on the command line, with the command that the proposal names', async () => {
    const environment = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken };
    const shown = (await commands.run(['proposals', 'show', proposal.id], environment)).stdout;
    expect(shown).toContain('Seen by 5 agents of 3 owners in 1 project on 15 tasks: 31 failures in 16 executions');
    const command = /guildbook (proposals executions \S+)/.exec(shown)?.[1]?.split(' ') ?? [];
    const lines = (await commands.run(command, environment)).stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('16 executions.');
    expect(lines.filter((line) => /^[0-9a-f]{8}-/.test(line))).toHaveLength(16);
    const json = (await commands.run([...command, '--agent', 'ben', '--json'], environment)).stdout;
    const { items, total }: { items: { agent: string }[]; total: number } = JSON.parse(json);
    expect([...new Set(items.map(({ agent }) => agent)), items.length]).toEqual(['ben', total]);
    expect(total).toBe(proposal.evidence.seenBy.find(({ agent }) => agent === 'ben')?.executions);
  });
});
