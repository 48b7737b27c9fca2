import { Injectable } from '@nestjs/common';
import type { FamilyAnswer } from '../../evidence/answers/family-question.js';
import { LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { FamilyOutcome } from './family-reply.js';

type Row = Awaited<ReturnType<Tx['familyAnswer']['findUniqueOrThrow']>>;

export interface NewFamilyAnswer {
  readonly id: string;
  readonly answered: Sanitized<FamilyAnswer>;
  readonly outcome: FamilyOutcome;
  readonly cycleId: string;
  readonly askedAt: Date;
}

export interface StoredFamilyAnswer {
  readonly answered: FamilyAnswer;
  readonly outcome: FamilyOutcome;
}

export interface AskedAnswer extends FamilyAnswer {
  readonly askedAt: Date;
}

/** Answers about one family that are read. */
const HISTORY = 20;

/** The newest first. A rewrite is newer than the lesson that it rewrites, also within one millisecond. */
const NEWEST = [{ askedAt: 'desc' }, { rewritten: 'desc' }, { executions: 'desc' }] as const;

@Injectable()
export class FamilyAnswerRepository {
  /** Returns the newest answer of each family by the same model and prompt. */
  async newest(tx: Tx, by: string, families: readonly string[]): Promise<Map<string, FamilyAnswer>> {
    const rows = await tx.familyAnswer.findMany({
      where: { by, family: { in: [...families] } },
      orderBy: [...NEWEST],
      distinct: ['family'],
    });
    return new Map(readRows('family_answer', rows, toAnswer).map(({ answered }) => [answered.family, answered]));
  }

  /** Returns the newest answers about a family, of any model and prompt, with the time of the question. */
  async history(tx: Tx, family: string): Promise<AskedAnswer[]> {
    const rows = await tx.familyAnswer.findMany({ where: { family }, orderBy: [...NEWEST], take: HISTORY });
    return readRows('family_answer', rows, (row) => ({ ...toAnswer(row).answered, askedAt: row.askedAt }));
  }

  /** Returns the answer to exactly this prompt, that of the same family first. */
  async findByHash(tx: Tx, by: string, hash: string, family: string): Promise<StoredFamilyAnswer | undefined> {
    const rows = await tx.familyAnswer.findMany({ where: { by, hash }, orderBy: [...NEWEST] });
    return readRow('family_answer', rows.find((row) => row.family === family) ?? rows[0] ?? null, toAnswer);
  }

  /** Stores an answer, in the place of an earlier one of the family to the same prompt. */
  async store(tx: Tx, { id, answered, ...asked }: NewFamilyAnswer): Promise<void> {
    const { family, by, hash, rewritten, answer, ...read } = answered;
    const content = { ...read, ...asked, answer: answer ?? Prisma.DbNull };
    await tx.familyAnswer.upsert({
      where: { by_hash_family: { by, hash, family } },
      create: { id, family, by, hash, rewritten, ...content },
      update: content,
    });
  }
}

function toAnswer({ family, by, hash, executions, shown, rewritten, outcome, ...row }: Row): StoredFamilyAnswer {
  const answered: FamilyAnswer = {
    family,
    by,
    hash,
    executions,
    shown,
    rewritten,
    learnedFrom: row.learnedFrom === 'b' ? 'b' : 'a',
    dossier: Dossier.parse(row.dossier),
    answer: row.answer === null ? null : LessonAnswer.parse(row.answer),
  };
  // Only `store` writes it.
  return { answered, outcome: outcome as FamilyOutcome };
}
