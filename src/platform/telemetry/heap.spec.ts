import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { HEAP_FLAG } from './heap.js';

/** What a process with 90 MB of live objects holds at most, in bytes, while it makes others that live a little while. */
function largestHeap(flag?: string): number {
  const program = `${flag ? `(await import('node:v8')).setFlagsFromString('${flag}');` : ''}
    const live = Array.from({ length: 1_000_000 }, (_, n) => ({ n, text: 'x' + n }));
    const recent = new Array(100_000);
    let most = 0;
    for (let n = 0; n < 4_000_000; n += 1) {
      recent[n % recent.length] = { n, list: [n] };
      if (n % 50_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
    }
    console.log(live.length > 0 ? most : 0);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

describe('the heap of the server', () => {
  it('stays near what is alive in it, whatever a long read leaves behind', () => {
    expect(largestHeap(HEAP_FLAG)).toBeLessThan(0.75 * largestHeap());
  });
});
