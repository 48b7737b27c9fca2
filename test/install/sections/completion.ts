import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { programPath } from '../../../src/platform/config/environment.js';
import { type Checks, expectSame } from '../checks.js';
import { InteractiveShell } from '../interactive-shell.js';

/** A shell that is missing on a machine is reported, and a shell under load may take long. */
export const isQuick = false;

const SHELLS = {
  zsh: {
    command: 'zsh -f -i',
    lines: ['autoload -U compinit && compinit -u -D', 'source <(guildbook completion zsh)', "PS1='READY> '"],
  },
  fish: {
    command: 'fish --no-config -i',
    lines: ['guildbook completion fish | source', 'function fish_prompt; printf "READY> "; end'],
  },
  bash: {
    command: 'bash --norc --noprofile -i',
    lines: ['source <(guildbook completion bash)', "PS1='READY> '"],
  },
} as const;

/** Names that a shell would run, split or expand. Each begins in its own way, so that it is the only candidate. */
const HOSTILE = [
  'ha$(touch owned-1)',
  'hb`touch owned-2`',
  'hc"; touch owned-3; "',
  "hd'; touch owned-4; '",
  'he; touch owned-5',
  'hf $HOME * ? [a] {b,c} ~ #x',
  'hg\\$(touch owned-6)\\',
  'hh!!!$ & | < > (x)',
  'hi -- "quoted" \'both\'',
  'hj größe 日本',
];
/** Names that would break a line or steer the terminal are not offered at all. */
const UNOFFERED = ['hx\ntouch owned-7', 'hy\u001b[2Jz', 'hz\u202eevil', ':files'];

export async function run(checks: Checks): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-completion-'));
  const { server, url } = await namesServer();
  try {
    for (const shell of Object.keys(SHELLS) as (keyof typeof SHELLS)[]) {
      if (spawnSync('sh', ['-c', `command -v ${shell} && command -v script`]).status === 0)
        await inShell(checks, shell, join(folder, shell), url);
      else checks.skip(`completion in ${shell}`, `${shell} or script is not installed`);
    }
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inShell(checks: Checks, name: keyof typeof SHELLS, folder: string, url: string): Promise<void> {
  const { command, lines } = SHELLS[name];
  const recorded = join(folder, 'recorded');
  const env = prepareFolder(folder, recorded, url);
  const shell = await InteractiveShell.start(command, lines, { cwd: join(folder, 'work'), env });
  /** The words that the shell passes to the program after the completed line. */
  const completed = async (typed: string): Promise<string[]> => {
    rmSync(recorded, { force: true });
    shell.type(`${typed}\t\n`);
    await shell.until(() => existsSync(recorded) && readFileSync(recorded, 'utf8').endsWith('\0\n'));
    return readFileSync(recorded, 'utf8').slice(0, -2).split('\0');
  };
  try {
    for (const [typed, wanted] of [
      ['guildbook skil', ['skills']],
      ['guildbook proposals appr', ['proposals', 'approve']],
      ['guildbook whoami --js', ['whoami', '--json']],
      ['guildbook proposals list --state withd', ['proposals', 'list', '--state', 'withdrawn']],
      ['guildbook proposals list --state=withd', ['proposals', 'list', '--state=withdrawn']],
      [`guildbook --server ${url} skills show close`, ['--server', url, 'skills', 'show', 'close-the-books']],
      ['guildbook import one', ['import', 'one file.jsonl']],
    ] as const)
      await checks.check(`${name} completes ${typed}`, async () => expectSame(await completed(typed), wanted, typed));
    for (const agent of HOSTILE)
      await checks.check(`${name} inserts ${agent} as one word that does not run`, async () => {
        expectSame(
          await completed(`guildbook agents disable ${agent.slice(0, 2)}`),
          ['agents', 'disable', agent],
          agent,
        );
      });
    await checks.check(`${name} offers no name that breaks a line or steers the terminal`, async () => {
      expectSame(await completed('guildbook agents disable hx'), ['agents', 'disable', 'hx'], 'hx');
      expectSame(await completed('guildbook agents disable hy'), ['agents', 'disable', 'hy'], 'hy');
    });
    await checks.check(`${name} ran nothing of the names`, () => {
      expectSame(readdirSync(join(folder, 'work')), ['one file.jsonl'], 'files in the folder');
    });
  } finally {
    await shell.end();
  }
}

/** A home with a `guildbook` that completes as the built program does, and records every other command line. */
function prepareFolder(folder: string, recorded: string, url: string): Record<string, string> {
  for (const one of ['bin', 'work', 'home']) mkdirSync(join(folder, one), { recursive: true });
  writeFileSync(join(folder, 'work', 'one file.jsonl'), '');
  const program = join(folder, 'bin', 'guildbook');
  writeFileSync(
    program,
    `#!/bin/sh
case "$1" in
  complete | completion) exec '${process.execPath}' '${join(PROJECT_ROOT, 'dist', 'cli', 'main.js')}' "$@" ;;
esac
printf '%s\\0' "$@" >'${recorded}'
echo >>'${recorded}'
`,
  );
  chmodSync(program, 0o755);
  return {
    HOME: join(folder, 'home'),
    PATH: [join(folder, 'bin'), programPath()].join(delimiter),
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    GUILDBOOK_SERVER: url,
    GUILDBOOK_TOKEN: 'gbp_example',
  };
}

/** A server that only knows agents and a skill. */
async function namesServer(): Promise<{ server: Server; url: string }> {
  const agents = [...HOSTILE, ...UNOFFERED].map((name) => ({ name, owner: 'x $(touch owned-8)\n', disabledAt: null }));
  const server = createServer((request, response) => {
    const items = request.url === '/v1/agents' ? agents : [{ name: 'close-the-books', version: 1 }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ items }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}
