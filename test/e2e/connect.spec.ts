import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PRODUCTS } from '../../src/access/identity/access.schema.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { programPath } from '../../src/platform/config/environment.js';
import { lockDirectory } from '../../src/platform/database/single-process-lock.js';
import { archiveOf } from '../../src/skills/catalogue/well-known.js';
import { receives } from '../../src/skills/delivery/audience.js';
import { filesOf as filesOfSkill } from '../../src/skills/document/bundle.js';
import { writeAgentPrograms } from '../support/agent-programs.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { FrontServer } from '../support/front-server.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { approvedSkill } from '../support/skills.js';

const PROGRAMS = ['claude', 'codex', 'gemini', 'opencode', 'copilot'];

let app: TestApplication;
let program: CommandLine;
let home: string;
let environment: Record<string, string>;

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());
beforeEach(async () => {
  program = await CommandLine.create();
  home = join(program.folder, 'home');
  await writeAgentPrograms(join(home, 'bin'), PROGRAMS);
  const PATH = `${join(home, 'bin')}${delimiter}${programPath()}`;
  environment = { PATH, XDG_CONFIG_HOME: '', GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken };
});
afterEach(() => program.remove());

const guildbook = (...words: string[]) => program.run(['connect', ...words], environment);

const path = (...parts: string[]): string => join(home, ...parts);
const read = (...parts: string[]): string => readFileSync(path(...parts), 'utf8');
const filesOf = (): string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('bin') && !file.endsWith('.log') && statSync(path(file)).isFile())
    .sort();
const tokenIn = (product: string): string =>
  /^token=(.*)$/m.exec(read('.config/guildbook', `${product}.conf`))?.[1] ?? '';
const put = async (file: string, text: string): Promise<void> => {
  await mkdir(join(path(file), '..'), { recursive: true });
  await writeFile(path(file), text);
};
const agents = async () => (await app.admin.agents.list()).items;

const OPENCODE = `{
  // my model
  "model": "local/small",
  "plugin": ["./mine.js"],
  "mcp": { "jira": { "type": "remote", "url": "https://jira.example.org" }, },
}
`;

