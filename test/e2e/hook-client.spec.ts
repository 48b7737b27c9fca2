import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Answer, runHook, ScriptedServer, writeHookSettings } from '../support/hook-client.js';

/** The shell of this machine, and the smallest one where it is installed. */
const SHELLS = [['sh'], ['busybox', 'sh']].filter(
  ([command = '', ...rest]) => spawnSync(command, [...rest, '-c', 'exit 0']).status === 0,
);
const RUNS = 100;

const S = /^(?:[ !#-[\]^-~]|\\u[0-9a-f]{4})*$/;
const text = (event: string) => (says: string) =>
  `{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"${says}"}}`;
const denied = (says: string) => `"permissionDecision":"deny","permissionDecisionReason":"${says}"`;
const refusal = (says: string) => `{"hookSpecificOutput":{"hookEventName":"PreToolUse",${denied(says)}}}`;

/** The one form of an answer that each product reads at each event, around the text. */
const FORMS: readonly (readonly [product: string, event: string, form: (says: string) => string])[] = [
  ...['claude-code', 'codex', 'opencode'].flatMap((product) => [
    ...['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure'].map(
      (event) => [product, event, text(event)] as const,
    ),
    [product, 'PreToolUse', refusal] as const,
  ]),
  ...['SessionStart', 'BeforeAgent', 'AfterTool'].map((event) => ['gemini', event, text(event)] as const),
  ['gemini', 'BeforeTool', (says) => `{"decision":"deny","reason":"${says}"}`],
  ...['sessionStart', 'userPromptSubmitted', 'postToolUse'].map(
    (event) => ['copilot', event, (says: string) => `{"additionalContext":"${says}"}`] as const,
  ),
  ['copilot', 'preToolUse', (says) => `{${denied(says)}}`],
];
const SILENT = [
  ['claude-code', 'Stop'],
  ['codex', 'Stop'],
  ['gemini', 'AfterAgent'],
  ['copilot', 'agentStop'],
  ['claude-code', 'SomethingNew'],
] as const;

const plain = fc.stringMatching(/^(?:[ !#-[\]^-~]|\\u[0-9a-f]{4}){0,80}$/);
const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
const shape = (says: string, event: string) =>
  fc.constantFrom(
    ...FORMS.map(([, , form]) => form(says)),
    text(event)(says).replace('}}', ',"continue":false}}'),
    text(event)(says).replace(/^\{/, '{"decision":"block",'),
    text(event)('x').replace('"x"', '7'),
    `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`,
    `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"${says}"}}`,
    '{"decision":"allow","reason":"fine"}',
    '{"continue":false,"stopReason":"x"}',
    '[]',
    'null',
    '"text"',
    `<html><body>502 ${says}</body></html>`,
  );
/** A valid answer with something added, dropped or changed somewhere. */
const damaged = fc
  .tuple(plain, fc.constantFrom(...FORMS), fc.nat(), fc.nat(3), fc.string({ unit: 'binary', maxLength: 20 }))
  .map(([says, [, , form], at, cut, added]) => {
    const whole = form(says);
    const place = at % (whole.length + 1);
    return whole.slice(0, place) + added + whole.slice(place + cut);
  });
const body: fc.Arbitrary<string | Buffer> = fc.oneof(
  bytes,
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.json(),
  damaged,
  fc.tuple(plain, fc.constantFrom(...FORMS)).chain(([says, [, event]]) => shape(says, event)),
  fc
    .tuple(plain, fc.constantFrom('\n', '\r\n', '\0', '\n\n', ' ', '\nx'))
    .chain(([says, end]) => shape(says, 'SessionStart').map((line) => line + end)),
  fc.constantFrom('', '\n', `${text('SessionStart')('x'.repeat(30_000))}\n`, 'x'.repeat(200_000)),
);

let home: string;
const server = new ScriptedServer();
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'guildbook-hook-'));
  await server.start();
});
afterAll(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true, maxRetries: 20 });
});
beforeEach(async () => {
  server.requests.length = 0;
  await rm(join(home, '.config'), { recursive: true, force: true });
  for (const product of ['claude-code', 'codex', 'gemini', 'opencode', 'copilot'])
    await writeHookSettings(home, product, { server: server.url, token: 'gbt_test' });
});

