import { describe, expect, it } from '@jest/globals';
import { actionShape, failingAction, parseAction } from './action.js';

const shell = (command: string) => actionShape('Bash', command);

describe('the shape of a shell command', () => {
  it.each([
    // command, coarse, purpose
    ['python report.py', 'python', 'run:python'],
    ['python3 report.py --year 2024', 'python3', 'run:python'],
    ['cd billing && python3 ./jobs/close.py 2>&1', 'python3', 'run:python'],
    ['uv run python close.py', 'uv run python', 'run:python'],
    ['uv run close.py', 'uv run', 'run:python'],
    ['python -c "print(1)"', 'python', 'run:python'],
    ["python3 <<'E'\nprint(1)\nE", 'python3', 'run:python'],
    ['python -m pytest -x tests/test_tax.py::test_vat', 'python -m pytest', 'test:python'],
    ['pytest tests', 'pytest', 'test:python'],
    ['python -m pip install -e .', 'python -m pip install', 'install:python'],
    ['pip3 install "requests>=2"', 'pip3 install', 'install:python'],
    ['uv pip install requests', 'uv pip install', 'install:python'],
    ['pip show requests', 'pip show', 'packages:python show'],
    ['npm ci', 'npm ci', 'install:node'],
    ['yarn', 'yarn', 'install:node'],
    ['pnpm test -- --watch=false', 'pnpm test', 'test:node'],
    ['npm run test:unit', 'npm run test:unit', 'test:node'],
    ['npm run build', 'npm run build', 'packages:node run build'],
    ['npx jest src/cart.spec.ts', 'npx jest', 'test:node'],
    ['tsx seed.ts', 'tsx', 'run:node'],
    ['git -C shop push -u origin main', 'git push', 'vcs:git push'],
    ['git commit -am fix', 'git commit', 'vcs:git commit'],
    ['git checkout 1f0c9ab', 'git checkout', 'vcs:git checkout'],
    ['gh pr create --title x', 'gh pr create', 'gh:pr create'],
    ['docker compose up -d', 'docker compose up', 'container:up'],
    ['docker-compose up -d', 'docker-compose up', 'container:up'],
    ['kubectl -n shop apply -f k8s/', 'kubectl apply', 'kubectl:apply'],
    ['terraform plan', 'terraform plan', 'terraform:plan'],
    ['make test', 'make test', 'test:make'],
    ['cargo test --all', 'cargo test', 'test:rust'],
    ['go build ./...', 'go build', 'build:go'],
    ['psql -c "select 1" shop', 'psql', 'shell:psql'],
    ['sudo -u deploy timeout 30 ./run.sh', '[script:.sh]', 'shell:run.sh'],
    ['bin/check all', 'bin/check', 'shell:check'],
    ['./gradlew build', './gradlew', 'shell:gradlew'],
    ['../shop/check all', '[dir]/check', 'shell:check'],
    ['/srv/py/bin/python3.11 a.py', '[path]/python3.11', 'run:python'],
    ['rg -n "total" src', 'rg', 'file:search'],
    ['ls -la build/', 'ls', 'list'],
    ['for f in a b; do node $f; done', 'node', 'run:node'],
    ['bash -lc "cd app && npm test"', 'npm test', 'test:node'],
    ['', 'shell', 'shell:'],
  ])('%s', (command, coarse, purpose) => {
    expect(shell(command)).toMatchObject({ tool: 'shell', coarse, purpose });
  });

  it.each([
    'python --version',
    'python3 -V',
    'node -v',
    'which python',
    'command -v python',
    'go version',
    'npm --version',
    'python3 -m pytest --version',
  ])('a version probe has a separate purpose and is never a remedy: %s', (command) => {
    expect(shell(command).purpose).toMatch(/^version:/);
  });

  it('interchangeable programs share a purpose and stay different actions', () => {
    const [two, three] = [shell('python a.py'), shell('python3 a.py')];
    expect(two.purpose).toBe(three.purpose);
    expect(two.coarse).not.toBe(three.coarse);
  });

  it('the main action takes precedence over set-up, inspection and filtering', () => {
    expect(shell('mkdir -p out && cp a out/ && pytest -q | tail -5').coarse).toBe('pytest');
    expect(shell('cat data.json | python3 -m json.tool').coarse).toBe('python3 -m json.tool');
    expect(shell('python3 --version && python3 a.py').purpose).toBe('run:python');
    expect(shell('npm ci && npm test').coarse).toBe('npm test');
    expect(shell('pytest || echo failed').coarse).toBe('pytest');
  });

  it('the steps before the program are kept by their names, without values', () => {
    const shape = shell('cd testbed && source .venv/bin/activate && npm ci && API_TOKEN=abc sudo python a.py');
    expect(shape.earlier).toEqual(['cd', 'source', 'npm ci']);
    expect(shell('git -C shop push').earlier).toEqual(['git -C']);
  });

  it('the files are kept by their kinds', () => {
    expect(shell('python3 close.py data/a.csv').fileKinds).toEqual(['.py', '.csv']);
  });

  it('cat or echo with its output redirected to a file writes that file', () => {
    expect(shell("cat > src/conf.py <<'E'\nx\nE")).toMatchObject({ purpose: 'file:write' });
    expect(shell('cat src/conf.py')).toMatchObject({ purpose: 'file:read' });
  });

  it.each([
    ['pytest | head -20', true],
    ['pytest || true', true],
    ['pytest; echo done', true],
    ['pytest &', true],
    ['set -o pipefail; pytest | tee log', false],
    ['pytest 2>/dev/null', false],
    ['npm ci && pytest', false],
    ['echo start; pytest', false],
  ])('a hidden exit status is recognised: %s', (command, masked) => {
    expect(shell(command).masksExit).toBe(masked);
  });
});

