import { describe, expect, it } from '@jest/globals';
import { WITHHELD_OUTPUT } from '../../capture/errors/error-text.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { candidatesOf } from './candidates.js';

const ERROR = 'SyntaxError: invalid syntax';

function call(index: number, text: string, ok: boolean, error = ''): RecordedCall {
  const [program = ''] = text.replace(/^[A-Z]+=\S+ /, '').split(' ');
  return {
    index,
    text,
    ok,
    error,
    tool: 'shell',
    goal: 'run:interpreter',
    actions: new Set([program]),
    ...(ok ? {} : { failure: { template: error, errorClass: 'SyntaxError', fingerprint: 'f', action: program } }),
  };
}

function execution(n: number, calls: RecordedCall[]): RecordedExecution {
  const observed = { episodes: [] } as unknown as RecordedExecution['source']['observed'];
  return {
    id: `e${n}`,
    agentId: `a${n % 4}`,
    owner: 'o',
    origin: `task ${n}`,
    finishedAt: '2030-01-01T00:00:00.000Z',
    environment: {},
    calls,
    outcomes: new Map(),
    source: { observed, report: {} as RecordedExecution['source']['report'] },
  };
}

const recovered = (n: number): RecordedExecution =>
  execution(n, [
    call(0, `lang tool${n}.x`, false, ERROR),
    call(1, `lang tool${n}.x`, false, ERROR),
    call(2, `lang3 tool${n}.x`, true),
  ]);

const sampleOf = (executions: RecordedExecution[]) => ({
  family: { templates: new Set([ERROR]) } as unknown as Parameters<typeof candidatesOf>[0]['family'],
  isMember: ({ failure }: RecordedCall) => failure?.template === ERROR,
  executions,
});

