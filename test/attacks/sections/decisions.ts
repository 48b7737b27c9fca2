import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';
import { textAt } from '../built-server.js';

const SKILL = {
  name: 'Rotate the ledger key',
  description: 'Use when the ledger key is older than a month.',
  body: 'Run `ledger rotate --key main`.',
};
const SCOPES = ['report-for', 'read', 'propose'];

/** Decisions by those who may not decide, on bytes that no one saw, twice, and all at once. */
export const section: Section = {
  name: 'decisions',
  async *attempts(server) {
    const { id, sha256 } = await server.propose(SKILL);
    yield* byForeignTokens(server, id, sha256);
    yield* onOtherBytes(server, id, sha256);
    yield* throughLinks(server);
    yield* allAtOnce(server, id, sha256);
  },
};

async function* byForeignTokens(server: AttackedServer, id: string, sha256: string): AsyncIterable<Attempt> {
  const { adminToken } = server;
  const tokens: [string, string | undefined][] = [
    ['no token', undefined],
    ['an invented token', 'gbp_0123456789abcdefghijklmnopqrstuvwxyz'],
    ['an agent', await server.agent('ledger-bot')],
  ];
  for (const scope of SCOPES) {
    const body = { name: `importer ${scope}`, scopes: [scope] };
    const made = await server.call('POST', '/v1/services', { token: adminToken, body });
    tokens.push([`a service with ${scope}`, textAt(made.body, 'token')]);
  }
  const person = { name: 'Reads only', email: 'reads@example.test', reviewer: false };
  const invited = await server.call('POST', '/v1/people', { token: adminToken, body: person });
  const invitation = textAt(invited.body, 'token');
  tokens.push(['an invitation that was not used', invitation]);
  const signedIn = await server.call('POST', '/v1/sign-in', { body: { token: invitation } });
  tokens.push(['a person who reviews nothing', textAt(signedIn.body, 'token')]);
  tokens.push(['a token that only signs in', textAt(signedIn.body, 'signInToken')]);

  const shown = await server.call('GET', `/v1/proposals/${id}`, { token: adminToken });
  const decisions = decisionsOn(id, sha256, shown.body);
  for (const [who, token] of tokens)
    for (const { verb, method, path, body } of decisions) {
      const { status } = await server.call(method, path, { ...(token === undefined ? {} : { token }), body });
      const state = await stateOf(server, id);
      const isHeld = (status === 401 || status === 403) && state === 'pending';
      yield attempt(`${verb} by ${who}`, isHeld, `${status}, ${state}`);
    }
}

async function* onOtherBytes(server: AttackedServer, id: string, sha256: string): AsyncIterable<Attempt> {
  const token = server.adminToken;
  const wrong: [string, unknown][] = [
    ['another hash', { artifactSha256: '0'.repeat(64) }],
    ['the hash in capitals', { artifactSha256: sha256.toUpperCase() }],
    ['a part of the hash', { artifactSha256: sha256.slice(0, 12) }],
    ['no hash', {}],
    ['two hashes', { artifactSha256: [sha256, sha256] }],
    ['a further field', { artifactSha256: sha256, force: true }],
  ];
  for (const [what, body] of wrong) {
    const { status } = await server.call('POST', `/v1/proposals/${id}/approve`, { token, body });
    const state = await stateOf(server, id);
    yield attempt(`approve with ${what}`, status >= 400 && state === 'pending', `${status}, ${state}`);
  }
}

/** The publisher must not write through a link that leads out of the folder. */
async function* throughLinks(server: AttackedServer): AsyncIterable<Attempt> {
  const target = join(server.folder, 'outside');
  writeFileSync(target, 'untouched');
  symlinkSync(target, join(server.skillsDir, 'README.md.link'));
  const { id } = await server.propose({ ...SKILL, name: 'Archive the ledger', body: 'Run `ledger archive`.' });
  const shown = await server.call('GET', `/v1/proposals/${id}`, { token: server.adminToken });
  const name = textAt(shown.body, 'skillName');
  symlinkSync(server.folder, join(server.skillsDir, name));
  await server.approve(id, server.adminToken);
  const isOutside = existsSync(join(server.folder, 'SKILL.md'));
  yield attempt(
    'a skill is written through a linked folder',
    !isOutside,
    isOutside ? 'written outside' : 'not written',
  );
}

async function* allAtOnce(server: AttackedServer, id: string, sha256: string): AsyncIterable<Attempt> {
  const tokens = [server.adminToken, await server.reviewer('Second'), await server.reviewer('Third')];
  const approvals = Array.from({ length: 20 }, (_, n) =>
    server.call('POST', `/v1/proposals/${id}/approve`, {
      token: tokens[n % 3] ?? '',
      body: { artifactSha256: sha256 },
    }),
  );
  const statuses = (await Promise.all(approvals)).map(({ status }) => status);
  const accepted = statuses.filter((status) => status === 200).length;
  await server.approve(id, server.adminToken).catch(() => undefined);
  const log = execFileSync('git', ['-C', server.skillsDir, 'log', '--format=%B', 'main'], { encoding: 'utf8' });
  const commits = log.split('\n').filter((line) => line.startsWith('Guildbook-Approval:') && line.includes(id)).length;
  const held = accepted === 1 && commits <= 1;
  yield attempt('20 approvals at once', held, `${accepted} accepted, ${commits} commits`);
  const again = await server.call('POST', `/v1/proposals/${id}/approve`, {
    token: server.adminToken,
    body: { artifactSha256: sha256 },
  });
  yield attempt('the same approval again', again.status === 409, `${again.status}`);
}

function decisionsOn(id: string, artifactSha256: string, proposal: unknown) {
  const reason = 'It is time that someone decided this.';
  const { proposedSkill } = z.object({ proposedSkill: z.unknown() }).parse(proposal);
  const post = (verb: string, body: unknown) => ({ verb, method: 'POST', path: `/v1/proposals/${id}/${verb}`, body });
  return [
    post('approve', { artifactSha256 }),
    post('override', { artifactSha256, reason }),
    post('reject', { reason }),
    post('reopen', { reason }),
    post('resolve', { as: 'supersede', artifactSha256 }),
    post('retire', { reason }),
    { verb: 'edit', method: 'PUT', path: `/v1/proposals/${id}/skill`, body: { artifactSha256, proposedSkill } },
    { verb: 'rename', method: 'POST', path: '/v1/skills/some-skill/rename', body: { to: 'other-skill' } },
    { verb: 'rollout', method: 'PUT', path: '/v1/skills/some-skill/rollout', body: { percent: 5 } },
  ];
}

async function stateOf(server: AttackedServer, id: string): Promise<string> {
  const { body } = await server.call('GET', `/v1/proposals/${id}`, { token: server.adminToken });
  return textAt(body, 'state');
}
