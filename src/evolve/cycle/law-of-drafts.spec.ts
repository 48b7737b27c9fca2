import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../../../test/support/cycles.js';
import { claudeCodeImporter } from '../../capture/importers/claude-code.importer.js';
import { originOf } from '../../capture/intake/executions.service.js';
import type { StoredExecution } from '../../capture/observations/observation.js';
import { sanitiseReport } from '../../capture/report/sanitised-report.js';
import { isInstance } from '../../evidence/calls/call-instance.js';
import { unobservedCommands } from '../../evidence/calls/observed-spans.js';
import { PROJECT_ROOT } from '../../platform/config/config.js';
import type { Draft } from '../drafts/draft.js';

/** The executions of the sample fleet, one agent for each project. */
function sampleFleet(): StoredExecution[] {
  const folder = join(PROJECT_ROOT, 'examples', 'sample-fleet');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const files = names.sort().map((name) => join(folder, name));
  return files.flatMap((file, n) => {
    const { reports } = claudeCodeImporter.derive(readFileSync(file, 'utf8').split('\n'));
    return reports.flatMap((report, at): StoredExecution[] => {
      const sanitised = sanitiseReport(report);
      if (!sanitised.usable) return [];
      const agent = file.split('/').at(-2) ?? '';
      const id = `${n}-${at}`;
      const own = { id, agentId: agent, agentName: agent, owner: agent, rootExecutionKey: id };
      const { finishedAt } = sanitised.report;
      return [{ ...own, origin: originOf(sanitised.report), finishedAt, report: sanitised.report }];
    });
  });
}

function drafts(): readonly Draft[] {
  const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
  const settings = { ...CYCLE_DEFAULTS, maxProposalsPerCycle: 100 };
  return runCycle({ executions: sampleFleet(), ...known, settings }).drafts;
}

describe('the drafts of the sample fleet', () => {
  it('recommend only commands that were seen to work, and show a failed one only as such', () => {
    const found = drafts();
    expect(found.length).toBeGreaterThan(2);
    for (const { text, calls } of found) {
      for (const acting of [text.title, text.action, text.discovery, ...text.steps])
        expect([acting, unobservedCommands(acting, calls)]).toEqual([acting, []]);
      const { example } = text;
      if (!example) continue;
      expect(calls.failed.some((call) => isInstance(example.failed, call))).toBe(true);
      for (const shown of [...example.between, ...(example.worked ? [example.worked] : [])])
        expect([shown, calls.worked.some((call) => isInstance(shown, call))]).toEqual([shown, true]);
    }
  });

  it('have a description without placeholders, and no figures outside of commands', () => {
    for (const { text } of drafts()) {
      expect(text.discovery).not.toMatch(/[<>]/);
      expect(text.rationale.replace(/`[^`]{1,600}`/g, '')).not.toMatch(/\d/);
    }
  });
});
