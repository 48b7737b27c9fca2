import { compileMatchers } from '../../evidence/predicate/compiled-predicate.js';
import type { Matcher, Matchers } from '../../evidence/predicate/predicate.schema.js';
import type { PredicateCall } from '../../evidence/predicate/predicate-call.js';

type Test = ReturnType<typeof compileMatchers>;

/** The tests of one matcher, by what they look at, so that a shuffle of outcomes repeats no search in a text. */
interface SplitTests {
  /** The call alone, whatever became of it. */
  readonly own: Test | undefined;
  /** What became of the call. */
  readonly outcome: Test | undefined;
  /** The call beside the failed call. */
  readonly beside: Test | undefined;
  /** The call beside the error of the failed call. */
  readonly answer: Test | undefined;
}

const OWN = ['tool', 'notTool', 'action', 'notAction', 'args', 'notArgs'] as const;
const OUTCOME = ['error', 'ok'] as const;
const BESIDE = ['sameAction', 'sameTool', 'sameArgs', 'drops', 'adds'] as const;
const ANSWER = ['errorValueInArgs', 'errorValueNotInArgs', 'sumAmountsEqualsError'] as const;

/** Returns the matchers as a list: any of them. */
export const asList = (matchers: Matchers): readonly Matcher[] =>
  Array.isArray(matchers) ? (matchers as readonly Matcher[]) : [matchers as Matcher];

/** Returns the part of a matcher that looks at the call alone, or undefined if there is none. */
export const ownPart = (matcher: Matcher): Matcher | undefined => part(matcher, OWN);

function part(matcher: Matcher, names: readonly (keyof Matcher)[]): Matcher | undefined {
  const kept = Object.entries(matcher).filter(([name]) => names.some((one) => one === name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Matchers, compiled once for all executions. */
export class SplitMatchers {
  private readonly split: readonly SplitTests[];
  /** True if a match depends on the outcome of the call. */
  readonly readsOutcome: boolean;

  constructor(matchers: Matchers) {
    const tests = (matcher: Matcher, names: readonly (keyof Matcher)[]): Test | undefined => {
      const kept = part(matcher, names);
      return kept && compileMatchers(kept);
    };
    this.split = asList(matchers).map((one) => ({
      own: tests(one, OWN),
      outcome: tests(one, OUTCOME),
      beside: tests(one, BESIDE),
      answer: tests(one, ANSWER),
    }));
    this.readsOutcome = this.split.some(({ outcome }) => outcome !== undefined);
  }

  over(calls: readonly PredicateCall[]): MatchedCalls {
    return new MatchedCalls(calls, this.split);
  }
}

const [NO, YES] = [1, 2];

/** The matches of one execution. Each test runs at most once per call, when it is first needed. */
export class MatchedCalls {
  private readonly cells: readonly SplitCells[];

  constructor(calls: readonly PredicateCall[], split: readonly SplitTests[]) {
    this.cells = split.map((tests) => new SplitCells(calls, tests));
  }

  /**
   * True if the call matches with the outcome of another call of the execution (its own, unless outcomes are shuffled).
   * A test that compares it with the failed call holds only if there is one, which is given in the same way.
   */
  matches(at: number, outcome: number, failed = -1, failure = -1): boolean {
    return this.cells.some((cells) => cells.matches(at, outcome, failed, failure));
  }

  /** True if the call could match with some outcome. */
  couldMatch(at: number): boolean {
    return this.cells.some((cells) => cells.couldMatch(at));
  }

  /** True if the outcome could be that of a match. */
  couldBe(outcome: number): boolean {
    return this.cells.some((cells) => cells.couldBe(outcome));
  }
}

class SplitCells {
  private readonly own: Uint8Array;
  private readonly outcome: Uint8Array;
  private readonly pairs = new Map<number, boolean>();
  private readonly answers = new Map<number, boolean>();

  constructor(
    private readonly calls: readonly PredicateCall[],
    private readonly tests: SplitTests,
  ) {
    this.own = new Uint8Array(tests.own ? calls.length : 0);
    this.outcome = new Uint8Array(tests.outcome ? calls.length : 0);
  }

  matches(at: number, outcome: number, failed: number, failure: number): boolean {
    const { beside, answer } = this.tests;
    return (
      this.couldBe(outcome) &&
      this.couldMatch(at) &&
      (beside === undefined || this.pair(beside, this.pairs, at, failed)) &&
      (answer === undefined || this.pair(answer, this.answers, at, failure))
    );
  }

  couldMatch(at: number): boolean {
    return this.tests.own === undefined || this.cell(this.own, this.tests.own, at);
  }

  couldBe(outcome: number): boolean {
    return this.tests.outcome === undefined || this.cell(this.outcome, this.tests.outcome, outcome);
  }

  private cell(cells: Uint8Array, test: Test, at: number): boolean {
    if (cells[at] === 0) {
      const call = this.calls[at];
      cells[at] = call && test(call) ? YES : NO;
    }
    return cells[at] === YES;
  }

  private pair(test: Test, known: Map<number, boolean>, at: number, failed: number): boolean {
    if (failed < 0) return false;
    const key = at * this.calls.length + failed;
    let holds = known.get(key);
    if (holds === undefined) {
      const [call, other] = [this.calls[at], this.calls[failed]];
      holds = call !== undefined && other !== undefined && test(call, other);
      known.set(key, holds);
    }
    return holds;
  }
}
