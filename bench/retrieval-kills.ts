import { sha256 } from '../src/platform/base/canonical-json.js';
import { resumeTraining, startTraining } from '../src/tuning/learning/training.js';
import type { Training, TrainingInput, TrainingProgress } from '../src/tuning/learning/training-contract.js';

type Stage = TrainingProgress['stage'];

/**
 * Kills a training in the middle of each stage, and resumes it from its bytes alone. Returns the number of kills. Throws if
 * a resumed training ends in another model, verdict or checkpoint than one that ran through.
 */
export function killInEachStage(input: TrainingInput): number {
  const steps = new Map<Stage, number>();
  const through = startTraining(input);
  while (through.step()) steps.set(through.progress.stage, (steps.get(through.progress.stage) ?? 0) + 1);
  const expected = outcomeOf(through);
  const saved = saveInTheMiddle(input, steps);
  for (const [stage, bytes] of saved) {
    const resumed = resumeTraining(input, bytes);
    while (resumed.step());
    if (outcomeOf(resumed) !== expected)
      throw new Error(`a ${input.kind} killed in the stage ${stage} ends differently`);
  }
  return saved.size;
}

/** A second run, which ends with the last stage's checkpoint: what it knew beside that is lost. */
function saveInTheMiddle(input: TrainingInput, steps: ReadonlyMap<Stage, number>): Map<Stage, Uint8Array> {
  const saved = new Map<Stage, Uint8Array>();
  const taken = new Map<Stage, number>();
  const training = startTraining(input);
  while (saved.size < steps.size && training.step()) {
    const { stage } = training.progress;
    const count = (taken.get(stage) ?? 0) + 1;
    taken.set(stage, count);
    if (count === Math.ceil((steps.get(stage) ?? 0) / 2)) saved.set(stage, training.save());
  }
  return saved;
}

function outcomeOf(training: Training): string {
  const result = training.result();
  return sha256(JSON.stringify([{ ...result, model: sha256(result.model) }, sha256(training.save())]));
}
