import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  blobAt,
  EMPTY_TREE,
  type Generator,
  markGenerated,
  pathsOfSkill,
  regenerate,
  type SkillTree,
  skillNamed,
  withoutSkill,
  withSkill,
} from './skill-tree.js';

const blobOf = (text: string): string => `blob of ${text}`;
const skill = (name: string, blob = 'x', more: [string, string][] = []) => ({
  name,
  description: `About ${name}`,
  sha256: 'a'.repeat(64),
  files: new Map([['SKILL.md', blob], ...more]),
});
const others = (paths: Record<string, string>): SkillTree => ({
  skills: [],
  others: new Map(Object.entries(paths).map(([path, blob]) => [path, { blob, generated: false }])),
});

const edits = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'b-c', 'ba', 'z'), blob: fc.option(fc.string()) }));

describe('the tree of skills', () => {
  it('holds the newest version of each, sorted by name, and finds it', () => {
    fc.assert(
      fc.property(edits, (steps) => {
        const model = new Map<string, string>();
        let tree = EMPTY_TREE;
        for (const { name, blob } of steps) {
          const before = JSON.stringify(tree.skills);
          const next = blob === null ? withoutSkill(tree, name) : withSkill(tree, skill(name, blob));
          expect(JSON.stringify(tree.skills)).toBe(before);
          tree = next;
          if (blob === null) model.delete(name);
          else model.set(name, blob);
        }
        expect(tree.skills.map(({ name, files }) => [name, files.get('SKILL.md')])).toEqual(
          [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
        );
        for (const name of ['a', 'b', 'b-c', 'ba', 'z']) {
          expect(skillNamed(tree, name)?.files.get('SKILL.md')).toBe(model.get(name));
          expect(blobAt(tree, `${name}/SKILL.md`)).toBe(model.get(name));
        }
      }),
    );
  });

  it('replaces other files under the name of a skill', () => {
    const tree = withSkill(
      others({ 'retry-once': '1', 'retry-once/SKILL.md': '2', 'notes.txt': '3' }),
      skill('retry-once'),
    );
    expect([...tree.others.keys()]).toEqual(['notes.txt']);
    expect(blobAt(tree, 'notes.txt')).toBe('3');
  });

  it('holds every file of a long skill', () => {
    const left = others({ 'b/references/old.md': '1', 'b/references/why.md': '2' });
    const tree = withSkill(left, skill('b', 'x', [['references/why.md', 'y']]));
    expect([...tree.others.keys()]).toEqual(['b/references/old.md']);
    expect(blobAt(tree, 'b/references/why.md')).toBe('y');
    expect(pathsOfSkill(tree, 'b')).toEqual(['b/SKILL.md', 'b/references/why.md']);
    expect(pathsOfSkill(tree, 'c')).toEqual([]);
  });
});

describe('generated files', () => {
  const generator: Generator = (skills) =>
    new Map([
      ['LIST', skills.map(({ name }) => name).join()],
      ['RULES', 'same'],
    ]);

  it('are written if they are missing or differ, and only then', () => {
    const first = regenerate(withSkill(EMPTY_TREE, skill('b')), generator, blobOf);
    expect([...first.writes]).toEqual([
      ['LIST', 'b'],
      ['RULES', 'same'],
    ]);
    expect(regenerate(first.tree, generator, blobOf).writes.size).toBe(0);
    const second = regenerate(withSkill(first.tree, skill('a')), generator, blobOf);
    expect([...second.writes]).toEqual([['LIST', 'a,b']]);
    expect(blobAt(second.tree, 'LIST')).toBe(blobOf('a,b'));
  });

  it('are removed if they are no longer generated, unlike files that others committed', () => {
    const paged: Generator = (skills) =>
      new Map(skills.map(({ name }): [string, string] => [`.index/${name}.md`, name]));
    const tree = { ...others({ LICENSE: '1' }), skills: [skill('a'), skill('b')] };
    const full = regenerate(tree, paged, blobOf).tree;
    const less = regenerate(withoutSkill(full, 'a'), paged, blobOf);
    expect(less.removes).toEqual(['.index/a.md']);
    expect([...less.tree.others.keys()]).toEqual(['LICENSE', '.index/b.md']);
  });

  it('are recognised in a tree that was read from git, and repaired if they differ', () => {
    const read = { ...others({ LIST: blobOf('a'), RULES: 'edited', LICENSE: '1' }), skills: [skill('a')] };
    const marked = markGenerated(read, generator, blobOf);
    expect([...marked.others].filter(([, { generated }]) => generated).map(([path]) => path)).toEqual([
      'LIST',
      'RULES',
    ]);
    expect([...regenerate(marked, generator, blobOf).writes.keys()]).toEqual(['RULES']);
  });
});
