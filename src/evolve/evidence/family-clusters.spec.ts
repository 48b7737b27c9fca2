import { describe, expect, it } from '@jest/globals';
import { clusterFailures, FAMILY_CLUSTER_SETTINGS, type FailureGroup } from './family-clusters.js';

const failed = (template: string, more: Partial<FailureGroup> = {}): FailureGroup => ({
  tool: 'shell',
  action: 'run',
  errorClass: 'unknown',
  template,
  failures: 1,
  ...more,
});
const templatesOf = (groups: readonly FailureGroup[]): string[][] =>
  clusterFailures(groups).map((family) => family.groups.map(({ template }) => template));

describe('clusters of failures', () => {
  it('merge messages with mostly the same words', () => {
    expect(
      templatesOf([
        failed('could not open the socket for reading data now', { failures: 3 }),
        failed('server could not open the socket for reading data'),
        failed('the printer has no paper left in tray [n]'),
      ]),
    ).toEqual([
      ['could not open the socket for reading data now', 'server could not open the socket for reading data'],
      ['the printer has no paper left in tray [n]'],
    ]);
  });

  it('keep short messages apart that differ in one word', () => {
    expect(templatesOf([failed('unknown column [name]'), failed('unknown database [name]')])).toHaveLength(2);
  });

  it('merge a message about one name of code with the same about another', () => {
    const undefinedNames = ['config.NewConfig', 'paths.ValidateSessionID', 'runClean', 'read_rows'];
    expect(templatesOf(undefinedNames.map((name) => failed(`undefined function: ${name}`)))).toHaveLength(1);
    // What an exception is called says what happened.
    expect(templatesOf([failed('RangeError: lost'), failed('StateError: lost')])).toHaveLength(2);
    // A message of nothing else is known by it.
    expect(templatesOf([failed('[path]: readRows'), failed('[path]: writeRows')])).toHaveLength(2);
  });

  it('merge one cause that programs report in different words', () => {
    const refused = (template: string, action: string) => failed(template, { errorClass: 'bad-option', action });
    expect(
      templatesOf([refused('cut: invalid option -- [name]', 'cut'), refused('uniq: extra operand [name]', 'uniq')]),
    ).toHaveLength(1);
    const missing = (template: string, errorClass: string) => failed(template, { errorClass });
    expect(
      templatesOf([
        missing('ImportError: No module named [name]', 'ImportError'),
        missing('ModuleNotFoundError: No module named [name]', 'ModuleNotFoundError'),
      ]),
    ).toHaveLength(1);
  });

  it('merge missing paths, whichever program says so, but not a folder that a shell cannot enter', () => {
    const path = (template: string, errorClass = 'file-not-found') => failed(template, { errorClass });
    expect(
      templatesOf([
        path('ls: [path]: No such file or directory'),
        path('cp: [path]: No such file or directory'),
        path('cd: no such file or directory: [path]', 'no-such-directory'),
      ]),
    ).toHaveLength(2);
  });

  it('keep braces that nothing replaced, and a redirection without a target, apart', () => {
    const path = (template: string) => failed(template, { errorClass: 'file-not-found' });
    expect(
      templatesOf([
        path('gzip: {}: No such file or directory'),
        path('tar: [path]: Cannot open: No such file or directory'),
      ]),
    ).toHaveLength(2);
    const shell = (template: string) => failed(template, { errorClass: 'shell-syntax' });
    expect(
      templatesOf([
        shell("[path]: -c: line [n]: syntax error near unexpected token `newline'"),
        shell('[path]: -c: line [n]: syntax error: unexpected end of file'),
      ]),
    ).toHaveLength(2);
  });

  it('merge a missing path that a command reports, whatever the tool is called', () => {
    const path = (tool: string, template: string) => failed(template, { tool, errorClass: 'file-not-found' });
    const template = 'ls: [path]: No such file or directory';
    expect(templatesOf([path('shell', template), path('runner', template)])).toHaveLength(1);
    expect(templatesOf([path('shell', template), path('view', 'File does not exist')])).toHaveLength(2);
  });

  it('merge one fault of statements, whichever server reports it', () => {
    expect(
      templatesOf([
        failed("Table [name] doesn't exist"),
        failed('relation [name] does not exist'),
        failed('no such table: [name]'),
        failed('Invalid use of group function'),
        failed('Expression #[n] of SELECT list is not in GROUP BY clause'),
      ]),
    ).toHaveLength(2);
  });

  it('are found soon for many messages that begin alike', () => {
    const letters = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const many = Array.from({ length: 20_000 }, (_, at) =>
      failed(`could not ${[3, 7, 11, 13, 17].map((step) => `w${letters((at * step * 7919) % 9973)}`).join(' ')}`),
    );
    const used = process.cpuUsage();
    clusterFailures(many);
    expect(process.cpuUsage(used).user / 1e6).toBeLessThan(5);
  });

  it('take text and code that were sent as a command for one problem each', () => {
    expect(
      templatesOf([
        failed('x: command not found', { action: '[code]', errorClass: 'command-not-found' }),
        failed('unexpected EOF while looking for a quote', { action: '[code]', errorClass: 'shell-syntax' }),
      ]),
    ).toHaveLength(1);
  });

  it('do not depend on the order of the groups', () => {
    const groups = ['red', 'green', 'blue', 'black'].flatMap((colour, at) => [
      failed(`the ${colour} lamp is broken and gives no light today`, { failures: at + 1 }),
      failed(`a ${colour} chair stands in front of the open door`, { failures: at + 1 }),
    ]);
    expect(clusterFailures([...groups].reverse())).toEqual(clusterFailures(groups));
  });

  it('leave rare messages alone if there are too many', () => {
    const rare = Array.from({ length: FAMILY_CLUSTER_SETTINGS.messages }, (_, at) =>
      failed(`${[...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}word happens`, { failures: 2 }),
    );
    const [one, other] = [failed('an owl sat upon the old oak tree'), failed('an owl sat upon the old oak tree today')];
    expect(templatesOf([one, other])).toHaveLength(1);
    const families = templatesOf([...rare, one, other]);
    expect(families.slice(-2)).toEqual([[other.template], [one.template]]);
  });
});
