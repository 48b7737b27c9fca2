/**
 * The functions with which a session is written. A step is a function of the project that returns tool calls. A call is
 * { tool, input, ok, output, detail }; `detail` is the longer copy that Claude Code stores as `toolUseResult`. `lead`
 * is what the agent says before its next call; `pause` is a number of minutes before it.
 */
const call = (tool, input, output, detail) => ({ tool, input, ok: true, output, detail });

/** A shell command that ended with exit code 0. */
export const sh =
  (command, output = '', description = undefined) =>
  () => [call('Bash', described(command, description), output, { stdout: output, stderr: '', interrupted: false })];

/** A shell command that failed. The text is what the agent reads, after the exit code as Claude Code prints it. */
export const shFails =
  (command, code, message, description = undefined) =>
  () => [{ ...call('Bash', described(command, description), `Exit code ${code}\n${message}`), ok: false }];

const described = (command, description) => (description ? { command, description } : { command });

export const say = (text) => () => [{ lead: text }];
export const think = (text) => () => [{ thought: text }];
export const pause = (minutes) => () => [{ pause: minutes }];

export const glob = (pattern) => (p) => {
  const found = p.files.map((f) => `${p.cwd}/${f.path}`);
  return [call('Glob', { pattern }, found.join('\n'), { filenames: found, numFiles: found.length, truncated: false })];
};

export const read = (i) => (p) => {
  const file = p.files[i];
  const lines = file.text.split('\n');
  const shown = lines.map((line, at) => `${at + 1}\t${line}`).join('\n');
  const filePath = `${p.cwd}/${file.path}`;
  const detail = { filePath, content: file.text, numLines: lines.length, startLine: 1, totalLines: lines.length };
  return [call('Read', { file_path: filePath }, shown, { type: 'text', file: detail })];
};

export const grep = (i) => (p) => {
  const { path, symbol } = p.files[i];
  const hits = `${p.cwd}/${path}`;
  const input = { pattern: symbol, path: path.split('/')[0], output_mode: 'files_with_matches' };
  return [call('Grep', input, `Found 1 file\n${hits}`, { mode: 'files_with_matches', filenames: [hits], numFiles: 1 })];
};

/** Finds a symbol, then reads its file: the most frequent steps of an agent. */
export const look = (i) => (p) => [...grep(i)(p), ...read(i)(p)];

export const edit = (i) => (p) => {
  const file = p.files[i];
  const [before, after] = file.edit;
  const filePath = `${p.cwd}/${file.path}`;
  const detail = { filePath, oldString: before, newString: after, originalFile: file.text, userModified: false };
  const input = { file_path: filePath, old_string: before, new_string: after };
  return [call('Edit', input, `The file ${filePath} has been updated successfully.`, detail)];
};

export const write = (path, content) => (p) => {
  const filePath = `${p.cwd}/${path}`;
  const detail = { type: 'create', filePath, content, originalFile: null };
  return [call('Write', { file_path: filePath, content }, `File created successfully at: ${filePath}`, detail)];
};

/** The plan of the session with its first `done` items ticked off. */
export const todo =
  (done) =>
  ({ plan }) => {
    const todos = plan.map((content, i) => ({ content, status: statusOf(i, done), activeForm: content }));
    return [call('TodoWrite', { todos }, 'Todos have been modified successfully.', { newTodos: todos })];
  };

const statusOf = (i, done) => (i < done ? 'completed' : i === done ? 'in_progress' : 'pending');

export const tests = () => (p) => sh(p.test[0], p.test[1], 'Run the tests')();
export const lint = () => (p) => sh(p.lint[0], p.lint[1])();

export const testsFail = (message) => (p) => shFails(p.test[0], 1, message, 'Run the tests')();

export const status = () => (p) =>
  sh(
    'git status --short',
    p.files
      .slice(0, 2)
      .map((f) => ` M ${f.path}`)
      .join('\n'),
  )();
export const commit = (message) =>
  sh(`git commit -am "${message}"`, `[main ${shortHash(message)}] ${message}\n 2 files changed`);

export const publish = () =>
  sh('git push origin main', 'To ssh://git.pinebarrel.example/shop/service.git\n   main -> main');

/** Looks like an abbreviated commit hash and depends only on the message. */
const shortHash = (text) => {
  let value = 7;
  for (const char of text) value = (value * 31 + char.codePointAt(0)) % 0xfffffff;
  return value.toString(16).padStart(7, '0');
};

export const fetchPage = (url, prompt, result) => () => [
  call('WebFetch', { url, prompt }, result, { url, code: 200, codeText: 'OK', result }),
];

/** Starts a sub-agent, whose transcript is written beside the session. */
export const delegate = (description, prompt, answer) => () => [
  { ...call('Agent', { description, prompt, subagent_type: 'general-purpose' }, answer), spawns: true },
];
