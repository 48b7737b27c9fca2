import Handlebars from 'handlebars';
import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
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

/** Raised with every change of a template, and recorded with each lesson. */
export const PROMPT_VERSION = 1;

/** Our templates with the payload as fenced data; no text of an execution is ever compiled. */
export class PromptWriter {
  private readonly systems: Record<AnalysisPayload['kind'], string>;
  private readonly user: Handlebars.TemplateDelegate<{ fenced: string }>;

  constructor(templates: PromptTemplates) {
    this.systems = { failure: templates.failure.trim(), success: templates.success.trim() };
    this.user = Handlebars.compile(templates.payload, { strict: true, noEscape: true });
  }

  /** `nonce`: 128 random bits as hex, new for every prompt. */
  write(payload: AnalysisPayload, nonce: string): Prompt {
    const { task, calls, obstacles, ...rest } = payload;
    const fenced = fence(
      {
        task: JSON.stringify(task),
        end: JSON.stringify(rest),
        calls: JSON.stringify(calls),
        obstacles: JSON.stringify(obstacles),
      },
      nonce,
    );
    return { system: this.systems[payload.kind], user: this.user({ fenced }).trim() };
  }
}
