import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import type { RecordedDossier, RecordedRow } from '../../test/data/recorded-answers.js';

/** An answer to a dossier of the product, by the fingerprint of the family. */
const CommittedAnswer = z.strictObject({ family: z.string().regex(/^sha256:[0-9a-f]{64}$/), answer: LessonAnswer });
export type CommittedAnswer = z.infer<typeof CommittedAnswer>;

/** What is read of a recorded dossier and of a recorded answer beside the rest of its row. */
const DossierRow = z.looseObject({
  id: z.string(),
  set: z.string(),
  signature: z.string(),
  value: z.string().nullable(),
  dossier: z.string(),
  executions: z.int(),
  executions_in_set: z.int(),
  agents: z.int(),
  origins: z.int(),
  failures: z.int().nullable(),
});
const AnswerRow = z.looseObject({ id: z.string(), family: z.string(), decision: z.enum(['lesson', 'no_lesson']) });

/** The answers of one folder: those of the product's dossiers by set, or recorded ones with their dossiers. */
export interface GivenAnswers {
  readonly bySet: ReadonlyMap<string, readonly CommittedAnswer[]>;
  readonly recorded: {
    readonly dossiers: readonly RecordedDossier[];
    readonly lessons: readonly RecordedRow[];
    readonly hostile: readonly RecordedRow[];
  };
}

/**
 * Reads the answers in folders for some sets: `<set>.jsonl` in each, and `dossiers.jsonl` with `lessons.jsonl` and
 * `hostile.jsonl`. Throws RangeError for a folder without any, for a set that two folders answer, and for a line that
 * cannot be read.
 */
export function readAnswers(folders: readonly string[], sets: readonly string[]): GivenAnswers {
  const bySet = new Map<string, readonly CommittedAnswer[]>();
  const dossiers: RecordedDossier[] = [];
  const lessons: RecordedRow[] = [];
  const hostile: RecordedRow[] = [];
  for (const folder of folders) {
    const own = sets.filter((set) => existsSync(join(folder, `${set}.jsonl`)));
    const isRecorded = existsSync(join(folder, 'dossiers.jsonl'));
    if (!existsSync(folder)) throw new RangeError(`${folder} is no folder`);
    for (const set of own) {
      if (bySet.has(set)) throw new RangeError(`two folders answer ${set}`);
      bySet.set(set, rowsOf(join(folder, `${set}.jsonl`), CommittedAnswer));
    }
    if (!isRecorded) continue;
    const counted = rowsOf(join(folder, 'dossiers.jsonl'), DossierRow).map((one) => ({
      ...one,
      failures: one.failures ?? 0,
    }));
    dossiers.push(...counted);
    // the rest of a row has the documented form of the recorded answers
    lessons.push(...(rowsOf(join(folder, 'lessons.jsonl'), AnswerRow) as unknown as RecordedRow[]));
    hostile.push(...(rowsOf(join(folder, 'hostile.jsonl'), AnswerRow) as unknown as RecordedRow[]));
  }
  return { bySet, recorded: { dossiers, lessons, hostile } };
}

function rowsOf<T>(file: string, schema: z.ZodType<T>): T[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const row = schema.safeParse(jsonOf(line));
    if (!row.success) throw new RangeError(`line ${at + 1} of ${file} cannot be read: ${row.error.issues[0]?.message}`);
    return [row.data];
  });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
