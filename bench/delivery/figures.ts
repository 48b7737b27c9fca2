import { observeStored } from '../fidelity/product-lessons.js';
import type { ReadSet } from '../sets/set-reader.js';
import { type Learned, learnFrom, twoHalves } from './learned-half.js';
import { type Replayed, replay } from './replay.js';
import { unsolvedTemplates } from './unsolved.js';

/** The figures of one set. Shares are between 0 and 1, and null where there is nothing to divide by. */
export interface DeliveryFigures {
  readonly split: 'time' | 'task';
  readonly learnedFrom: number;
  readonly replayed: number;
  /** Lessons that the cycle proposed on the first half, and of these the confirmed ones. */
  readonly lessons: number;
  readonly confirmed: number;
  readonly failures: number;
  readonly recoverable: number;
  /** Advice given, and of that the part whose run took the advised action within five calls, and another one. */
  readonly advice: number;
  readonly followed: number;
  readonly others: number;
  readonly precision: number | null;
  readonly otherwise: number | null;
  /** Of the recoverable failures: those with advice, now or earlier in the session for the same shape. */
  readonly advised: number;
  readonly advisedAtOnce: number;
  readonly unsolvedAdvised: number;
  /** Calls between an advised failure and the first time the advised action worked: their sum. */
  readonly callsSaved: number;
}

export interface MeasuredDelivery {
  readonly figures: DeliveryFigures;
  readonly learned: Learned;
  readonly replay: Replayed;
}

/** Lets the product learn from one half of a set, and replays the other half call by call. */
export function measureDelivery(set: ReadSet, seed: number): MeasuredDelivery {
  const executions = set.executions.map((one) => observeStored(one));
  const halves = twoHalves(executions, set.isOrdered, seed);
  const learned = learnFrom(halves.learned);
  const replayed = replay(halves.replayed, learned.advisables);
  const outcomes = replayed.advised.map(({ outcome }) => outcome);
  const followed = outcomes.flatMap((one) => one.followed ?? []);
  const others = outcomes.flatMap((one) => (one.followed === undefined ? (one.otherwise ?? []) : []));
  const unsolved = replayed.advised.length === 0 ? new Set<string>() : unsolvedTemplates(executions);
  return {
    learned,
    replay: replayed,
    figures: {
      split: halves.by,
      learnedFrom: halves.learned.length,
      replayed: halves.replayed.length,
      lessons: learned.advisables.length,
      confirmed: learned.confirmed,
      failures: replayed.failures,
      recoverable: replayed.recoverable,
      advice: outcomes.length,
      followed: followed.length,
      others: others.length,
      precision: share(followed.filter(Boolean).length, followed.length),
      otherwise: share(others.filter(Boolean).length, others.length),
      advised: share(replayed.advisedAtOnce + replayed.advisedBefore, replayed.recoverable) ?? 0,
      advisedAtOnce: share(replayed.advisedAtOnce, replayed.recoverable) ?? 0,
      unsolvedAdvised: replayed.advised.filter(({ template }) => unsolved.has(template)).length,
      callsSaved: outcomes.reduce(
        (sum, { followed: worked, calls }) => sum + (worked === true ? (calls ?? 1) - 1 : 0),
        0,
      ),
    },
  };
}

const share = (part: number, all: number): number | null => (all === 0 ? null : Math.round((part / all) * 1e4) / 1e4);
