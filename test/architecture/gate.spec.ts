import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type InjectionToken, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../src/app.module.js';
import { ApproveProposal } from '../../src/approvals/decisions/approve.js';
import { EditWording } from '../../src/approvals/decisions/edit.js';
import { OverrideRules } from '../../src/approvals/decisions/override.js';
import { RecordRefusal } from '../../src/approvals/decisions/record-refusal.js';
import { RejectProposal } from '../../src/approvals/decisions/reject.js';
import { RenameSkill } from '../../src/approvals/decisions/rename.js';
import { ReopenProposal } from '../../src/approvals/decisions/reopen.js';
import { ResolveContradiction } from '../../src/approvals/decisions/resolve.js';
import { RetireSkill } from '../../src/approvals/decisions/retire.js';
import { SetSkillRollout } from '../../src/approvals/decisions/set-rollout.js';
import { ProposalRepository } from '../../src/approvals/proposals/proposal.repository.js';
import { ProposalQueue } from '../../src/approvals/queue/proposal-queue.service.js';
import { ProposalWithdrawer } from '../../src/approvals/queue/proposal-withdrawer.service.js';
import { ProposeMerge } from '../../src/approvals/submissions/propose-merge.js';
import { RefreshProposal } from '../../src/approvals/submissions/refresh.js';
import { RequestRetirement } from '../../src/approvals/submissions/request-retirement.js';
import { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import { SubmitExternalEdit } from '../../src/approvals/submissions/submit-external-edit.js';
import { WithdrawProposal } from '../../src/approvals/submissions/withdraw.js';
import { WithdrawStaleRequests } from '../../src/approvals/submissions/withdraw-requests.js';
import { ExpireProposals } from '../../src/approvals/upkeep/expire.js';
import { RebaseProposals } from '../../src/approvals/upkeep/rebase.js';
import { DecisionApplier } from '../../src/approvals/voting/decision-applier.service.js';
import { RevisionWriter } from '../../src/approvals/voting/revision-writer.service.js';
import { VoteCaster } from '../../src/approvals/voting/vote-caster.service.js';
import { ExecutionReader } from '../../src/capture/store/execution-reader.service.js';
import { ExecutionTallies } from '../../src/capture/store/execution-tallies.service.js';
import { ConsolidateModule } from '../../src/consolidate/consolidate.module.js';
import { MergesModule } from '../../src/consolidate/merges.module.js';
import { EffectModule } from '../../src/effect/effect.module.js';
import { EvolveModule } from '../../src/evolve/evolve.module.js';
import { JournalModule } from '../../src/journal/journal.module.js';
import { MemoryRepository } from '../../src/memory/store/memory.repository.js';
import { OrgEntries } from '../../src/memory/store/org-entries.service.js';
import { OrgMemoryModule } from '../../src/memory/store/org-memory.module.js';
import { OrgMemoryWriter } from '../../src/memory/store/org-memory-writer.service.js';
import { MemoryMerges } from '../../src/memory/upkeep/memory-merges.service.js';
import { loadConfig, PROJECT_ROOT } from '../../src/platform/config/config.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { PublicationRepository } from '../../src/skills/publishing/publication.repository.js';
import { PublicationOutboxModule } from '../../src/skills/publishing/publication-outbox.module.js';
import { PublicationOutbox } from '../../src/skills/publishing/publication-outbox.service.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { ANNOUNCED_EVENTS } from '../../src/webhooks/announced-events.js';
import { WEBHOOK_EVENTS } from '../../src/webhooks/webhooks.schema.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';

type NestModule = ReturnType<ModulesContainer['values']> extends Iterable<infer M> ? M : never;
type Token = InjectionToken & { name: string };

const SUBMISSIONS: readonly Token[] = [
  OrgEntries,
  ProposalQueue,
  SubmitProposal,
  RefreshProposal,
  WithdrawProposal,
  RequestRetirement,
  WithdrawStaleRequests,
  ProposeMerge,
];
const EXECUTIONS: readonly Token[] = [ExecutionReader, ExecutionTallies];
/** The verbs of people: every file without a suffix in `src/approvals/decisions`. */
const DECISIONS: readonly Token[] = [
  ApproveProposal,
  EditWording,
  OverrideRules,
  RecordRefusal,
  RejectProposal,
  RenameSkill,
  ReopenProposal,
  ResolveContradiction,
  RetireSkill,
  SetSkillRollout,
];
/** Services that decide, write org memory or fill the outbox, and the repositories they write with. */
const FORBIDDEN: readonly Token[] = [
  OrgMemoryWriter,
  PublicationOutbox,
  ...DECISIONS,
  VoteCaster,
  DecisionApplier,
  RevisionWriter,
  SubmitExternalEdit,
  ExpireProposals,
  RebaseProposals,
  ProposalWithdrawer,
  ProposalRepository,
  MemoryRepository,
  PublicationRepository,
  Publisher,
];
const PARTS = [
  { part: 'evolver', module: EvolveModule, needed: [...SUBMISSIONS, ...EXECUTIONS] },
  { part: 'measurement of effects', module: EffectModule, needed: [...SUBMISSIONS, ...EXECUTIONS] },
  { part: 'search for merges of skills', module: MergesModule, needed: SUBMISSIONS },
  { part: 'consolidation of lessons', module: ConsolidateModule, needed: [MemoryMerges] },
] as const;

const source = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8');
const sources = (): string[] =>
  readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.includes('generated'))
    .map((file) => join('src', file));
