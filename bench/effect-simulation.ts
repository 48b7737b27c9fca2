/**
 * npm run bench:effect -- [--seeds 1000] [--agents 500]
 *
 * Simulates fleets with a planted effect along the ramp. Prints the verdicts, how often they were wrong, and how long
 * they took, beside the textbook two-proportion test on the same fleets at the same looks. The last line is JSON.
 */
import { parseArgs } from 'node:util';
import { BASELINE, BIMODAL, HETEROGENEOUS, LOOKS, RAMP, RARE_FAILURE } from './effect-fleet.js';
import { METHODS, type Score, scoreMethods } from './effect-score.js';

const HELP = `npm run bench:effect -- [options]
  --seeds N    simulated fleets for each planted effect (1000)
  --agents N   agents of a fleet (500)`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    agents: { type: 'string', default: '500' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const [seeds, agents] = [Number(values.seeds), Number(values.agents)];
if (!(seeds >= 1 && agents >= 1)) throw new Error('--seeds and --agents must be at least 1');

const PLANTED = [
  { name: '+15 points', effect: 0.15, ...BASELINE },
  { name: '0 points', effect: 0, ...BASELINE },
  { name: '-10 points', effect: -0.1, ...BASELINE },
  { name: '0 points, while all failure rates fall from look to look', effect: 0, ...BASELINE, drift: 0.5 },
  { name: '0 points, very different agents', effect: 0, ...HETEROGENEOUS },
  { name: '-10 points, very different agents', effect: -0.1, ...HETEROGENEOUS },
  { name: '0 points, some agents nearly always fail and most never', effect: 0, ...BIMODAL },
  { name: '0 points, a rare failure', effect: 0, ...RARE_FAILURE },
  { name: '+3 points, a rare failure', effect: 0.03, ...RARE_FAILURE },
];
const NAMES = { guildbook: 'effectOf', pooled: 'effectOf, stages pooled', naive: 'z-test at each look' };

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8);

console.log(
  `${agents} agents, ${seeds} seeds, ${LOOKS} looks: ${RAMP.map((s) => `${s.looks} at ${s.percent} %`).join(', ')}`,
);
console.log('nominal: at most 5.0 % wrong and 5.0 % missed over all looks together');
const worlds = PLANTED.map(({ name, ...planted }) => {
  const scores = scoreMethods({ agents, ...planted }, seeds);
  console.log(`\nplanted: ${name}`);
  console.log(
    '                                at the end                           at any look          interval  looks to',
  );
  console.log(
    '                                helps   no diff.    harms  no data   helps    harms    wrong   missed  verdict',
  );
  for (const method of METHODS) console.log(line(NAMES[method], scores[method]));
  return { planted: name, ...planted, ...scores };
});
console.log(JSON.stringify({ agents, seeds, looks: LOOKS, nominal: 0.05, worlds }));

function line(name: string, { atEnd, atAnyLook, wrong, missed, looksToVerdict: looks }: Score): string {
  const shares = [
    atEnd.helps,
    atEnd['no-difference-yet'],
    atEnd.harms,
    atEnd['not-enough-data'],
    atAnyLook.helps,
    atAnyLook.harms,
    wrong,
    missed,
  ];
  const time = looks === null ? '–' : `${looks.median} (90 %: ${looks.p90})`;
  return `${name.padEnd(29)}${shares.map(percent).join(' ')}  ${time}`;
}