describe('guildbook connect', () => {
  it.each(PRODUCTS)('connects %s with a separate token, and --undo leaves nothing', async (product) => {
    const connected = await guildbook(product, '--json', '--yes');
    expect(connected.stderr).toBe('');
    const { principal } = await app.admin.me();
    expect(JSON.parse(connected.stdout)).toMatchObject({
      product,
      server: app.url,
      agent: `${principal.name}/${product}`,
    });
    expect(connected.stdout).not.toContain(tokenIn(product));

    expect(statSync(path('.config/guildbook', `${product}.conf`)).mode & 0o777).toBe(0o600);
    expect(statSync(path('.local/share/guildbook/plugins', product, 'guildbook/guildbook-hook')).mode & 0o111).toBe(
      0o111,
    );
    const me = await app.client(tokenIn(product)).me();
    expect(me.principal).toMatchObject({ kind: 'agent', owner: principal.name });

    const undone = await guildbook(product, '--undo', '--json');
    expect(undone).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(undone.stdout)).toEqual({ product, wasConnected: true, revoked: true, left: [] });
    expect(filesOf().filter((file) => file !== 'codex-trust.json')).toEqual([]);
    expect(existsSync(path('.local/share/guildbook'))).toBe(false);
  });

  it('revokes the token with --undo, and a second --undo says that nothing is left', async () => {
    await guildbook('gemini');
    const token = tokenIn('gemini');
    await guildbook('gemini', '--undo');
    await expect(app.client(token).me()).rejects.toMatchObject({ problem: { status: 401 } });
    expect(await guildbook('gemini', '--undo')).toMatchObject({
      code: 0,
      stdout: 'Gemini CLI was not connected. Nothing of Guildbook is left.\n',
    });
  });

  it('may be run twice: one agent, one token, the same files', async () => {
    await guildbook('claude-code');
    const first = { token: tokenIn('claude-code'), files: filesOf() };
    await guildbook('claude-code');
    expect({ token: tokenIn('claude-code'), files: filesOf() }).toEqual(first);
    expect((await agents()).filter(({ name }) => name.endsWith('/claude-code'))).toHaveLength(1);
  });

  it('asks for another token after the stored one was revoked', async () => {
    await guildbook('copilot');
    const token = tokenIn('copilot');
    await app.client(token).ownToken.revoke();
    expect(await guildbook('copilot')).toMatchObject({ stderr: '' });
    expect(tokenIn('copilot')).not.toBe(token);
    expect((await app.client(tokenIn('copilot')).me()).principal.name).toMatch(/\/copilot$/);
  });

  it('replaces and revokes the token of another person who connected before', async () => {
    const rosa = await app.person('Rosa Before', {});
    environment['GUILDBOOK_TOKEN'] = rosa.token;
    await guildbook('copilot');
    const token = tokenIn('copilot');
    expect((await app.client(token).me()).principal.owner).toBe('Rosa Before');

    environment['GUILDBOOK_TOKEN'] = app.adminToken;
    const connected = await guildbook('copilot');
    expect(connected.stdout).toContain('Skills: none for this agent yet, kept up to date at the start of a session.');
    await expect(app.client(token).me()).rejects.toMatchObject({ problem: { status: 401 } });
    expect((await app.client(tokenIn('copilot')).me()).principal.owner).not.toBe('Rosa Before');
  });

  it('refuses the token of an agent, which may not connect others', async () => {
    await guildbook('gemini');
    environment['GUILDBOOK_TOKEN'] = tokenIn('gemini');
    expect(await guildbook('copilot')).toMatchObject({ code: 3, stdout: '' });
    expect(existsSync(path('.config/guildbook/copilot.conf'))).toBe(false);
  });

  it('adds the hook before a call, and drops it again with --no-gate', async () => {
    const hooks = () =>
      Object.keys(JSON.parse(read('.local/share/guildbook/plugins/codex/guildbook/hooks/hooks.json')).hooks);
    await guildbook('codex', '--yes');
    expect(hooks()).toContain('PreToolUse');
    expect(read('.config/guildbook/codex.conf')).toMatch(/^gate=on$/m);
    await guildbook('codex', '--no-gate', '--yes');
    expect(hooks()).not.toContain('PreToolUse');
    expect(read('.config/guildbook/codex.conf')).toMatch(/^gate=off$/m);
    await guildbook('codex', '--gate', '--yes');
    expect(hooks()).toContain('PreToolUse');
  });

  it("uses the product's own commands, and no token stands on a command line", async () => {
    await guildbook('claude-code');
    const folder = path('.local/share/guildbook/plugins/claude-code');
    expect(read('claude.log').split('\n')).toEqual([
      'plugin uninstall guildbook@guildbook-connect',
      'plugin marketplace remove guildbook-connect',
      `plugin marketplace add ${folder}`,
      'plugin install guildbook@guildbook-connect',
      '',
    ]);
    expect(read('claude.log')).not.toContain('gbt_');
  });

  it('changes only its own keys in the settings of OpenCode, keeps comments, and gives back the same bytes', async () => {
    await put('.config/opencode/opencode.jsonc', OPENCODE);
    await guildbook('opencode');
    const connected = read('.config/opencode/opencode.jsonc');
    const plugin = path('.local/share/guildbook/plugins/opencode/guildbook');
    for (const line of ['// my model', './mine.js', 'https://jira.example.org', join(plugin, 'guildbook.js')])
      expect(connected).toContain(line);
    expect(connected).toContain(join(plugin, 'guildbook-mcp'));
    await guildbook('opencode');
    expect(read('.config/opencode/opencode.jsonc')).toBe(connected);
    await guildbook('opencode', '--undo');
    expect(read('.config/opencode/opencode.jsonc')).toBe(OPENCODE);
  });

  it('takes out the keys that a product leaves behind, and gives back the bytes of what was there', async () => {
    const mine = '{\n  "theme": "dark"   }\n';
    await put('.claude/settings.json', mine);
    await guildbook('claude-code');
    // As the product leaves them after its plugin was removed.
    await put(
      '.claude/settings.json',
      '{"theme":"dark","enabledPlugins":{"guildbook@guildbook-connect":false},"extraKnownMarketplaces":{}}',
    );
    await put('.claude/mcp-needs-auth-cache.json', '{"plugin:guildbook:guildbook":{"timestamp":1}}');
    await put('.claude/plugins/cache/guildbook-connect/guildbook/0.1.0/hooks.json', '{}');
    await guildbook('claude-code', '--undo');
    expect(read('.claude/settings.json')).toBe(mine);
    expect(filesOf()).toEqual(['.claude/settings.json']);
  });

  it('keeps the other extensions of Gemini CLI, whose file is signed as a whole', async () => {
    const file = '.gemini/extension_integrity.json';
    const signed = (store: object, signature: string) => JSON.stringify({ store, signature });
    await put(file, signed({ other: { hash: 'a' } }, 's1'));
    await guildbook('gemini');
    await put(file, signed({ other: { hash: 'a' }, guildbook: { hash: 'b' } }, 's2'));
    await guildbook('gemini', '--undo');
    expect(read(file)).toBe(signed({ other: { hash: 'a' } }, 's1'));
  });

  it('keeps what a person changed in a file after it was connected', async () => {
    await put('.config/opencode/opencode.json', '{ "model": "local/small" }\n');
    await guildbook('opencode');
    const connected = read('.config/opencode/opencode.json');
    await put('.config/opencode/opencode.json', connected.replace('local/small', 'local/large'));
    await guildbook('opencode', '--undo');
    expect(JSON.parse(read('.config/opencode/opencode.json'))).toEqual({ model: 'local/large' });
  });

  it('does not replace an MCP server of another origin with its name', async () => {
    const mine = '{ "mcp": { "guildbook": { "type": "remote", "url": "https://guildbook.example.org/mcp" } } }\n';
    await put('.config/opencode/opencode.json', mine);
    const { code, stderr } = await guildbook('opencode');
    expect({ code, isNamed: stderr.includes('already have another MCP server') }).toEqual({ code: 1, isNamed: true });
    expect(read('.config/opencode/opencode.json')).toBe(mine);
    expect(filesOf()).toEqual(['.config/opencode/opencode.json']);
  });

  it.each([
    ['claude-code', '.claude/settings.json', '{ "model": '],
    ['codex', '.codex/config.toml', 'model = "unfinished\n'],
    ['gemini', '.gemini/settings.json', 'no JSON at all'],
    ['opencode', '.config/opencode/opencode.json', '{ "plugin": [ }'],
    ['copilot', '.copilot/config.json', '{ a: 1 }'],
  ])('leaves everything as it is and names the file if the settings of %s are broken', async (product, file, text) => {
    await put(file, text);
    const number = (await agents()).length;
    const { code, stdout, stderr } = await guildbook(product);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${path(file)} is not valid`);
    expect(stderr).toContain('Repair the file or move it away');
    expect(read(file)).toBe(text);
    expect(filesOf()).toEqual([file]);
    expect(await agents()).toHaveLength(number);
  });

  it('says in one sentence that the program is missing, and changes nothing', async () => {
    await rm(path('bin', 'gemini'));
    environment['PATH'] = path('bin');
    const { code, stderr } = await guildbook('gemini');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Error: Gemini CLI is not installed: there is no program "gemini" on the PATH. Nothing was changed.\n',
    );
    expect(filesOf()).toEqual([]);
  });

  it("says what the product's own command answered if it fails, and a later run completes it", async () => {
    await put('copilot.fails', '');
    const failed = await guildbook('copilot');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('the disk is full');
    expect(failed.stderr).toContain('--undo');
    await rm(path('copilot.fails'));
    expect((await guildbook('copilot')).stdout).toContain('Connected Copilot CLI');
  });

  it('does not trust the hooks in Codex for a person, and says where to do it', async () => {
    const asked = await guildbook('codex');
    expect(asked.stdout).toContain('open /hooks and trust those of guildbook');
    expect(existsSync(path('codex-trust.json'))).toBe(false);
    expect((await guildbook('codex', '--check')).stdout).toContain('Codex does not run the hooks yet');

    expect((await guildbook('codex', '--yes', '--json')).stdout).toContain('"trust": "trusted"');
    await guildbook('codex', '--undo');
    expect(JSON.parse(read('codex-trust.json'))).toEqual({ 'other@shop:hooks.json:stop:0:0': {} });
  });

  it('lists what is installed here and what is connected', async () => {
    await rm(path('bin', 'copilot'));
    environment['PATH'] = `${path('bin')}${delimiter}/usr/bin${delimiter}/bin`;
    await guildbook('gemini');
    const items = JSON.parse((await guildbook('--list', '--json')).stdout);
    expect(items).toContainEqual({
      product: 'gemini',
      title: 'Gemini CLI',
      program: path('bin', 'gemini'),
      server: app.url,
      gate: true,
      skills: {
        from: `${app.url}/.well-known/agent-skills/`,
        isThere: true,
        synced: { skills: [], kept: [], leftOut: [], problems: [] },
      },
    });
    expect(items).toContainEqual(expect.objectContaining({ product: 'copilot', program: null, server: null }));
    const { stdout } = await guildbook('--list');
    expect(stdout).toContain('not installed');
    expect(stdout).toContain('not connected');
  });

  it('tests a connection with --check, also when the server is gone or the token was revoked', async () => {
    expect(await guildbook('gemini', '--check')).toMatchObject({ code: 4 });
    await guildbook('gemini');
    const checked = JSON.parse((await guildbook('gemini', '--check', '--json')).stdout);
    expect(checked).toMatchObject({ product: 'gemini', server: app.url, check: { status: expect.any(Number) } });
    expect(checked.check.status).toBeGreaterThan(0);

    await app.client(tokenIn('gemini')).ownToken.revoke();
    const refused = await guildbook('gemini', '--check');
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('The token is not accepted') });

    const conf = read('.config/guildbook/gemini.conf').replace(/^server=.*$/m, 'server=http://127.0.0.1:9');
    await put('.config/guildbook/gemini.conf', conf);
    expect((await guildbook('gemini', '--check')).stdout).toContain('did not answer within two seconds');
  });

  it('lets status name what is connected without a gate, and what was lost since', async () => {
    const status = (...words: string[]) => program.run(['status', ...words], environment);
    expect((await status()).stdout).not.toContain('Connected on this machine');
    await guildbook('gemini', '--no-gate');
    await guildbook('copilot');
    await put('.config/guildbook/gemini.dropped', '1796000000 7\nhalf a li\n1796000060 28\n1796000120 7\n');
    const { stdout } = await status();
    expect(stdout).toMatch(
      /Gemini CLI +\S+ +off +3 since 2026-11-30 00:53, the last at 2026-11-30 00:55 UTC \(2 no connection, 1 too slow\)/,
    );
    expect(stdout).toMatch(/Copilot CLI +\S+ +on/);
    expect(stdout).toContain('Calls are not checked before they run in gemini.');
    expect(JSON.parse((await status('--json')).stdout).connected).toEqual([
      {
        product: 'gemini',
        title: 'Gemini CLI',
        server: app.url,
        gate: false,
        dropped: {
          count: 3,
          more: false,
          since: '2026-11-30T00:53:20.000Z',
          last: '2026-11-30T00:55:20.000Z',
          reasons: { 'no connection': 2, 'too slow': 1 },
        },
      },
      { product: 'copilot', title: 'Copilot CLI', server: app.url, gate: true, dropped: null },
    ]);
    await put('.config/guildbook/gemini.sending/1', '');
    await guildbook('gemini');
    expect((await status()).stdout).not.toContain('no connection');
    await put('.config/guildbook/gemini.dropped', '1796000000 7\n');
    await guildbook('gemini', '--undo');
    expect(filesOf().filter((file) => file.includes('gemini'))).toEqual([]);
  });

  it('names the products if none is given', async () => {
    expect(await guildbook()).toMatchObject({ code: 2, stderr: expect.stringContaining('claude-code, codex, gemini') });
  });
});

describe('guildbook connect with published skills', () => {
  const REMOTE = 'https://git.example.test/team/skills.git';
  const PLUGIN = 'guildbook-skills@guildbook';
  let remote: TestApplication;
  let skill: string;

  beforeAll(async () => {
    const GUILDBOOK_SKILLS_REMOTE = 'https://deploy@git.example.test/team/skills.git';
    remote = await startTestApplication({ GUILDBOOK_SKILLS_REMOTE, GUILDBOOK_PUBLIC_SKILLS: 'false' });
  });
  afterAll(() => remote.close());
  const useRemote = () =>
    Object.assign(environment, { GUILDBOOK_SERVER: remote.url, GUILDBOOK_TOKEN: remote.adminToken });
  const commands = (program: string) => read(`${program}.log`).trim().split('\n');
  const skills = async (product: string, ...options: string[]) =>
    JSON.parse((await guildbook(product, '--json', '--yes', ...options)).stdout).skills;

  it('says that none is published, and installs them after the first approval', async () => {
    useRemote();
    expect((await guildbook('claude-code')).stdout).toContain('Skills: none is published yet.');
    expect(commands('claude').join()).not.toContain(PLUGIN);
    skill = await approvedSkill(remote, 'first skill');
    expect(await skills('claude-code')).toEqual({ state: 'installed', from: REMOTE });
  });

  it.each([
    ['claude-code', 'claude', 'install', 'uninstall'],
    ['codex', 'codex', 'add', 'remove'],
    ['copilot', 'copilot', 'install', 'uninstall'],
  ])(
    "installs them in %s with the product's own commands, and --undo takes them back",
    async (product, program, add, remove) => {
      useRemote();
      expect(await skills(product)).toEqual({ state: 'installed', from: REMOTE });
      expect(commands(program).slice(-2)).toEqual([`plugin marketplace add ${REMOTE}`, `plugin ${add} ${PLUGIN}`]);
      await guildbook(product, '--undo');
      expect(commands(program).slice(-2)).toEqual([
        `plugin ${remove} ${PLUGIN}`,
        'plugin marketplace remove guildbook',
      ]);
      expect(filesOf().filter((file) => file !== 'codex-trust.json')).toEqual([]);
      expect(existsSync(path('.local/share/guildbook'))).toBe(false);
    },
  );

  it('takes the newest of them if it is run again, and keeps the earlier ones if that fails', async () => {
    useRemote();
    await guildbook('claude-code');
    await guildbook('claude-code');
    const update = ['plugin marketplace update guildbook', `plugin update ${PLUGIN}`];
    expect(commands('claude').slice(-2)).toEqual(update);
    await put('claude.fails', 'marketplace update');
    expect(await skills('claude-code')).toMatchObject({ state: 'failed', command: `claude ${update[0]}` });
    expect(JSON.parse(read('.claude/plugins/installed_plugins.json')).plugins).toHaveProperty([PLUGIN]);
  });

  it('leaves hooks and memory tools connected if the remote gives no access, and says what to do', async () => {
    useRemote();
    await put('copilot.fails', 'git.example.test');
    const { code, stdout } = await guildbook('copilot');
    expect(code).toBe(1);
    expect(stdout).toContain('Connected Copilot CLI');
    expect(stdout).toContain(`"copilot plugin marketplace add ${REMOTE}" failed: the disk is full`);
    expect(stdout).toContain('Make sure that "git clone" of this address works');
    expect(tokenIn('copilot')).toMatch(/^gbt_/);
    expect(await skills('copilot')).toMatchObject({ state: 'failed', said: 'the disk is full' });
    expect(existsSync(path('.local/share/guildbook/skills/copilot.json'))).toBe(false);
    await rm(path('copilot.fails'));
    expect(await skills('copilot')).toMatchObject({ state: 'installed' });
  });

  it('does not touch what a person installed by hand', async () => {
    useRemote();
    const mine = '{"guildbook":{"source":{"source":"git","url":"https://git.example.test/mine.git"}}}';
    await put('.claude/plugins/known_marketplaces.json', mine);
    expect(await skills('claude-code')).toEqual({ state: 'kept', from: REMOTE });
    await guildbook('claude-code', '--undo');
    expect(read('.claude/plugins/known_marketplaces.json')).toBe(mine);
    expect(commands('claude').join()).not.toContain(PLUGIN);
  });

  it('says with --check and --list whether they are there', async () => {
    useRemote();
    await guildbook('claude-code');
    const listed = async () =>
      JSON.parse((await guildbook('--list', '--json')).stdout).find(
        ({ product }: { product: string }) => product === 'claude-code',
      ).skills;
    expect(await listed()).toEqual({ from: REMOTE, isThere: true });
    expect((await guildbook('claude-code', '--check')).stdout).toContain(`Skills are installed from ${REMOTE}.`);
    await rm(path('.claude/plugins/installed_plugins.json'));
    expect(await listed()).toEqual({ from: REMOTE, isThere: false });
    expect(await guildbook('claude-code', '--check')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`The skills from ${REMOTE} are no longer installed. Run again`),
    });
    expect(await skills('claude-code')).toMatchObject({ state: 'installed' });
  });

  it.each(['gemini', 'opencode'])('copies them from the server in %s, which has no marketplace', async (product) => {
    useRemote();
    const from = `${remote.url}/.well-known/agent-skills/`;
    expect(await skills(product)).toMatchObject({ state: 'synced', from, skills: [skill], problems: [] });
  });

  it('leaves the index alone that a person named in OpenCode', async () => {
    useRemote();
    const from = `${remote.url}/.well-known/agent-skills/`;
    const mine = `{ "skills": { "urls": ["${from}"] } }\n`;
    await put('.config/opencode/opencode.json', mine);
    expect(await skills('opencode')).toEqual({ state: 'kept', from });
    await guildbook('opencode', '--undo');
    expect(read('.config/opencode/opencode.json')).toBe(mine);
  });

  it('takes them from the server in place of a remote that it names no more', async () => {
    useRemote();
    await guildbook('copilot');
    Object.assign(environment, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken });
    expect(await skills('copilot')).toMatchObject({ state: 'synced' });
    expect(commands('copilot').slice(-2)).toEqual([
      `plugin uninstall ${PLUGIN}`,
      'plugin marketplace remove guildbook',
    ]);
  });
});

describe('guildbook connect with skills from the server', () => {
  const FOLDERS = {
    'claude-code': '.local/share/guildbook/plugins/claude-code/guildbook/skills',
    codex: '.codex/skills',
    gemini: '.gemini/skills',
    opencode: '.local/share/guildbook/plugins/opencode/guildbook/skills',
    copilot: '.local/share/guildbook/plugins/copilot/guildbook/skills',
  };
  const LONG = { steps: Array.from({ length: 45 }, (_, n) => `Do step ${n}: ${'read the file first '.repeat(22)}`) };
  const INDEX = '/.well-known/agent-skills/index.json';
  let server: TestApplication;
  let front: FrontServer;
  let first: string;

  beforeAll(async () => {
    server = await startTestApplication({ GUILDBOOK_PUBLIC_SKILLS: 'false' });
    front = new FrontServer(server.url);
    await front.start();
    first = await approvedSkill(server, 'first skill');
  });
  afterAll(async () => {
    await front.close();
    await server.close();
  });
  beforeEach(() => {
    front.answers.clear();
    front.requests.length = 0;
    Object.assign(environment, { GUILDBOOK_SERVER: front.url, GUILDBOOK_TOKEN: server.adminToken });
  });

  const connect = async (product: string) => JSON.parse((await guildbook(product, '--json', '--yes')).stdout).skills;
  /** As the client does at the start of a session. */
  const refresh = async (product: string) => JSON.parse((await guildbook(product, '--skills', '--json')).stdout);
  const artifact = async (name: string) => (await server.admin.skills.show(name)).artifact;
  const retire = async (name: string) => {
    await server.admin.retireSkill((await server.admin.skills.show(name)).proposalId, 'no longer true');
    await server.settled();
  };
  const NOTHING = { kept: [], leftOut: [], problems: [] };

  it.each(PRODUCTS)(
    'installs them in %s, takes newer ones, removes retired ones, and --undo leaves nothing',
    async (product) => {
      const folder = FOLDERS[product];
      expect(await connect(product)).toEqual({
        state: 'synced',
        from: `${front.url}/.well-known/agent-skills/`,
        skills: [first],
        ...NOTHING,
      });
      expect(read(folder, first, 'SKILL.md')).toBe(await artifact(first));
      const asked = front.requests.filter(({ path: at }) => at.startsWith('/.well-known/'));
      expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${tokenIn(product)}`]));

      const second = await approvedSkill(server, `second of ${product}`);
      expect(await refresh(product)).toEqual({ skills: [first, second], ...NOTHING });
      expect(read(folder, second, 'SKILL.md')).toBe(await artifact(second));
      await guildbook(product, '--yes');
      expect(readdirSync(path(folder)).sort()).toEqual([first, second]);

      await retire(second);
      expect(await refresh(product)).toEqual({ skills: [first], ...NOTHING });
      expect(readdirSync(path(folder))).toEqual([first]);

      expect(await guildbook(product, '--undo')).toMatchObject({ code: 0, stderr: '' });
      expect(filesOf().filter((file) => file !== 'codex-trust.json')).toEqual([]);
      expect(existsSync(path('.local/share/guildbook'))).toBe(false);
      expect(existsSync(path('.config/guildbook'))).toBe(false);
      expect(await guildbook(product, '--skills')).toMatchObject({ code: 1 });
    },
  );

  it.each(PRODUCTS)('keeps in %s what a person edited or wrote, and names it', async (product) => {
    const folder = FOLDERS[product];
    const own = await approvedSkill(server, `own of ${product}`);
    await put(`${folder}/${own}/SKILL.md`, 'mine');
    expect(await connect(product)).toMatchObject({ skills: [first], kept: [own] });
    await put(`${folder}/${first}/SKILL.md`, 'edited');
    expect(await refresh(product)).toEqual({ ...NOTHING, skills: [], kept: [first, own] });
    expect((await guildbook(product, '--check')).stdout).toContain(`wrote or edited them: ${first}, ${own}.`);
    await retire(own);
    await guildbook(product, '--yes');
    const { stderr } = await guildbook(product, '--undo');
    expect(stderr).toContain(`Skills that a person edited stay in ${path(folder)}: ${first}`);
    expect([first, own].map((name) => read(folder, name, 'SKILL.md'))).toEqual(['edited', 'mine']);
    expect(filesOf().filter((file) => !file.startsWith(folder) && file !== 'codex-trust.json')).toEqual([]);
  });

  it.each(PRODUCTS)('keeps the earlier file in %s if the bytes do not have the hash of the index', async (product) => {
    const folder = FOLDERS[product];
    await connect(product);
    const before = read(folder, first, 'SKILL.md');
    const index = await (
      await fetch(`${server.url}${INDEX}`, { headers: { authorization: `Bearer ${tokenIn(product)}` } })
    ).text();
    front.answers.set(INDEX, index.replace(/sha256:[0-9a-f]{4}/, 'sha256:0000'));
    const problem = `The skill ${first} was not taken: its bytes do not have the hash that the index says.`;
    expect(await refresh(product)).toEqual({ ...NOTHING, skills: [first], problems: [problem] });
    expect(read(folder, first, 'SKILL.md')).toBe(before);
    for (const words of [[product, '--check'], ['--list']])
      expect((await guildbook(...words)).stdout).toContain(problem);
    expect((await guildbook(product, '--check')).code).toBe(1);
    expect(await guildbook(product, '--yes')).toMatchObject({ code: 1, stdout: expect.stringContaining(problem) });
    front.answers.clear();
    expect(await refresh(product)).toEqual({ ...NOTHING, skills: [first] });
  });

  it.each<[string, string | number, string]>([
    [
      'a name that is a path',
      '{"skills":[{"name":"../x","type":"skill-md","description":"x","digest":"sha256:"}]}',
      'another form',
    ],
    ['an error page', '<html>', 'another form'],
    ['more bytes than it may have', 'x'.repeat(1_100_000), 'more than 1000000 bytes'],
    ['a redirect', 302, 'did not answer'],
    ['a refusal', 401, 'status 401'],
  ])('leaves everything as it is if the index is %s', async (_what, answer, says) => {
    await connect('codex');
    const files = filesOf();
    front.answers.set(INDEX, answer);
    const { skills, problems } = await refresh('codex');
    expect({ skills, files: filesOf() }).toEqual({ skills: [first], files });
    expect(problems).toEqual([expect.stringContaining(says)]);
  });

  it('installs the reference files of a long skill, and replaces them with those of its next version', async () => {
    const { id, artifactSha256, skillName } = await submitTestProposal(server, 'long skill', {}, LONG);
    await server.admin.proposals.approve(id, artifactSha256);
    await server.settled();
    await connect('gemini');
    const files = filesOfSkill(await artifact(skillName));
    expect(files.size).toBeGreaterThan(1);
    for (const [file, text] of files) expect(read('.gemini/skills', skillName, file)).toBe(text);
    await retire(skillName);
    expect(await refresh('gemini')).toMatchObject({ skills: [first] });
    expect(existsSync(path('.gemini/skills', skillName))).toBe(false);
  });

  it('does not replace a file of the person where a new version has one more', async () => {
    await connect('gemini');
    await put(`.gemini/skills/${first}/references/why.md`, 'mine');
    const archive = archiveOf(
      new Map([
        ['SKILL.md', 'x'],
        ['references/why.md', 'y'],
      ]),
    );
    const entry = { name: first, type: 'archive', description: 'x', digest: `sha256:${sha256(archive)}` };
    front.answers.set(`/.well-known/agent-skills/${first}/skill.tar.gz`, archive);
    front.answers.set(INDEX, JSON.stringify({ skills: [entry] }));
    expect(await refresh('gemini')).toEqual({ ...NOTHING, skills: [], kept: [first] });
    expect(read('.gemini/skills', first, 'references/why.md')).toBe('mine');
    await rm(path('.gemini/skills', first, 'references'), { recursive: true });
    expect(await refresh('gemini')).toEqual({ ...NOTHING, skills: [first] });
    expect(read('.gemini/skills', first, 'references/why.md')).toBe('y');
  });

  it('gives an agent the skills that it receives while a skill is rolled out', async () => {
    const half = await approvedSkill(server, 'half of them');
    await server.admin.skills.rollout(half, 25);
    const { skills } = await connect('copilot');
    const { id } = (await server.client(tokenIn('copilot')).me()).principal;
    expect(skills.includes(half)).toBe(receives(25, half, id));
    await server.admin.skills.rollout(half, 100);
    expect((await refresh('copilot')).skills).toContain(half);
  });

  it('counts the files of a run that was killed as its own', async () => {
    await connect('codex');
    const file = '.local/share/guildbook/skills/codex.json';
    const record = JSON.parse(read(file));
    const { files } = record.synced.skills[first];
    record.synced.skills[first] = { digest: '', files: { 'SKILL.md': ['0'.repeat(64), ...files['SKILL.md']] } };
    await put(file, JSON.stringify(record));
    expect((await refresh('codex')).kept).toEqual([]);
    expect(JSON.parse(read(file)).synced.skills[first].files).toEqual(files);
  });

  it('leaves out what goes beyond the budget for descriptions, and names it', async () => {
    const names = Array.from({ length: 9 }, (_, n) => `skill-${n}`);
    const entries = names.map((name) => {
      front.answers.set(`/.well-known/agent-skills/${name}/SKILL.md`, name);
      return { name, type: 'skill-md', description: 'x'.repeat(1_000), digest: `sha256:${sha256(name)}` };
    });
    front.answers.set(INDEX, JSON.stringify({ skills: entries }));
    const { stdout } = await guildbook('gemini');
    expect(stdout).toContain('Skills: 7 installed from the server');
    for (const words of [['gemini', '--skills'], ['gemini', '--check'], ['--list']])
      expect((await guildbook(...words)).stdout).toContain('may have 8000 characters together: skill-7, skill-8.');
    expect(readdirSync(path('.gemini/skills')).sort()).toEqual(names.slice(0, 7));
  });

  it('changes nothing while another run does it', async () => {
    await connect('gemini');
    const release = await lockDirectory(path('.config/guildbook/gemini.conf'));
    front.requests.length = 0;
    expect(await guildbook('gemini', '--skills')).toMatchObject({ code: 1, stdout: '' });
    expect(front.requests).toEqual([]);
    await release();
    expect(await guildbook('gemini', '--skills')).toMatchObject({ code: 0 });
  });

  it('ends with what happens next, and when', async () => {
    const { stdout } = await guildbook('claude-code');
    expect(stdout).toMatch(/^Skills: \d installed from the server, kept up to date at the start of a session\.$/m);
    expect(stdout).toContain('Next: start a new session of claude. Lessons arrive at its start');
    expect(existsSync(path('.config/guildbook/claude-code.skills'))).toBe(true);
  });

  it("names the folder in OpenCode beside the person's own, and takes it out again", async () => {
    const mine = '{ "skills": { "paths": ["./skills"] } }\n';
    await put('.config/opencode/opencode.json', mine);
    await connect('opencode');
    await connect('opencode');
    const { skills } = JSON.parse(read('.config/opencode/opencode.json'));
    expect(skills.paths).toEqual(['./skills', path(FOLDERS.opencode)]);
    await guildbook('opencode', '--undo');
    expect(read('.config/opencode/opencode.json')).toBe(mine);
  });
});
