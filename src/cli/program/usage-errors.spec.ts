import { describe, expect, it, jest } from '@jest/globals';
import { CliError } from '../terminal/cli-error.js';
import { everyCommand, pathOf } from './command-tree.js';
import { createProgram, EXAMPLES } from './program.js';
import { isAnswered } from './usage-errors.js';

/** Parses a command line that must not reach a command. Returns its error, and what it printed. */
async function parse(line: string): Promise<{ error: unknown; stdout: string; stderr: string }> {
  const [stdout, stderr] = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockReturnValue(true),
  );
  const written = (spy: typeof stdout) => spy?.mock.calls.map(([text]) => String(text)).join('') ?? '';
  try {
    const error = await createProgram()
      .parseAsync(
        line.split(' ').filter((word) => word !== ''),
        { from: 'user' },
      )
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    return { error, stdout: written(stdout), stderr: written(stderr) };
  } finally {
    stdout?.mockRestore();
    stderr?.mockRestore();
  }
}

describe('a mistyped command line', () => {
  it.each([
    ['aprovals', 'usage.unknown_command', /guildbook --help/],
    ['proposal', 'usage.unknown_command', /: guildbook proposals, or: guildbook proposer$|: guildbook proposals$/],
    ['--json aggents list', 'usage.unknown_command', /: guildbook agents$/],
    ['proposals aprove 1234', 'usage.unknown_command', /: guildbook proposals approve$/],
    ['proposals --json aprove 1234', 'usage.unknown_command', /: guildbook proposals approve$/],
    ['approve 1234', 'usage.unknown_command', /: guildbook proposals approve$/],
    ['memory retir x', 'usage.unknown_command', /: guildbook memory retire$/],
    ['lessons shwo x', 'usage.unknown_command', /: guildbook lessons show$/],
    ['evolve familes', 'usage.unknown_command', /: guildbook evolve families$/],
    ['help proposals aprove', 'usage.unknown_command', /: guildbook proposals approve --help$/],
    ['help nonsense', 'usage.unknown_command', /^undefined$/],
    ['proposals list extra', 'usage.excess_arguments', /guildbook proposals list --help$/],
    ['whoami extra', 'usage.excess_arguments', /guildbook whoami --help$/],
    ['proposals --stat approved', 'usage.unknown_option', /: --state$/],
    ['whoami --jsno', 'usage.unknown_option', /: --json$/],
    ['agents add x --owns=me', 'usage.unknown_option', /: --owner$/],
    ['--settings f serve', 'usage.unknown_option', /guildbook serve.* after the command/],
    ['agents --owner me add x', 'usage.unknown_option', /an option of: guildbook agents add/],
    ['proposals list --state open', 'usage.invalid_argument', /proposals list --help/],
    ['agents add', 'usage.missing_argument', /agents add --help/],
    ['skills retire x', 'usage.missing_mandatory_option_value', /skills retire --help/],
    ['whoami --server', 'usage.option_missing_argument', /--help/],
    ['--json memory', 'usage.missing_command', /upkeep, .*verify/],
    ['--json', 'usage.missing_command', /proposals/],
  ])('is refused with status 2 and the way out: guildbook %s', async (line, code, hint) => {
    const { error, stdout, stderr } = await parse(line);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ exit: 2, code });
    expect(String((error as CliError).hint)).toMatch(hint);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });
});

describe('a command line that asks for help', () => {
  it.each([
    ['', 'Usage: guildbook [options] [command]'],
    ['help', 'Usage: guildbook [options] [command]'],
    ['--help', 'Usage: guildbook [options] [command]'],
    ['memory', 'Usage: guildbook memory'],
    ['proposals --help', 'Usage: guildbook proposals'],
    ['help proposals', 'Usage: guildbook proposals'],
    ['help proposals approve', 'Usage: guildbook proposals approve'],
    ['proposals approve --help', 'Usage: guildbook proposals approve'],
  ])('gets it on standard output: guildbook %s', async (line, wanted) => {
    const { error, stdout, stderr } = await parse(line);
    expect({ answered: error === undefined || isAnswered(error), stderr }).toEqual({ answered: true, stderr: '' });
    expect(stdout).toContain(wanted);
  });

  it('prints the version alone', async () => {
    expect((await parse('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('the tree of commands', () => {
  const commands = everyCommand(createProgram()).filter((one) => one.commands.length === 0);

  it('has no command that swallows an unknown option', async () => {
    for (const command of commands) {
      const { error } = await parse(`${pathOf(command).replace('guildbook ', '')} --no-such-option`);
      expect({ command: pathOf(command), error }).toMatchObject({ error: { exit: 2 } });
    }
  });

  it('shows examples in the help, each of an existing command', async () => {
    const paths = everyCommand(createProgram()).map(pathOf);
    expect(Object.keys(EXAMPLES).filter((path) => !paths.includes(`guildbook ${path}`))).toEqual([]);
    for (const [path, [first = '']] of Object.entries(EXAMPLES))
      expect((await parse(`${path.replace('guildbook ', '')} --help`)).stdout).toContain(first);
  });

  it('describes every command', () => {
    expect(commands.filter((one) => one.description() === '').map(pathOf)).toEqual([]);
  });
});
