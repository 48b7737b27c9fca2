import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { RiskReason } from '../../approvals/proposals/risk.js';
import { PROJECT_ROOT } from '../../platform/config/config.js';
import { PromotionSummary } from '../../promote/promotion.schema.js';
import { WORDING_FAILURES } from '../../propose/model/model-words.schema.js';
import { Recall } from '../../recall/ranking/recall.schema.js';
import { coded } from './pages.view.js';

const SOURCE = join(PROJECT_ROOT, 'src');

const RISK_REASONS: Readonly<Record<RiskReason | 'contested', true>> = {
  'state-changing': true,
  'few-tries': true,
  live: true,
  contested: true,
  reach: true,
  suspicion: true,
  danger: true,
  'skips-check': true,
};

describe('the templates of the console', () => {
  it.each([
    ['because', PromotionSummary.shape.because.options],
    ['left-out', Recall.shape.leftOut.element.shape.because.options],
    ['wording', WORDING_FAILURES],
    ['risk-reason', Object.keys(RISK_REASONS)],
  ])('have a text for each value in "%s"', (partial, values) => {
    const template = readFileSync(join(SOURCE, 'console', 'templates', `_${partial}.hbs`), 'utf8');
    const named = [...template.matchAll(/ '([a-z_-]+)'\)~\}\}\n\S/g)].map(([, value]) => value);
    expect(named.sort()).toEqual([...values].sort());
  });

  it('show what stands between backticks as code, with every hidden character visible', () => {
    expect(coded('Run `make a<b` before `x\u200b`').toString()).toBe(
      'Run <code>make a&lt;b</code> before <code>x<mark class="hidden">\\u{200b}</mark></code>',
    );
    expect(coded('an open ` quote').toString()).toBe('an open &#x60; quote');
  });

  it('are the only ones: no other folder writes HTML', () => {
    const others = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('console/') && !file.endsWith('.spec.ts'),
    );
    expect(others.length).toBeGreaterThan(300);
    const speaking = others.filter((file) =>
      /<!doctype|<\/(?:p|a|form|html)>|['"]text\/html/.test(readFileSync(join(SOURCE, file), 'utf8')),
    );
    expect(speaking).toEqual([]);
  });
});
