#!/usr/bin/env node
/**
 * node scripts/smoke.mjs
 *
 * Starts the built program (npm run build) in a temporary folder and runs the whole loop over plain HTTP, as a new user
 * with curl would: reports executions, approves a proposal, finds its SKILL.md in git, stops the server. Prints one line
 * for each step with its seconds and exits with 1 at the first failure. Uses Node's own modules only.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './setup/stamp.mjs';

const PROGRAM = join(ROOT, 'dist/main.js');
const START_SECONDS = 60;
const END_SECONDS = 10;
const AGENTS = ['ledger-bot', 'harbour-bot', 'meadow-bot'];

const folder = mkdtempSync(join(tmpdir(), 'guildbook-smoke-'));
const skills = join(folder, 'skills');
let server;
let output = '';
let url = '';
let token = '';

try {
  assert(existsSync(PROGRAM), 'The program is not built. Run npm run build.');
  await run();
} catch (error) {
  console.error(`\nFAILED: ${error.stack ?? error}`);
  if (output !== '') console.error(`\nOutput of the server:\n${output}`);
  process.exitCode = 1;
} finally {
  if (server && server.exitCode === null && server.signalCode === null) {
    server.kill('SIGKILL');
    await once(server, 'close');
  }
  rmSync(folder, { recursive: true, force: true });
}

async function run() {
  await step('starts on an empty folder', start);
  await step('serves the API document', documentation);
  await step('refuses requests without a credential', refuseStrangers);
  const fleet = await step('registers three agents', register);
  await step('stores each execution once', () => report(fleet));
  const lessons = await step('derives private lessons', learn);
  const proposed = await step('runs a dry run, then proposes a pattern of three agents', cycle);
  const approved = await step('publishes an approved proposal', () => approve(proposed));
  await step('has the approved bytes in git', () => checkCommit(approved));
  await step('has an intact journal', journal);
  await step('stops within ten seconds of SIGTERM', end);
  console.log(`\nThe loop works: ${lessons} lessons, 1 skill (${approved.skillName}).`);
}

async function step(name, work) {
  const began = performance.now();
  const result = await work();
  console.log(`ok  ${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s  ${name}`);
  return result;
}

async function start() {
  // Pass only PATH from this shell: a test must not write to the shell's DATABASE_URL.
  const settings = {
    PATH: process.env.PATH,
    DATABASE_URL: '',
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_BASE_URL: '',
    GUILDBOOK_PORT: '0',
    GUILDBOOK_DATA_DIR: join(folder, 'database'),
    GUILDBOOK_SKILLS_DIR: skills,
  };
  server = spawn(process.execPath, [PROGRAM], { cwd: folder, env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const tokenFile = () => /--token - < ([^\s"]+)/.exec(output)?.[1];
  await until(START_SECONDS, 'the server prints its address and names the file with a token', () => {
    assert(server.exitCode === null, 'The server exited.');
    return tokenFile() !== undefined;
  });
  url = /listening on (http:\/\/\S+)/.exec(output)[1];
  assert.doesNotMatch(output, /gbo_/, 'The token is not in the log.');
  assert.equal(statSync(tokenFile()).mode & 0o777, 0o600, 'Only the user reads the file.');
  await signIn(readFileSync(tokenFile(), 'utf8').trim());
  assert.equal((await get('/readyz')).status, 'ready');
}

async function signIn(oneTimeToken) {
  const signedIn = await post('/v1/sign-in', { token: oneTimeToken });
  assert(signedIn.scopes.includes('decide'), 'The first administrator may decide.');
  token = signedIn.token;
  assert.equal(
    (await call('POST', '/v1/sign-in', { token: oneTimeToken })).status,
    401,
    'A one-time token works once.',
  );
}

async function documentation() {
  const { openapi, paths } = await get('/v1/openapi.json');
  assert(openapi.startsWith('3.'), 'It is OpenAPI 3.');
  for (const path of ['/v1/executions', '/v1/proposals/{id}/approve', '/v1/skills'])
    assert(path in paths, `The document has ${path}.`);
  const page = await fetch(new URL('/v1/docs', url));
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<html/i);
}

async function refuseStrangers() {
  const { status, answer, type } = await call('GET', '/v1/proposals', undefined, { authorization: 'Bearer unknown' });
  assert.equal(status, 401);
  assert.match(type, /application\/problem\+json/);
  assert.equal(answer.status, 401);
  assert.equal((await call('GET', '/v1/no-such-thing')).status, 404);
}

async function register() {
  const issued = [];
  for (const name of AGENTS) issued.push(await post('/v1/agents', { name, owner: `team of ${name}` }));
  return issued.map(({ principal, token: agentToken }) => ({
    name: principal.name,
    headers: { authorization: `Bearer ${agentToken}` },
  }));
}

/** Reports an invented fleet: `npm run tests` fails for every agent, and `npm run test` works. */
async function report(fleet) {
  for (const [n, { name, headers }] of fleet.entries()) {
    const body = execution(name, n);
    assert.equal((await call('POST', '/v1/executions', body, headers)).answer.duplicate, false);
    assert.equal(
      (await call('POST', '/v1/executions', body, headers)).answer.duplicate,
      true,
      'The second report is a duplicate.',
    );
    const unknown = await call('POST', '/v1/executions', { ...body, prompt: 'x' }, headers);
    assert.equal(unknown.status, 400);
    assert.equal(unknown.answer.errors[0].field, 'prompt');
  }
  const decides = await call('POST', '/v1/evolver/cycles', { dryRun: true }, fleet[0].headers);
  assert.equal(decides.status, 403, 'An agent runs no cycle.');
}

