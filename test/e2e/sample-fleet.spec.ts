import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { importFiles } from '../../src/cli/commands/import.js';
import type { ImportSummary } from '../../src/cli/commands/import-summary.js';
import { transcriptFiles } from '../../src/cli/sources/transcript-files.js';
import type { Cycle } from '../../src/evolve/cycle/cycles.schema.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { SessionSummaries } from '../../src/sessions/summaries/session-summaries.service.js';
import { lintSkill } from '../../src/skills/document/lint.js';
import { validateSkill } from '../../src/skills/document/validate.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { dumpTables } from '../support/dump.js';

const FLEET = join(PROJECT_ROOT, 'examples', 'sample-fleet');

interface Expected {
  readonly agents: string[];
  readonly sessions: number;
  readonly subagents: number;
  readonly lessons: { failing: string; works: string; agents: string[]; sessions: { failed: number } }[];
  readonly unsolved: { failing: string; agents: string[] }[];
  readonly outage: { commands: string[]; agents: string[] };
  readonly secret: string[];
  readonly personal: string[];
  readonly injection: string[];
  readonly injectionUrl: string;
}

/** Records everything that is logged while a spec runs, as one text. */
class LogRecorder implements LoggerService {
  text = '';
  private readonly record = (...parts: unknown[]): void => {
    this.text += `${parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ')}\n`;
  };
  readonly log = this.record;
  readonly error = this.record;
  readonly warn = this.record;
  readonly debug = this.record;
  readonly verbose = this.record;
}

/** The words that occur anywhere in a value. A failed expectation then prints a few words instead of a whole dump. */
function found(words: readonly string[], value: unknown): string[] {
  const text = JSON.stringify(value);
  return words.filter((word) => text.includes(JSON.stringify(word).slice(1, -1)));
}

const withoutHash = (agent: string): string => agent.replace(/-[0-9a-f]{8}$/, '');

