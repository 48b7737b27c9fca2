import { compareText } from '../platform/base/compare-text.js';
import { sumBy } from '../platform/base/sum.js';

/** Executions of one agent on one model. */
export interface ModelUse {
  readonly agentId: string;
  readonly model: string;
  readonly executions: number;
}

export interface ModelShift {
  readonly executions: number;
  readonly onOthers: number;
  readonly is: { model: string; executions: number; agents: number }[];
}

/**
 * Thresholds: at least half of the executions run on models that the evidence does not name, and several agents do so.
 */
export const MODEL_SHIFT = { share: 0.5, executions: 20, agents: 3, shown: 20 } as const;

/**
 * Whether the agents of a skill have moved to models other than those of its evidence. Age alone is no shift. Evidence
 * without models, and executions without a model, are ignored.
 */
export function modelShift(evidenceModels: readonly string[], recentUses: readonly ModelUse[]): ModelShift | undefined {
  if (evidenceModels.length === 0) return undefined;
  const others = recentUses.filter(({ model }) => !evidenceModels.includes(model));
  const [executions, onOthers] = [executionsOf(recentUses), executionsOf(others)];
  const agents = new Set(others.map(({ agentId }) => agentId)).size;
  if (onOthers < MODEL_SHIFT.executions || agents < MODEL_SHIFT.agents || onOthers < MODEL_SHIFT.share * executions)
    return undefined;
  const models = [...new Set(others.map(({ model }) => model))];
  const is = models
    .map((model) => others.filter((use) => use.model === model))
    .map((uses) => ({
      model: uses[0]?.model ?? '',
      executions: executionsOf(uses),
      agents: new Set(uses.map(({ agentId }) => agentId)).size,
    }))
    .sort((x, y) => y.executions - x.executions || compareText(x.model, y.model))
    .slice(0, MODEL_SHIFT.shown);
  return { executions, onOthers, is };
}

const executionsOf = (uses: readonly ModelUse[]): number => sumBy(uses, ({ executions }) => executions);
