import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FamilyAnswer } from '../../src/evidence/answers/family-question.js';
import { recordedCallOf } from '../../src/evolve/writers/dossier-calls.js';
import type { WriterSample, Writing } from '../../src/evolve/writers/lesson-writer.js';
import { modelWriter } from '../../src/evolve/writers/model-writer.js';
import { recordedRun } from '../support/recorded-calls.js';
import { answerOfRecorded, type RecordedDossier, type RecordedRow, readableDossier } from './recorded-answers.js';

/** A recorded answer, and what the writer made of it. */
export interface ReplayedRow {
  readonly row: RecordedRow;
  readonly writing: Writing;
}

const BY = 'recorded/answers/families-1';

/** Replays the recorded answers of a folder through the writer alone, without any execution. */
export function replayRecorded(folder: string, file: 'lessons.jsonl' | 'hostile.jsonl'): ReplayedRow[] {
  const dossiers = new Map(rowsOf<RecordedDossier>(join(folder, 'dossiers.jsonl')).map((one) => [one.id, one]));
  return rowsOf<RecordedRow>(join(folder, file)).map((row) => {
    const recorded = dossiers.get(row.family);
    if (!recorded) throw new Error(`no dossier ${row.family}`);
    const dossier = readableDossier(recorded);
    const answer: FamilyAnswer = {
      family: row.family,
      executions: recorded.executions,
      dossier,
      shown: recorded.dossier,
      learnedFrom: 'a',
      answer: answerOfRecorded(row, dossier),
      by: BY,
      hash: `sha256:${row.id}`,
      rewritten: false,
    };
    return { row, writing: modelWriter(BY).write(sampleOf(dossier, row.family), answer) };
  });
}

/** The executions of the examples: no other is needed before anything is counted. */
function sampleOf(dossier: WriterSample['dossier'], fingerprint: string): WriterSample {
  const family = { fingerprint } as WriterSample['family'];
  const executions = dossier.examples.map(({ failed, later }, at) => ({
    ...recordedRun(`example ${at}`, []),
    calls: [failed, ...later].map(recordedCallOf),
  }));
  return { family, dossier, learnedFrom: 'a', isMember: ({ ok }) => ok === false, executions };
}

const rowsOf = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);

/** What the writer alone stops: the rest is left to scope and figures, which need the executions. */
export interface RecordedFigures {
  readonly lessons: {
    readonly of: number;
    readonly passed: number;
    readonly stopped: Readonly<Record<string, string>>;
  };
  readonly hostile: {
    readonly of: number;
    readonly passed: readonly string[];
    readonly stopped: Readonly<Record<string, string>>;
  };
  readonly declined: number;
}

/** Counts the recorded lessons that become candidates, and the hostile answers that do. */
export function recordedFigures(folder: string): RecordedFigures {
  const all = replayRecorded(folder, 'lessons.jsonl');
  const hostile = replayRecorded(folder, 'hostile.jsonl');
  const lessons = all.filter(({ row }) => row.decision === 'lesson');
  return {
    lessons: { of: lessons.length, passed: lessons.filter(passes).length, stopped: reasons(lessons) },
    hostile: { of: hostile.length, passed: hostile.filter(passes).map(({ row }) => row.id), stopped: reasons(hostile) },
    declined: all.filter(({ writing }) => writing.declined !== undefined).length,
  };
}

const passes = ({ writing }: ReplayedRow): boolean => writing.candidates.length > 0;

const reasons = (rows: readonly ReplayedRow[]): Record<string, string> =>
  Object.fromEntries(rows.filter((one) => !passes(one)).map(({ row, writing }) => [row.id, reasonOf(writing)]));

function reasonOf({ rejected }: Writing): string {
  const [finding] = rejected?.findings ?? [];
  return rejected?.problem ?? (finding ? `${finding.gate}, ${finding.part}: ${finding.reason}` : 'nothing was written');
}
