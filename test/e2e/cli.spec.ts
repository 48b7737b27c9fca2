import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListedPrincipal } from '../../src/access/identity/access.schema.js';
import type { ProposalPage } from '../../src/approvals/proposals/proposals.schema.js';
import { EXIT, type ExitCode } from '../../src/cli/terminal/cli-error.js';
import { Guildbook } from '../../src/client/guildbook.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import type { SkillSummary } from '../../src/skills/catalogue/skills.schema.js';
import type { AddedWebhook } from '../../src/webhooks/webhooks.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { BuiltProgram, type ServerProcess } from '../support/cli.js';
import { CommandLine } from '../support/command-line.js';

const FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');

describe('the command line on a server after its first start', () => {
  let program: CommandLine;
  let server: TestApplication;

  beforeAll(async () => {
    program = await CommandLine.create();
    server = await startTestApplication();
  });
  afterAll(async () => {
    await server.close();
    await program.remove();
  });

  const guildbook = (...args: string[]) => program.run(args);
  const succeeds = async (...args: string[]) => {
    const { code, stdout, stderr } = await guildbook(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  const fails = (...args: string[]) => failsWith(EXIT.failed, ...args);
  const failsWith = async (exit: ExitCode, ...args: string[]) => {
    const { code, stdout, stderr } = await guildbook(...args);
    expect({ args, code, stdout }).toEqual({ args, code: exit, stdout: '' });
    // A message for a person, never a stack.
    expect(stderr).not.toMatch(/\n\s+at /);
    return stderr;
  };
  const json = async (...args: string[]): Promise<unknown> => JSON.parse(await succeeds('--json', ...args));
  // The answers of the API, which its own specs hold to their schemas.
  const pending = async () => ((await json('proposals', 'list')) as ProposalPage).items;

  const rosaSignedIn = async () => {
    const rosa = ((await json('people')) as ListedPrincipal[]).find(({ name }) => name === 'Rosa')?.id ?? '';
    const [, pass = ''] = /--token (gbo_\S+)/.exec(await succeeds('people', 'invite', rosa)) ?? [];
    const { token } = await new Guildbook({ server: server.url }).signIn(pass);
    const environment = { GUILDBOOK_SERVER: server.url, GUILDBOOK_TOKEN: token };
    return { rosa, asRosa: (...args: string[]) => program.run(args, environment) };
  };

  it('explains how to sign in without a sign-in', async () => {
    expect(await failsWith(EXIT.notPermitted, '--server', server.url, 'proposals')).toContain(
      `guildbook login --server ${server.url}`,
    );
    expect(await failsWith(EXIT.usage, '--server', server.url, 'login')).toContain('--token <token>');
    expect(
      await failsWith(EXIT.notPermitted, '--server', server.url, 'login', '--token', 'gbo_this-is-no-token-of-ours'),
    ).toContain('access.unknown');
  });

  it('reports a missing server and a malformed address', async () => {
    expect(await failsWith(EXIT.noResponse, '--server', 'http://127.0.0.1:9', 'login', '--token', 'x')).toContain(
      'guildbook serve',
    );
    expect(await failsWith(EXIT.usage, '--server', 'localhost:4747', 'login', '--token', 'x')).toContain(
      'http://127.0.0.1:4747',
    );
  });

  it('signs the administrator in with the token of an invitation, which works once', async () => {
    const { principal } = await server.admin.me();
    const { token } = await server.admin.people.invite(principal.id);
    const said = await succeeds('login', '--server', server.url, '--token', token);
    expect(said).toContain('as Administrator');
    expect(await succeeds('whoami')).toContain('decide');
    expect(await failsWith(EXIT.notPermitted, 'login', '--token', token)).toContain('already used');
  });

  it('stores the sign-in readable only by its user, and signs in again without a token', async () => {
    expect(statSync(program.sessionFile).mode & 0o777).toBe(0o600);
    expect(await succeeds('login')).toContain('Signed in');
    expect(statSync(program.sessionFile).mode & 0o777).toBe(0o600);
    expect(await succeeds('--server', `${server.url}/`, 'whoami')).toContain('Administrator');
  });

  it('prints a browser link that the server accepts', async () => {
    const [, url] = (await succeeds('login', '--browser')).match(/(http\S+\/sign-in\?token=gbl_\S+)/) ?? [];
    expect(await (await fetch(url ?? '')).text()).toContain('type="hidden"');
  });

  it('names the next step when a list is empty', async () => {
    expect(await succeeds('proposals')).toContain('guildbook evolve');
    expect(await succeeds('skills')).toContain('guildbook proposals list');
    expect(await succeeds('agents')).toContain('guildbook agents add');
    expect(await succeeds('lessons')).toContain('reported executions');
    expect(await succeeds('evolve', '--dry-run')).toContain('0 executions');
  });

  it('registers agents and people, and shows each credential once', async () => {
    expect(await succeeds('agents', 'add', 'build-bot', '--owner', 'platform team')).toMatch(/gbt_\S{20}/);
    expect(await succeeds('agents')).toMatch(/build-bot +platform team/);
    expect(await succeeds('agents')).not.toContain('gbt_');
    expect(await fails('agents', 'add', 'build-bot')).toContain('access.name_taken');
    expect(await succeeds('people', 'add', 'Rosa', '--email', 'rosa@example.org', '--reviewer')).toContain(
      `guildbook login --server ${server.url} --token gbo_`,
    );
    expect(await failsWith(EXIT.usage, 'people', 'add', 'Rosa', '--email', 'not-an-address')).toContain('email');
  });

  it('changes the roles of a person, and keeps the last administrator', async () => {
    const items = (await json('people')) as ListedPrincipal[];
    const idOf = (name: string) => items.find((person) => person.name === name)?.id ?? '';
    expect(await succeeds('people', 'change', idOf('Rosa'), '--admin', '--no-reviewer')).toBe('Rosa: admin.\n');
    expect(await succeeds('people', 'change', idOf('Rosa'), '--no-admin', '--reviewer')).toBe('Rosa: reviewer.\n');
    expect(await fails('people', 'change', idOf('Administrator'), '--no-admin')).toContain('access.last_administrator');
  });

  it('issues a token with a lifetime in days, and shows the day of its expiry', async () => {
    await succeeds('services', 'add', 'nightly', '--expires-in-days', '30');
    expect(await succeeds('services')).toMatch(/nightly .*never +\d{4}-\d\d-\d\d/);
    expect(await failsWith(EXIT.usage, 'agents', 'add', 'soon', '--expires-in-days', 'a week')).toContain(
      'whole number of days',
    );
  });

  it('imports transcripts with progress, counts what it skips, and imports nothing twice', async () => {
    const first = await guildbook('import', 'claude-code', FLEET);
    expect(first.stderr).toContain('43 executions from 43 files');
    expect(first.stdout).toContain('Imported 43 executions of 10 agents from 43 files: 43 new, 0 duplicates.');
    expect(first.stdout).toMatch(/unreadable lines +3/);
    expect(await json('import', 'claude-code', FLEET)).toMatchObject({ imported: 43, new: 0, duplicates: 43 });
  });

  it('imports nothing from a file that is not a transcript, and names the reason', async () => {
    const folder = join(program.folder, 'not transcripts');
    await mkdir(folder);
    writeFileSync(join(folder, 'list.jsonl'), '[1, 2]\n"text"\nnull\n{"type": "user", "mess');
    writeFileSync(join(folder, 'binary.jsonl'), Buffer.from([0, 255, 254, 10, 13, 0, 128]));
    const binary = { file: expect.stringContaining('binary.jsonl'), reason: 'binary file' };
    expect(await json('import', 'claude-code', folder)).toMatchObject({
      imported: 0,
      badLines: 4,
      skipped: { 'place where records were lost': 1 },
      unreadFiles: [binary],
    });
    const { code, stdout } = await guildbook('--json', 'import', folder);
    expect({ code, summary: JSON.parse(stdout) }).toMatchObject({
      code: EXIT.failed,
      summary: {
        imported: 0,
        unreadFiles: [binary, { file: expect.stringContaining('list.jsonl'), reason: 'unknown format' }],
      },
    });
    expect(await failsWith(EXIT.usage, 'import', 'claude-code', join(folder, 'gone'))).toContain(
      'No such file or folder',
    );
  });

  it('shows the proposals of a dry run without writing anything', async () => {
    expect(await succeeds('evolve', '--dry-run')).toContain('3 proposals (dry run)');
    expect(await pending()).toEqual([]);
  });

  it('runs a cycle, then lists, shows, approves and rejects its proposals', async () => {
    expect(await succeeds('evolve')).toContain('3 proposals');
    const [first, second] = await pending();
    const list = await succeeds('proposals', 'list');
    for (const item of [first, second]) expect(list).toContain(item?.title);
    const shown = await succeeds('proposals', 'show', first?.id.slice(0, 8) ?? '');
    expect(shown).toContain(`--- SKILL.md, sha256 ${first?.artifactSha256} ---`);
    expect(shown).toContain(`proposals approve ${first?.id}`);
    expect(shown).toMatch(
      /\nCheck, (?:tested on other runs|not tested yet): with it \d+ of \d+ worked, without it \d+ of \d+/,
    );
    expect(shown).toMatch(/\nBacktest(?:: not enough evidence| on \d+ held-out executions)/);
    expect(shown).toContain('\nDossier: ');

    expect(await fails('proposals', 'approve', first?.id ?? '', '--sha256', '000000000000')).toContain(
      'has changed since you read it',
    );
    const approved = await succeeds(
      'proposals',
      'approve',
      first?.id ?? '',
      '--sha256',
      (first?.artifactSha256 ?? '').slice(0, 12),
    );
    // Its evidence comes only from this person's import, so another reviewer must approve it as well.
    expect(shown).toContain('all agents belong to Administrator');
    expect(approved).toContain('Your vote is recorded: 1 of 2.');
    const { asRosa } = await rosaSignedIn();
    const other = await asRosa('proposals', 'approve', first?.id ?? '', '--sha256', first?.artifactSha256 ?? '');
    expect(other.stdout).toContain(`skills show ${first?.skillName}`);
    expect(await fails('proposals', 'approve', first?.id ?? '', '--sha256', first?.artifactSha256 ?? '')).toContain(
      'proposal.already_decided',
    );

    expect(await failsWith(EXIT.usage, 'proposals', 'reject', second?.id ?? '')).toContain('--reason');
    await succeeds('proposals', 'reject', second?.id.slice(0, 8) ?? '', '--reason', 'the image is being replaced');
    expect(await succeeds('proposals', 'list', '--state', 'rejected')).toContain(second?.title);
    expect(await succeeds('proposals', 'show', second?.id ?? '')).toContain('the image is being replaced');
  });

  it('shows the approved skill', async () => {
    const approved = (await json('proposals', 'list', '--state', 'approved')) as ProposalPage;
    const name = approved.items[0]?.skillName ?? '';
    expect(await succeeds('skills')).toContain(name);
    expect(await succeeds('skills', 'show', name)).toContain(`name: "${name}"`);
  });

  it('sets the rollout of a skill, imports reported and transcribed uses, and shows the effect', async () => {
    const [skill] = ((await json('skills')) as SkillSummary[]).map(({ name }) => name);
    const name = skill ?? '';
    expect(await succeeds('skills', 'effect', name)).toContain('has received it from the start');
    expect(await succeeds('skills', 'rollout', name, '25')).toContain('25 % of agents');
    expect(await failsWith(EXIT.usage, 'skills', 'rollout', name, '50')).toContain('must be 5, 25 or 100');
    const use = ['skills', 'use', name, '--execution', 'run-1', '--agent', 'build-bot'];
    expect(await succeeds(...use)).toContain(`Reported: build-bot, applied ${name}`);
    expect(await succeeds(...use)).toContain('Already reported');
    const folder = join(program.folder, 'skilled');
    await mkdir(folder);
    const about = { sessionId: 'skilled', timestamp: new Date().toISOString(), attributionSkill: name };
    const message = { id: 'm', content: [{ type: 'text', text: 'Done.' }] };
    writeFileSync(join(folder, 'skilled.jsonl'), JSON.stringify({ ...about, type: 'assistant', message }));
    expect(await json('import', 'claude-code', folder)).toMatchObject({
      imported: 1,
      new: 1,
      skillUses: 1,
      skipped: {},
    });
    expect(await json('import', 'claude-code', folder)).toMatchObject({
      imported: 1,
      new: 0,
      skillUses: 0,
      skipped: {},
    });
    expect(await succeeds('skills', 'effect', name)).toMatch(
      /Not enough data[\s\S]*Used by 2 agents: [\s\S]*applied 2 times/,
    );
    expect(await succeeds('skills', 'effect')).toMatch(new RegExp(`${name} +1 +25 % +not-enough-data`));
    expect(await json('skills', 'effect', name)).toMatchObject({ percent: 25, uses: { applied: 2 } });
  });

  it('proposes another name for a skill, and shows the difference', async () => {
    const name = ((await json('proposals', 'list', '--state', 'approved')) as ProposalPage).items[0]?.skillName ?? '';
    const asked = await succeeds('skills', 'rename', name, 'another-name');
    const [, id = ''] = /proposals show (\S+)/.exec(asked) ?? [];
    const shown = await succeeds('proposals', 'show', id);
    expect(shown).toContain(`\n-name: "${name}"\n+name: "another-name"\n`);
    expect(shown).toContain('[amend, pending');
    expect(await failsWith(EXIT.usage, 'skills', 'rename', name, 'con')).toContain('skill.bad_name');
  });

  it('names the missing object, or the wrong argument', async () => {
    const nowhere = '00000000-0000-4000-8000-000000000000';
    expect(await failsWith(EXIT.notFound, 'proposals', 'show', nowhere)).toContain('proposal.not_found');
    expect(await failsWith(EXIT.notFound, 'proposals', 'show', 'abcdef')).toContain('There is no proposal "abcdef"');
    expect(await failsWith(EXIT.notFound, 'proposals', 'show', 'ab')).toContain('first 4 characters');
    expect(await failsWith(EXIT.notFound, 'agents', 'disable', 'bild-bot')).toContain('Did you mean "build-bot"?');
    expect(await failsWith(EXIT.usage, 'proposals', 'list', '--state', 'open')).toContain('pending');
    expect(await failsWith(EXIT.notFound, 'skills', 'show', 'no-such-skill')).toContain('skill.not_found');
    expect(await failsWith(EXIT.notFound, 'agents', 'rotate', nowhere)).toContain('access.unknown_principal');
    expect(await failsWith(EXIT.usage, 'lessons', '--limit', 'many')).toContain('limit');
    expect(await failsWith(EXIT.usage, 'aprovals')).toContain('Unknown command');
  });

  it('sets a review scope, lists the proposals of a reviewer, and records both halves of an override', async () => {
    const { rosa, asRosa } = await rosaSignedIn();
    expect(await succeeds('people', 'change', rosa, '--review-scope', 'platform', 'sales:crm', ':ci')).toBe(
      'Rosa: reviewer, review scope platform, sales:crm, :ci.\n',
    );
    expect(await succeeds('people')).toContain('platform, sales:crm, :ci');

    const item = (await pending()).find(({ kind }) => kind === 'new_skill');
    const half = ['proposals', 'override', item?.id ?? '', '--sha256', item?.artifactSha256.slice(0, 12) ?? ''];
    expect(await succeeds('proposals', 'list', '--mine')).toContain(item?.title);
    expect((await asRosa('proposals', 'list', '--mine')).stdout).not.toContain(item?.title);
    expect((await asRosa('proposals', 'list')).stdout).toContain(item?.title);
    expect((await asRosa('proposals', 'approve', ...half.slice(2))).stderr).toContain('proposal.outside_review_scope');
    expect(await failsWith(EXIT.usage, ...half)).toContain('--reason');
    expect((await asRosa(...half, '--reason', 'everybody else is away')).stdout).toContain('Another reviewer has to');
    expect(await succeeds(...half, '--reason', 'read it as well')).toContain('Approved by override: ');
    expect(await succeeds('people', 'change', rosa, '--review-scope', 'all')).toBe('Rosa: reviewer.\n');
  });

  it('verifies the journal, and prints every result as JSON with --json', async () => {
    expect(await succeeds('journal', 'verify')).toContain('The journal is intact');
    expect(await json('journal', 'verify')).toMatchObject({ intact: true });
    for (const command of [
      'whoami',
      'status',
      'lessons',
      'proposals',
      'skills',
      'journal',
      'agents',
      'people',
      'services',
    ])
      expect(await json(command)).toBeDefined();
  });

  it('adds a webhook, tests it, lists its deliveries, and removes it', async () => {
    expect(await failsWith(EXIT.usage, 'webhooks', 'add', 'https://10.0.0.1/')).toContain('not public');
    const { id, secret } = (await json(
      'webhooks',
      'add',
      'https://hooks.invalid/x',
      '--format',
      'teams',
    )) as AddedWebhook;
    expect(secret).toMatch(/^whsec_/);
    expect(await succeeds('webhooks')).toMatch(/submitted, approved, rejected, expired, withdrawn +teams/);
    const { code, stdout } = await guildbook('webhooks', 'test', id);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^failed: ./) });
    expect(await succeeds('webhooks', 'deliveries', id)).toContain('webhook.test');
    expect(await succeeds('webhooks', 'remove', id)).toContain('Removed webhook');
    expect(await succeeds('webhooks')).toContain('No webhooks');
  });

  it('signs out on all devices, and then asks to sign in', async () => {
    expect(await json('logout')).toEqual({ signedOut: true, server: server.url });
    expect(await failsWith(EXIT.notPermitted, '--server', server.url, 'whoami')).toContain('guildbook login');
  });

  it('sets a damaged file of sign-ins aside, and names it', async () => {
    writeFileSync(program.sessionFile, '{"server": "http://127.0.');
    const said = await failsWith(EXIT.notPermitted, '--server', server.url, 'whoami');
    expect(said).toContain('guildbook login');
    const [, aside = ''] = /is now (\S+sessions\.json\.unreadable-\S+)\. /.exec(said) ?? [];
    expect(readFileSync(aside, 'utf8')).toBe('{"server": "http://127.0.');
  });
});