describe('the sample fleet, from its transcripts to committed skills', () => {
  // Written by scripts/make-sample-fleet.mjs in this shape.
  const expected = JSON.parse(readFileSync(join(FLEET, 'expected.json'), 'utf8')) as Expected;
  const log = new LogRecorder();
  let app: TestApplication;
  let summary: ImportSummary;
  let cycle: Cycle;
  let proposals: ProposalDetails[];

  beforeAll(async () => {
    app = await startTestApplication();
    Logger.overrideLogger(log);
    summary = await importFleet();
    await settled();
    cycle = await app.admin.evolver.run(false);
    proposals = await pending();
  });
  afterAll(async () => {
    Logger.overrideLogger(false);
    await app.close();
  });

  const importFleet = async () => importFiles(app.admin, await transcriptFiles([FLEET]), { agentPer: 'project' });
  const settled = async () => {
    await app.settled();
    const summaries = app.app.get(SessionSummaries);
    summaries.wake();
    await summaries.idle();
  };
  const pending = async () => {
    const { items } = await app.admin.proposals.list({ limit: 100 });
    return Promise.all(items.map(({ id }) => app.admin.proposals.show(id)));
  };
  const gitObjects = () =>
    execFileSync('git', ['cat-file', '--batch-all-objects', '--batch', '--unordered'], {
      cwd: app.skillsDir,
      maxBuffer: 64 * 1024 * 1024,
    }).toString('utf8');

  it('is imported completely: every session and sub-agent once, for ten agents, and three damaged lines are counted', () => {
    expect(summary).toMatchObject({
      files: expected.sessions + expected.subagents,
      imported: expected.sessions + expected.subagents,
      new: expected.sessions + expected.subagents,
      duplicates: 0,
      badLines: 3,
    });
    expect(summary.agents.map(withoutHash)).toEqual(expected.agents);
  });

  it('proposes exactly the lessons that it contains', () => {
    const pairs = proposals.map(({ evidence, action }) => {
      const lesson = expected.lessons.find(({ failing }) => failing === evidence.failing.action);
      return {
        failing: evidence.failing.action,
        works: lesson && action.includes(`\`${lesson.works}`) && lesson.works,
      };
    });
    const byFailing = (a: { failing: string }, b: { failing: string }) => (a.failing < b.failing ? -1 : 1);
    expect(pairs.sort(byFailing)).toEqual(
      expected.lessons.map(({ failing, works }) => ({ failing, works })).sort(byFailing),
    );
  });

  it('bases every proposal on the agents and sessions that had the failure', () => {
    for (const { evidence } of proposals) {
      const lesson = expected.lessons.find(({ failing }) => failing === evidence.failing.action);
      expect(evidence.seenBy.map(({ agent }) => withoutHash(agent)).sort()).toEqual(lesson?.agents);
      expect(evidence.agents).toBe(lesson?.agents.length);
      expect(evidence.executions).toBeGreaterThanOrEqual(lesson?.sessions.failed ?? Number.NaN);
    }
  });

  it('speaks of its own failing call alone, also where other programs fail with the same error', () => {
    for (const { evidence, proposedSkill } of proposals) {
      const { action } = evidence.failing;
      const others = expected.lessons.filter(({ failing }) => failing !== action);
      expect(evidence.dossier?.actions.map(({ name }) => name)).toEqual([action]);
      expect(
        found(
          others.map(({ works }) => works),
          [evidence.alternatives, evidence.failing, proposedSkill],
        ),
      ).toEqual([]);
    }
  });

  it('reports the problem that no agent solved, and never proposes it', () => {
    const unsolved = cycle.report?.unsolved.map(({ action, agents }) => ({ action, agents }));
    expect(unsolved).toEqual(
      expected.unsolved.map(({ failing, agents }) => ({ action: failing, agents: agents.length })),
    );
    const failing = expected.unsolved.map((problem) => problem.failing);
    expect(found(failing, proposals)).toEqual([]);
  });

  it('learns nothing from an outage', async () => {
    expect(Object.values(cycle.report?.excludedFailures ?? {}).reduce((sum, n) => sum + n, 0)).toBeGreaterThan(0);
    // A session that went well may have installed its packages.
    const lessons = (await app.admin.lessons({ limit: 200 })).items.filter(
      ({ controlTags }) => !controlTags.includes('success-derived'),
    );
    const learned = { proposals, lessons, unsolved: cycle.report?.unsolved };
    expect(found(expected.outage.commands, learned)).toEqual([]);
  });

  it('has no word of a planted instruction in a proposal or a file', () => {
    expect(found([...expected.injection, expected.injectionUrl], proposals)).toEqual([]);
  });

  it('changes nothing when it is imported again', async () => {
    // The time of the last use, the lease of a worker that a timer renews, and what a process says of itself and its jobs.
    const elsewhere = ['credential', 'lease', 'server_process', 'scheduled_job'];
    const before = await dumpTables(app.database, elsewhere);
    expect(await importFleet()).toMatchObject({ imported: 43, new: 0, duplicates: 43 });
    await settled();
    expect(await dumpTables(app.database, elsewhere)).toEqual(before);
  });

  it('gives the same proposals in a second cycle, which adds nothing to the queue', async () => {
    const again = await app.admin.evolver.run(false);
    expect(again.report?.proposals.map(({ outcome }) => outcome)).toEqual(proposals.map(() => 'unchanged'));
    expect(await pending()).toEqual(proposals);
  });

  it('becomes valid skills in git, with the approved bytes, after a person approves', async () => {
    for (const { id, artifactSha256 } of proposals) await app.admin.proposals.approve(id, artifactSha256);
    await app.settled();
    expect((await app.admin.skills.list()).total).toBe(expected.lessons.length);
    for (const { skillName, artifact } of proposals) {
      const bytes = readFileSync(join(app.skillsDir, skillName, 'SKILL.md'), 'utf8');
      expect(bytes).toBe(artifact);
      expect(validateSkill(skillName, bytes)).toEqual([]);
      expect(lintSkill(bytes)).toEqual([]);
    }
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('has a planted secret in no table, journal entry, git object, file or log line', async () => {
    const files = proposals.map(({ skillName }) => readFileSync(join(app.skillsDir, skillName, 'SKILL.md'), 'utf8'));
    const journal = await app.admin.journal.list({ limit: 500 });
    const tables = await dumpTables(app.database);
    const places = { tables, journal, files, git: gitObjects(), log: log.text };
    // Each place must have content, or the search would prove nothing.
    for (const place of Object.values(places)) expect(JSON.stringify(place).length).toBeGreaterThan(100);
    for (const [name, place] of Object.entries(places))
      expect({ [name]: found(expected.secret, place) }).toEqual({ [name]: [] });
  });

  it('names no person, home folder or address in a proposal, a file or a commit', () => {
    expect(found(expected.personal, [proposals, gitObjects()])).toEqual([]);
  });
});
