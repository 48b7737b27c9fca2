import { describe, expect, it } from '@jest/globals';
import { actionShape, failingAction, parseAction } from './action.js';

const shell = (command: string) => actionShape('Bash', command);

describe('the shape of a shell command', () => {
  it.each([
    // command, coarse, fine, purpose
    ['python report.py', 'python', 'python [file:.py]', 'run:python'],
    ['python3 report.py --year 2024', 'python3', 'python3 [file:.py] [word]', 'run:python'],
    ['cd billing && python3 ./jobs/close.py 2>&1', 'python3', 'python3 [file:.py]', 'run:python'],
    ['uv run python close.py', 'uv run python', 'uv run python [file:.py]', 'run:python'],
    ['uv run close.py', 'uv run', 'uv run [file:.py]', 'run:python'],
    ['python -c "print(1)"', 'python', 'python -c [code]', 'run:python'],
    ["python3 <<'E'\nprint(1)\nE", 'python3', 'python3 [code]', 'run:python'],
    [
      'python -m pytest -x tests/test_tax.py::test_vat',
      'python -m pytest',
      'python -m pytest -x [file:.py]',
      'test:python',
    ],
    ['pytest tests', 'pytest', 'pytest [word]', 'test:python'],
    ['python -m pip install -e .', 'python -m pip install', 'python -m pip install -e [dir]', 'install:python'],
    ['pip3 install "requests>=2"', 'pip3 install', 'pip3 install [text]', 'install:python'],
    ['uv pip install requests', 'uv pip install', 'uv pip install [word]', 'install:python'],
    ['pip show requests', 'pip show', 'pip show [word]', 'packages:python show'],
    ['npm ci', 'npm ci', 'npm ci', 'install:node'],
    ['yarn', 'yarn', 'yarn', 'install:node'],
    ['pnpm test -- --watch=false', 'pnpm test', 'pnpm test --watch', 'test:node'],
    ['npm run test:unit', 'npm run test:unit', 'npm run test:unit', 'test:node'],
    ['npm run build', 'npm run build', 'npm run build', 'packages:node run build'],
    ['npx jest src/cart.spec.ts', 'npx jest', 'npx jest [file:.ts]', 'test:node'],
    ['tsx seed.ts', 'tsx', 'tsx [file:.ts]', 'run:node'],
    ['git -C shop push -u origin main', 'git push', 'git push -C -u [word]', 'vcs:git push'],
    ['git commit -am fix', 'git commit', 'git commit -am [text]', 'vcs:git commit'],
    ['git checkout 1f0c9ab', 'git checkout', 'git checkout [hash]', 'vcs:git checkout'],
    ['gh pr create --title x', 'gh pr create', 'gh pr create --title [text]', 'gh:pr create'],
    ['docker compose up -d', 'docker compose up', 'docker compose up -d', 'container:up'],
    ['docker-compose up -d', 'docker-compose up', 'docker-compose up -d', 'container:up'],
    ['kubectl -n shop apply -f k8s/', 'kubectl apply', 'kubectl apply -f -n [word] [dir]', 'kubectl:apply'],
    ['terraform plan', 'terraform plan', 'terraform plan', 'terraform:plan'],
    ['make test', 'make test', 'make test', 'test:make'],
    ['cargo test --all', 'cargo test', 'cargo test --all', 'test:rust'],
    ['go build ./...', 'go build', 'go build [dir]', 'build:go'],
    ['psql -c "select 1" shop', 'psql', 'psql -c [code] [word]', 'shell:psql'],
    ['sudo -u deploy timeout 30 ./run.sh', '[script:.sh]', '[script:.sh]', 'shell:run.sh'],
    ['bin/check all', 'bin/check', 'bin/check [word]', 'shell:check'],
    ['./gradlew build', './gradlew', './gradlew [word]', 'shell:gradlew'],
    ['../shop/check all', '[dir]/check', '[dir]/check [word]', 'shell:check'],
    ['/srv/py/bin/python3.11 a.py', '[path]/python3.11', '[path]/python3.11 [file:.py]', 'run:python'],
    ['rg -n "total" src', 'rg', 'rg -n [text] [word]', 'file:search'],
    ['ls -la build/', 'ls', 'ls -la [dir]', 'list'],
    ['for f in a b; do node $f; done', 'node', 'node [var]', 'run:node'],
    ['bash -lc "cd app && npm test"', 'npm test', 'npm test', 'test:node'],
    ['', 'shell', 'shell', 'shell:'],
  ])('%s', (command, coarse, fine, purpose) => {
    expect(shell(command)).toMatchObject({ tool: 'shell', coarse, fine, purpose });
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

  it('the steps before the program are kept as shapes, without values', () => {
    const shape = shell('cd testbed && source .venv/bin/activate && API_TOKEN=abc sudo python a.py');
    expect(shape.before).toEqual(['cd [word]', 'source [dir]', 'API_TOKEN=', 'sudo']);
  });

  it('an exported variable is a set-up step, like an assignment before the program', () => {
    expect(shell('export PYTHONPATH=src && pytest').before).toEqual(['PYTHONPATH=']);
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
    expect(shape).toMatchObject({ coarse: 'cd', fine: 'cd [word]', purpose: 'run:python' });
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
    ['Read', '{"file_path":"src/cart.ts","limit":40}', 'read [file:.ts]', 'file:read'],
    ['Read', 'src/cart.ts', 'read [file:.ts]', 'file:read'],
    ['Edit', '{"file_path":"/srv/app/cart.ts","old_string":"a","new_string":"b"}', 'edit [file:.ts]', 'file:edit'],
    ['Grep', '{"pattern":"total","path":"testbed"}', 'grep path=[word]', 'file:search'],
    ['Grep', 'total', 'grep', 'file:search'],
    ['Glob', '{"pattern":"**/*.ts"}', 'glob', 'file:find'],
    ['WebFetch', '{"url":"https://example.com/a","prompt":"x"}', 'webfetch [url]', 'web:fetch'],
    ['Task', '{"subagent_type":"Explore","prompt":"x"}', 'task subagent_type=[word]', 'agent:Explore'],
    ['mcp__tickets__create', '{"title":"x"}', 'mcp__tickets__create', 'mcp:tickets create'],
    ['deploy', 'region service', 'deploy region service', 'tool:deploy'],
  ])('%s %s', (tool, action, fine, purpose) => {
    expect(actionShape(tool, action)).toMatchObject({ coarse: tool.toLowerCase(), fine, purpose });
  });

  it('the shell tools of other agents are shells, also with JSON arguments', () => {
    const expected = actionShape('Bash', 'npm test');
    expect(actionShape('execute_bash', 'npm test')).toEqual(expected);
    expect(actionShape('shell', '{"command":["bash","-lc","npm test"]}')).toEqual(expected);
    expect(actionShape('run_shell_command', '{"command":"npm test"}')).toEqual(expected);
  });
});
