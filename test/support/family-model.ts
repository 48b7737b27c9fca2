import type { FamilyQuestion } from '../../src/evidence/answers/family-question.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { type FamilyAnswers, FamilyWriterModel } from '../../src/propose/families/family-writer-model.service.js';
import { startTestApplication, type TestApplication } from './application.js';

/** The cycle of every question. */
export const CYCLE = '00000000-0000-4000-8000-000000000001';
/** The name of the default model with the prompt. */
export const FAMILY_WRITER = 'anthropic/claude-haiku-5-5/families-1';
export const NOTHING_ASKED: FamilyAnswers = { fresh: [], asked: 0, waiting: 0, because: null };

export interface FamilyModel {
  readonly app: TestApplication;
  readonly model: FamilyWriterModel;
  ask(...questions: FamilyQuestion[]): Promise<FamilyAnswers>;
  /** How often the lease was extended. */
  extended(): number;
  /** The stored answers, the oldest first. */
  stored(): ReturnType<TestApplication['database']['client']['familyAnswer']['findMany']>;
  journalled(): Promise<{ subject: object; data: unknown }[]>;
}

/** Starts the application with a model at `api`, and asks it as a cycle does. */
export async function startFamilyModel(
  api: { readonly url: string },
  environment: Record<string, string> = {},
  constants: Partial<Constants> = {},
): Promise<FamilyModel> {
  const key = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' };
  const app = await startTestApplication({ ...key, ...environment }, false, constants);
  const model = app.app.get(FamilyWriterModel);
  let extended = 0;
  const extendLease = async (): Promise<void> => {
    extended += 1;
  };
  return {
    app,
    model,
    ask: (...questions) => model.answers({ cycleId: CYCLE, questions, extendLease }),
    extended: () => extended,
    stored: () => app.database.client.familyAnswer.findMany({ orderBy: { askedAt: 'asc' } }),
    journalled: async () =>
      (await app.admin.journal.list({ action: 'SKILL_EVOLVER_FAMILY_ASKED' })).items.map(({ subject, data }) => ({
        subject,
        data,
      })),
  };
}
