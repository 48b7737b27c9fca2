import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../support/command-line.js';

/** Clears the screen, sets a title, turns the text around, hides a word, and forges a line. */
const HOSTILE = 'x\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eevil\u2066\u200b\r\nFORGED';
const STEERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const ID = '0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a';
const FINGERPRINT = 'ab'.repeat(32);
const WHEN = '2026-01-05T09:00:00.000Z';

describe('the command line with hostile text from the server', () => {
  let program: CommandLine;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    program = await CommandLine.create();
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '', 'http://localhost').pathname;
      const [status, answer] = answerOf(request.method ?? '', path);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await program.remove();
  });

  const guildbook = (...args: string[]) => program.run(args, { GUILDBOOK_SERVER: url, GUILDBOOK_TOKEN: 'gbp_example' });
  const steered = (text: string) => text.split('\n').some((line) => STEERS.test(line));

  it.each([
    'lessons',
    `lessons show ${ID}`,
    'proposals list',
    `proposals show ${ID}`,
    'skills list',
    'skills show x',
    'memory promotions',
    'memory promotions --state waiting',
    `memory promotion ${ID}`,
    'journal list',
    'agents list',
    'people list',
    'status',
    'evolve',
    `evolve families ${FINGERPRINT}`,
    'evolve writers',
    'journal streams list',
    'retention',
    'whoami',
  ])('escapes it in the output: guildbook %s', async (command) => {
    const { code, stdout, stderr } = await guildbook(...command.split(' '));
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\\u{1b}[2J');
    expect(steered(stdout)).toBe(false);
  });

  it.each(['lessons', 'proposals', 'journal', 'agents'])(
    'lets no text forge a line of a list: guildbook %s',
    async (command) => {
      const { stdout } = await guildbook(command);
      expect(stdout).toContain('\\u{0a}FORGED');
      expect(stdout).not.toMatch(/^FORGED/m);
    },
  );

  it('escapes it in JSON without changing the value', async () => {
    const { stdout } = await guildbook('--json', 'lessons');
    expect(steered(stdout)).toBe(false);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ lesson: { discovery: HOSTILE } }] });
  });

  it('escapes it in an error message', async () => {
    const { code, stdout, stderr } = await guildbook('agents', 'add', 'x');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('\\u{1b}[2J');
    expect(steered(stderr)).toBe(false);
  });
});

