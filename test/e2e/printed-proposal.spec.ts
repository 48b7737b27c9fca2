import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { printProposal } from '../../src/cli/terminal/proposal-text.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { BINDING, checkedEvidence, PREDICATE } from '../support/checked-proposal.js';
import { submitTestProposal } from '../support/proposal-input.js';

const FAILED = { tool: 'shell', call: 'python check.py' };
const WORKED = { tool: 'shell', call: 'python3 check.py' };
const EXAMPLE = {
  failed: FAILED,
  error: 'SyntaxError: invalid syntax',
  between: [{ tool: 'search', call: '{"query":"f-string"}' }],
  worked: WORKED,
};

function printed(proposal: ProposalDetails): string {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    printProposal(proposal);
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
  }
}

describe('a proposal on the command line', () => {
  let app: TestApplication;
  let proposal: ProposalDetails;

  beforeAll(async () => {
    app = await startTestApplication();
    const words = {
      cause: '`python3` is newer.',
      environment: [{ name: 'python', value: '2.7.18' }],
      example: EXAMPLE,
      action: 'Run `python3 check.py`.',
      steps: ['Run `python3 check.py`.'],
    };
    const calls = { worked: [WORKED, ...EXAMPLE.between], failed: [FAILED] };
    proposal = await submitTestProposal(app, 'use-python3', {}, words, { calls });
  });
  afterAll(() => app.close());

  it('says what happened: the cause, where it was seen, and one case', () => {
    const text = printed(proposal);
    expect(text).toContain(`Cause: \`python3\` is newer.
Seen with: python 2.7.18
Example: failed: python check.py
         error:  SyntaxError: invalid syntax
         then:   search {"query":"f-string"}
         worked: python3 check.py
`);
    expect(text).not.toContain('Written by');
  });

  it('says what executions show: the pair, what counts, where it holds, and the dossier', async () => {
    const claims = { predicate: PREDICATE, binding: BINDING, environment: BINDING.environment };
    const checked = await submitTestProposal(app, 'checked', {}, claims, checkedEvidence('confirmed'));
    const text = printed(checked);
    expect(text).toContain('checked   [new_skill, pending, tested on other runs, risk ');
    expect(text).toContain(`
Seen only in some-harness, in the project shop, with python 2.7.18: check before relying on it elsewhere.
Check, tested on other runs: with it 33 of 47 worked, without it 1 of 12, in executions of other tasks,`);
    for (const line of [
      '  holds without any one of the 9 agents compared',
      'It counts:',
      'Private lessons: 5 on the same failure, 2 with the same remedy',
      'Dossier: unknown option <value>',
      '  60 failures in 45 of 300 examined executions; 33 recovered',
      '    failed: py2 jobs/close.py',
      '    then:   py3 jobs/close.py (worked)',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).not.toMatch(/Seen with|Backtest/);
  });

  it('says which person wrote which text, and what each revision changed', async () => {
    const { client } = await app.person('Rita Reviewer', { reviewer: true });
    const { artifactSha256, proposedSkill } = proposal;
    await client.proposals.edit(proposal.id, {
      artifactSha256,
      proposedSkill: {
        ...proposedSkill,
        cause: 'The image has an old python.',
        steps: ['Ask who made the image.', ...proposedSkill.steps],
      },
    });
    const text = printed(await client.proposals.show(proposal.id));
    expect(text).toContain('Written by Rita Reviewer: cause, steps 1');
    expect(text).toMatch(/\nRevision 2 by Rita Reviewer, \S+\n[\s\S]*\n\+The image has an old python\.\n/);
  });

  it('cannot forge a line', () => {
    const example = { ...EXAMPLE, error: 'harmless\nWritten by Rosa: title' };
    const hostile = { ...proposal, proposedSkill: { ...proposal.proposedSkill, example, cause: 'a\u001b[2J' } };
    expect(printed(hostile)).toContain('Cause: a\\u{1b}[2J\n');
    expect(printed(hostile)).not.toContain('\nWritten by Rosa');
  });
});
