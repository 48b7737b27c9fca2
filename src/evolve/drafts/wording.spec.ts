import { describe, expect, it } from '@jest/globals';
import { errorTokens } from '../../learning/calls/error-tokens.js';
import type { Item } from '../../learning/patterns/pattern.schema.js';
import { errorLineOf } from './wording.js';

const shown = (error: readonly Item[], ...lines: string[]): string =>
  errorLineOf(
    { error: [...error], call: ['sql', { one: 'queue' }], closed: { kind: ['lane', 'pipe'] } },
    lines.map((line) => ({ error: line })),
  );

describe('the error of a lesson', () => {
  it('is the line of a case, with a mark for what differs', () => {
    const error = ['broker', 'doesn', 't', 'know', { one: 'name' }];
    expect(shown(error, "broker doesn't know 'orders'")).toBe("broker doesn't know '*'");
  });

  it('names a place that the call or the list of values names', () => {
    const error = ['no', { one: 'kind' }, { one: 'queue' }, 'at', { one: 'host' }];
    expect(shown(error, 'no lane orders at alpha')).toBe('no `<kind>` `<queue>` at *');
    expect(shown(error, 'no lane `orders` at alpha')).toBe('no * `*` at *');
  });

  it('names places by a line in which their values differ', () => {
    const error = ['no', { one: 'kind' }, { one: 'queue' }];
    expect(shown(error, 'no lane lane', 'no lane orders')).toBe('no `<kind>` `<queue>`');
    expect(shown(error, 'no lane lane')).toBe('no * *');
  });

  it('has the apostrophes of the lines, if no line is as the lesson has it', () => {
    const line = "the broker doesn't accept option t while it isn't paused: q";
    const error = [...errorTokens(line, false).slice(0, -1), { one: 'name' }];
    expect(shown(error, line)).toBe("the broker doesn't accept option t while it isn't paused *");
  });

  it('is made of its words, if no line has them', () => {
    expect(shown(['no', 'queue', { any: 'more' }], 'something else')).toBe('no queue *');
  });

  it('marks a placeholder as what differs, which would be an escape in prose', () => {
    expect(shown(['[path]/relctl', 'not', 'signed', 'in'], '<folder>/relctl not signed in')).toBe(
      '*/relctl not signed in',
    );
  });

  it('shows a masked word as left out', () => {
    expect(shown(['Could', 'not', 'find', 'you'])).toBe('Could not find ...');
  });
});
