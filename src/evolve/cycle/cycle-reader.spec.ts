import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CYCLE_DEFAULTS, finishCycle, ReportedReader, runCycle } from '../../../test/support/cycles.js';
import { countsOf } from '../../../test/support/window-counts.js';
import { execution, HOPELESS, PYTHON, run } from '../../../test/support/window-execution.js';
import { observe } from '../../capture/observations/observation.js';
import { CycleReader } from '../window/cycle-reader.js';
import { packPart, partsOf, unpackPart } from '../window/state-parts.js';

const SYNTAX = 'SyntaxError: invalid syntax';

const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
const fleet = (size: number) => Array.from({ length: size }, (_, n) => execution(n, PYTHON));

describe('a sliding window', () => {
  const restored = [run('make restore'), ...PYTHON];
  const inRust = [run('cargo build'), run('cargo test'), run('python a.py', SYNTAX), run('python3 a.py', SYNTAX)];
  const outage = [run('npm install', 'npm ERR! network ECONNREFUSED'), run('yarn install')];
  const lost = [run('cd app && pytest t', 'bash: cd: app: No such file or directory'), run('pytest t')];
  const checked = [run('npm test'), run('npm publish')];
  const missing = PYTHON.map((call) =>
    call.ok ? call : { ...call, errorMessage: 'ImportError: No module named yaml' },
  );
  const anyExecution = fc
    .record({
      calls: fc.constantFrom(
        PYTHON,
        PYTHON,
        restored,
        inRust,
        missing,
        HOPELESS,
        lost,
        outage,
        [run('python b.py')],
        checked,
        checked,
      ),
      outcome: fc.constantFrom('succeeded' as const, 'failed' as const, 'none' as const),
      agent: fc.nat(7),
      origin: fc.nat(9),
      root: fc.option(fc.nat(5), { nil: undefined }),
    })
    .map(({ calls, agent, origin, root, outcome }) => (n: number) => ({
      ...execution(n, [...calls], {
        report: {
          toolCalls: [...calls],
          status: 'completed' as const,
          verification: outcome === 'none' ? { outcome } : { outcome, source: 'ci' as const },
        },
        agentId: `agent-${agent}`,
        agentName: `Agent ${agent}`,
        owner: `owner-${agent % 3}`,
      }),
      origin: `origin-${origin}`,
      ...(root === undefined ? {} : { rootExecutionKey: `root-${root}` }),
    }));
  const eager = { ...CYCLE_DEFAULTS, minConfidenceForProposal: 0.5 };

  it('gives the same result as a new window after any additions and removals', () => {
    fc.assert(
      fc.property(
        fc.array(anyExecution, { minLength: 10, maxLength: 60 }),
        fc.array(fc.record({ comes: fc.nat(12), goes: fc.nat(12) }), { minLength: 1, maxLength: 6 }),
        (made, steps) => {
          const executions = made.map((make, n) => make(n));
          const reader = new ReportedReader();
          let [from, to] = [0, 0];
          for (const { comes, goes } of steps) {
            const [nextFrom, nextTo] = [Math.min(from + goes, to), Math.min(to + comes, executions.length)];
            for (const one of executions.slice(to, nextTo)) reader.add(one);
            for (const one of executions.slice(from, nextFrom)) reader.remove(observe(one));
            [from, to] = [nextFrom, nextTo];
            const fresh = runCycle({ executions: executions.slice(from, to), ...known, settings: eager });
            expect(finishCycle(reader, known, eager)).toEqual(fresh);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('gives the same result from counts that were saved and loaded in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyExecution, { minLength: 10, maxLength: 60 }),
        fc.array(fc.record({ comes: fc.nat(12), goes: fc.nat(12) }), { minLength: 1, maxLength: 5 }),
        async (made, steps) => {
          const executions = made.map((make, n) => make(n));
          let reader = new CycleReader();
          let [from, to] = [0, 0];
          for (const { comes, goes } of steps) {
            const [nextFrom, nextTo] = [Math.min(from + goes, to), Math.min(to + comes, executions.length)];
            for (const one of executions.slice(to, nextTo)) reader.add(observe(one));
            for (const one of executions.slice(from, nextFrom)) reader.remove(observe(one));
            [from, to] = [nextFrom, nextTo];
            const loaded = await loadedFrom(reader);
            // Reports are not part of the counts.
            for (const counts of [reader, loaded]) {
              const fresh = new CycleReader();
              for (const one of executions.slice(from, to)) fresh.add(observe(one));
              expect(countsOf(counts)).toEqual(countsOf(fresh));
            }
            reader = loaded;
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('counts no execution twice and removes only what it has counted', () => {
    const executions = fleet(4);
    const reader = new ReportedReader();
    for (const one of [...executions, ...executions]) reader.add(one);
    reader.remove(observe(execution(99, PYTHON)));
    expect(finishCycle(reader, known, CYCLE_DEFAULTS)).toEqual(
      runCycle({ executions: fleet(4), ...known, settings: CYCLE_DEFAULTS }),
    );
  });
});

/** The counts as another process loads them. */
async function loadedFrom(reader: CycleReader): Promise<CycleReader> {
  const loaded = new CycleReader();
  for (const part of partsOf(reader.records()))
    for (const record of unpackPart(await packPart(part))) loaded.restore(record);
  return loaded;
}
