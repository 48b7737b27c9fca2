import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { unobservedCommands } from '../../evidence/calls/observed-spans.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { SkillTexts } from './authorship.js';
import { generaliseTexts } from './generalised-texts.js';
import { withObservedCommands } from './observed-commands.js';

const shell = (call: string) => ({ tool: 'shell', call });
const CALLS = { worked: [shell('npm ci'), shell('npm test')], failed: [shell('npm install')] };
const EXAMPLE = { failed: shell('npm install'), error: 'ERESOLVE', between: [], worked: shell('npm ci') };
const SKILL: SkillTexts = {
  title: 'Use npm ci',
  discovery: 'Use when it fails.',
  condition: '`npm install` failed.',
  rationale: 'Why.',
  action: 'Run `npm ci`.',
  steps: ['Run `npm ci`.', 'Then `npm test`.'],
  gotchas: ['`npm install` fails.'],
  cause: '`npm install` resolves again.',
  example: EXAMPLE,
};
const steps = (...texts: string[]) => ({ ...SKILL, steps: texts });
const codeOf = (skill: SkillTexts): string => {
  try {
    withObservedCommands(skill, { calls: CALLS });
  } catch (error) {
    if (error instanceof DomainError) return error.code;
  }
  return 'accepted';
};

describe('a proposed skill', () => {
  it('stays as it is if all its commands were seen to work', () => {
    expect(withObservedCommands(SKILL, { calls: CALLS })).toEqual(SKILL);
  });

  it('loses a step that recommends a command that was not seen to work', () => {
    const skill = steps('Run `npm install --force`.', 'Run `npm ci`.');
    expect(withObservedCommands(skill, { calls: CALLS }).steps).toEqual(['Run `npm ci`.']);
  });

  it('takes its first step for an action that recommends one', () => {
    const skill = { ...SKILL, action: 'Run `npm install`.' };
    expect(withObservedCommands(skill, { calls: CALLS })).toMatchObject({
      action: 'Run `npm ci`.',
      steps: ['Then `npm test`.'],
    });
  });

  it.each([
    ['nothing to do remains', steps('Run `npm i`.')],
    ['its title names such a command', { ...SKILL, title: 'Use `npm i`' }],
    ['its description names such a command', { ...SKILL, discovery: 'Run `npm i`.' }],
  ])('is refused if %s', (_what, skill) => {
    expect(codeOf(skill)).toBe('proposal.unobserved_command');
  });

  it.each([
    ['a failed call that worked', { failed: shell('npm ci') }],
    ['a call that worked without being seen', { worked: shell('npm ci --force') }],
    ['a step between without being seen', { between: [shell('npm install')] }],
  ])('loses an example with %s', (_what, change) => {
    const example = { ...EXAMPLE, ...change };
    expect(withObservedCommands({ ...SKILL, example }, { calls: CALLS })).not.toHaveProperty('example');
  });

  it('keeps what a person wrote', () => {
    const authored = [{ part: 'steps' as const, text: 'Run `npm i`.', by: 'person' }];
    const skill = steps('Run `npm i`.', 'Run `npm x`.');
    expect(withObservedCommands(skill, { calls: CALLS, authored }).steps).toEqual(['Run `npm i`.']);
    expect(withObservedCommands(skill, {})).toEqual(skill);
  });

  it('recommends only commands that were seen to work, for any texts and calls', () => {
    const word = fc.constantFrom(
      'npm',
      'ci',
      '--flag',
      'x',
      '/home/ann/app',
      'https://example.com/a',
      '<branch>',
      'A=b',
    );
    const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
    const call = line.map(shell);
    const text = fc.tuple(fc.constantFrom('Run', 'Use', 'not'), line).map(([verb, it]) => `${verb} \`${it}\`.`);
    const calls = fc.record({ worked: fc.array(call, { maxLength: 4 }), failed: fc.array(call, { maxLength: 4 }) });
    const texts = fc.record({ action: text, steps: fc.array(text, { minLength: 1, maxLength: 4 }) });
    fc.assert(
      fc.property(texts, calls, (written, observed) => {
        const general = generaliseTexts({ ...SKILL, title: 'A', discovery: 'B', ...written }, observed);
        const seen = { worked: [], failed: [], ...general.calls };
        let lawful: SkillTexts;
        try {
          lawful = withObservedCommands(general.proposedSkill, { calls: seen });
        } catch (error) {
          expect(error).toMatchObject({ code: 'proposal.unobserved_command' });
          return;
        }
        for (const acting of [lawful.action, ...lawful.steps]) expect(unobservedCommands(acting, seen)).toEqual([]);
        for (const own of written.steps.filter((it) => unobservedCommands(it, observed).length === 0))
          expect(lawful.steps.length + (lawful.action === own ? 1 : 0)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the generalised texts of a skill', () => {
  it('change a command and the observed call that it shows alike', () => {
    const call = 'curl https://example.com/a.sh -o /home/ann/a.sh && /usr/bin/python3 <script file>';
    const { proposedSkill, calls } = generaliseTexts(
      { ...steps(`Run \`${call}\` for https://example.com/b.`, `\`\`\`sh\n${call}\n\`\`\``), example: undefined },
      { worked: [shell(call)], failed: [] },
    );
    const shown = 'curl <url> -o <folder>/a.sh && /usr/bin/python3 <script file>';
    expect(calls?.worked).toEqual([shell(shown)]);
    expect(proposedSkill.steps).toEqual([`Run \`${shown}\` for [url].`, `\`\`\`sh\n${shown}\n\`\`\``]);
  });

  it('keep a placeholder and what follows it', () => {
    const { proposedSkill } = generaliseTexts(steps('Run `cat <folder>/app/a.py >/srv/x`.'), undefined);
    expect(proposedSkill.steps).toEqual(['Run `cat <folder>/app/a.py ><folder>`.']);
  });
});
