import { describe, expect, it } from '@jest/globals';
import { scriptCalls } from './script-calls.js';

describe('the calls of a script', () => {
  it('are those with literal arguments, in their order', () => {
    const script = `// tools.exec_command({ cmd: "no" })
      const patch = "*** Begin Patch\\n*** End Patch";
      const [a, b] = await Promise.all([
        tools.exec_command({ cmd: 'make \\'it\\'', "workdir": \`/srv/shop\`, yield_time_ms: 1000, login: false, }),
        tools.write_stdin({ session_id: 2, chars: "y\\u000a" }),
      ]);
      await tools.apply_patch(patch);
      await tools.mcp__crm__list();
      for (const one of [a, b]) text(one.output);`;
    expect(scriptCalls(script)).toEqual([
      { name: 'exec_command', input: { cmd: "make 'it'", workdir: '/srv/shop', yield_time_ms: 1000, login: false } },
      { name: 'write_stdin', input: { session_id: 2, chars: 'y\n' } },
      { name: 'apply_patch', input: '*** Begin Patch\n*** End Patch' },
      { name: 'mcp__crm__list', input: {} },
    ]);
  });

  it('may take a constant by its name', () => {
    expect(scriptCalls('const cmd = "make"; await tools.exec_command({ cmd, workdir: "/srv" });')).toEqual([
      { name: 'exec_command', input: { cmd: 'make', workdir: '/srv' } },
    ]);
  });

  it.each([
    'if (dirty) await tools.exec_command({ cmd: "make clean" });',
    'for (const cmd of ["a", "b"]) await tools.exec_command({ cmd });',
    'const later = () => tools.exec_command({ cmd: "make" });',
    'ready && (await tools.exec_command({ cmd: "make" }));',
    'await tools.exec_command({ cmd: "make " + target });',
    `await tools.exec_command({ cmd: \`make \${target}\` });`,
    'await tools.exec_command({ cmd: commands[0] });',
    'const all = tools; await all.exec_command({ cmd: "make" });',
    'await tools["exec_command"]({ cmd: "make" });',
    'let cmd = "a"; cmd = "b"; await tools.exec_command({ cmd });',
  ])('cannot be read from %s', (script) => {
    expect(scriptCalls(script)).toBeUndefined();
  });

  it('are none of what stands in a text', () => {
    expect(scriptCalls('text("await tools.exec_command({ cmd: 1 })")')).toEqual([]);
  });
});
