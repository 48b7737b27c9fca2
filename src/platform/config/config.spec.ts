import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { homelessProblems, loadConfig, PROJECT_ROOT, SETTINGS } from './config.js';
import { CONSTANTS } from './constants.js';
import { NON_SERVER_VARIABLES } from './environment.js';
import { envExample, settingsTable } from './settings-reference.js';

describe('the settings', () => {
  it('by default listen on this machine only and use the embedded database and the reference thresholds', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4747,
      databaseUrl: undefined,
      evolverEnabled: true,
      minAgentsForPattern: 'auto',
      minConfidenceForProposal: 0.8,
      maxProposalsPerCycle: 10,
      requiresHumanApproval: true,
    });
  });

  it('treat an empty variable as unset', () => {
    const empty = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('parse numbers, flags and folders', () => {
    const config = loadConfig({
      GUILDBOOK_PORT: '8080',
      GUILDBOOK_EVOLVER_ENABLED: 'true',
      GUILDBOOK_DATA_DIR: 'somewhere/data',
      GUILDBOOK_HOST: ' 0.0.0.0 ',
    });
    expect(config).toMatchObject({ port: 8080, evolverEnabled: true, host: '0.0.0.0' });
    expect(config.dataDir).toBe(join(PROJECT_ROOT, 'somewhere/data'));
    expect(isAbsolute(loadConfig({}).skillsDir)).toBe(true);
  });

  it('parse a score and a percentile with fractions, by default those of the reference', () => {
    const of = (value: string) => loadConfig({ GUILDBOOK_SUCCESS_QUALITY: value }).successQuality;
    expect(of('')).toEqual([8, 75]);
    expect(of('8.25, 97.5')).toEqual([8.25, 97.5]);
    for (const wrong of ['11,75', '8,101', '8,', ',75', '8,75,1', '-1,75', '8;75'])
      expect(messageOf(() => of(wrong))).toContain('GUILDBOOK_SUCCESS_QUALITY');
  });

  it('report every invalid variable at once without its value, which may be a secret', () => {
    const wrong = {
      GUILDBOOK_PORT: 'eighty-eighty',
      GUILDBOOK_EVOLVER_ENABLED: 'perhaps',
      GUILDBOOK_MIN_CONFIDENCE_FOR_PROPOSAL: '1.5',
    };
    const message = messageOf(() => loadConfig(wrong));
    for (const [name, value] of Object.entries(wrong)) {
      expect(message).toContain(name);
      expect(message).not.toContain(value);
    }
  });

  it('report every invalid or missing variable at once with the allowed values', () => {
    const wrong = {
      GUILDBOOK_APPROVAL_QUORUM: ['99', 'must be a whole number from 1 to 20'],
      GUILDBOOK_PROPOSER_INPUT_PRICE: ['dear', 'must be a number from 0 to 10,000'],
      GUILDBOOK_PROPOSER_TEMPERATURE: ['warm', 'must be a number from 0 to 1'],
      GUILDBOOK_SUCCESS_QUALITY: ['good', 'must be a score from 0 to 10 and a percentile from 0 to 100'],
      GUILDBOOK_PRUNING: ['sometimes', 'must be none, ttl, pareto or hybrid'],
      GUILDBOOK_EVOLVER_CRON: ['every six hours', 'must be auto, or a cron expression'],
      GUILDBOOK_UPKEEP_CRON: ['61 3 * * *', 'must be off, or a cron expression'],
      GUILDBOOK_WRITABLE_CATEGORIES: ['PROCEDURAL,LYRICAL', 'must be one or more of CORE, PROCEDURAL'],
      GUILDBOOK_TRUSTED_PROXIES: ['10.0.0.0/8,proxy', 'must be addresses or networks'],
      GUILDBOOK_JOURNAL_TRUSTED_KEYS: ['a key', 'must be verifier keys'],
      GUILDBOOK_PUBLIC_URL: ['https://guildbook.example.org/console', 'must be an https: address without a path'],
      GUILDBOOK_OIDC_ISSUER: ['http://id.example.org', 'must be an https: address'],
      ANTHROPIC_BASE_URL: ['models.example.org', 'must be an http: or https: address'],
      ANTHROPIC_API_KEY: ['sk-example and a comment', 'must be printable characters without spaces'],
      DATABASE_URL: ['mysql://root:hunter2@db/guildbook', 'must be a postgresql: address'],
      GUILDBOOK_SKILLS_REMOTE: [
        'https://me:hunter2@git.example.org/skills',
        'must be an https:, ssh: or file: address',
      ],
      GUILDBOOK_SKILLS_REMOTE_BRANCH: ['a..b', 'must be the name of a branch'],
    };
    const given = Object.fromEntries(Object.entries(wrong).map(([name, [value = '']]) => [name, value]));
    const message = messageOf(() => loadConfig(given));
    for (const [name, [value = '', said = '']] of Object.entries(wrong)) {
      expect(message).toContain(`\n  ${name}: ${said}`);
      expect(message).not.toContain(value);
    }
    expect(message).toContain('\n  GUILDBOOK_OIDC_CLIENT_ID: required with GUILDBOOK_OIDC_ISSUER');
    expect(message.split('\n')).toHaveLength(1 + Object.keys(wrong).length + 2);
  });

  it('reject a folder that is a file, and a key file that is a folder', async () => {
    const root = await mkdtemp(join(tmpdir(), 'guildbook-config-'));
    await writeFile(join(root, 'file'), '');
    const environment = {
      GUILDBOOK_DATA_DIR: join(root, 'file'),
      GUILDBOOK_SKILLS_DIR: join(root, 'file', 'skills'),
      GUILDBOOK_JOURNAL_KEY_FILE: root,
    };
    const message = messageOf(() => loadConfig(environment));
    for (const name of Object.keys(environment)) expect(message).toContain(`${name}: must be a `);
    await rm(root, { recursive: true });
  });

  it('reject an unknown variable and name the nearest one', () => {
    const message = messageOf(() =>
      loadConfig({ GUILDBOOK_POTR: '80', GUILDBOOK_APPROVALS_QUORUM: '', GUILDBOOK_GATHER_HOURS: '24', PATH: '/bin' }),
    );
    expect(message).toContain('GUILDBOOK_POTR: unknown setting; did you mean GUILDBOOK_PORT');
    expect(message).toContain('GUILDBOOK_APPROVALS_QUORUM: unknown setting; did you mean GUILDBOOK_APPROVAL_QUORUM');
    expect(message).toMatch(/GUILDBOOK_GATHER_HOURS: unknown setting; did you mean GUILDBOOK_\w+$/);
    expect(message).not.toMatch(/PATH/);
    expect(loadConfig(Object.fromEntries(NON_SERVER_VARIABLES.map((name) => [name, 'x'])))).toEqual(loadConfig({}));
  });

  // 69: two for the first administrator's token and the journal's key, which belong in no log, one for the proof of the action gate, one for
  // remedies that only skip a check, which an organisation must ask for. 74: five more for session memory (its tokens at each start, and
  // whether sub-agents have it) and consolidation (when, and the two conditions of each agent). 78: the reference lets an
  // operator set the temperature of the proposer, the quality of a success, the estimator of confidence and the number of
  // agents that receive a copy. 79: one file for all numbers of the ranking, for fleets that measure on their own
  // memories. 80: whether the embedder is tuned, which takes half a core for minutes and changes what every agent
  // receives. 82: the token of /metrics and the address of a collector, because both send figures of the organisation out.
  // 83: the file of the audit stream, because a path never comes from a request. 85: for how long reports and deliveries
  // are kept, which only an operator's policy can say.
  // 87: the bounds of a lesson by a model, which depend on the model. 86: one confidence, which is measured.
  // 89: pull requests: which host, its token, and its API where the remote does not tell.
  it('are at most 89, each with allowed values and a reason to change it', () => {
    const all: { doc: string; allowed: string }[] = Object.values(SETTINGS);
    expect(all.length).toBeLessThanOrEqual(89);
    for (const { doc, allowed } of all) {
      expect(doc).toMatch(/(?:^|[.;] )(?:Change|Set|Raise|Lower|Choose|Leave out) /);
      expect(allowed).not.toBe('');
    }
  });

  it('reject a verifier model at the address of the model that writes lessons, whatever its name', () => {
    const verifier = { GUILDBOOK_VERIFIER_MODEL: 'another-model' };
    const same = [
      { ...verifier, ANTHROPIC_API_KEY: 'key' },
      { ...verifier, ANTHROPIC_API_KEY: 'key', GUILDBOOK_VERIFIER_API_KEY: 'another-key' },
      { ...verifier, ANTHROPIC_BASE_URL: 'http://localhost:8080' },
      {
        ...verifier,
        ANTHROPIC_BASE_URL: 'http://localhost:8080',
        GUILDBOOK_VERIFIER_BASE_URL: 'http://127.0.0.1:8080/v2',
      },
      { ...verifier, ANTHROPIC_API_KEY: 'key', GUILDBOOK_VERIFIER_BASE_URL: 'https://api.anthropic.com' },
    ];
    for (const environment of same)
      expect(messageOf(() => loadConfig(environment))).toContain(
        'GUILDBOOK_VERIFIER_BASE_URL: must be at another address than the model that writes lessons',
      );
    const judge = 'https://judge.example.org';
    expect(loadConfig({ ...verifier, ANTHROPIC_API_KEY: 'key', GUILDBOOK_VERIFIER_BASE_URL: judge })).toMatchObject({
      verifierBaseUrl: judge,
    });
    // Rules write the lessons.
    expect(loadConfig({ ...verifier, GUILDBOOK_VERIFIER_API_KEY: 'key' })).toMatchObject({
      verifierModel: 'another-model',
    });
  });

  it('come with constants, which a test can replace and a variable cannot', () => {
    expect(loadConfig({})).toMatchObject(CONSTANTS);
    expect(loadConfig({}, { fragmentGraceSeconds: 0 }).fragmentGraceSeconds).toBe(0);
    for (const name of Object.keys(CONSTANTS)) expect(Object.keys(SETTINGS)).not.toContain(name);
  });

  it('reject a lessons folder that is, contains or lies in the skills repository', async () => {
    const root = await mkdtemp(join(tmpdir(), 'guildbook-config-'));
    await mkdir(join(root, 'skills'));
    await symlink(join(root, 'skills'), join(root, 'link'));
    const loaded = (lessons: string) =>
      loadConfig({ GUILDBOOK_SKILLS_DIR: join(root, 'skills'), GUILDBOOK_SKILL_MD_DIRECTORY: join(root, lessons) });
    for (const wrong of ['skills', 'skills/lessons', '.', 'skills/..', 'link/not-there/yet'])
      expect(messageOf(() => loaded(wrong))).toContain('GUILDBOOK_SKILL_MD_DIRECTORY');
    for (const right of ['skills-of-agents', '..lessons'])
      expect(loaded(right).skillMdDirectory).toBe(join(root, right));
    expect(loadConfig({}).skillMdDirectory).toBeUndefined();
    await rm(root, { recursive: true });
  });

  it.each([
    ['human approval cannot be disabled', 'GUILDBOOK_REQUIRES_HUMAN_APPROVAL', 'false'],
    ['a token with the right to decide expires within an hour', 'GUILDBOOK_PERSONAL_TOKEN_MINUTES', '61'],
    ['a pattern needs two agents', 'GUILDBOOK_MIN_AGENTS_FOR_PATTERN', '1'],
    ['the body size is limited', 'GUILDBOOK_BODY_LIMIT_BYTES', '1e12'],
    ['a port is at most 65535', 'GUILDBOOK_PORT', '65536'],
    ['a port is an integer', 'GUILDBOOK_PORT', '80.5'],
    ['at least one person approves', 'GUILDBOOK_APPROVAL_QUORUM', '0'],
  ])('have bounds: %s', (_rule, name, value) => {
    expect(messageOf(() => loadConfig({ [name]: value }))).toContain(name);
  });

  it('mark every key, token and address with a password as secret, without a working default', () => {
    const all: { env: string; schema: z.ZodType; secret?: true }[] = Object.values(SETTINGS);
    const secrets = all.filter(({ secret }) => secret);
    const named = all.filter(({ env }) => /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|DATABASE_URL)$/.test(env));
    expect(secrets.map(({ env }) => env)).toEqual(expect.arrayContaining(named.map(({ env }) => env)));
    expect(secrets.map(({ env }) => env)).toEqual(expect.arrayContaining(['DATABASE_URL', 'ANTHROPIC_API_KEY']));
    for (const { schema } of secrets) expect(schema.parse(undefined)).toBeUndefined();
  });
});

