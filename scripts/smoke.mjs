#!/usr/bin/env node
/**
 * node scripts/smoke.mjs
 *
 * Boots the built program (npm run build) in a temporary folder and takes it once around the loop by plain HTTP, as a
 * stranger with curl would: executions in, an approved SKILL.md in git, a clean end. One line for each step with its
 * seconds; ends with 1 at the first step that fails. Only what Node brings along.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  assert(existsSync(PROGRAM), 'There is no built program; npm run build makes it.');
  await run();
} catch (error) {
  console.error(`\nFAILED: ${error.stack ?? error}`);
  if (output !== '') console.error(`\nThe server said:\n${output}`);
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
  await step('documents itself', documentation);
  await step('is closed to strangers', strangers);
  const fleet = await step('registers three agents', register);
  await step('takes their executions, each once', () => report(fleet));
  const lessons = await step('makes private lessons of them', learn);
  const proposed = await step('proposes what three agents found, a dry run first', cycle);
  const approved = await step('publishes what a person approved', () => approve(proposed));
  await step('has it in git, in the approved bytes', () => committed(approved));
  await step('has an intact journal of it all', journal);
  await step('ends within ten seconds of SIGTERM', end);
  console.log(`\nThe loop holds: ${lessons} lessons, 1 skill (${approved.skillName}).`);
}

async function step(name, work) {
  const began = performance.now();
  const result = await work();
  console.log(`ok  ${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s  ${name}`);
  return result;
}

async function start() {
  // Nothing of this shell but the search path: a DATABASE_URL out there must not be filled by a test.
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
  const shown = () => /--token (gbo_\S+)/.exec(output)?.[1];
  await until(START_SECONDS, 'the server prints its address and a token', () => {
    assert(server.exitCode === null, 'The server ended.');
    return shown() !== undefined;
  });
  url = /listening on (http:\/\/\S+)/.exec(output)[1];
  await signIn(shown());
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

async function strangers() {
  const { status, answer, type } = await call('GET', '/v1/proposals', undefined, { authorization: 'Bearer nobody' });
  assert.equal(status, 401);
  assert.match(type, /application\/problem\+json/);
  assert.equal(answer.status, 401);
  assert.equal((await call('GET', '/v1/no-such-thing')).status, 404);
}

async function register() {
  const issued = [];
  for (const name of AGENTS) issued.push(await post('/v1/agents', { name, owner: `team of ${name}` }));
  return issued.map(({ principal, token: own }) => ({
    name: principal.name,
    headers: { authorization: `Bearer ${own}` },
  }));
}

/** A made-up fleet: `npm run tests` fails for all of them, and `npm run test` does it. */
async function report(fleet) {
  for (const [n, { name, headers }] of fleet.entries()) {
    const body = execution(name, n);
    assert.equal((await call('POST', '/v1/executions', body, headers)).answer.duplicate, false);
    assert.equal((await call('POST', '/v1/executions', body, headers)).answer.duplicate, true, 'Once is once.');
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
  await until(30, 'capture and proposer are done', async () => {
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
  const item = await get(`/v1/proposals/${id}`);
  const wrong = await call('POST', `/v1/proposals/${id}/approve`, { artifactSha256: '0'.repeat(64) });
  assert.equal(wrong.status, 409, 'Other bytes than those that were read are refused.');
  await post(`/v1/proposals/${id}/approve`, { artifactSha256: item.artifactSha256 });
  const twice = await call('POST', `/v1/proposals/${id}/approve`, { artifactSha256: item.artifactSha256 });
  assert.equal(twice.status, 409, 'An item is decided once.');
  await until(30, 'the skill is published', async () => {
    const { items } = await get('/v1/skills');
    return items[0]?.publication.state === 'published';
  });
  return item;
}

async function committed({ id, skillName, artifact }) {
  const { publication } = await get(`/v1/skills/${skillName}`);
  const git = (...args) => execFileSync('git', ['-C', skills, ...args], { encoding: 'utf8' });
  assert.equal(git('log', '--format=%H').trim(), publication.commit, 'There is one commit, and it is the one.');
  assert.match(git('log', '--format=%B'), new RegExp(id));
  assert.equal(git('show', `HEAD:${skillName}/SKILL.md`), artifact);
  assert.equal(readFileSync(join(skills, skillName, 'SKILL.md'), 'utf8'), artifact);
}

async function journal() {
  const { intact, entries } = await get('/v1/journal/verification');
  assert(intact, 'The chain holds.');
  assert(entries >= AGENTS.length * 2, 'It has the registrations and the reports.');
}

async function end() {
  const closed = once(server, 'close');
  const began = performance.now();
  server.kill('SIGTERM');
  const ended = await Promise.race([closed, sleep(END_SECONDS * 1000, undefined, { ref: false })]);
  assert(ended, `It did not end within ${END_SECONDS} s.`);
  const [code, signal] = ended;
  assert(code === 0 || signal === 'SIGTERM', `It ended with ${code ?? signal} after ${performance.now() - began} ms.`);
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

async function until(seconds, what, holds) {
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; await sleep(50))
    if (await holds()) return;
  throw new Error(`Waited ${seconds} s in vain until ${what}.`);
}
