import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { learnFrom, twoHalves } from './delivery/learned-half.js';
import { replay } from './delivery/replay.js';
import { observeStored } from './fidelity/product-lessons.js';
import { readSet } from './sets/set-reader.js';
import { findSets } from './transfer/find-sets.js';
const { values } = parseArgs({ options: { data: { type: 'string' }, sets: { type: 'string' }, seed: { type: 'string', default: '0' }, verbose: {type:'boolean', default:false} } });
for (const { name, file } of findSets([values.data ?? ''], values.sets?.split(','))) {
  const set = readSet(readFileSync(file, 'utf8'), name);
  const executions = set.executions.map(observeStored);
  const halves = twoHalves(executions, set.isOrdered, Number(values.seed));
  const learned = learnFrom(halves.learned);
  const r = replay(halves.replayed, learned.advisables);
  const f = r.advised.filter((a) => a.followed !== undefined); const o = r.advised.filter((a) => a.otherwise !== undefined);
  const share = (x: readonly (boolean | undefined)[]) => x.length === 0 ? 0 : x.filter(Boolean).length / x.length;
  console.log(name, halves.by, halves.learned.length, halves.replayed.length, 'drafts', learned.drafts, 'confirmed', learned.advisables.length, 'failures', r.failures, 'recoverable', r.recoverable, 'advised', r.advised.length, 'advRec', r.advisedRecoverable, 'before', r.toldBefore, 'precision', share(f.map((a) => a.followed)).toFixed(2), f.length, 'otherwise', share(o.map((a) => a.otherwise)).toFixed(2), o.length);
  if (values.verbose) for (const a of learned.advisables) {
    const own = r.advised.filter((x) => x.advisable.id === a.id); const ff = own.filter((x) => x.followed !== undefined); const oo = own.filter((x) => x.otherwise !== undefined);
    console.log('   ', a.strength.toFixed(2), learned.titles.get(a.id), '|', JSON.stringify(a.binding), own.length, `${ff.filter((x) => x.followed).length}/${ff.length}`, `${oo.filter((x) => x.otherwise).length}/${oo.length}`, JSON.stringify(a.predicate).slice(0, 300));
  }
}
