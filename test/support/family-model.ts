import type { FamilyQuestion } from '../../src/evidence/answers/family-question.js';
import { Journal } from '../../src/journal/journal.service.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { type FamilyAnswers, FamilyWriterModel } from '../../src/propose/families/family-writer-model.service.js';
import { ProposeModule } from '../../src/propose/propose.module.js';
import type { ProposerUsage } from '../../src/propose/spending/proposer-usage.schema.js';
import { ProposerUsageService } from '../../src/propose/usage/proposer-usage.service.js';
import { startServices, type TestServices } from './services.js';

/** The cycle of every question. */
export const CYCLE = '00000000-0000-4000-8000-000000000001';
/** The name of the default model with the prompt. */
export const FAMILY_WRITER = 'anthropic/claude-haiku-5-5/families-1';
export const NOTHING_ASKED: FamilyAnswers = { fresh: [], asked: 0, waiting: 0, because: null };

export interface FamilyModel {
  readonly services: TestServices;
  readonly model: FamilyWriterModel;
  ask(...questions: FamilyQuestion[]): Promise<FamilyAnswers>;
  /** How often the lease was extended. */
  extended(): number;
  /** The stored answers, the oldest first. */
  stored(): ReturnType<TestServices['database']['client']['familyAnswer']['findMany']>;
  journalled(): Promise<{ subject: object; data: unknown }[]>;
  usage(): Promise<ProposerUsage>;
}

/** Starts the proposer's services with a model at `api`, and asks it as a cycle does. */
export async function startFamilyModel(
  api: { readonly url: string },
  environment: Record<string, string> = {},
  constants: Partial<Constants> = {},
): Promise<FamilyModel> {
  const key = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' };
  const services = await startServices(ProposeModule, { ...key, ...environment }, constants);
  const model = services.get(FamilyWriterModel);
  let extended = 0;
  const extendLease = async (): Promise<void> => {
    extended += 1;
  };
  const journalled = { action: 'SKILL_EVOLVER_FAMILY_ASKED', after: 0, limit: 50, order: 'oldest' } as const;
  return {
    services,
    model,
    ask: (...questions) => model.answers({ cycleId: CYCLE, questions, extendLease }),
    extended: () => extended,
    stored: () => services.database.client.familyAnswer.findMany({ orderBy: { askedAt: 'asc' } }),
    journalled: async () =>
      (await services.get(Journal).list(journalled)).items.map(({ subject, data }) => ({ subject, data })),
    usage: () => services.get(ProposerUsageService).show(30),
  };
}
