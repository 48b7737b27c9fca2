import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { describeConfig, loadConfig, PROJECT_ROOT, SETTINGS } from './config.js';

describe('the settings', () => {
  it('listen on this machine only, on the embedded database, with the thresholds of the spec', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4747,
      databaseUrl: undefined,
      evolverEnabled: false,
      minAgentsForPattern: 3,
      minConfidenceForOrgPromotion: 0.8,
      maxProposalsPerCycle: 10,
      requiresHumanApproval: true,
    });
  });

  it('take an empty variable for one that is not set', () => {
    const empty = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('read text as the number, flag or folder that it stands for', () => {
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

  it('name every variable that is wrong at once, and show no value: it may be a secret', () => {
    const wrong = {
      GUILDBOOK_PORT: 'eighty-eighty',
      GUILDBOOK_EVOLVER_ENABLED: 'perhaps',
      GUILDBOOK_MIN_CONFIDENCE_FOR_ORG_PROMOTION: '1.5',
    };
    const message = messageOf(() => loadConfig(wrong));
    for (const [name, value] of Object.entries(wrong)) {
      expect(message).toContain(name);
      expect(message).not.toContain(value);
    }
  });

  it('keep lessons out of the skills repository: their folder is not it, nor in it, nor around it', async () => {
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
    ['the gate cannot be configured away', 'GUILDBOOK_REQUIRES_HUMAN_APPROVAL', 'false'],
    ['a token that decides lives for an hour at most', 'GUILDBOOK_PERSONAL_TOKEN_MINUTES', '61'],
    ['one agent is no pattern', 'GUILDBOOK_MIN_AGENTS_FOR_PATTERN', '1'],
    ['there is a largest body', 'GUILDBOOK_BODY_LIMIT_BYTES', '1e12'],
    ['there is no such port', 'GUILDBOOK_PORT', '65536'],
    ['there is no half a port', 'GUILDBOOK_PORT', '80.5'],
  ])('have bounds: %s', (_rule, name, value) => {
    expect(messageOf(() => loadConfig({ [name]: value }))).toContain(name);
  });

  it('take every key, token and address with a password for a secret, and no secret has a working default', () => {
    const all: { env: string; schema: z.ZodType; secret?: true }[] = Object.values(SETTINGS);
    const secrets = all.filter(({ secret }) => secret);
    const named = all.filter(({ env }) => /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|DATABASE_URL)$/.test(env));
    expect(secrets.map(({ env }) => env)).toEqual(expect.arrayContaining(named.map(({ env }) => env)));
    expect(secrets.map(({ env }) => env)).toEqual(expect.arrayContaining(['DATABASE_URL', 'ANTHROPIC_API_KEY']));
    for (const { schema } of secrets) expect(schema.parse(undefined)).toBeUndefined();
  });
});

describe('the example of an .env', () => {
  const lines = describeConfig().split('\n');

  it('has every variable once, with its meaning and default', () => {
    const names = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('=')[0]);
    expect(names).toEqual(Object.values(SETTINGS).map(({ env }) => env));
    for (const { doc } of Object.values(SETTINGS)) expect(lines).toContain(`# ${doc}`);
  });

  it('means what the defaults mean, and names no folder of this machine', () => {
    const written = Object.fromEntries(lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split('=')));
    expect(loadConfig(written)).toEqual(loadConfig({}));
    expect(describeConfig()).not.toContain(PROJECT_ROOT);
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