describe('candidates', () => {
  const executions = [1, 2, 3, 4, 5, 6].map(recovered);

  it('name the form that worked in the place of the form that failed', () => {
    const [best] = candidatesOf(sampleOf(executions));
    expect(best).toMatchObject({ how: 'replace', taught: ['lang3'], avoided: ['lang'] });
    expect(best?.predicate.when).toEqual([{ tool: 'shell', action: 'lang', error: ERROR }]);
  });

  it('do not depend on the order of the executions', () => {
    expect(candidatesOf(sampleOf([...executions].reverse()))).toEqual(candidatesOf(sampleOf(executions)));
  });

  it('come from no single success, and from no failure that stayed', () => {
    expect(candidatesOf(sampleOf([recovered(1)]))).toEqual([]);
    const failed = [1, 2, 3, 4].map((n) =>
      execution(n, [call(0, 'lang a.x', false, ERROR), call(1, 'lang a.x', false, ERROR)]),
    );
    expect(candidatesOf(sampleOf(failed))).toEqual([]);
  });

  it('do not come from a program that prints and fails without a message', () => {
    const silent = (program: string) =>
      sampleOf(
        [1, 2, 3, 4, 5, 6].map((n) =>
          execution(n, [call(0, `${program} a${n}.x`, false, WITHHELD_OUTPUT), call(1, `${program} -q a${n}.x`, true)]),
        ),
      );
    const isMember = ({ failure }: RecordedCall): boolean => failure !== undefined;
    expect(candidatesOf({ ...silent('cat'), isMember })).toEqual([]);
    expect(candidatesOf({ ...silent('lang'), isMember })).not.toEqual([]);
  });

  it('do not drop an operand that the error does not name', () => {
    const dropped = [1, 2, 3, 4, 5].map((n) =>
      execution(n, [
        call(0, 'lang extra other', false, ERROR),
        call(1, 'lang extra other', false, ERROR),
        call(2, 'lang other', true),
      ]),
    );
    expect(candidatesOf(sampleOf(dropped)).filter(({ avoided }) => avoided.includes('extra'))).toEqual([]);
  });

  it('name the error that tells the failure from others', () => {
    const silent = executions.map(({ calls, ...rest }) => ({
      ...rest,
      calls: calls.map((one) => (one.ok ? one : { ...one, error: `${rest.id}` })),
    }));
    const sample = { ...sampleOf(silent), isMember: ({ ok }: RecordedCall) => ok === false };
    for (const { predicate } of candidatesOf(sample)) expect(JSON.stringify(predicate.when)).toContain('"error"');
  });

  it('leave a flag out only if the error blames it', () => {
    const without = (error: string) =>
      [1, 2, 3, 4, 5].map((n) =>
        execution(n, [
          call(0, 'lang --fast main.x', false, error),
          call(1, 'lang --fast main.x', false, error),
          call(2, 'lang main.x', true),
        ]),
      );
    const dropped = (error: string) =>
      candidatesOf({ ...sampleOf(without(error)), isMember: ({ ok }: RecordedCall) => ok === false });
    expect(dropped('lang: the program ended badly').filter(({ avoided }) => avoided.includes('--fast'))).toEqual([]);
    expect(dropped('lang: unknown option --fast here').some(({ avoided }) => avoided.includes('--fast'))).toBe(true);
  });

  it('add a short flag that nearly all calls have which worked, although no error names it', () => {
    const added = (flagged: number) =>
      candidatesOf(
        sampleOf(
          [1, 2, 3, 4, 5].map((n) =>
            execution(n, [
              call(0, `lang tool${n}.x`, false, ERROR),
              call(1, `lang tool${n}.x`, false, ERROR),
              call(2, n <= flagged ? `lang -t name${n} tool${n}.x` : `lang other${n}.x`, true),
            ]),
          ),
        ),
      ).filter(({ taught }) => taught.includes('-t'));
    expect(added(5)).toMatchObject([{ taught: ['-t'], avoided: [] }]);
    expect(added(3)).toEqual([]);
  });

  it('name a program and the one in its place, never one of them alone', () => {
    for (const { taught, avoided } of candidatesOf(sampleOf(executions)))
      expect([taught.length, avoided.length]).toEqual([1, 1]);
  });

  it('say in their table label what the predicate counts', () => {
    expect(candidatesOf(sampleOf(executions)).map(({ label }) => label)).toContain('lang3 instead of lang');
  });

  it.each([''])('teach nothing about a call that failed and said nothing: "%s"', (error) => {
    const silent = executions.map(({ calls, ...rest }) => ({
      ...rest,
      calls: calls.map((one) => (one.ok ? one : { ...one, error })),
    }));
    const sample = { ...sampleOf(silent), isMember: ({ ok }: RecordedCall) => ok === false };
    const family = { templates: new Set(['']) } as unknown as typeof sample.family;
    expect(candidatesOf({ ...sample, family })).toEqual([]);
  });

  it('look for a missing place by its name, not in contents', () => {
    const missing = 'cd: app: No such file or directory';
    const learned = (tool: string, goal: string, text: string) =>
      candidatesOf({
        ...sampleOf(
          [1, 2, 3, 4, 5].map((n) => {
            const failed = { ...call(0, `lang tool${n}.x`, false, missing), goal: 'run:interpreter' };
            const look = { ...call(1, text, true), tool, goal };
            return execution(n, [failed, look, call(2, `lang tool${n}.x`, true)]);
          }),
        ),
        isMember: ({ failure }) => failure?.template === missing,
      }).map(({ label }) => label);
    expect(learned('shell', 'file:find', 'find . -name app')).toEqual(['find first']);
    expect(learned('glob', 'glob', '{"pattern":"app"}')).toEqual(['glob first']);
    expect(learned('grep', 'grep', '{"pattern":"app"}')).toEqual([]);
    expect(learned('shell', 'file:search', 'grep -rn app .')).toEqual([]);
  });

  /** Each execution has one failure of each pair, and then the call that worked. */
  const overcome = (...pairs: [failing: string, remedy: string][]) =>
    [1, 2, 3, 4, 5].flatMap((n) =>
      pairs.map(([failing, remedy], at) =>
        execution(10 * n + at, [call(0, failing, false, ERROR), call(1, failing, false, ERROR), call(2, remedy, true)]),
      ),
    );

  it('add a setting behind a short flag, with its value', () => {
    const [best, ...others] = candidatesOf(sampleOf(overcome(['lang main.x', 'lang -c strict.mode=off main.x'])));
    expect(best).toMatchObject({ how: 'replace', taught: ['-c strict.mode=off'], avoided: [] });
    expect(others).toEqual([]);
  });

  it('add the key of a setting whose values differ', () => {
    const executions = [1, 2, 3, 4, 5].flatMap((n) =>
      overcome(['lang main.x', `lang -c port=${n} main.x`]).slice(n - 1, n),
    );
    expect(candidatesOf(sampleOf(executions))[0]?.taught).toEqual(['-c port']);
  });

  it('add a setting or a flag only to the action that it belongs to, if several fail alike', () => {
    const executions = overcome(
      ['lang main.x', 'lang -c strict.mode=off main.x'],
      ['tool main.x', 'tool --relaxed main.x'],
      ['other main.x', 'RELAXED=1 other main.x'],
    );
    const found = candidatesOf(sampleOf(executions)).map(({ taught, predicate }) => [taught, predicate.when]);
    const when = (action: string) => [{ tool: 'shell', action, error: ERROR }];
    expect(found).toContainEqual([['-c strict.mode=off'], when('lang')]);
    expect(found).toContainEqual([['--relaxed'], when('tool')]);
    expect(found).toContainEqual([['RELAXED'], when('other')]);
  });

  it('add a variable to all actions that worked with it', () => {
    const executions = overcome(['lang main.x', 'FORMS=1 lang main.x'], ['tool main.x', 'FORMS=1 tool main.x']);
    const [best] = candidatesOf(sampleOf(executions));
    expect(best).toMatchObject({ taught: ['FORMS'], predicate: { when: [{ tool: 'shell', error: ERROR }] } });
  });

  it('put another value of a setting in the place of the one that failed', () => {
    const changed = candidatesOf(sampleOf(overcome(['lang -c mode=strict main.x', 'lang -c mode=loose main.x'])));
    expect(changed[0]).toMatchObject({ taught: ['-c mode=loose'], avoided: ['-c mode=strict'] });
    const other = candidatesOf(sampleOf(overcome(['lang -c mode=strict main.x', 'lang -c place=here main.x'])));
    expect(other.filter(({ avoided }) => avoided.includes('-c mode=strict'))).toEqual([]);
  });
});