/** The verbs: files without a suffix in the verb rooms. */
const verbFiles = (): string[] =>
  sources().filter((file) => /^src\/approvals\/(?:submissions|decisions|upkeep)\/[^./]+\.ts$/.test(file));
const namesIn = (file: string, verb: RegExp): string[] =>
  [...source(file).matchAll(verb)].map(([, name]) => name ?? '');
const sourcesWith = (pattern: RegExp): string[] => sources().filter((file) => pattern.test(source(file)));
/** The number of calls of a verb in who-can-decide.ts that the compiler rejects for this actor. */
function refusedCalls(verb: string, actor: string): number {
  const call = `@ts-expect-error [^\\n]*\\n +await [\\w.]+\\.${verb}\\([^\\n]*others\\.${actor}\\b`;
  return [...source('test/architecture/who-can-decide.ts').matchAll(new RegExp(call, 'g'))].length;
}

describe.each(PARTS)('the $part', ({ module, needed }) => {
  const declared = (key: 'imports' | 'providers'): readonly unknown[] => Reflect.getMetadata(key, module) ?? [];
  let opened: TestDatabase;

  beforeAll(async () => {
    opened = await openTestDatabase({ fresh: true });
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });

  /**
   * Builds a module like the part's own in which a provider injects `token`. Nest builds it or reports what is missing.
   */
  async function probe(token: Token, more: ModuleMetadata['imports'] = []): Promise<unknown> {
    @Module({
      // Metadata of a module that Nest itself accepts.
      imports: [...(declared('imports') as NonNullable<ModuleMetadata['imports']>), ...more],
      providers: [
        ...(declared('providers') as Provider[]),
        { provide: 'probe', useFactory: (given: unknown) => given, inject: [token] },
      ],
    })
    class Probe {}

    const platform = PlatformModule.with(loadConfig({}), opened.database, 'here');
    const built = await Test.createTestingModule({
      imports: [ScheduleModule.forRoot(), platform, JournalModule, Probe],
    }).compile();
    return built.get('probe', { strict: false });
  }

  it('gets its dependencies in a module like its own', () => {
    expect(declared('imports').length).toBeGreaterThan(0);
    expect(declared('providers').length).toBeGreaterThan(0);
  });

  it.each(needed.map((token) => [token.name, token] as const))('includes %s', async (_name, token) => {
    expect(await probe(token)).toBeInstanceOf(token);
  });

  it.each(FORBIDDEN.map((token) => [token.name, token] as const))('does not include %s', async (_name, token) => {
    await expect(probe(token)).rejects.toThrow(
      `Nest can't resolve dependencies of the probe (?). Please make sure that the argument ${token.name} at index [0]`,
    );
  });

  it('could inject the writers if their modules were imported: the wiring prevents it, not the probe', async () => {
    expect(await probe(OrgMemoryWriter, [OrgMemoryModule])).toBeInstanceOf(OrgMemoryWriter);
    expect(await probe(PublicationOutbox, [PublicationOutboxModule])).toBeInstanceOf(PublicationOutbox);
  });

  it('shares this with every other part: only the approvals can inject the writers', async () => {
    const app = await Test.createTestingModule({
      imports: [AppModule.with(loadConfig({}), opened.database)],
    }).compile();
    const modules = [...app.get(ModulesContainer).values()];
    const offers = (module: NestModule, token: InjectionToken): boolean =>
      module.exports.has(token) ||
      [...module.imports].some((passedOn) => module.exports.has(passedOn.metatype) && offers(passedOn, token));
    const reaching = (token: InjectionToken) =>
      modules
        .filter(({ providers, imports }) => providers.has(token) || [...imports].some((from) => offers(from, token)))
        .map(({ name }) => name)
        .sort();
    expect(reaching(OrgMemoryWriter)).toEqual(['ApprovalsModule', 'OrgMemoryModule']);
    expect(reaching(PublicationOutbox)).toEqual(['ApprovalsModule', 'PublicationOutboxModule']);
    // The module that wires them all injects nothing.
    for (const verb of DECISIONS) expect(reaching(verb)).toEqual(['AppModule', 'ApprovalsModule', 'ConsoleModule']);
    for (const step of [VoteCaster, DecisionApplier, RevisionWriter])
      expect(reaching(step)).toEqual(['ApprovalsModule']);
    expect(modules.filter(({ isGlobal }) => isGlobal).map(({ name }) => name)).not.toContain('ApprovalsModule');
  });

  it('gets the database under the worker role, like the proposer', () => {
    const takes = (files: readonly string[]) =>
      files.filter((file) => /^src\/(?:(?:evolve|effect|propose)\/|consolidate\/skill-merges)/.test(file));
    expect(takes(sourcesWith(/\bDatabase\b/))).toEqual([]);
    expect(takes(sourcesWith(/\bWorkerDatabase\b/))).toEqual(
      expect.arrayContaining([
        'src/consolidate/skill-merges.service.ts',
        'src/evolve/cycle/evolver.service.ts',
        'src/propose/lessons/lesson-result-handler.service.ts',
      ]),
    );
  });

  it('cannot bypass the wiring: no source queries the container at run time', () => {
    const container = /\b(?:ModuleRef|ModulesContainer|LazyModuleLoader|DiscoveryService|NestContainer)\b/;
    expect(sourcesWith(container)).toEqual([]);
    expect(container.test(source('test/architecture/gate.spec.ts'))).toBe(true);
  });
});