const answering =
  (content: string | Buffer, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers);
    response.end(content);
  };
const droppedFile = (product: string) => join(home, '.config', 'guildbook', `${product}.dropped`);
const run = (words: readonly string[], options: { shell?: readonly string[]; input?: string } = {}) =>
  runHook(options.shell ?? ['sh'], words, { home, input: options.input ?? '{"session_id":"s"}' });

describe.each(SHELLS.map((shell) => [shell.join(' '), shell] as const))('guildbook-hook in %s', (_, shell) => {
  it('prints the answer for each product and event in the form that the product reads', async () => {
    const says = String.raw`[Guildbook] quote\u0022 \u000a\u005c ] ^ ~ { } /`;
    for (const [product, event, form] of FORMS) {
      server.answer = answering(`${form(says)}\n`);
      const ended = await run([product, event], { shell });
      expect({ product, event, ...ended }).toEqual({ product, event, exit: 0, stdout: `${form(says)}\n`, stderr: '' });
      expect(JSON.parse(ended.stdout)).toBeInstanceOf(Object);
    }
    expect(server.requests.map(({ path }) => path)).toEqual(
      FORMS.map(([product, event]) => `/v1/hooks/${product}/${event}`),
    );
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer gbt_test']));
    expect(new Set(server.requests.map(({ body: sent }) => sent))).toEqual(new Set(['{"session_id":"s"}']));
  });

  it('prints nothing where the product reads nothing, with any answer of the server', async () => {
    for (const [product, event] of SILENT)
      for (const says of [text(event)('x'), refusal('x'), '{"additionalContext":"x"}', 'a']) {
        server.answer = answering(says);
        expect(await run([product, event], { shell })).toEqual({ exit: 0, stdout: '', stderr: '' });
      }
  });

  it('prints nothing but valid JSON of the right form, with any body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FORMS), body, async ([product, event, form], content) => {
        server.answer = answering(content);
        const { exit, stdout, stderr } = await run([product, event], { shell });
        expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
        if (stdout === '') return;
        const [before = '', after = ''] = form('\0').split('\0');
        const line = stdout.replace(/\n$/, '');
        expect(line.startsWith(before) && line.endsWith(after)).toBe(true);
        expect(line.slice(before.length, line.length - after.length)).toMatch(S);
        expect(JSON.parse(line)).toBeInstanceOf(Object);
      }),
      { numRuns: RUNS },
    );
  });

  it.each<[string, Answer]>([
    ['an error page', answering(text('SessionStart')('x'), 502)],
    ['a refusal of the token', answering('{"code":"access.revoked"}', 401)],
    ['a redirect', answering('', 302, { location: 'http://127.0.0.1:9/' })],
    ['a page of a proxy', answering('<html>Sign in to the network</html>', 200, { 'content-type': 'text/html' })],
    ['nothing', answering('')],
    ['a connection that ends at once', (_response, socket) => socket.resetAndDestroy()],
    [
      'half an answer',
      (response, socket) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"hookSpecificOutput":{"hookEv', () => socket.destroy());
      },
    ],
    ['something that is not HTTP', (_response, socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['a header that never ends', (_response, socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(500_000)}`)],
    [
      'more than any answer holds',
      (response) => {
        response.write(text('SessionStart')('x'.repeat(100_000)));
        response.end();
      },
    ],
    [
      'chunks without an end',
      (response) => {
        const timer = setInterval(() => response.write('x'.repeat(10_000)), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['nothing for ever', () => undefined],
    [
      'a byte at a time for ever',
      (response) => {
        const timer = setInterval(() => response.write('{'), 100);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('prints nothing and ends by itself after %s', async (_name, answer) => {
    server.answer = answer;
    expect(await run(['claude-code', 'SessionStart'], { shell })).toEqual({ exit: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['no file', undefined],
    ['an empty file', ''],
    ['a server that is no address', 'server=not an address\ntoken=x\n'],
    ['a closed port', 'server=http://127.0.0.1:9\ntoken=x\n'],
    ['commands in place of settings', 'server=http://127.0.0.1:9\n$(touch hacked)\n`touch hacked`\ntoken="; exit 7\n'],
  ])('is silent with %s in place of the settings', async (_name, content) => {
    const file = join(home, '.config', 'guildbook', 'codex.conf');
    if (content === undefined) await rm(file);
    else await writeFile(file, content);
    expect(await run(['codex', 'SessionStart'], { shell })).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(existsSync('hacked')).toBe(false);
  });

  it('waits for no answer after a time-out, for this product alone, and asks again a minute later', async () => {
    server.answer = () => undefined;
    await run(['codex', 'PostToolUse'], { shell });
    expect(server.requests).toHaveLength(1);
    server.answer = answering(text('PostToolUse')('back'));
    expect((await run(['codex', 'PostToolUse'], { shell })).stdout).toBe('');
    await server.received(2);
    expect(server.requests.map(({ headers }) => headers['guildbook-live'])).toEqual([undefined, 'no']);
    expect(existsSync(droppedFile('codex'))).toBe(false);
    expect((await run(['claude-code', 'PostToolUse'], { shell })).stdout).toContain('back');

    const past = Date.now() / 1000 - 61;
    await utimes(join(home, '.config', 'guildbook', 'codex.rest'), past, past);
    expect((await run(['codex', 'PostToolUse'], { shell })).stdout).toContain('back');
  });

  it('notes each event that the server did not get, in a file that stays small', async () => {
    const noted = async () => (await readFile(droppedFile('codex'), 'utf8')).replaceAll(/^\d{10} /gm, '');
    server.answer = answering('{"code":"access.revoked"}', 401);
    await run(['codex', 'PostToolUse'], { shell });
    server.answer = answering('', 302, { location: 'http://127.0.0.1:9/' });
    await run(['codex', 'Stop'], { shell });
    await writeHookSettings(home, 'codex', { server: 'http://127.0.0.1:9', token: 'gbt_test' });
    await run(['codex', 'PostToolUse'], { shell });
    expect(await noted()).toBe('22\n0\n7\n');
    await writeFile(droppedFile('codex'), '1796000000 7\n'.repeat(3_000));
    await run(['codex', 'PostToolUse'], { shell });
    expect((await noted()).split('\n')).toHaveLength(3_001);
  });

  it('sends at most twenty events at once in the background, and forgets those of an earlier start', async () => {
    const folder = join(home, '.config', 'guildbook', 'codex.sending');
    await mkdir(folder);
    const past = Date.now() / 1000 - 600;
    for (let pid = 0; pid < 20; pid += 1) {
      await writeFile(join(folder, `${pid}`), '');
      await utimes(join(folder, `${pid}`), past, past);
    }
    await writeFile(join(home, '.config', 'guildbook', 'codex.rest'), '');
    await run(['codex', 'PostToolUse'], { shell });
    expect(await readFile(droppedFile('codex'), 'utf8')).toMatch(/^\d{10} full\n$/);
    await run(['codex', 'PostToolUse'], { shell });
    await server.received(1);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['https://rita:se@cret@git.example.org/team/shop.git?token=x#y', 'https://git.example.org/team/shop.git'],
    ['ssh://git@git.example.org:2222/team/shop.git', 'ssh://git.example.org:2222/team/shop.git'],
    ['git@git.example.org:team/shop.git', 'git.example.org:team/shop.git'],
    ['/home/rita/shop.git', undefined],
    ['file:///home/rita/shop.git', undefined],
    ['../shop', undefined],
  ])('sends the remote %s as %s, at the start of a session alone', async (remote, origin) => {
    const project = join(home, 'a "project" ü');
    await rm(project, { recursive: true, force: true });
    await mkdir(project);
    spawnSync('git', ['init', '-q'], { cwd: project });
    spawnSync('git', ['remote', 'add', 'origin', remote], { cwd: project });
    const link = join(home, 'project');
    await rm(link, { force: true });
    spawnSync('ln', ['-s', project, link]);
    server.answer = answering('');
    const input = JSON.stringify({ session_id: 's', cwd: link, prompt: '"cwd": "/etc"' });
    await run(['codex', 'SessionStart'], { shell, input });
    await run(['codex', 'UserPromptSubmit'], { shell, input });
    expect(server.requests.map(({ headers }) => headers['x-guildbook-origin'])).toEqual([origin, undefined]);
  });

  it('never sends more than a million bytes', async () => {
    server.answer = answering('');
    await run(['gemini', 'AfterTool'], { shell, input: JSON.stringify({ output: 'x'.repeat(1_500_000) }) });
    expect(server.requests[0]?.body).toHaveLength(1_000_000);
  });

  it('takes newer skills at the start of a session, once in five minutes, and does not wait for it', async () => {
    const [program, taken] = [join(home, 'program'), join(home, 'taken')];
    await rm(taken, { force: true });
    await writeFile(program, `#!/bin/sh\nsleep 1; echo "$*" >> '${taken}'\n`);
    await chmod(program, 0o755);
    for (const product of ['codex', 'copilot'])
      await writeHookSettings(home, product, { server: server.url, token: 't', node: program, program: '/main.js' });
    const due = join(home, '.config', 'guildbook', 'codex.skills');
    const old = Date.now() / 1000 - 301;
    server.answer = answering('');
    const start = async (...words: string[]) => {
      await writeFile(due, '', { flag: 'a' });
      await utimes(due, old, old);
      return run(['codex', ...words], { shell });
    };
    // Not where skills do not come from the server, at a test, at another event, and while the client rests.
    await run(['copilot', 'sessionStart'], { shell });
    await start('SessionStart', 'check');
    await start('PostToolUse');
    await writeFile(join(home, '.config', 'guildbook', 'codex.rest'), '');
    await start('SessionStart');
    await rm(join(home, '.config', 'guildbook', 'codex.rest'));

    expect(await start('SessionStart')).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(existsSync(taken)).toBe(false);
    await run(['codex', 'SessionStart'], { shell });
    for (let tries = 0; !existsSync(taken) && tries < 200; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await readFile(taken, 'utf8')).toBe('/main.js connect codex --skills\n');
  });

  it('starts the import at the end of a session and does not wait for it', async () => {
    const program = join(home, 'program');
    const imported = join(home, 'imported');
    await rm(imported, { force: true });
    await writeFile(program, `#!/bin/sh\nsleep 1; echo "$GUILDBOOK_SERVER $GUILDBOOK_TOKEN $*" > '${imported}'\n`);
    await chmod(program, 0o755);
    const transcript = join(home, 'session.jsonl');
    await writeFile(transcript, '{}\n');
    await writeHookSettings(home, 'codex', {
      server: server.url,
      token: 'gbt_test',
      node: program,
      program: '/main.js',
    });
    server.answer = () => undefined;
    const input = JSON.stringify({ session_id: 's', transcript_path: transcript });
    expect(await run(['codex', 'SessionEnd'], { shell, input })).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(existsSync(imported)).toBe(false);
    for (let tries = 0; !existsSync(imported) && tries < 200; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await readFile(imported, 'utf8')).toBe(
      `${server.url} gbt_test /main.js import --session ${transcript} --product codex\n`,
    );
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/hooks/codex/SessionEnd']);
  });
});

describe('guildbook-hook', () => {
  it('says with "check" which status the server answered', async () => {
    server.answer = answering(text('SessionStart')('hello'));
    expect(await run(['codex', 'SessionStart', 'check'])).toMatchObject({ exit: 0, stderr: '200\n' });
    server.answer = answering('no', 401);
    expect(await run(['codex', 'SessionStart', 'check'])).toMatchObject({ exit: 0, stdout: '', stderr: '401\n' });
  });
});