function execution(name, n) {
  const failed = {
    name: 'Bash',
    action: 'npm run tests',
    ok: false,
    errorMessage: 'npm error Missing script: "tests"',
  };
  return {
    executionId: `execution of ${name}`,
    taskId: `task-${n}`,
    taskTitle: `Close the books of ${name}`,
    startedAt: '2026-03-31T18:00:00Z',
    finishedAt: '2026-03-31T18:05:00Z',
    status: 'completed',
    verification: { outcome: 'none' },
    terminationReason: 'ended',
    toolCalls: [failed, failed, { name: 'Bash', action: 'npm run test', ok: true }],
    retryCount: 1,
    maxRetries: 3,
  };
}

async function learn() {
  await until(30, 'capture and proposer are idle', async () => {
    const { executions, awaitingCapture, awaitingProposal } = await get('/v1/executions/status');
    return executions === AGENTS.length && awaitingCapture + awaitingProposal === 0;
  });
  const { total } = await get('/v1/lessons');
  assert.equal(total, AGENTS.length);
  return total;
}

async function cycle() {
  const dry = await post('/v1/evolver/cycles', { dryRun: true });
  assert.equal(dry.report.proposals.length, 1);
  assert.equal((await get('/v1/proposals')).total, 0, 'A dry run writes nothing.');
  const { report: done } = await post('/v1/evolver/cycles', {});
  assert.deepEqual(
    done.proposals.map(({ outcome, agents }) => ({ outcome, agents })),
    [{ outcome: 'submitted', agents: 3 }],
  );
  const { items } = await get('/v1/proposals');
  assert.equal(items.length, 1);
  assert.match(items[0].action, /`npm run test`/);
  return items[0];
}

async function approve({ id }) {
  const proposal = await get(`/v1/proposals/${id}`);
  const wrong = await call('POST', `/v1/proposals/${id}/approve`, { artifactSha256: '0'.repeat(64) });
  assert.equal(wrong.status, 409, 'A decision on other bytes is refused.');
  await post(`/v1/proposals/${id}/approve`, { artifactSha256: proposal.artifactSha256 });
  const twice = await call('POST', `/v1/proposals/${id}/approve`, { artifactSha256: proposal.artifactSha256 });
  assert.equal(twice.status, 409, 'A proposal is decided once.');
  await until(30, 'the skill is published', async () => {
    const { items } = await get('/v1/skills');
    return items[0]?.publication.state === 'published';
  });
  return proposal;
}

async function checkCommit({ id, skillName, artifact }) {
  const { publication } = await get(`/v1/skills/${skillName}`);
  const git = (...args) => execFileSync('git', ['-C', skills, ...args], { encoding: 'utf8' });
  assert.equal(git('log', '--format=%H').trim(), publication.commit, 'There is one commit, the published one.');
  assert.match(git('log', '--format=%B'), new RegExp(id));
  assert.equal(git('show', `HEAD:${skillName}/SKILL.md`), artifact);
  assert.equal(readFileSync(join(skills, skillName, 'SKILL.md'), 'utf8'), artifact);
}

async function journal() {
  const { intact, entries } = await get('/v1/journal/verification');
  assert(intact, 'The journal is intact.');
  assert(entries >= AGENTS.length * 2, 'The journal has the registrations and the reports.');
}

async function end() {
  const closed = once(server, 'close');
  const began = performance.now();
  server.kill('SIGTERM');
  const ended = await Promise.race([closed, sleep(END_SECONDS * 1000, undefined, { ref: false })]);
  assert(ended, `The server did not stop within ${END_SECONDS} s.`);
  const [code, signal] = ended;
  assert(
    code === 0 || signal === 'SIGTERM',
    `The server exited with ${code ?? signal} after ${performance.now() - began} ms.`,
  );
}

function get(path) {
  return expectSuccess('GET', path);
}

function post(path, body) {
  return expectSuccess('POST', path, body);
}

async function expectSuccess(method, path, body) {
  const { status, answer } = await call(method, path, body);
  assert(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

async function call(method, path, body, headers = {}) {
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, answer: type.includes('json') ? JSON.parse(text) : text };
}

async function until(seconds, condition, holds) {
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; await sleep(50))
    if (await holds()) return;
  throw new Error(`After ${seconds} s this was still not true: ${condition}.`);
}
