import { expect, it } from '@jest/globals';
import { DOSSIER } from '../../../test/support/checked-proposal.js';
import { Dossier } from '../../evidence/gates/dossier.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { fitDossier, generaliseDossier, LARGEST_DOSSIER } from './generalised-texts.js';

const failed = (call: string) => ({ call: { tool: 'shell', call }, ok: false, error: `cannot open ${call}` });
const example = (call: string) => ({ recovered: false, before: null, failed: failed(call), later: [] });

it('removes the paths and people of its agents from every text', () => {
  const dossier = {
    ...DOSSIER,
    signature: 'at ann@corp.example.org',
    examples: [example('cat /home/ann/pay/list.csv')],
  };
  const text = JSON.stringify(generaliseDossier(dossier));
  expect(text).not.toMatch(/ann@|home|corp/);
  expect(text).toContain('list.csv');
});

it('stays within its size and its schema, whatever the markers are', () => {
  const long = {
    ...DOSSIER,
    value: 'x'.repeat(80),
    examples: [1, 2, 3].map((n) => example(`ls ${String(n).repeat(280)}`)),
  };
  const marked = { ...long, value: 'y'.repeat(300) };
  const fitted = fitDossier(marked, long);
  expect(Dossier.safeParse(fitted).success).toBe(true);
  expect(fitted.value).toHaveLength(80);
  const { examples, ...others } = long;
  expect(fitDossier({ ...others, examples }, long).environment).toEqual(long.environment);
  const large = {
    ...long,
    examples: long.examples.map((one) => ({ ...one, later: Array(4).fill(failed('z'.repeat(590))) })),
  };
  const small = fitDossier(large, large);
  expect(canonicalJson(small).length).toBeLessThanOrEqual(LARGEST_DOSSIER);
  expect(small.examples.length).toBeGreaterThan(0);
});
