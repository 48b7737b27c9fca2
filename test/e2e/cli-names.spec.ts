import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { PREDICATE } from '../support/checked-proposal.js';
import { CommandLine } from '../support/command-line.js';
import { submitTestProposal } from '../support/proposal-input.js';

let program: CommandLine;
beforeAll(async () => {
  program = await CommandLine.create();
});
afterAll(() => program.remove());

describe('the command line with names instead of ids', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const guildbook = (...args: string[]) =>
    program.run(args, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken });
  const succeeds = async (...args: string[]) => {
    const { code, stdout, stderr } = await guildbook(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };

  it('marks a proposal as a gate, shows that, and takes the mark off, with its text unchanged', async () => {
    const proposal = await submitTestProposal(app, 'gate-on-the-line', {}, { predicate: PREDICATE });
    const edited = () => app.admin.proposals.show(proposal.id);
    expect(await succeeds('proposals', 'edit', 'gate-on-the-line', '--gate')).toContain('Saved as revision 2 ');
    expect((await edited()).proposedSkill).toEqual({ ...proposal.proposedSkill, gate: true });
    expect(await succeeds('proposals', 'show', 'gate-on-the-line')).toContain(
      '\nGate: refuses a call that it is about once in a session, with this lesson.\n',
    );
    await succeeds('proposals', 'edit', 'gate-on-the-line', '--no-gate');
    expect((await edited()).proposedSkill).toEqual(proposal.proposedSkill);
    const { code, stderr } = await guildbook('proposals', 'edit', 'gate-on-the-line');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Enter --file, --gate or --no-gate.')]);
  });

  it('rotates and disables exactly the agent, service or person that has the name, and prints name and id', async () => {
    const agent = await app.agent('importer');
    const service = await app.admin.services.add({ name: 'importer', scopes: ['read'] });
    const rosa = await app.person('Rosa', {});
    expect(await succeeds('services', 'disable', 'importer')).toBe(`Disabled importer, id ${service.principal.id}.\n`);
    await agent.client.me();
    await expect(app.client(service.token).me()).rejects.toMatchObject({ problem: { status: 401 } });
    const rotated = await succeeds('agents', 'rotate', 'importer');
    expect(rotated).toContain(`New token for importer, id ${agent.id} (shown only once):`);
    await expect(agent.client.me()).rejects.toMatchObject({ problem: { status: 401 } });
    expect(await succeeds('people', 'change', 'rosa@EXAMPLE.org', '--reviewer')).toBe('Rosa: reviewer.\n');
    expect(await succeeds('people', 'disable', 'Rosa')).toBe(`Disabled Rosa, id ${rosa.id}.\n`);
  });

  it('approves a proposal by the name of its skill, only with the hash of the file that was read', async () => {
    const { id, skillName, title, artifactSha256 } = await submitTestProposal(app, 'Pelican exports need python3');
    expect(await succeeds('proposals', 'show', skillName)).toContain(`sha256 ${artifactSha256}`);
    const approve = ['proposals', 'approve', skillName, '--sha256'];
    const refused = await guildbook(...approve, '0'.repeat(12));
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('has changed since you read it');
    expect(await succeeds(...approve, artifactSha256.slice(0, 12))).toContain(`Approved "${title}", id ${id}.`);
  });

  it('rejects and reopens a proposal by its title in dashes and the beginning of its id', async () => {
    const { id, title } = await submitTestProposal(app, 'Heron exports need perl');
    const reason = ['--reason', 'the image is being replaced'];
    expect(await succeeds('proposals', 'reject', 'heron-exports-need-perl', ...reason)).toBe(
      `Rejected "${title}", id ${id}.\n`,
    );
    expect(await succeeds('proposals', 'reopen', id.slice(0, 8), ...reason)).toContain('Reopened as ');
  });

  it('retires and lists lessons by the beginning of the id and the name of the agent', async () => {
    const ada = await app.agent('Ada');
    const { id } = await ada.client.remember({ lesson: 'Zeppelins land against the wind', tags: ['non-inferable'] });
    expect(await succeeds('lessons', '--agent', 'Ada')).toContain(id);
    expect(await succeeds('memory', 'retire', id.slice(0, 8), '--reason', 'It is wrong.')).toBe(
      `Retired: Zeppelins land against the wind, id ${id}\n`,
    );
  });

  it('removes a webhook by its URL', async () => {
    const { id } = await app.admin.webhooks.add({ url: 'https://hooks.invalid/x' });
    expect(await succeeds('webhooks', 'remove', 'https://hooks.invalid/x')).toBe(
      `Removed webhook https://hooks.invalid/x, id ${id}.\n`,
    );
  });

  it('lists cycles, and shows one by the beginning of its id', async () => {
    const { id } = await app.admin.evolver.run(true);
    expect(await succeeds('evolve', 'cycles')).toContain(id);
    expect(await succeeds('evolve', 'cycles', id.slice(0, 8))).toContain(`Cycle ${id}`);
  });
});

