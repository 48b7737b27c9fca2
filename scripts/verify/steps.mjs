/**
 * The steps of `npm run verify`, in order: `{ name, run }`, where `run` is an npm script and its arguments. A step with
 * `postgresql` needs a server. One with `data` needs data from outside the repository and takes its folder as `--data`.
 */
export const STEPS = [
  { name: 'hostile', run: 'test:hostile' },
  { name: 'races', run: 'test:races', postgresql: true },
  { name: 'attacks', run: 'test:attacks --database both', postgresql: true },
  { name: 'crash', run: 'test:crash --kills 20 --database both', postgresql: true },
  { name: 'crash-processes', run: 'test:crash --processes 3 --kills 50', postgresql: true },
  { name: 'crash-upgrade', run: 'test:crash --upgrade', postgresql: true },
  { name: 'crash-consolidation', run: 'test:crash --consolidation 20', postgresql: true },
  { name: 'crash-checkpoints', run: 'test:crash --checkpoints 20', postgresql: true },
  { name: 'install', run: 'test:install', postgresql: true },
  { name: 'histories', run: 'test:histories' },
  { name: 'cases', run: 'test:cases' },
  { name: 'connect', run: 'test:connect' },
  { name: 'consumers', run: 'test:consumers' },
  { name: 'transcripts', run: 'test:data', data: true },
  // Each benchmark as the line "Smallest run" of its help says, to show that it runs; the figures mean nothing.
  { name: 'bench-hook-lines', run: 'bench:hook-lines --lines 20 --events 2' },
  { name: 'bench-publish', run: 'bench:publish --sizes 2,3 --pending 8 --rounds 1' },
  { name: 'bench-redaction', run: 'bench:redaction --prose README.md --code scripts' },
  { name: 'bench-retrieval', run: 'bench:retrieval --sample --seeds 0' },
  { name: 'bench-fidelity', run: 'bench:fidelity --sample' },
  { name: 'bench-transfer', run: 'bench:transfer --sample --draws 2' },
  { name: 'bench-delivery', run: 'bench:delivery --sample --skills 5 --calls 20' },
  { name: 'bench-ingest', run: 'bench:ingest --rounds 1 --reports 20 --batch 10 --memory 20', postgresql: true },
  { name: 'bench-approvals', run: 'bench:approvals --rounds 1 --proposals 20 --queues 50,100', postgresql: true },
  { name: 'bench-console', run: 'bench:console --proposals 30 --skills 10 --requests 5 --no-quiet', postgresql: true },
  { name: 'bench-recall', run: 'bench:recall --sizes 1000 --recalls 100', postgresql: true },
  { name: 'bench-evolve', run: 'bench:evolve --sizes 100 --agents 10 --no-duckdb', postgresql: true },
  { name: 'bench-fleet', run: 'bench:fleet --agents 10 --reports 100 --minutes 0 --cycles 1', postgresql: true },
  {
    name: 'bench-hostile-ingest',
    run: 'bench:hostile-ingest --kinds keywords,/v1/journal/export --bytes 200000 --at-once 2 --seconds 5 --list-seconds 1 --rows 100',
    postgresql: true,
  },
  // Last, because it builds the program again with each Node.
  { name: 'nodes', run: 'test:nodes' },
];
