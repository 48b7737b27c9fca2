import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callOf, type GivenCall } from '../calls/call.js';
import { casesOf } from './case.js';
import { outcomeOf } from './own-remedy.js';

const run = (action: string, error?: string): GivenCall => ({
  tool: 'Bash',
  action,
  ok: error === undefined,
  ...(error === undefined ? {} : { errorLine: error, errorText: error }),
});
const call = (tool: string, input: object, error?: string): GivenCall => ({
  ...run(JSON.stringify(input), error),
  tool,
});

/** What became of the first failure, and the calls that had to be made before. */
function outcome(...given: readonly GivenCall[]) {
  const [first] = casesOf(given.map(callOf));
  if (first === undefined) throw new Error('nothing failed');
  const found = outcomeOf(first);
  const steps = found.kind === 'overcome' ? found.steps.map((at) => given[at]?.action) : [];
  return { kind: found.kind, ...(steps.length > 0 ? { steps } : {}) };
}

const OVERCOME = { kind: 'overcome' };
const NO_FILE = 'No such file or directory';

describe('a failure is overcome', () => {
  it('by a call with other spellings of its words, unless both have too many to compare each with each', () => {
    const withWords = (count: number, ending: string) =>
      `relctl ${Array.from({ length: count }, (_, n) => `word${n}x${ending}`).join(' ')}`;
    const of = (count: number) => outcome(run(withWords(count, ''), 'relctl: error'), run(withWords(count, 'y')));
    expect(of(20)).toEqual(OVERCOME);
    expect(of(100)).toEqual({ kind: 'open' });
  });

  it('by no call that failed as well, until something came in between', () => {
    const python2 = run('python close.py', 'SyntaxError: invalid syntax');
    const missing = run('python3.11 close.py', "ModuleNotFoundError: No module named 'ledger'");
    const after = [run('pip install ledger'), run('pip install books'), run('python3.11 close.py')];
    expect(outcome(python2, missing, ...after)).toEqual({ kind: 'passed' });
    expect(outcome(python2, run('python3.11 close.py'))).toEqual(OVERCOME);
  });

  it.each([
    ['python close.py', 'python3 close.py', 'bash: python: command not found'],
    ['make build', 'make all', "make: *** No rule to make target 'build'.  Stop."],
    ['make deploy', 'make deploy SIGN=1', 'deploy: artifact is not signed'],
    ['docker-compose up -d', 'docker compose up -d', 'bash: docker-compose: command not found'],
    ['git push origin main', 'git push origin HEAD:refs/for/main', 'remote: push to refs/for instead'],
    ['python manage.py migrate', 'uv run python manage.py migrate', "ModuleNotFoundError: No module named 'django'"],
    ['mkdir books/may', 'mkdir -p books/may', `mkdir: cannot create directory books/may: ${NO_FILE}`],
    ['cd app && npm test', 'npm test', `cd: app: ${NO_FILE}`],
    ['git -C app add -A', 'git add -A', `fatal: cannot change to 'app': ${NO_FILE}`],
    ['python close.py', 'python ./books/close.py', `python: can't open file 'close.py': ${NO_FILE}`],
    ['tar -xf a.tar extract', 'tar -xf a.tar', 'tar: extract: Not found in archive'],
    ['git push', 'git push --set-upstream origin main', 'fatal: The current branch main has no upstream branch'],
    ['npm test', 'NODE_ENV=test npm test', 'Error: no test database is configured'],
    ['crew show prepare-core', 'crew show prepare-cli', "no member 'prepare-core'. Did you mean prepare-cli?"],
    ['/usr/bin/python3 -m pytest tests/a.py', 'bin/test tests/a.py', '/usr/bin/python3: No module named pytest'],
    ['pstree -a 41 web', 'ps f -u web --ppid 41', 'bash: pstree: command not found'],
    ['gh pr lst', 'gh pr list', 'unknown command "lst" for "gh pr". Did you mean list?'],
  ])('after %j by %j', (failed, worked, error) => {
    expect(outcome(run(failed, error), run(worked))).toEqual(OVERCOME);
  });

  it.each([
    ['a preparing command', run('terraform init')],
    ['an installation', run('pip install terraform-config')],
    ['an installation of which only the end was shown', run('pip install terraform-config 2>&1 | tail -5')],
  ])('by the same call after %s', (_, step) => {
    const failed = run('terraform plan', 'Error: cannot read main.tf: run "terraform init"');
    expect(outcome(failed, step, run('terraform plan'))).toEqual({ kind: 'overcome', steps: [step.action] });
  });

  it('by another action of the program before the same call', () => {
    const failed = run('git push origin main', 'error: failed to push some refs');
    const step = run('git pull --rebase origin main');
    expect(outcome(failed, step, run('git push origin main'))).toEqual({ kind: 'overcome', steps: [step.action] });
  });

  it('by a call of another tool that the error is about', () => {
    const failed = call('mcp__docs__search', { text: 'totals' }, 'Error: the index is not loaded');
    const step = call('mcp__docs__load_index', { name: 'books' });
    expect(outcome(failed, call('mcp__docs__list', {}), step, call('mcp__docs__search', { text: 'totals' }))).toEqual({
      kind: 'overcome',
      steps: [step.action],
    });
  });

  it('by the program that did the work, not by a look at what it was given', () => {
    const failed = run('python scripts/rates.py', 'bash: python: command not found');
    const taken = run('python3 scripts/rates.py');
    expect(outcome(failed, run('head -3 scripts/rates.py'), taken)).toEqual(OVERCOME);
    const search = run('rg total src', 'bash: rg: command not found');
    expect(outcome(search, run('grep -r total src'))).toEqual(OVERCOME);
  });

  it('by a value that was looked up before: the look is a step', () => {
    const failed = run('head -20 config/limits.yml', `head: cannot open 'config/limits.yml': ${NO_FILE}`);
    const look = run('find . -name limits.yml');
    expect(outcome(failed, run('git status'), look, run('head -20 deploy/env/limits.yml'))).toEqual({
      kind: 'overcome',
      steps: [look.action],
    });
    const post = (channel: string, error?: string) => call('mcp__chat__post_message', { channel }, error);
    const list = call('mcp__chat__list_channels', { limit: 200 });
    expect(outcome(post('releases', 'API error: channel_not_found'), list, post('C04R7K2M1'))).toEqual({
      kind: 'overcome',
      steps: [list.action],
    });
  });

  it('by a part of a value that it had: a look before says nothing', () => {
    const failed = run('pytest app/tests/test_sum.py', 'ERROR: file not found: app/tests/test_sum.py');
    const look = run('find . -name test_sum.py');
    expect(outcome(failed, look, run('pytest tests/test_sum.py'))).toEqual(OVERCOME);
  });

  it('by another tool with the same arguments', () => {
    const retired = call('get_ledger', { id: 'till' }, 'Error: this endpoint is retired');
    expect(outcome(retired, call('get_ledger_v2', { id: 'till' }))).toEqual(OVERCOME);
    expect(outcome(retired, call('get_ledger_v2', { id: 'desk' }))).toEqual({ kind: 'open' });
  });

  it('by reading a file before it is edited', () => {
    const edit = (error?: string) => call('Edit', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }, error);
    const read = call('Read', { file_path: 'src/a.ts' });
    const failed = edit('File has not been read yet. Read it first before writing to it.');
    expect(outcome(failed, read, edit())).toEqual({ kind: 'overcome', steps: [read.action] });
    // Another file says nothing about this one.
    expect(outcome(failed, call('Read', { file_path: 'src/b.ts' }), edit())).toEqual({ kind: 'repeated' });
  });

  it('by another value of an argument that the error is about', () => {
    const refused = call('book', { cabin: 'bussiness' }, 'Error: bussiness is no class');
    expect(outcome(refused, call('book', { cabin: 'business' }))).toEqual(OVERCOME);
    const typed = call('book', { limit: '10' }, 'TypeError: limit: expected a number');
    expect(outcome(typed, call('book', { limit: 10 }))).toEqual(OVERCOME);
    const wrong = call('open_pull_request', { base: 'master', head: 'fix' }, '422 Field:base Code:invalid');
    expect(outcome(wrong, call('open_pull_request', { base: 'main', head: 'fix' }))).toEqual(OVERCOME);
    expect(outcome(wrong, call('open_pull_request', { base: 'master', head: 'other' })).kind).toBe('open');
  });

  it('by another name for an argument that holds a text', () => {
    const cell = 'def total(rows):\n    return sum(rows)';
    const refused = call(
      'EditCell',
      { cell: 3, source: cell },
      'The parameter `new_source` is missing; unexpected `source`',
    );
    expect(outcome(refused, call('EditCell', { cell: 3, new_source: cell }))).toEqual(OVERCOME);
  });
});