/** Clears the screen, turns the text around, and forges a line. */
const HOSTILE = 'bot\u001b[2J\u202e\r\nFORGED';
const idOf = (start: string) => `${start}${'0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a'.slice(start.length)}`;
const agent = (start: string, name: string, disabledAt: string | null = null) => ({
  id: idOf(start),
  kind: 'agent',
  name,
  email: null,
  owner: `owner of ${start}`,
  role: null,
  department: null,
  createdAt: '2026-01-05T09:00:00.000Z',
  disabledAt,
});

describe('the command line with names from a hostile server', () => {
  let server: Server;
  let url: string;
  let seen: string[] = [];

  beforeAll(async () => {
    const agents = [
      ...[agent('aaaa1', 'twin'), agent('aaaa2', 'twin'), agent('cafe1', HOSTILE), agent('cafe2', HOSTILE)],
      ...[agent('beef1', 'target'), agent('d00d1', 'beef1'), agent('e0e01', 'old', '2026-01-06T09:00:00.000Z')],
      agent('e0e02', 'old'),
    ];
    // Each page names the next one, as a long queue does; the proposal is on the last page.
    const page = (after: string | null) => ({
      items: [
        {
          id: idOf(after === null ? 'aaaa' : 'bbbb'),
          skillName: `skill-${after ?? 'first'}`,
          title: 'T',
          createdAt: '',
        },
      ],
      total: 2,
      next: after === null ? 'last' : null,
    });
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const principal = agents.find(({ id }) => pathname.includes(id));
      const list = pathname === '/v1/agents' ? { items: agents } : page(searchParams.get('after'));
      const answer = request.method === 'GET' ? list : { ...principal, title: 'T', id: pathname.split('/')[3] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const guildbook = async (...args: string[]) => {
    seen = [];
    const { code, stdout, stderr } = await program.run(args, { GUILDBOOK_SERVER: url, GUILDBOOK_TOKEN: 'gbp_example' });
    return { ok: code === 0, said: stdout + stderr, writes: seen.filter((one) => !one.startsWith('GET')) };
  };

  it('disables neither of two agents with equal names, and lists both with what tells them apart', async () => {
    const { ok, said, writes } = await guildbook('agents', 'disable', 'twin');
    expect({ ok, writes }).toEqual({ ok: false, writes: [] });
    expect(said).toContain(`  ${idOf('aaaa1')}  twin  owner of aaaa1`);
    expect(said).toContain(`  ${idOf('aaaa2')}  twin  owner of aaaa2`);
  });

  it('takes an exact name before the beginning of an id, and a live agent before a disabled one', async () => {
    expect((await guildbook('agents', 'disable', 'beef1')).writes).toEqual([`DELETE /v1/principals/${idOf('d00d1')}`]);
    expect((await guildbook('agents', 'disable', 'old')).writes).toEqual([`DELETE /v1/principals/${idOf('e0e02')}`]);
  });

  it('lets no name steer the terminal or forge a line of the candidates', async () => {
    for (const given of [HOSTILE, 'cafe']) {
      const { ok, said, writes } = await guildbook('agents', 'disable', given);
      expect({ ok, writes }).toEqual({ ok: false, writes: [] });
      expect(said).toContain('\\u{1b}[2J');
      for (const line of said.split('\n')) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]|^FORGED/u);
    }
  });

  it('asks for no list if it is given a whole id', async () => {
    await guildbook('agents', 'disable', idOf('beef1'));
    expect(seen).toEqual([`DELETE /v1/principals/${idOf('beef1')}`]);
  });

  it('follows the pages of a list to the name', async () => {
    const { writes } = await guildbook('proposals', 'reject', 'skill-last', '--reason', 'a reason');
    expect(seen.filter((one) => one.startsWith('GET'))).toHaveLength(2);
    expect(writes).toEqual([`POST /v1/proposals/${idOf('bbbb')}/reject`]);
  });
});
