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

/** Half of what the agents do has moved to models that the evidence never saw, and it is not one agent's doing. */
export const MODEL_SHIFT = { share: 0.5, executions: 20, agents: 3, shown: 20 } as const;

/**
 * Whether the agents of a skill have moved to other models than those that its evidence was seen on. Time alone moves
 * nothing. Evidence that names no model says nothing, and neither do executions that name none.
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