const RATE = { worked: 1, n: 1, rate: 1, low: 0.2, high: 1 };
const SUMMARY = {
  id: ID,
  kind: 'new_skill',
  state: 'pending',
  revision: 1,
  skillName: HOSTILE,
  title: HOSTILE,
  action: HOSTILE,
  artifactSha256: 'a'.repeat(64),
  risk: 'low',
  confidence: 1,
  verdict: HOSTILE,
  binding: { harness: HOSTILE, project: HOSTILE, environment: [{ name: HOSTILE, value: HOSTILE }] },
  impact: 1,
  votes: { given: 0, needed: 2 },
  cluster: { id: HOSTILE, size: 2 },
  evidence: { agents: 3, owners: 1, origins: 3, executions: 3, failures: 3 },
  createdAt: WHEN,
  updatedAt: WHEN,
  expiresAt: WHEN,
  decidedAt: null,
};
/** What a lesson and a skill show of what happened. */
const PARTS = {
  cause: HOSTILE,
  environment: [{ name: HOSTILE, value: HOSTILE }],
  example: {
    failed: { tool: HOSTILE, call: HOSTILE },
    error: HOSTILE,
    between: [{ tool: HOSTILE, call: HOSTILE }],
    worked: { tool: HOSTILE, call: HOSTILE },
  },
};
const NAMED = [{ name: HOSTILE, n: 1 }];
const CALL = { call: { tool: HOSTILE, call: HOSTILE }, ok: false, error: HOSTILE };
const DOSSIER = {
  kind: 'failure',
  signature: HOSTILE,
  failures: 1,
  executions: 1,
  examined: 1,
  agents: 1,
  origins: 1,
  harnesses: NAMED,
  tools: NAMED,
  actions: NAMED,
  recovered: 1,
  environment: [{ name: HOSTILE, value: HOSTILE }],
  examples: [{ recovered: true, before: CALL, failed: CALL, later: [CALL] }],
};
const DETAILS = {
  ...SUMMARY,
  proposedSkill: { ...PARTS, title: HOSTILE },
  checkWords: [HOSTILE, HOSTILE],
  predicateWords: [HOSTILE],
  widens: [{ part: 'harness', was: HOSTILE, now: HOSTILE }],
  authors: [{ part: HOSTILE, number: 1, by: HOSTILE, kept: true }],
  revisions: [{ revision: 1, at: WHEN, by: HOSTILE, difference: HOSTILE }],
  artifact: HOSTILE,
  audience: [{ department: HOSTILE, role: HOSTILE }],
  evidence: {
    ...SUMMARY.evidence,
    dossier: DOSSIER,
    witnesses: { agents: 1, remedies: 1 },
    firstSeen: WHEN,
    lastSeen: WHEN,
    failing: { tool: HOSTILE, action: HOSTILE, errorClass: HOSTILE, example: HOSTILE },
    failureRate: RATE,
    repeating: RATE,
    alternatives: [{ ...RATE, action: HOSTILE, agents: 3, lift: 1 }],
    seenBy: [{ agent: HOSTILE, owner: HOSTILE, executions: 1, failures: 1 }],
    wording: { by: HOSTILE, words: { title: HOSTILE }, reason: HOSTILE },
    kept: { from: HOSTILE, parts: [HOSTILE], left: [{ part: HOSTILE, reason: HOSTILE }] },
    lowered: [{ reason: HOSTILE, resembles: HOSTILE, rejections: 1 }],
  },
  findings: { redactions: [{ rule: HOSTILE, count: 1 }], suspicions: [{ kind: HOSTILE, count: 1 }] },
  supersedes: { id: ID, name: HOSTILE, condition: HOSTILE, action: HOSTILE },
  contradicts: [
    {
      id: ID,
      state: 'pending',
      title: HOSTILE,
      skillName: HOSTILE,
      isLive: false,
      condition: HOSTILE,
      action: HOSTILE,
    },
  ],
  earlierRejections: [{ reason: HOSTILE, decidedAt: WHEN }],
  editedBy: HOSTILE,
  ownedBy: HOSTILE,
  earlierEditors: [HOSTILE],
  decisions: [{ by: HOSTILE, verdict: 'rejected', reason: HOSTILE, revision: 1, artifactSha256: '', decidedAt: WHEN }],
  history: [],
};
const SKILL = {
  name: HOSTILE,
  version: 1,
  approvedBy: HOSTILE,
  approvedAt: WHEN,
  artifact: HOSTILE,
  publication: { state: 'published', commit: HOSTILE, path: HOSTILE, lastError: HOSTILE },
  history: [{ commit: HOSTILE, author: HOSTILE, when: HOSTILE, subject: HOSTILE }],
};
const PRINCIPAL = {
  lastUsedAt: HOSTILE,
  tokenExpiresAt: HOSTILE,
  hasToken: true,
  id: HOSTILE,
  kind: HOSTILE,
  name: HOSTILE,
  email: HOSTILE,
  roles: [HOSTILE],
  role: HOSTILE,
  department: HOSTILE,
  owner: HOSTILE,
  createdAt: WHEN,
};
const CYCLE_RESULT = {
  title: HOSTILE,
  agents: 1,
  owners: 1,
  failures: 1,
  worked: 1,
  tried: 1,
  confidence: 1,
  outcome: HOSTILE,
};
const CYCLE = {
  state: HOSTILE,
  dryRun: false,
  report: {
    excludedFailures: { [HOSTILE]: 1 },
    proposals: [CYCLE_RESULT],
    notProposed: [
      {
        ...CYCLE_RESULT,
        because: HOSTILE,
        reason: HOSTILE,
        proposalId: HOSTILE,
        lowered: [{ reason: HOSTILE, resembles: HOSTILE, rejections: 1 }],
      },
    ],
    unsolved: [{ action: HOSTILE, errorClass: HOSTILE, agents: 1, failures: 1 }],
    overcome: [],
    onlySkipped: [],
    tasks: {
      overcome: 0,
      open: 0,
      unsolved: 1,
      problems: [{ origin: HOSTILE, check: HOSTILE, verdict: HOSTILE, failedBy: 1, passedBy: 0, executions: 1 }],
    },
    wording: { byModel: 1, kept: 0, byRules: 1, reasons: { [HOSTILE]: 1 } },
    tokens: 1,
    usd: 0,
  },
};
const LESSON = {
  id: HOSTILE,
  agentId: HOSTILE,
  lesson: {
    ...PARTS,
    discovery: HOSTILE,
    activation: { condition: HOSTILE, action: HOSTILE, rationale: HOSTILE },
    steps: [HOSTILE],
    tags: [HOSTILE],
  },
  provenance: HOSTILE,
  proposer: HOSTILE,
  witnessCount: 1,
  createdAt: HOSTILE,
};
const PROMOTION = {
  memory: HOSTILE,
  discovery: HOSTILE,
  provenance: HOSTILE,
  state: HOSTILE,
  because: HOSTILE,
  checkedAt: HOSTILE,
  dueAt: HOSTILE,
  evidence: [{ at: HOSTILE, kind: HOSTILE, stance: HOSTILE, source: HOSTILE, reason: HOSTILE }],
  restsOn: [{ memory: HOSTILE, provenance: HOSTILE, ended: true }],
};
const ENTRY = {
  seq: 1,
  at: HOSTILE,
  actor: { kind: HOSTILE, name: HOSTILE },
  action: HOSTILE,
  subject: { type: HOSTILE, id: HOSTILE },
};

