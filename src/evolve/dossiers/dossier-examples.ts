import type { Dossier } from '../../evidence/gates/dossier.schema.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import type { MaskedCall, NameOfValue, PublicValues } from './public-values.js';

type Example = Dossier['examples'][number];
type ExampleCall = Example['failed'];

/** A failure that an example may show, with the calls around it, their names masked. */
export interface ExampleCase {
  readonly origin: string;
  readonly agentId: string;
  readonly recovered: boolean;
  readonly before: RecordedCall | undefined;
  readonly failed: RecordedCall;
  /** The calls after it; of a recovery up to the one that worked. */
  readonly later: readonly RecordedCall[];
}

const MOST = { recovered: 2, all: 3, tried: 40 } as const;
const LATER = 4;
/** A call that may not be shown, in the place where it was. */
const WITHHELD = '<call not shown>';

/** Two examples with a recovery and one without, of different origins, the shortest first, then in the given order. */
export function examplesOf(cases: readonly ExampleCase[], values: PublicValues): Example[] {
  const sorted = [...cases].sort(byUse);
  const origins = new Set<string>();
  const agents = new Set<string>();
  const texts = new Set<string>();
  const shown: Example[] = [];
  const take = (pool: readonly ExampleCase[], most: number): void => {
    let tried = 0;
    for (const one of pool) {
      if (shown.length >= most || tried >= MOST.tried) return;
      if (origins.has(one.origin)) continue;
      tried += 1;
      const example = exampleOf(one, values);
      if (example === undefined || texts.has(textOf(example))) continue;
      texts.add(textOf(example));
      origins.add(one.origin);
      agents.add(one.agentId);
      shown.push(example);
    }
  };
  const recovered = sorted.filter((one) => one.recovered);
  const others = sorted.filter((one) => !one.recovered);
  take(recovered.slice(0, MOST.tried), 1);
  take([...otherAgents(recovered, agents), ...recovered], MOST.recovered);
  take([...otherAgents(others, agents), ...others], others.length > 0 ? shown.length + 1 : 0);
  take(recovered, MOST.all);
  take(others, MOST.all);
  return shown.sort((a, b) => Number(b.recovered) - Number(a.recovered));
}

/** Two examples with the same calls say the same. */
const textOf = ({ failed, later }: Example): string => JSON.stringify([failed, later]);

const otherAgents = (pool: readonly ExampleCase[], agents: ReadonlySet<string>): ExampleCase[] =>
  pool.filter(({ agentId }) => !agents.has(agentId));

function byUse(a: ExampleCase, b: ExampleCase): number {
  return (
    Number(a.failed.error === '') - Number(b.failed.error === '') ||
    a.later.length - b.later.length ||
    lengthOf(a) - lengthOf(b)
  );
}

const lengthOf = ({ failed, later }: ExampleCase): number =>
  [failed, ...later].reduce((sum, { text }) => sum + text.length, 0);

/** Undefined if the failed call may not be shown. */
function exampleOf({ recovered, before, failed, later }: ExampleCase, values: PublicValues): Example | undefined {
  const last = recovered ? later.slice(-LATER) : later.slice(0, LATER);
  const calls = [...(before ? [before] : []), failed, ...last];
  const counted = new RepeatedValues();
  for (const call of calls) shownCall(call, values, counted.count);
  const [shown, ...rest] = [failed, ...last].map((call) => shownCall(call, values, counted.name));
  if (shown === undefined || shown.call.call === WITHHELD) return undefined;
  return {
    recovered,
    before: before ? shownCall(before, values, counted.name) : null,
    failed: shown,
    later: rest.filter((one, at) => JSON.stringify(one) !== JSON.stringify(rest[at - 1])),
  };
}

function shownCall(call: RecordedCall, values: PublicValues, nameOf: NameOfValue): ExampleCall {
  const tool = /^[\w.:/ -]{1,80}$/.test(call.tool) ? call.tool : 'tool';
  const isFailed = call.ok === false;
  const plain: MaskedCall = call;
  return {
    call: values.call(plain, nameOf) ?? { tool, call: WITHHELD },
    ok: call.ok ?? null,
    error: isFailed ? values.error(call.error, nameOf) : null,
  };
}

/** Numbers the private values that occur more than once in an example, so that a reader sees which are the same. */
class RepeatedValues {
  private readonly uses = new Map<string, number>();
  private readonly numbers = new Map<string, number>();

  readonly count: NameOfValue = (value, shape) => {
    const key = keyOf(value);
    this.uses.set(key, (this.uses.get(key) ?? 0) + 1);
    return shape;
  };

  readonly name: NameOfValue = (value, shape) => {
    const key = keyOf(value);
    if ((this.uses.get(key) ?? 0) < 2) return shape;
    const number = this.numbers.get(key) ?? this.numbers.size + 1;
    this.numbers.set(key, number);
    return `${shape} ${number}`;
  };
}

const keyOf = (value: string): string => value.replace(/^.*\//s, '').toLowerCase();
