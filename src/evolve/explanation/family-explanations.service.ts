import { Injectable } from '@nestjs/common';
import { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import { dossierText } from '../../evidence/dossier/dossier-text.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { AskedFamilies } from '../../propose/families/asked-families.service.js';
import { FamilyWriterModel } from '../../propose/families/family-writer-model.service.js';
import type { StoredFamily } from '../cycle/candidates.schema.js';
import { CycleRepository } from '../cycle/cycle.repository.js';
import type { Cycle } from '../cycle/cycles.schema.js';
import { maySee } from '../writers/model-writer.js';
import { answerRow, gatesOf, unansweredBecause } from './answered-family.js';
import type { FamilyExplanation } from './family-explanation.schema.js';
import { familyOf } from './family-prefix.js';

/** Explains what became of one family: what a model saw and said, what gates and executions said about that. */
@Injectable()
export class FamilyExplanations {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly cycles: CycleRepository,
    private readonly queue: ProposalQueue,
    private readonly model: FamilyWriterModel,
    private readonly asked: AskedFamilies,
  ) {}

  /**
   * Throws `not_found` before the first completed cycle, and if the newest one examined no family whose fingerprint
   * begins with `prefix`; `conflict` if it examined several.
   */
  async explain(prefix: string): Promise<FamilyExplanation> {
    const { client } = this.database;
    const cycle = await this.cycles.findNewestCompleted(client);
    if (!cycle)
      throw new DomainError(
        'not_found',
        'evolver.no_cycle',
        'No cycle has been completed yet, so nothing is explained.',
      );
    const stored = familyOf(await this.cycles.findFamilies(client, cycle.id), prefix);
    const { family, dossier } = stored;
    const found = await this.asked.answerAbout(family.fingerprint);
    const question = found ? questionBehind(found) : questionOf(stored);
    return {
      cycle: { id: cycle.id, finishedAt: cycle.finishedAt ?? cycle.startedAt },
      family,
      dossier: dossierText(dossier),
      model: this.model.name ?? null,
      prompt: question ? this.model.promptOf(question) : null,
      answer: found ? answerRow(found) : null,
      unanswered: found ? null : unansweredBecause(this.model.name, stored),
      gates: found ? gatesOf(found, stored) : null,
      candidates: candidatesOf(cycle, family.fingerprint),
      proposals: await this.queue.ofFamily(family.fingerprint),
    };
  }
}

/** What a model was asked; of a second predicate, the first question. */
const questionBehind = ({ family, executions, dossier, learnedFrom }: FamilyAnswer): FamilyQuestion => ({
  family,
  executions,
  dossier,
  learnedFrom,
});

/** What a model would be asked; undefined for a family that it may not see. */
function questionOf({ family, question, dossier }: StoredFamily): FamilyQuestion | undefined {
  const asked = question ?? { dossier, learnedFrom: 'a' as const };
  if (!maySee(asked.dossier)) return undefined;
  return { family: family.fingerprint, executions: family.executions, ...asked };
}

const candidatesOf = ({ report }: Cycle, fingerprint: string): FamilyExplanation['candidates'] =>
  (report?.candidateList ?? []).filter(({ family }) => family.fingerprint === fingerprint);