describe('the example of an .env', () => {
  const lines = envExample().split('\n');

  it('contains every variable once with its meaning and default', () => {
    const names = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('=')[0]);
    expect(names).toEqual(Object.values(SETTINGS).map(({ env }) => env));
    for (const { doc } of Object.values(SETTINGS)) expect(lines).toContain(`# ${doc}`);
  });

  it('gives the same configuration as the defaults and names no folder of this machine', () => {
    const written = Object.fromEntries(lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split('=')));
    expect(loadConfig(written)).toEqual(loadConfig({}));
    expect(envExample()).not.toContain(PROJECT_ROOT);
  });
});

describe('the table of the settings', () => {
  it('has a row for each variable with default, allowed values, meaning and link', () => {
    const rows = settingsTable().split('\n').slice(2);
    expect(rows.map((row) => row.match(/^\| `(\w+)` \|/)?.[1])).toEqual(Object.values(SETTINGS).map(({ env }) => env));
    for (const row of rows) expect(row.split(' | ')).toHaveLength(4);
    const [port, database, issuer] = ['PORT', 'DATABASE_URL', 'OIDC_ISSUER'].map((name) =>
      rows.find((row) => row.includes(`${name}\` |`)),
    );
    expect(port).toContain('| `4747` | a whole number from 0 to 65,535 | Port to listen on');
    expect(database).toContain('| none | a `postgresql:` address; secret |');
    expect(issuer).toContain('([more](manage-access.md#set-up-single-sign-on)) |');
    expect(settingsTable()).not.toContain(PROJECT_ROOT);
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing was thrown';
}

describe('a process without a home folder', () => {
  it('is refused unless both folders are named', () => {
    const homeless = { isHomeless: true } as const;
    const sentence = 'required, because the user of this process has no home folder; or set HOME';
    expect(homelessProblems({}, homeless)).toEqual([
      `GUILDBOOK_DATA_DIR: ${sentence}`,
      `GUILDBOOK_SKILLS_DIR: ${sentence}`,
    ]);
    expect(homelessProblems({ GUILDBOOK_DATA_DIR: '/srv/a', GUILDBOOK_SKILLS_DIR: '/srv/b' }, homeless)).toEqual([]);
    expect(homelessProblems({}, {})).toEqual([]);
  });
});
