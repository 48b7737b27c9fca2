import { describe, expect, it } from '@jest/globals';
import { presentableCall } from './presentable-call.js';

describe('a call as readers see it', () => {
  const shown = (tool: string, call: string) => presentableCall({ tool, call })?.call;

  it('has the names of a statement without their backticks, which would end the code around it', () => {
    expect(shown('run_sql', '{"query":"SELECT `size` FROM `old-shop.carts`"}')).toBe(
      '{"query":"SELECT size FROM old-shop.carts"}',
    );
    expect(shown('run_sql', '{"query":"SELECT `a b`"}')).toBeUndefined();
  });

  it('is none if it holds a command in backticks', () => {
    expect(shown('shell', 'echo `date`')).toBeUndefined();
    expect(shown('Bash', 'echo `date`')).toBeUndefined();
  });
});