const WRITER = {
  writer: HOSTILE,
  submitted: 1,
  pending: 0,
  approved: 0,
  rejected: 1,
  ended: 0,
  edited: 0,
  shares: { approved: 0, edited: 0, rejected: 1 },
  reasons: [{ reason: HOSTILE, n: 1 }],
};
const FAMILY_ROW = {
  fingerprint: HOSTILE,
  signature: HOSTILE,
  tools: [HOSTILE],
  actions: [HOSTILE],
  agents: 1,
  executions: 1,
  failures: 1,
};
const FAMILY = {
  family: FAMILY_ROW,
  dossier: DOSSIER,
  candidates: [
    {
      id: HOSTILE,
      family: FAMILY_ROW,
      how: HOSTILE,
      action: HOSTILE,
      words: [HOSTILE],
      verdict: HOSTILE,
      because: HOSTILE,
      findings: [HOSTILE],
      examined: 1,
      with: { worked: 1, n: 1 },
      without: { worked: 1, n: 1 },
      binding: { harness: HOSTILE, project: HOSTILE },
    },
  ],
  proposals: [{ id: HOSTILE, title: HOSTILE, state: HOSTILE, kind: HOSTILE, writer: HOSTILE, reason: HOSTILE }],
};

const STREAM = {
  id: ID,
  kind: 'webhook',
  target: HOSTILE,
  acknowledged: 0,
  acknowledgedAt: null,
  pending: 1,
  failures: 1,
  failingSince: HOSTILE,
  nextAttemptAt: HOSTILE,
  lastStatus: 500,
  lastAnswer: HOSTILE,
  createdAt: WHEN,
};
const RETENTION = {
  keepReportsDays: 30,
  keepDeliveriesDays: null,
  state: HOSTILE,
  trigger: HOSTILE,
  startedAt: HOSTILE,
  finishedAt: HOSTILE,
  reportsBefore: HOSTILE,
  deliveriesBefore: null,
  reports: 1,
  cited: 1,
  deliveries: 0,
  retrievals: 0,
};

const list = (item: unknown) => ({ items: [item], total: 1, next: null });
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/v1/lessons': list(LESSON),
  [`/v1/lessons/${ID}`]: LESSON,
  '/v1/proposals': list(SUMMARY),
  [`/v1/proposals/${ID}`]: DETAILS,
  '/v1/promotions': { ...list(PROMOTION), counts: { waiting: 1, queued: 1, unresolved: 1, verified: 1 } },
  [`/v1/promotions/${ID}`]: PROMOTION,
  '/v1/skills': list(SKILL),
  '/v1/skills/x': SKILL,
  '/v1/journal': list(ENTRY),
  '/v1/people': list(PRINCIPAL),
  '/v1/executions/status': { executions: 1, skipped: [{ reason: HOSTILE, count: 1 }] },
  '/v1/deliveries': { moments: [] },
  '/v1/deliveries/pauses': {
    items: [
      { id: ID, person: { id: ID, name: HOSTILE }, project: HOSTILE, session: HOSTILE, since: WHEN, until: HOSTILE },
    ],
  },
  '/v1/hooks': { unknownEvents: 1 },
  '/v1/server': {
    database: 'postgresql',
    processes: [{ host: HOSTILE, pid: 1, version: HOSTILE, lastSeenAt: HOSTILE }],
    queues: [{ name: HOSTILE, length: 1, oldestSeconds: 1 }],
    jobs: [{ name: HOSTILE, outcome: 'failed', nextRunAt: HOSTILE }],
    role: { problem: HOSTILE, sql: [HOSTILE] },
  },
  '/v1/journal/streams': list(STREAM),
  '/v1/retention': { ...RETENTION, lastRun: RETENTION },
  '/v1/repository': {
    history: { known: HOSTILE, held: { commit: HOSTILE, reason: HOSTILE }, setAside: [HOSTILE] },
    remote: { branch: HOSTILE, state: HOSTILE, commit: HOSTILE, reason: HOSTILE, nextAttempt: HOSTILE },
    findings: [{ kind: HOSTILE, subject: HOSTILE }],
  },
  '/v1/evolver/cycles': CYCLE,
  [`/v1/evolver/families/sha256%3A${FINGERPRINT}`]: FAMILY,
  '/v1/evolver/writers': { window: { from: WHEN, to: WHEN }, items: [WRITER] },
  '/v1/me': { principal: PRINCIPAL, scopes: [HOSTILE], expiresAt: HOSTILE },
};

function answerOf(method: string, path: string): [number, unknown] {
  if (path !== '/v1/agents') return [200, ANSWERS[path] ?? {}];
  if (method === 'GET') return [200, list(PRINCIPAL)];
  const errors = [1, 2].map(() => ({ field: HOSTILE, message: HOSTILE }));
  return [400, { type: 't', title: HOSTILE, status: 400, code: HOSTILE, detail: HOSTILE, errors }];
}
