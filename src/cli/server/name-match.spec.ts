import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { type Candidate, matchName, unknownName } from './name-match.js';

const AGENT = { one: 'agent', many: 'agents', list: 'guildbook agents' };
const id = (start: string) => `${start}${'0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a'.slice(start.length)}`;
const candidate = (start: string, name: string, isEnded = false): Candidate => ({
  id: id(start),
  names: [name],
  details: [`of ${start}`],
  isEnded,
});
const ADA = candidate('aaaa1111', 'ada');
const BEN = candidate('aaaa2222', 'ben');

const found = (given: string, ...candidates: Candidate[]) => matchName(AGENT, given, candidates)?.id;
const failure = (given: string, ...candidates: Candidate[]): CliError => {
  try {
    matchName(AGENT, given, candidates);
  } catch (error) {
    if (error instanceof CliError) return error;
  }
  throw new Error('did not fail');
};

describe('the thing that a command is given by name', () => {
  it('is the one with exactly this name', () => {
    expect(found('ada', ADA, BEN)).toBe(ADA.id);
    expect(found('ad', ADA, BEN)).toBeUndefined();
    expect(found('Ada', ADA, BEN)).toBeUndefined();
  });

  it('is the one whose id begins with these 4 or more characters, in either case', () => {
    expect(found('aaaa1', ADA, BEN)).toBe(ADA.id);
    expect(found('AAAA2222', ADA, BEN)).toBe(BEN.id);
    expect(found('aaa', ADA)).toBeUndefined();
  });

  it('is one of several names, of which an address matches in either case', () => {
    const rosa = { ...ADA, names: ['Rosa', 'Rosa@Example.org'] };
    expect(found('rosa@example.ORG', rosa)).toBe(rosa.id);
    expect(found('ro\u017fa@example.org', rosa)).toBeUndefined();
    expect(found('\u212arl@example.org', { ...ADA, names: ['krl@example.org'] })).toBeUndefined();
  });

  it('is the one with the name before one whose id begins so, so that an id cannot take a name over', () => {
    expect(found('aaaa1', ADA, candidate('bbbb', 'aaaa1'))).toBe(id('bbbb'));
  });

  it('is a live one before a disabled one with the same name', () => {
    expect(found('ada', candidate('cccc', 'ada', true), ADA, candidate('dddd', 'ada', true))).toBe(ADA.id);
    expect(found('gone', ADA, candidate('cccc', 'gone', true))).toBe(id('cccc'));
  });

  it('is ambiguous if a disabled name is the beginning of another id', () => {
    expect(failure('aaaa1', ADA, candidate('cccc', 'aaaa1', true)).code).toBe('name.ambiguous');
  });

  it('is the same one when a page repeats it', () => {
    expect(found('ada', ADA, { ...ADA })).toBe(ADA.id);
  });

  it('lists up to five candidates, with what tells them apart, if several are meant', () => {
    const error = failure('bot', ...['1', '2', '3', '4', '5', '6', '7'].map((n) => candidate(`${n}aaa`, 'bot')));
    expect(error).toMatchObject({ exit: EXIT.usage, code: 'name.ambiguous' });
    const lines = error.message.split('\n');
    expect(lines[0]).toBe('"bot" means 7 agents. Enter the id of one agent:');
    expect(lines.slice(1)).toEqual([
      ...['1', '2', '3', '4', '5'].map((n) => `  ${id(`${n}aaa`)}  bot  of ${n}aaa`),
      '  … and 2 more',
    ]);
    expect(failure('aaaa', ADA, BEN).message.split('\n')).toHaveLength(3);
  });

  it('is unknown with the nearest live name, if one is near', () => {
    const near = unknownName(AGENT, 'build-bto', [
      candidate('aaaa', 'build-bot'),
      candidate('bbbb', 'build-bta', true),
    ]);
    expect(near).toMatchObject({ exit: EXIT.notFound, code: 'name.unknown' });
    expect(near.message).toBe(
      'There is no agent "build-bto". Did you mean "build-bot"? To list them: guildbook agents',
    );
    expect(unknownName(AGENT, 'zeppelin', [ADA, BEN]).message).not.toContain('Did you mean');
    expect(unknownName(AGENT, '0b9').message).toContain('at least the first 4 characters');
  });

  it('puts no line break and no control character of a name into a message', () => {
    const hostile = 'bot\u001b[2J\u202e\r\nFORGED';
    const two = [candidate('aaaa', hostile), { ...candidate('bbbb', hostile), details: [hostile] }];
    for (const message of [failure(hostile, ...two).message, unknownName(AGENT, `${hostile}x`, two).message]) {
      expect(message).toContain('\\u{1b}[2J');
      for (const line of message.split('\n')) {
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(line).not.toMatch(/^FORGED/);
      }
    }
  });

  it('has the given name or begins with the given characters, whatever names and ids there are', () => {
    const names = fc.oneof(fc.constantFrom('ada', 'ben', 'aaaa', 'abcd'), fc.string({ maxLength: 4 }));
    const known = fc.array(
      fc.record({ id: fc.uuid(), names: fc.array(names, { maxLength: 2 }), isEnded: fc.boolean() }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(
        known,
        fc.oneof(
          names,
          fc.uuid().map((one) => one.slice(0, 5)),
        ),
        (candidates, given) => {
          const all = candidates.map((one) => ({ ...one, details: [] }));
          const matching = all.filter((one) => one.names.includes(given));
          try {
            const one = matchName(AGENT, given, all);
            if (one === undefined) expect(matching).toEqual([]);
            else expect(one.names.includes(given) || (given.length >= 4 && one.id.startsWith(given))).toBe(true);
          } catch (error) {
            expect(error).toMatchObject({ code: 'name.ambiguous' });
          }
        },
      ),
    );
  });
});
