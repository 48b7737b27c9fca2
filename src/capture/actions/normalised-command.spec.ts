import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actionShape } from './action.js';
import { normaliseCommand } from './normalised-command.js';

describe('a normalised command', () => {
  it.each([
    ['code and here-documents', 'python -c "import secretlib"', 'python -c [code]'],
    ['code in a container', "docker exec web python -c 'import x'", 'docker exec web python -c [code]'],
    ['a commit message', 'git commit -m "close the books" --author="Jo Doe"', 'git commit -m [text] --author=[value]'],
    ['a text for people', 'gh issue create --title "A bug" -b "It fails"', 'gh issue create --title [text] -b [text]'],
    ['a sentence', 'ask "please fix the failing test of the cart"', 'ask [text]'],
    ['the arguments of echo', 'echo the quick "brown fox" > notes.txt', 'echo [text] >notes.txt'],
    ['an edit by sed', "sed -i '' 's/alpha/beta/' conf.ini", "sed -i '' [text] conf.ini"],
    ['a statement', 'sqlite3 shop.db "select * from customer"', 'sqlite3 shop.db [code]'],
    ['folders of absolute paths', 'cat /srv/clients/acme/report.csv ~/notes/a.md', 'cat [path]/report.csv [path]/a.md'],
    ['a home folder, which is the user’s name', 'cd /Users/jo && ls /home/jo/', 'cd [path] && ls [path]'],
    [
      'a home folder inside a word',
      'tool -v /home/jo/app:/app HOME_DIR=/home/jo/x',
      'tool -v [path]/app:/app HOME_DIR=[path]/x',
    ],
    [
      'paths inside options',
      'make --prefix=/srv/acme/x -I/opt/acme/include',
      'make --prefix=[path]/x -I[path]/include',
    ],
    ['a path with a blank', 'cat "/Users/Ann Lee/my x/a.txt" "/Users/Ann Lee/b c"', 'cat [path]/a.txt [path]'],
    ['addresses', 'git clone https://jo:pw@git.example.com/a/b.git', 'git clone [url]'],
    [
      'an address behind its name',
      'API_URL=https://a.example.com/x?y=1 pip install --index-url=https://p.example.com/s z',
      'API_URL=[url] pip install --index-url=[url] z',
    ],
    ['remote hosts', 'scp a.txt jo@host.example.com:/srv/', 'scp a.txt [url]'],
    ['users and dotted hosts', 'psql -h db.acme.shop -U jo books', 'psql -h [host] -U [user] books'],
    ['a user of another machine', 'ssh jo@build7 uptime', 'ssh [user]@build7 uptime'],
    [
      'private parts of a pattern',
      'grep -E "jo@example.com|/home/jo/x|db.example.com" a',
      'grep -E "[email]|[path]|[host]" a',
    ],
    ['folders in front of a variable', 'rm /srv/acme/$i /srv/acme/x/', 'rm [path]/$i [path]/x/'],
    ['e-mail addresses', 'git config user.email jo@example.com', 'git config user.email [email]'],
    [
      'a name of a person',
      'git config user.name "Jo Doe" && chown jo:staff x',
      'git config user.name [user] && chown [user]:[user] x',
    ],
    [
      'secrets by the name of the variable',
      'API_KEY=abc DB_PWD=abc python a.py',
      'API_KEY=[value] DB_PWD=[value] python a.py',
    ],
    ['secrets after options', 'deploy --token abc123 --password=hunter2', 'deploy --token [value] --password=[value]'],
    [
      'secrets after options of a file',
      'play --password-file hunter2 --pass-file=x9/k2 --key-file /srv/k.pem',
      'play --password-file [value] --pass-file=[value] --key-file [value]',
    ],
    [
      'headers and bodies',
      'curl -H "Authorization: Bearer abc" -d \'{"a":1}\' https://e.com',
      'curl -H [value] -d [value] [url]',
    ],
    ['hashes and keys', 'run 9f86d081884c7d659a2feaa0 AKIA1234567890ABCDEFGHIJ', 'run [hash] [id]'],
    ['substitutions', 'kill $(cat server.pid) $HOME/x.sh', 'kill [code] [path]/x.sh'],
    ['no name at the root', 'cd /workspace && find . -perm /111', 'cd /workspace && find . -perm /111'],
  ])('leaves out %s', (_what, command, expected) => {
    expect(normaliseCommand(command)).toBe(expected);
  });

  it.each([
    'NODE_ENV=test npm test',
    'docker build --network=host -t web:1.4 .',
    'docker run --network host -e MODE=fast -v .:/tmp/out web',
    'git push --set-upstream origin main',
    'psql -h db1 -U postgres -p 5432 shop',
    'make build && nvm use 18',
    'pip install --user requests',
    'npm install --save-dev @types/node jest@29 && cp src/*.ts ../out/ 2>&1',
    'grep -rn "def total" src | head -3',
    'sed -n 1,20p src/cart.py',
    "awk '{print $1}' data.txt",
    "jq '.items[] | .name' data.json",
    'pytest -k "tax or vat" tests/test_tax.py::test_vat >out.txt',
    "sed 's/x/ /g' a.txt | cut -d' ' -f2- | sed 's/^/Hello /;s/$/ world/'",
    'export PATH="/root/.local/bin:$PATH"',
    'find . -name "*.py" -not -path "./venv/*" -exec grep -l total {} \\;',
    'pip install "requests>=2" \'flask[async]\'',
    'NODE_OPTIONS="--max-old-space-size=4096 --no-warnings" node build.js',
    '/usr/bin/python3 -m venv .venv && .venv/bin/python a.py',
    '/usr/local/bin/node x.js ; ./node_modules/.bin/jest ; /opt/tools/bin/python3.11 a.py',
    'cat /etc/hosts /var/log/syslog /tmp/x/out.json',
    'source ~/.nvm/nvm.sh && cd ~',
    'curl -s http://localhost:3000/api/health -H "Content-Type: application/json" -d @body.json',
    'export PATH="$PWD/bin:$PATH" && echo $PATH',
    'echo y | npx init',
    "sudo bash -c 'cd app && npm test'",
    'deploy --token $TOKEN --pass-with-no-tests src',
    'play --password-file .play-pass --key-file=keys/site a.yml && PLAY_PASSWORD_FILE=./pass.txt play a.yml',
    'jest --passWithNoTests src',
    'tool --date "+%Y-%m-%d %H:%M" "two words"',
    'for f in a b ; do node $f ; done',
    'git branch -m old new && git revert -m 1 HEAD',
  ])('stays as it is: %s', (command) => {
    expect(normaliseCommand(command)).toBe(command);
  });

  it.each([
    ['the shell of an agent', "bash -lc 'cd app && npm test'", 'cd app && npm test'],
    ['line breaks in a loop', 'for f in a b; do\n  node $f\ndone', 'for f in a b ; do node $f ; done'],
    ['an environment in a private folder', '/home/jo/shop/.venv/bin/python a.py', '[path]/.venv/bin/python a.py'],
    ['quotes around a value with a blank', 'FLAGS="-O2 -I/srv/acme/include" make', 'FLAGS="-O2 -I[path]/include" make'],
  ])('is written so that it can run: %s', (_what, command, expected) => {
    expect(normaliseCommand(command)).toBe(expected);
  });

  it('has no canary, wherever a command names a person, a machine or a home folder', () => {
    const place = fc.constantFrom<(name: string) => string>(
      (name) => `cd /home/${name}/x && ls ~${name}`,
      (name) => `cat "C:\\Users\\${name}\\a b.txt" '/Users/${name} Lee/x/y'`,
      (name) => `tool -v /home/${name}/a:/b --dir=/Users/${name}/c -I/home/${name}`,
      (name) => `curl -sS https://${name}.example.com/a?b=${name} -o out`,
      (name) => `curl http://localhost:3000/a?user=${name}`,
      (name) => `git clone git@${name}.example.com:a/b && git remote add x ssh://${name}@h/p`,
      (name) => `psql -U ${name} -h ${name}.acme.shop "host=${name}.acme.shop user=${name}"`,
      (name) => `mysql -u${name} --user=${name} --host ${name}.acme.shop`,
      (name) => `export LOGNAME='${name}' && LOGNAME="acme\\\\${name}" make`,
      (name) => `PGUSER=${name} PGHOST=${name}.acme.shop GIT_AUTHOR_NAME=${name} EMAIL=${name}@example.com make`,
      (name) => `ssh -l ${name} ${name}.acme.shop && scp a ${name}@b:/c && rsync -a x ${name}@h.example.com:y`,
      (name) => `sudo -u ${name} ls && su ${name} && chown ${name}:${name} x && id ${name}`,
      (name) => `ping ${name}.acme.shop ; nc ${name}.acme.shop 80`,
      (name) => `grep -rn "${name}@example.com" /home/${name}/x | sed 's#/home/${name}/#x#'`,
      (name) => `git config user.name ${name} && git log --author=${name} && git commit -m ${name}`,
      (name) => `gh pr edit --assignee ${name} --title ${name} -b ${name}`,
      (name) => `docker login -u ${name} ${name}.example.com/x`,
      (name) => `sh -c 'cd /home/${name} && ssh ${name}@h' ; sudo bash -c "ls /home/${name}/x"`,
      (name) => `echo ${name} > /home/${name}/x ; printf '%s' ${name}`,
      (name) => `mail -s x ${name}@example.com <<E\n${name}\nE`,
      (name) => `python3 -c "${name}" && node -e ${name} && docker exec w python -c '${name}'`,
    );
    const frame = fc.constantFrom<(line: string) => string>(
      (line) => line,
      (line) => `cd x && ${line} | head -3`,
      (line) => `for i in a; do\n${line}\ndone`,
      (line) => `bash -lc '${line.replaceAll("'", '"')}'`,
      (line) => `(${line}) > out.txt 2>&1 || true`,
    );
    fc.assert(
      fc.property(fc.stringMatching(/^canary[a-z]{4,8}$/), place, frame, (name, write, put) => {
        expect(normaliseCommand(put(write(name)))).not.toContain(name);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of an older report stays readable', () => {
    const old = 'cd [path]/shop && API_KEY=[value] python -c [code] | grep [text] <<[code]';
    expect(normaliseCommand(old)).toBe(old);
    expect(actionShape('Bash', 'grep -rn [text] src')).toEqual(actionShape('Bash', 'grep -rn total src'));
  });

  it('is at most 1,000 characters, cut between words', () => {
    const command = normaliseCommand(`ls ${'folder/name.txt '.repeat(500)}`);
    expect(command.length).toBeLessThanOrEqual(1_000);
    expect(command).toMatch(/^ls(?: folder\/name\.txt)+$/);
  });

  const fragment = fc.constantFrom(
    'cd x && ',
    'python',
    ' -c ',
    "'print(1)'",
    ' | head',
    ' || true',
    '; echo done',
    ' a.py',
    ' "b c"',
    ' /srv/x/y.py',
    ' ~/z',
    ' $HOME/q',
    ' $(id)',
    ' `id`',
    ' <<E\nx\nE\n',
    ' 2>&1',
    ' > f',
    ' &',
    ' FOO=1 ',
    'sudo ',
    'timeout 5 ',
    'bash -lc ',
    '"ls -la"',
    'git ',
    'commit ',
    '-m ',
    'grep ',
    '-e ',
    "''",
    ' C:\\Users\\jo\\x.exe',
    ' [code]',
    ' [text]',
    ' \\',
    '(',
    ')',
    '{',
    '}',
    '!',
    '\n',
    ' #x',
    ' --token ',
    ' k=v',
    ' a@b.co',
    ' https://e.com',
    ' deadbeef1',
    ' -C ',
    ' -m',
    'npm run ',
    ' [',
    ' ]',
    ' -',
    ' >&2',
    '<(x)',
    ' NODE_ENV=test ',
    ' NAME="a b"',
    " --x='/home/jo/a b'",
    ' -h db1',
    ' -U jo ',
    ' "*.py"',
    " '$HOME/q'",
    ' /usr/bin/python3',
    ' ~/.nvm/nvm.sh',
    ' http://localhost:3000/a',
    ' db.example.com:5432',
    ' jo@build7:/srv/x',
    ' "unclosed',
    ' \\;',
    'ssh ',
    'psql ',
    'do',
    ' then\n',
    'sh -c "sudo bash -c \'ls /home/jo\'" > f',
    ' "say: \\"hi\\" $X"',
    ' 10.1.2.3',
  );
  const command = fc.oneof(
    fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 80 }),
  );

  it('does not change when it is normalised again', () => {
    fc.assert(
      fc.property(command, (raw) => {
        const once = normaliseCommand(raw);
        expect(normaliseCommand(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has the same shape as the raw command, also if that looks like an empty list', () => {
    expect(actionShape('Bash', normaliseCommand('[\n]'))).toEqual(actionShape('Bash', '[\n]'));
    fc.assert(
      fc.property(command, (raw) => {
        expect(actionShape('Bash', normaliseCommand(raw))).toEqual(actionShape('Bash', raw));
      }),
      { numRuns: 1_000 },
    );
  });
});
