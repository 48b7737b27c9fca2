import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { PlannedFolder, TuningPlan, TuningPreflight } from '../checkpoints/tuning.schema.js';
import { MIN_GATE_QUERIES, MIN_PROBE_QUERIES } from '../learning/deploy-rule.js';
import { splitLabels } from '../learning/label-split.js';
import { TrainingSets } from './training-set.service.js';
import { TuningFolders } from './tuning-folders.service.js';

type Reason = TuningPreflight['reasons'][number];

const CORE_SHARE = { min: 0.05, max: 1 };
const DOCUMENTS = { min: 50, max: 20_000 };
const NO_VECTOR = new Float32Array(0);

/** What a plan would read and write on this machine, before anything of it runs. */
@Injectable()
export class TuningPreflights {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly sets: TrainingSets,
    private readonly folders: TuningFolders,
  ) {}

  async check(plan: TuningPlan): Promise<TuningPreflight> {
    const { documents, pairs, short } = await this.sizes(plan);
    const { blocks, folders, overrides } = await this.blocks(plan);
    const reasons = [...blocks, ...short];
    const canPass = short.length === 0;
    return { ready: reasons.length === 0, documents, pairs, canPass, reasons, folders, overrides };
  }

  /** What keeps a plan from being started at all. */
  async blocks({ sourceDir, outputDir, overrides: given }: TuningPlan) {
    const source = sourceDir === undefined ? null : await this.folders.source(sourceDir);
    const output = outputDir === undefined ? null : await this.folders.output(outputDir);
    const overrides = [
      { name: 'coreShare', value: given.coreShare ?? this.config.tuningCoreShare, ...CORE_SHARE },
      { name: 'maxDocuments', value: given.maxDocuments ?? this.config.tuningMaxDocuments, ...DOCUMENTS },
    ].map((one) => ({ ...one, allowed: one.value >= one.min && one.value <= one.max }));
    const blocks = [
      ...folderReasons('sourceDir', source),
      ...folderReasons('outputDir', output),
      ...overrides.flatMap(({ name, allowed, min, max }): Reason[] =>
        allowed ? [] : [{ code: 'override_out_of_bounds', text: `${name} must be from ${min} to ${max}.` }],
      ),
    ];
    return { blocks, folders: { source, output }, overrides };
  }

  private async sizes(plan: TuningPlan): Promise<{ documents: number; pairs: number; short: Reason[] }> {
    const { source } = (await this.blocks(plan)).folders;
    // A source that cannot be read is named as such; the memories are counted without it.
    const readable = source?.usable ? { sourceDir: source.path } : {};
    const most = Math.min(plan.overrides.maxDocuments ?? this.config.tuningMaxDocuments, DOCUMENTS.max);
    const set = await this.sets.collect(readable, Math.max(most, DOCUMENTS.min));
    const { gate, probe } = splitLabels({
      seed: plan.seed,
      foreign: [],
      documents: set.documents.map((document) => ({ ...document, vector: NO_VECTOR })),
      queries: set.queries.map((query) => ({ ...query, vector: NO_VECTOR })),
      served: { name: '', weight: 1, minSimilarity: 0 },
    });
    const short: Reason[] = [
      ...tooFew('gate', gate.length, MIN_GATE_QUERIES),
      ...tooFew('probe', probe.length, MIN_PROBE_QUERIES),
    ];
    return { documents: set.documents.length, pairs: set.queries.length, short };
  }
}

const tooFew = (part: string, found: number, needed: number): Reason[] =>
  found >= needed ? [] : [{ code: `too_few_${part}_queries`, text: `${found} ${part} queries, ${needed} needed.` }];

const folderReasons = (field: string, folder: PlannedFolder | null): Reason[] =>
  folder === null || folder.usable ? [] : [{ code: 'folder_unusable', text: `${field} ${folder.problem}.` }];