describe('the part of a command that an error blames', () => {
  const failing = (command: string, message: string) => failingAction(parseAction('Bash', command), message);

  it("the shell's own cd error blames the cd, and the purpose stays that of the command", () => {
    const shape = failing('cd app && python a.py', 'Exit code 1\n(eval):cd:1: no such file or directory: app');
    expect(shape).toMatchObject({ coarse: 'cd', purpose: 'run:python' });
    expect(failing('cd app && make', 'bash: line 1: cd: app: No such file or directory').coarse).toBe('cd');
  });

  it('a program whose name starts the message is blamed', () => {
    expect(failing('git stash && pytest', 'fatal: not a git repository').coarse).toBe('git stash');
    expect(failing('ls x && npm test', 'ls: x: No such file or directory').coarse).toBe('ls');
    expect(failing('foo a && npm test', 'bash: line 1: foo: command not found').coarse).toBe('foo');
    expect(failing('npm ci && node a.js', 'npm ERR! code ERESOLVE').coarse).toBe('npm ci');
    expect(failing('git -C app add -A', "fatal: cannot change to 'app': No such file or directory")).toMatchObject({
      coarse: 'git -C',
      purpose: 'vcs:git add',
    });
  });

  it('a message that names no program leaves the command unchanged', () => {
    expect(failing('cd app && make', 'something went wrong').coarse).toBe('make');
    expect(failingAction(parseAction('Read', '{"file_path":"a.py"}'), 'File does not exist.').coarse).toBe('read');
  });
});

describe('the shape of other tools', () => {
  it.each([
    ['Read', '{"file_path":"src/cart.ts","limit":40}', ['.ts'], 'file:read'],
    ['Read', 'src/cart.ts', ['.ts'], 'file:read'],
    ['Edit', '{"file_path":"/srv/app/cart.ts","old_string":"a","new_string":"b"}', ['.ts'], 'file:edit'],
    ['Grep', '{"pattern":"total","path":"testbed"}', [], 'file:search'],
    ['Grep', 'total', [], 'file:search'],
    ['Glob', '{"pattern":"**/*.ts"}', [], 'file:find'],
    ['WebFetch', '{"url":"https://example.com/a","prompt":"x"}', [], 'web:fetch'],
    ['Task', '{"subagent_type":"Explore","prompt":"x"}', [], 'agent:Explore'],
    ['mcp__tickets__create', '{"title":"x"}', [], 'mcp:tickets create'],
    ['deploy', 'region service', [], 'tool:deploy'],
  ])('%s %s', (tool, action, fileKinds, purpose) => {
    expect(actionShape(tool, action)).toMatchObject({ coarse: tool.toLowerCase(), fileKinds, purpose });
  });

  it.each([
    ['mysql_query', '{"query":"select a from t"}', 'mysql_query select'],
    ['run', '{"database":"shop","query":"SELECT a FROM t"}', 'run select'],
    ['run', 'SHOW TABLES', 'run show tables'],
    ['run', '{"sql":"SELECT * FROM information_schema.columns"}', 'run show tables'],
    ['run', 'DESCRIBE people', 'run desc'],
    ['run', 'WITH t AS (SELECT x FROM y) SELECT x FROM t', 'run select'],
    ['search', '{"query":"blue shoes"}', 'search'],
    ['say', 'please select a seat', 'say'],
    ['say', 'drop', 'say'],
  ])('a statement of SQL is named by its verb: %s %s', (tool, action, coarse) => {
    expect(actionShape(tool, action).coarse).toBe(coarse);
  });

  it('the shell tools of other agents are shells, also with JSON arguments', () => {
    const expected = actionShape('Bash', 'npm test');
    expect(actionShape('execute_bash', 'npm test')).toEqual(expected);
    expect(actionShape('shell', '{"command":["bash","-lc","npm test"]}')).toEqual(expected);
    expect(actionShape('run_shell_command', '{"command":"npm test"}')).toEqual(expected);
  });
});
