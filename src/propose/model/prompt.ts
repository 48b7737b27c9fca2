import Handlebars from 'handlebars';
import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import { executionDossier } from './execution-dossier.js';
import { type Fenced, fencedForModel, framed } from './fenced.js';

export interface PromptTemplates {
  readonly failure: string;
  readonly success: string;
  readonly payload: string;
}

export interface Prompt {
  /** The same for every payload of a kind, so that the provider can cache it. */
  readonly system: string;
  readonly user: Fenced;
}

/** Raise it with every change of a template or of the dossier. Each lesson records it. */
export const PROMPT_VERSION = 4;

/**
 * Renders our templates with the dossier of the execution as fenced data; a text of an execution is never compiled as a
 * template.
 */
export class PromptWriter {
  readonly systems: Readonly<Record<AnalysisPayload['kind'], string>>;
  private readonly user: Handlebars.TemplateDelegate<{ fenced: string }>;

  constructor(templates: PromptTemplates) {
    this.systems = { failure: templates.failure.trim(), success: templates.success.trim() };
    this.user = Handlebars.compile(templates.payload, { strict: true, noEscape: true });
  }

  /** `nonce`: 128 random bits as hex, new for every prompt. */
  write(payload: AnalysisPayload, nonce: string): Prompt {
    const fenced = fencedForModel([{ dossier: executionDossier(payload) }], nonce);
    return { system: this.systems[payload.kind], user: framed((data) => this.user({ fenced: data }), fenced) };
  }
}
