import { type Arm, type ArmKind, type Check, type Comparison, pairOf, type Verdict } from './check.schema.js';

/** What a person reads for each verdict. */
export const VERDICT_TEXTS: Readonly<Record<Verdict, string>> = {
  confirmed: 'tested on other runs',
  observed: 'not tested yet',
  undecided: 'undecided',
  refuted: 'refuted',
};

/** Where the tries of a comparison are taken from. */
const COMPARED: Readonly<Record<ArmKind, string>> = {
  after: 'after the failure',
  form: 'first calls of both forms',
  start: 'with the step before, against without',
  // Of proposals before whole runs were removed.
  execution: 'whole runs',
};

/** The comparison that decides; the first one if none does. */
const decidingComparison = ({ by, comparisons }: Check): Comparison | undefined =>
  comparisons.find(({ kind }) => kind === by) ?? comparisons[0];

/** `with it 33 of 47 worked, without it 1 of 12`: never only a percentage. */
export function pairInWords(check: Check): string {
  const { with: taught, without } = pairOf(check);
  return `with it ${sayArm(taught)} worked, without it ${sayArm(without)}`;
}

const sayArm = ({ worked, n }: Arm): string => (n === 0 ? 'nothing was tried' : `${worked} of ${n}`);

/** The executions that the pair counts. */
export function pairSource(check: Check): string {
  const { verdict, split } = check;
  const comparison = decidingComparison(check);
  const how = comparison ? ` (${COMPARED[comparison.kind]})` : '';
  if (verdict === 'observed' || !comparison) return `in all executions, also those that it was learned from${how}`;
  const which = split === 'time' ? 'in later executions of the project' : 'in executions of other tasks';
  return `${which}, which it was not learned from${how}`;
}

/** The check in sentences, the pair first; then what else the reviewer should know of it. */
export function checkInWords(check: Check): string[] {
  const comparison = decidingComparison(check);
  return [
    `${pairInWords(check)}, ${pairSource(check)}`,
    ...(comparison ? [...differenceInWords(comparison), ...controlsInWords(comparison)] : []),
    ...robustnessInWords(check),
    ...(check.scope ? [scopeInWords(check.scope)] : []),
  ];
}

function differenceInWords({ difference, p }: Comparison): string[] {
  if (!difference) return [];
  const { value, low, high } = difference;
  return [
    `difference ${points(value)} points (95 % interval ${points(low)} to ${points(high)})${p === null ? '' : `, p ${sayP(p)}`}`,
  ];
}

function controlsInWords({ withinAgents, pairs, permutation }: Comparison): string[] {
  return [
    ...(withinAgents
      ? [
          `within agents: difference ${points(withinAgents.difference)} points (${points(withinAgents.low)} to ${points(withinAgents.high)}), ${counted(withinAgents.agents, 'agent')} on both sides`,
        ]
      : []),
    ...(pairs && pairs.better + pairs.worse > 0
      ? [
          `within one execution: only the try with it worked in ${pairs.better}, only the other in ${pairs.worse}, p ${sayP(pairs.p)}`,
        ]
      : []),
    ...(permutation === null
      ? []
      : [`outcomes shuffled within executions: ${sharePercent(permutation)} % look as good`]),
  ];
}

/** Whether it hangs on one agent or one harness. `namesHarness`: false leaves out that there was only one harness. */
export function robustnessInWords(
  { verdict, withoutOneAgent, withoutOneHarness }: Check,
  { namesHarness = true }: { namesHarness?: boolean } = {},
): string[] {
  if (verdict !== 'confirmed') return [];
  const isNamed = namesHarness || withoutOneHarness !== null;
  return [...leftOut(withoutOneAgent, 'agent'), ...(isNamed ? leftOut(withoutOneHarness, 'harness') : [])];
}

/** Nothing if no execution says which it was. */
function leftOut(times: Check['withoutOneAgent'], noun: 'agent' | 'harness'): string[] {
  if (!times) return [`all compared tries are of one ${noun}`];
  const { confirmed, of } = times;
  if (of === 0) return [];
  return [leftOutInWords(confirmed, of, noun)];
}

function leftOutInWords(confirmed: number, of: number, noun: string): string {
  if (confirmed === of) return `holds without any one of the ${counted(of, noun)} compared`;
  return `holds in ${confirmed} of ${of} cases in which one ${noun} is left out`;
}

const scopeInWords = ({ share, n }: NonNullable<Check['scope']>): string =>
  `${sharePercent(share)} % of ${counted(n, 'failure')} that its condition matches belong to this problem`;

const counted = (n: number, noun: string): string =>
  `${n} ${n === 1 ? noun : noun.endsWith('s') ? `${noun}es` : `${noun}s`}`;

/** A difference of shares in percentage points, with its sign. */
const points = (value: number): string => `${value > 0 ? '+' : ''}${Math.round(value * 100)}`;

/** Rounded down: a share below 1 is never shown as all of them. */
const sharePercent = (share: number): number => Math.floor(share * 100 + 1e-9);

const sayP = (p: number): string => (p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`);
