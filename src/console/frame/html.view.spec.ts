import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../../platform/config/config.js';

describe('HTML', () => {
  it('is written only by the console', () => {
    const others = readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('console/') && !file.endsWith('.spec.ts'),
    );
    expect(others.length).toBeGreaterThan(300);
    const speaking = others.filter((file) =>
      /<!doctype|<\/(?:p|a|form|html)>|['"]text\/html/.test(readFileSync(join(PROJECT_ROOT, 'src', file), 'utf8')),
    );
    expect(speaking).toEqual([]);
  });
});
