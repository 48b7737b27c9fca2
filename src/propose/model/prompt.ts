import Handlebars from 'handlebars';
import { modelPayload } from '../../capture/analysis/model-payload.js';
import type { AnalysisPayload, Obstacle } from '../../capture/analysis/payload.schema.js';
import { fence } from '../../untrusted/text/fence.js';

export interface PromptTemplates {
  readonly failure: string;
  readonly success: string;
  readonly payload: string;
}

export interface Prompt {
  /** The same for every payload of a kind, so that the provider can cache it. */
  readonly system: string;
  readonly user: string;
}

/** Raise it with every change of a template. Each lesson records it. */
export const PROMPT_VERSION = 2;

/** Renders our templates with the payload as fenced data; a text of an execution is never compiled as a template. */
export class PromptWriter {
  private readonly systems: Record<AnalysisPayload['kind'], string>;
  private readonly user: Handlebars.TemplateDelegate<{ fenced: string }>;

  constructor(templates: PromptTemplates) {
    this.systems = { failure: templates.failure.trim(), success: templates.success.trim() };
    this.user = Handlebars.compile(templates.payload, { strict: true, noEscape: true });
  }

  /** `nonce`: 128 random bits as hex, new for every prompt. */
  write(payload: AnalysisPayload, nonce: string): Prompt {
    const { task, calls, obstacles, ...rest } = modelPayload(payload);
    const fenced = fence(
      {
        task: JSON.stringify(task),
        end: JSON.stringify(rest),
        calls: JSON.stringify(calls),
        obstacles: JSON.stringify(obstacles.map(withoutKeys)),
      },
      nonce,
    );
    return { system: this.systems[payload.kind], user: this.user({ fenced }).trim() };
  }
}

/** The keys compare lessons, and say nothing to a model. */
function withoutKeys({ failureKey: _failure, remedyKey: _remedy, ...shown }: Obstacle) {
  return shown;
}
