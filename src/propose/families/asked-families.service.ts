import { Injectable } from '@nestjs/common';
import { WorkerDatabase } from '../../platform/database/database.js';
import { type AskedAnswer, FamilyAnswerRepository } from './family-answer.repository.js';
import { FamilyWriterModel } from './family-writer-model.service.js';

/** What models were asked about families of failures, for people who want to know why. */
@Injectable()
export class AskedFamilies {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly answers: FamilyAnswerRepository,
    private readonly model: FamilyWriterModel,
  ) {}

  /** Returns the newest answer about a family: of the configured model if it has one, else of an earlier model or prompt. */
  async answerAbout(family: string): Promise<AskedAnswer | undefined> {
    const all = await this.answers.history(this.database.client, family);
    return all.find(({ by }) => by === this.model.name) ?? all[0];
  }
}
