import { chmodSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ReportBatches } from '../../src/capture/intake/report-batches.service.js';
import { importFiles } from '../../src/cli/commands/import.js';
import { transcriptFiles } from '../../src/cli/sources/transcript-files.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { BuiltProgram } from '../support/cli.js';
import { CommandLine } from '../support/command-line.js';
import { FOREIGN_FORMATS, type Session } from '../support/foreign-sessions.js';

const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
const session = (id: string, command = 'python close.py'): Session => ({
  id,
  task: `Close the books of aunt Mildred ${SECRET}`,
  steps: [
    { tool: 'Bash', input: { command }, error: `SyntaxError: invalid syntax, token ${SECRET}` },
    { tool: 'Bash', input: { command: 'python3 close.py' }, output: 'the balance is 4711 florins' },
  ],
  answer: 'Closed',
  end: 'normal',
});

describe('a folder of mixed runs', () => {
  let program: CommandLine;
  let built: BuiltProgram;
  let app: TestApplication;
  let admin: Guildbook;
  let folder: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    built = await BuiltProgram.prepare();
    program = await CommandLine.create();
    app = await startTestApplication();
    admin = app.admin;
    const { token } = await admin.services.add({ name: 'importer', scopes: ['report-for', 'read'] });
    environment = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: token };
    folder = join(program.folder, 'mixed');
    for (const { importer, lines, byLine } of FOREIGN_FORMATS)
      await write(`runs/${importer.format}/.hidden/one.${byLine ? 'jsonl' : 'json'}`, lines(session(importer.format)));
  });
  afterAll(async () => {
    await app.close();
    await program.remove();
    await built.remove();
  });

  const write = async (name: string, lines: readonly string[]) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), lines.join('\n'));
  };
  const guildbook = (...args: string[]) => program.run(args, environment);
  const claudeCode = (one: Session) =>
    FOREIGN_FORMATS.find(({ importer }) => importer.format === 'claude-code')?.lines(one) ?? [];

  it('is shown by a dry run with three redacted examples of different formats, and nothing is sent', async () => {
    const { code, stdout } = await guildbook('import', '--dry-run', folder);
    expect(code).toBe(0);
    expect(stdout).toContain(`${FOREIGN_FORMATS.length} executions of`);
    const examples = stdout.split('\nExample ').slice(1);
    expect(examples).toHaveLength(3);
    expect(new Set(examples.map((text) => /\((\S+)\):/.exec(text)?.[1])).size).toBe(3);
    for (const text of examples) expect(text).toMatch(/failed Bash: python close\.py\n +SyntaxError/);
    for (const kept of [SECRET, 'Mildred', 'florins']) expect(stdout).not.toContain(kept);
    expect((await admin.executions.status()).executions).toBe(0);
  });

  it('is imported with one command, which says by format what it took, and the second time adds nothing', async () => {
    const { code, stdout } = await guildbook('--json', 'import', folder);
    const first = JSON.parse(stdout);
    // The hooks and the transcript of a product tell of different sessions here.
    expect({ code, taken: first.taken, new: first.new, refused: first.refused }).toEqual({
      code: 0,
      taken: FOREIGN_FORMATS.length,
      new: FOREIGN_FORMATS.length,
      refused: {},
    });
    expect(Object.keys(first.formats).sort()).toEqual(FOREIGN_FORMATS.map(({ importer }) => importer.format).sort());
    const again = JSON.parse((await guildbook('--json', 'import', folder)).stdout);
    expect(again).toMatchObject({ taken: FOREIGN_FORMATS.length, new: 0, duplicates: FOREIGN_FORMATS.length });
  });

  it('names what it leaves out with a reason, on a terminal without control characters', async () => {
    const hostile = 'hostile';
    await write(`${hostile}/good.jsonl`, claudeCode(session('good')));
    await write(`${hostile}/copy.jsonl`, claudeCode(session('good')));
    await write(`${hostile}/other.jsonl`, claudeCode(session('good', 'python2 close.py')));
    await write(`${hostile}/\u001b[31mred\u0007\nline.json`, ['{"name": "a package"}']);
    await write(`${hostile}/node_modules/p/package.json`, ['{}']);
    await symlink('..', join(folder, hostile, 'up'));
    const locked = join(folder, hostile, 'locked.jsonl');
    await write(`${hostile}/locked.jsonl`, claudeCode(session('locked')));
    chmodSync(locked, 0);
    const { stdout } = await guildbook('import', join(folder, hostile));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be printed
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(stdout).toContain('\\u{1b}[31mred\\u{07}\\u{0a}line.json');
    expect(stdout).toMatch(/claude-code +\d +\d +1 +0/);
    expect(stdout).toMatch(/already reported with different content +1/);
    expect(stdout).toContain('Not entered: 1 folder node_modules.');
    chmodSync(locked, 0o600);
  });

  it('that holds no transcript ends with the exit code 1', async () => {
    await write('none/package.json', ['{"name": "a package"}']);
    expect(await guildbook('import', join(folder, 'none'))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('unknown format'),
    });
  });

  it('is continued by the same command after Ctrl-C, with nothing lost and nothing twice', async () => {
    // Two batches of 100 and the rest: while the first one is held, the import reads no further than the second.
    const many = 220;
    for (let n = 0; n < many; n += 1) await write(`many/${n}.jsonl`, claudeCode(session(`many-${n}`)));
    const before = (await admin.executions.status()).executions;
    const held = holdReports(app);
    const interrupted = built.interrupt(['import', join(folder, 'many')], environment, held.first);
    // After the signal, because its listener came first.
    await held.first;
    held.release();
    const { code, stdout } = await interrupted;
    const stored = (await admin.executions.status()).executions - before;
    expect([130, null]).toContain(code);
    expect([stored >= 100, stored < many]).toEqual([true, true]);
    expect(stdout).toContain(`Imported ${stored} execution`);
    expect(stdout).toContain('Stopped. Run the same command again to continue.');
    const rest = await importFiles(admin, await transcriptFiles([join(folder, 'many')]), { agentPer: 'project' });
    expect(rest).toMatchObject({ taken: many, new: many - stored, duplicates: stored });
  });
});

/** Holds batches of reports, from the first one on, until they are released. */
function holdReports({ app }: TestApplication): { readonly first: Promise<void>; readonly release: () => void } {
  const batches = app.get(ReportBatches);
  const receive = batches.receive.bind(batches);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = new Promise<void>((resolve) => {
    jest.spyOn(batches, 'receive').mockImplementation(async (...args) => {
      resolve();
      await released;
      return receive(...args);
    });
  });
  return { first, release };
}