describe('the verbs of people', () => {
  it('are all forbidden to background work', () => {
    const files = verbFiles().filter((file) => file.startsWith('src/approvals/decisions/'));
    const classes = files.flatMap((file) => namesIn(file, /^export class (\w+)/gm));
    expect(classes.sort()).toEqual(DECISIONS.map(({ name }) => name).sort());
  });
});

describe('webhooks', () => {
  it('are announced wherever a proposal is created or changes its state', () => {
    const moving = sourcesWith(/\bthis\.proposals\.(?:create|close)\(/);
    expect(moving).toEqual(expect.arrayContaining(['src/approvals/submissions/submit.ts']));
    const announces = (file: string) =>
      [...ANNOUNCED_EVENTS.keys()].some((action) => source(file).includes(`'${action}'`));
    // A retirement by a reviewer creates and approves its proposal in one transaction: the applier, which receives the
    // vote, journals it.
    const atOnce = /\bthis\.proposals\.create\([^;]*retirementProposal\([\s\S]*\bthis\.caster\.cast\(/;
    expect(moving.filter((file) => !announces(file) && !atOnce.test(source(file)))).toEqual([]);
    expect(source('src/approvals/voting/vote-caster.service.ts')).toContain('this.applier.apply(');
    expect(announces('src/approvals/voting/decision-applier.service.ts')).toBe(true);
  });

  it('are announced by actions that the program journals', () => {
    const journalled = (action: string) =>
      sourcesWith(new RegExp(`'${action}'`)).some((file) => /^src\/(?:approvals|evolve)\//.test(file));
    expect([...ANNOUNCED_EVENTS.keys()].filter((action) => !journalled(action))).toEqual([]);
    expect([...new Set([...ANNOUNCED_EVENTS.values()].flat())].sort()).toEqual([...WEBHOOK_EVENTS].sort());
  });
});

describe('the compiler as a gate', () => {
  it('reads the file that says who cannot decide', () => {
    const { include, exclude = [] } = JSON.parse(source('tsconfig.json'));
    expect(include).toContain('test');
    expect(exclude).toEqual([]);
    expect(source('scripts/check.mjs')).toContain("'-p', 'tsconfig.json'");
    expect(source('tsconfig.json')).toContain('"strict": true');
  });

  it('covers every verb that takes a reviewer', () => {
    const verb = /^ {2}(?:async )?(\w+)\([^)]*(?:\b_?reviewer: ReviewerActor|: (?:readonly )?Reviewed<)/gm;
    const services = sources().filter((file) => file.endsWith('.service.ts'));
    const verbs = [...services, ...verbFiles()].flatMap((file) => namesIn(file, verb));
    expect(verbs.sort()).toEqual([
      'add',
      'admit',
      'apply',
      'approve',
      'begin',
      'cast',
      'edit',
      'lockInScope',
      'override',
      'reject',
      'rename',
      'reopen',
      'resolve',
      'restore',
      'retire',
      'retire',
      'revise',
      'share',
      'unshare',
      'verify',
    ]);
    for (const name of verbs)
      for (const actor of ['job', 'agent', 'admin'])
        expect(refusedCalls(name, actor)).toBeGreaterThanOrEqual(verbs.filter((verb) => verb === name).length);
  });

  it('covers every verb of a job, to which no person can be passed', () => {
    const verb = /^ {2}(?:async )?(\w+)\(\s*actor: JobActor\b/gm;
    const verbs = verbFiles().flatMap((file) => namesIn(file, verb));
    expect(verbs.sort()).toEqual([
      'expire',
      'propose',
      'rebase',
      'refresh',
      'request',
      'submit',
      'submit',
      'withdraw',
      'withdrawStale',
    ]);
    for (const name of verbs)
      for (const actor of ['reviewer', 'agent', 'admin'])
        expect(refusedCalls(name, actor)).toBeGreaterThanOrEqual(verbs.filter((verb) => verb === name).length);
  });

  it('creates the reviewer brand in one place, after the checks of a signed-in person', () => {
    expect(sourcesWith(/\bas ReviewerActor\b|<ReviewerActor>|\bas unknown as\s+Reviewer/)).toEqual([
      'src/access/identity/caller.ts',
    ]);
    expect(source('src/access/identity/caller.ts').match(/as ReviewerActor/g)).toHaveLength(1);
  });

  it('has the literal type true for human approval in the configuration', () => {
    expect(loadConfig({}).requiresHumanApproval).toBe(true);
    for (const value of ['false', '0', 'no', 'TRUE'])
      expect(() => loadConfig({ GUILDBOOK_REQUIRES_HUMAN_APPROVAL: value })).toThrow(/REQUIRES_HUMAN_APPROVAL/);
  });
});
