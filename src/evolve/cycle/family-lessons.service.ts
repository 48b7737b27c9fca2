import { Injectable } from '@nestjs/common';
import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import { FamilyWriterModel } from '../../propose/families/family-writer-model.service.js';
import { readFromSource } from '../cases/reading.js';
import type { FamilyFindings } from '../examination/family-examination.js';
import { isTransient } from '../examination/family-outcomes.js';
import type { CycleReader } from '../window/cycle-reader.js';
import type { FamilyCounts } from '../wording/family-counts.schema.js';
import { modelWriter } from '../writers/model-writer.js';
import { type CycleSettings, type CycleWindow, examineWindow, openWindow } from './cycle-window.js';
import { StoredCases } from './stored-cases.service.js';

type Answers = ReadonlyMap<string, FamilyAnswer>;

/** The cycle that asks. */
export interface AskingCycle {
  readonly id: string;
  /** True: ask nothing, and use what is known. */
  readonly dryRun: boolean;
  /** Called before a step that may take this many milliseconds. */
  readonly extendLease: (milliseconds: number) => Promise<void>;
}

/** An examined window, and what asking about its families came to. */
export interface AskedWindow {
  readonly window: CycleWindow;
  readonly asked: Pick<FamilyCounts, 'by' | 'asked' | 'waiting' | 'because'>;
}

/**
 * Examines the families of a window with what a model answers about them. Known answers come first; then the model is
 * asked what is new, and only the families with a fresh answer are examined again; at last it is asked once for another
 * predicate where its own measures the wrong thing. Without a model, or if it is away, the rules stand.
 */
@Injectable()
export class FamilyLessons {
  constructor(
    private readonly model: FamilyWriterModel,
    private readonly cases: StoredCases,
  ) {}

  async examine(reader: CycleReader, settings: CycleSettings, cycle: AskingCycle): Promise<AskedWindow> {
    const { name } = this.model;
    const none = { by: name ?? null, asked: 0, waiting: 0, because: null };
    const opened = openWindow(reader, settings);
    if (name === undefined)
      return { window: await readFromSource(examineWindow(reader, settings, opened), this.cases), asked: none };
    const writer = modelWriter(name);
    const again = (before: CycleWindow, answers: Answers): Promise<CycleWindow> =>
      readFromSource(examineWindow(reader, { ...settings, writing: { writer, answers } }, before), this.cases);
    const examined = [...reader.known.values()].flatMap(({ findings }) => printsOf(findings));
    const known = await this.model.known([...opened.enough.map(({ fingerprint }) => fingerprint), ...examined]);
    const first = await again(opened, known);
    // Values are known only after their family was examined.
    let answers = await this.model.known(printsOf(first.findings));
    let window = await again(first, answers);
    if (cycle.dryRun) return { window, asked: none };
    const ask = async (questions: readonly FamilyQuestion[]) => {
      const extendLease = () => cycle.extendLease(this.model.maxDurationMs);
      const reply = await this.model.answers({ cycleId: cycle.id, questions, extendLease });
      answers = new Map([...answers, ...reply.fresh.map((one): [string, FamilyAnswer] => [one.family, one])]);
      if (reply.fresh.length > 0) window = await again(window, answers);
      return reply;
    };
    const asked = await ask(questionsOf(window.findings));
    if (asked.because !== null) return { window, asked: { ...none, ...countsOf(asked) } };
    const rewritten = await ask(rewritesOf(window.findings));
    return { window, asked: { ...none, ...countsOf(rewritten), asked: asked.asked + rewritten.asked } };
  }

  /** Returns what the questions of a cycle about families cost. */
  costOf(cycleId: string): Promise<Pick<FamilyCounts, 'tokens' | 'usd' | 'seconds'>> {
    return this.model.costOf(cycleId);
  }
}

type Counted = Pick<FamilyCounts, 'asked' | 'waiting' | 'because'>;
const countsOf = ({ asked, waiting, because }: Counted): Counted => ({ asked, waiting, because });

const printsOf = (findings: readonly FamilyFindings[]): string[] => [
  ...new Set(findings.map(({ family }) => family.fingerprint)),
];

/** What may have a lesson, the families that matter most first. Repeating the call overcomes the others. */
const questionsOf = (findings: readonly FamilyFindings[]): FamilyQuestion[] =>
  findings.flatMap((one) => (one.question && !isTransient(one.outcomes) ? [one.question] : []));

/** Asks for another predicate of lessons whose own one measures the wrong thing; the lesson itself stays. */
const rewritesOf = (findings: readonly FamilyFindings[]): FamilyQuestion[] =>
  findings.flatMap(({ question, writing }) => {
    const problem = writing?.rejected?.problem;
    if (!question || !writing?.answer.answer?.lesson || problem === undefined || writing.answer.rewritten) return [];
    const { answer, dossier, learnedFrom } = writing.answer;
    return [{ ...question, dossier, learnedFrom, rewrite: { answer, problem } }];
  });