describe('the built program on a server after its first start', () => {
  let program: BuiltProgram;
  let server: ServerProcess;

  beforeAll(async () => {
    program = await BuiltProgram.prepare();
    server = await program.serve();
  });
  afterAll(() => program.remove());

  it('signs the administrator in with the token of the first start, which works once', async () => {
    const token = server.oneTimeToken ?? '';
    const login = () => program.run(['login', '--server', server.url, '--token', token]);
    expect(await login()).toMatchObject({ code: 0, stdout: expect.stringContaining('as Administrator'), stderr: '' });
    expect(await program.run(['whoami'])).toMatchObject({ code: 0, stdout: expect.stringContaining('decide') });
    const refused = { code: EXIT.notPermitted, stdout: '', stderr: expect.stringContaining('already used') };
    expect(await login()).toEqual(refused);
  });

  it('ends without an error when the reader of its output stops early', async () => {
    expect(await program.run(['import', 'claude-code', join(FLEET, 'checkout-api')])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('4 new'),
      stderr: expect.stringContaining('from 4 files'),
    });
    expect((await program.runUnread(['journal', 'list', '--limit', '500'])).stderr).toBe('');
  });

  it('starts a second time without a token, with all earlier data', async () => {
    expect(await server.stop('SIGTERM')).toBe('SIGTERM');
    server = await program.serve();
    expect(server.log).not.toContain('gbo_');
    const session = readFileSync(program.sessionFile, 'utf8').replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, server.url);
    writeFileSync(program.sessionFile, session);
    const { stdout } = await program.run(['--json', 'status']);
    expect(JSON.parse(stdout)).toMatchObject({ executions: 4 });
  });
});

describe('the command line with an expired sign-in', () => {
  it('explains how to continue after the sign-in has expired', async () => {
    const program = await CommandLine.create();
    const app = await startTestApplication();
    try {
      const environment = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken };
      expect((await program.run(['whoami'], environment)).code).toBe(0);
      app.clock.advance(61 * 60_000);
      const { code, stderr } = await program.run(['whoami'], environment);
      expect({ code, stderr }).toEqual({
        code: EXIT.notPermitted,
        stderr: expect.stringContaining('Sign in again with: guildbook login'),
      });
    } finally {
      await app.close();
      await program.remove();
    }
  });
});