describe('a failure is not overcome', () => {
  it.each([
    ['another customer', 'billing refund --customer 4711', 'billing refund --customer 4712', 'customer 4711 not found'],
    ['another script', 'python check.py', 'python fix.py', "python: can't open file 'data.csv'"],
    ['another file', 'cp a/x.txt out/', 'cp b/y.md out/', 'cp: disk is full'],
    ['another folder', 'ls -lh go/', 'pwd && ls -lh mcp-server', `ls: cannot access 'go/': ${NO_FILE}`],
    ['a dropped check', 'cargo clippy && cargo test', 'cargo test models::book', 'test result: FAILED. 70 passed'],
    ['dropped work', 'make all install', 'make all', 'make: fatal error in line 3'],
    ['a check of the chain left out', 'make check && make install', 'make install', 'make: *** [Makefile:7: check]'],
    ['a part of the tests', 'pytest tests', 'pytest tests -k "not sum"', 'FAILED tests/test_sum.py'],
    ['a skipped hook', 'git commit -m x', 'git commit --no-verify -m x', 'husky - pre-commit hook exited with code 1'],
    ['more rights', 'apt-get install jq', 'sudo apt-get install jq', 'E: Could not open lock file: Permission denied'],
    ['a hidden exit code', 'npm test', 'npm test || true', 'Error: 2 tests failed'],
    ['another verb', 'ledger open && ledger show --brief', 'ledger add --sum=3', 'Error: unknown flag: --brief'],
    [
      'another verb of a chain',
      'git stash && git switch main && git pull',
      'git fetch origin main',
      "fatal: 'main' is used",
    ],
    [
      'a look at the file',
      'bun test a.test.ts',
      'git diff -- a.test.ts',
      "SyntaxError: export 'sum' not found in 'books'",
    ],
    ['a look at what was to be changed', "sed -i 's/a/b/' a.py", "sed -n '1,5p' a.py", 'sed: cannot open a.py'],
    [
      'making what was to be looked at',
      'ls -d out.d',
      'mkdir -p out.d && python3 a.py',
      `ls: cannot access 'out.d': ${NO_FILE}`,
    ],
    [
      'another of the kind',
      'crew show prepare-core',
      'crew show prepare-cli',
      "Error: no member matches 'prepare-core'",
    ],
    ['only loading the tests', 'pytest tests/test_a.py', 'python tests/test_a.py', 'bash: pytest: command not found'],
    [
      'a look at the tests',
      'pytest tests/test_a.py',
      "sed -n '1,9p' tests/test_a.py",
      'bash: pytest: command not found',
    ],
    ['another folder of the shell', 'cd app && git log -3', 'git -C app log -3', `cd: ${NO_FILE}: app`],
    ['another file', 'bin/test lib/test_sums_products.py', 'bin/test lib/test_products.py', 'The output was too long'],
    [
      'getting around the claim of another',
      'bd update av-5 --claim',
      'bd update av-5 --status open',
      'Error: av-5 is already claimed by codex',
    ],
    ['only the version', 'foo build', 'foo --version', 'foo: unknown command build'],
    ['an action that the error only prints', 'cargo test', 'cargo fmt', 'test result: FAILED. 91 passed; 2 failed'],
    [
      'another action behind the same preparation',
      'export MODE=fast && ./h.sh configure && ./h.sh start',
      'export MODE=fast && ./h.sh list',
      `./h.sh: line 46: /tmp/tool: ${NO_FILE}`,
    ],
    ['bare looks', 'ls -la app/out/', 'pwd && ls -la', `ls: app/out/: ${NO_FILE}`],
    ['the same folder again', 'cd app && git log v1~3..v2', 'cd app && git log v1..v2', `cd: app: ${NO_FILE}`],
  ])('by %s: %j, then %j', (_, failed, worked, error) => {
    expect(outcome(run(failed, error), run(worked)).kind).not.toBe('overcome');
  });

  it('by the same call again, with or without a look in between', () => {
    const failed = run('curl -s api/5', 'curl: (28) Connection timed out');
    expect(outcome(failed, run('curl -s api/5'))).toEqual({ kind: 'repeated' });
    expect(outcome(failed, run('ls'), run('cat api/5'), run('curl -s api/5'))).toEqual({ kind: 'repeated' });
  });

  it('by the same call with another filter behind it, if the filter failed', () => {
    const failed = run("go test ./cmd -v | grep -E '--- FAIL'", "grep: unrecognized option '--- FAIL'");
    expect(outcome(failed, run('go clean -testcache'), run('go test ./cmd'))).toEqual({ kind: 'repeated' });
    expect(outcome(failed, run('go clean -testcache && go test ./cmd'))).toEqual({ kind: 'repeated' });
  });

  it('by a statement that asks for less, which several runs may teach', () => {
    const failed = call(
      'sql',
      { query: 'SELECT name FROM teachers WHERE home = 1' },
      "Table 'school.teachers' is not there",
    );
    expect(outcome(failed, call('sql', { query: 'SELECT * FROM teacher WHERE home = 1' })).kind).toBe('passed');
    expect(outcome(failed, call('sql', { query: 'SELECT name FROM teacher WHERE home = 1' }))).toEqual(OVERCOME);
    const unknown = call('sql', { query: 'SELECT id, size FROM carts ORDER BY id' }, "Unknown column 'id'");
    expect(outcome(unknown, call('sql', { query: 'SELECT size FROM carts ORDER BY size' })).kind).toBe('passed');
    const renamed = call('sql', { query: 'SELECT cart_id, size FROM carts ORDER BY cart_id' });
    expect(outcome(unknown, renamed)).toEqual(OVERCOME);
  });

  it('by a change of the source, which several runs may teach', () => {
    const failed = run('kubectl get pods -n shop', 'error: You must be logged in to the server (Unauthorized)');
    const step = run('kubectl config use-context team-eu');
    expect(outcome(failed, step, run('kubectl get pods -n shop'))).toEqual({ kind: 'passed' });
    const missing = run('pip install frobber', 'ERROR: No matching distribution found for frobber');
    expect(outcome(missing, run('pip install frobber-plus'))).toEqual({ kind: 'passed' });
    const first = [run('pip install frobber-tools'), run('pip install frobber')];
    expect(outcome(missing, ...first)).toEqual({ kind: 'passed' });
    expect(outcome(missing, run('pip install frobber==2.1'))).toEqual(OVERCOME);
  });

  it.each([
    ['a look that hardly can fail', run('ls testbed/', `ls: testbed/: ${NO_FILE}`), run('ls -la')],
    [
      'a file of secrets',
      call('Read', { file_path: '.env.example' }, 'File does not exist.'),
      call('Read', { file_path: '.env' }),
    ],
  ])('by nothing that one run may teach: %s', (_, failed, later) => {
    expect(outcome(failed, later).kind).not.toBe('overcome');
  });

  it('unless a setting was added to a file of secrets before the same call', () => {
    const failed = run('npm start', 'Error: SHOP_URL must be set');
    expect(outcome(failed, call('Edit', { file_path: '.env' }), run('npm start')).kind).toBe('overcome');
  });

  it('by the same call after another one of its tool, which did other work', () => {
    const issue = (title: string, error?: string) => call('create_issue', { title, team: 'shop' }, error);
    const failed = issue('Close the books', 'Error: parent issue must be an id of the team');
    expect(outcome(failed, issue('Open the issue'), issue('Close the books')).kind).not.toBe('overcome');
  });

  it('by the same call after a check of the same file', () => {
    const failed = run('biome check a.ts a.test.ts', 'Found 1 error.');
    expect(outcome(failed, run('bun test a.test.ts'), run('biome check a.ts a.test.ts'))).toEqual({ kind: 'repeated' });
    const browsers = run('npx playwright install chromium');
    expect(outcome(failed, browsers, run('biome check a.ts a.test.ts'))).toMatchObject({ kind: 'overcome' });
    const correction = run('biome check --write a.test.ts');
    expect(outcome(failed, correction, run('biome check a.ts a.test.ts'))).toMatchObject({ kind: 'overcome' });
  });

  it('if code was changed in between: the run got past it, and nothing says what helped', () => {
    const failed = run('npm test', 'Error: expected 2 to be 3');
    const edit = call('Edit', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' });
    expect(outcome(failed, edit, run('npm test'))).toEqual({ kind: 'passed' });
    expect(outcome(failed, edit, run('npm test', 'Error: expected 2 to be 3'))).toEqual({ kind: 'open' });
  });

  it('by a look at a file that is not there', () => {
    const edit = (error?: string) => call('Edit', { file_path: 'a.sh', old_string: 'a', new_string: 'b' }, error);
    const read = call('Read', { file_path: 'a.sh' });
    expect(outcome(edit('File does not exist.'), read, edit()).kind).not.toBe('overcome');
  });

  it('by a look before another text is put in, unless the error asks for it', () => {
    const edit = (error?: string) => call('Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, error);
    const read = call('Read', { file_path: 'a.ts' });
    expect(outcome(edit('Found 2 matches of the string to replace'), read, edit())).toEqual({ kind: 'repeated' });
    expect(outcome(edit('String to replace not found in file'), read, edit())).toEqual({
      kind: 'overcome',
      steps: [read.action],
    });
    const write = call('Write', { file_path: 'a.ts', content: 'b' });
    expect(outcome(edit('String to replace not found in file'), write)).toEqual({ kind: 'open' });
  });

  it('by a command that is given what a tool did not find', () => {
    const search = (error?: string) => call('Grep', { pattern: 'sums' }, error);
    const failed = search('Path does not exist: app');
    expect(outcome(failed, run('pip install -e app'), search())).toEqual({ kind: 'repeated' });
  });

  it('by a file of another name that the error does not offer', () => {
    const read = (path: string, error?: string) => call('Read', { file_path: path }, error);
    expect(outcome(read('x/book_id.go', 'File does not exist.'), read('x/id.go')).kind).not.toBe('overcome');
    expect(outcome(read('x/id.go', 'File does not exist.'), read('x/app/id.go'))).toEqual(OVERCOME);
  });

  it('by asking for a version before another program', () => {
    const failed = run('pip install app', 'ERROR: app requires another Python: 3.8.8 not in >=3.10');
    expect(outcome(failed, run('python3 --version'), run('python3.11 -m pip install app'))).toEqual(OVERCOME);
  });

  it('by reading the file that was to be edited', () => {
    const edit = call('Edit', { file_path: 'a.ts' }, 'Error: a.ts is generated');
    expect(outcome(edit, call('Read', { file_path: 'a.ts' }))).toEqual({ kind: 'open' });
  });

  it('if another program is given the failed one, and none of its arguments', () => {
    const failed = run('/tmp/tool enabl', 'Error: Unknown command: tool enabl. Did you mean enable?');
    expect(outcome(failed, run('rm /tmp/tool'))).toEqual({ kind: 'open' });
    expect(outcome(run('./tool --fast', 'Exec format error'), run('bash ./tool --fast'))).toEqual(OVERCOME);
  });

  it('if no later call for the same goal worked', () => {
    const failed = run('python a.py', 'SyntaxError: invalid syntax');
    expect(outcome(failed, run('git status'), run('python3 a.py', 'SyntaxError: invalid syntax'))).toEqual({
      kind: 'open',
    });
  });
});

it('any calls are read without an error, and each failed call with an error line is one case', () => {
  const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 2_000 }));
  const given = fc.record({
    tool: fc.constantFrom('Bash', 'sql', 'Edit', ''),
    action: text,
    ok: fc.constantFrom(true, false, undefined),
    errorLine: text,
    errorText: text,
  });
  fc.assert(
    fc.property(fc.array(given, { maxLength: 12 }), (calls) => {
      const read = calls.map(callOf);
      const cases = casesOf(read);
      expect(cases).toHaveLength(read.filter(({ failed, error }) => failed && error.length > 0).length);
      for (const one of cases) expect(outcomeOf(one).kind).toMatch(/^(?:overcome|passed|repeated|open)$/);
    }),
  );
});
