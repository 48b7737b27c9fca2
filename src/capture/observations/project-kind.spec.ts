import { describe, expect, it } from '@jest/globals';
import { actionShape } from '../actions/action.js';
import { projectKind } from './project-kind.js';

const calls = (...commands: string[]) => commands.map((command) => ({ shape: actionShape('Bash', command) }));
const read = (path: string) => ({ shape: actionShape('Read', JSON.stringify({ file_path: path })) });

describe('the kind of project that an execution worked in', () => {
  it('follows from its files and build tools', () => {
    expect(projectKind({}, [read('/w/src/main.rs'), ...calls('cargo build', 'ls')])).toBe('rust');
    expect(projectKind({}, calls('npm test', 'npx tsc -p .', 'git status'))).toBe('javascript');
    expect(projectKind({}, [read('/w/a.py'), read('/w/b.py'), read('/w/setup.cfg')])).toBe('python');
  });

  it('does not follow from one call or from a general interpreter', () => {
    expect(projectKind({}, calls('cargo build', 'ls', 'cat README.md'))).toBeUndefined();
    expect(projectKind({}, calls('python --version', 'python -c "1"', 'node -e "1"', 'node -v'))).toBeUndefined();
  });

  it('is undefined if the calls disagree', () => {
    expect(projectKind({}, calls('cargo build', 'cargo test', 'npm test', 'npm run lint'))).toBeUndefined();
    expect(projectKind({}, calls('cargo build', 'cargo test', 'cargo run', 'npm test'))).toBe('rust');
  });

  it('follows from its labels and not from the files of its calls', () => {
    const touched = calls('npm test', 'npm test', 'npm test');
    expect(projectKind({ tags: ['nightly', 'language:Rust'] }, touched)).toBe('rust');
    expect(projectKind({ taskType: 'golang' }, touched)).toBe('go');
    expect(projectKind({ tags: ['urgent'], taskType: 'bug fix' }, touched)).toBe('javascript');
    expect(projectKind({ tags: ['rust', 'stack=python'] }, touched)).toBeUndefined();
  });
});
