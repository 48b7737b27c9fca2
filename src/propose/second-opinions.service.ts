import { readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Config } from '../platform/config.js';
import { Ids } from '../platform/ids.js';
import { CONFIG } from '../platform/platform.module.js';
import { fence } from '../untrusted/fence.js';
import { modelTraits } from './model-traits.js';
import { SecondOpinion } from './second-opinion.schema.js';
import { unavailable } from './unavailable.js';

const FORMAT = zodOutputFormat(SecondOpinion);
const SYSTEM = readFileSync(new URL('./templates/opinion.system.hbs', import.meta.url), 'utf8').trim();
const MAX_TOKENS = 1_000;
const RETRIES = 1;
const NONCE_BYTES = 16;

const Answer = z.object({
  stop_reason: z.string().nullable(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
});

export type Opinion =
  | ({ readonly outcome: 'opinion' } & SecondOpinion)
  /** It answered, and nothing that can be read. */
  | { readonly outcome: 'none'; readonly reason: string }
  /** It could not be asked. */
  | { readonly outcome: 'unavailable'; readonly reason: string };

/**
 * A second model that looks at what others wrote into memory (spec R6): with another training, and told nothing but the
 * memory. Without a setting for it there is none.
 */
@Injectable()
export class SecondOpinions {
  readonly model: string | undefined;
  private readonly client: Anthropic | undefined;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly ids: Ids,
  ) {
    this.model = config.verifierModel;
    if (this.model === undefined) return;
    const baseUrl = config.verifierBaseUrl ?? config.anthropicBaseUrl;
    this.client = new Anthropic({
      // Never left out: the SDK would take one from the environment.
      apiKey: config.verifierApiKey ?? config.anthropicApiKey ?? 'none',
      maxRetries: RETRIES,
      timeout: config.proposerTimeoutSeconds * 1_000,
      ...(baseUrl ? { baseURL: baseUrl } : {}),
    });
  }

  /** False of what this model wrote itself, or its agent thinks with: two of one kind are wrong together. */
  isIndependentOf(proposer: string, agentModels: readonly string[]): boolean {
    const { model } = this;
    return model !== undefined && !proposer.split('/').includes(model) && !agentModels.includes(model);
  }

  /** `fields`: the memory and what else there is to know of it, each a text that others may have written. */
  async ask(fields: Readonly<Record<string, string>>): Promise<Opinion> {
    if (!this.client || this.model === undefined) return { outcome: 'unavailable', reason: 'no second model' };
    const { temperature, effort } = modelTraits(this.model);
    try {
      const answer: unknown = await this.client.messages.create({
        model: this.model,
        max_tokens: MAX_TOKENS,
        system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: fence(fields, this.ids.nonce(NONCE_BYTES)) }],
        output_config: { format: FORMAT, ...(effort ? { effort } : {}) },
        // The SDK's types know the newest models only, which take none.
        ...(temperature === undefined ? {} : { temperature }),
      });
      return read(answer);
    } catch (error) {
      return { outcome: 'unavailable', reason: unavailable(error).reason };
    }
  }
}

/** Whatever a server answers that is no message is the model's absence. What stopped early is no opinion. */
function read(answer: unknown): Opinion {
  const message = Answer.safeParse(answer);
  if (!message.success) return { outcome: 'unavailable', reason: 'not the Messages API' };
  const { stop_reason: stop, content } = message.data;
  if (stop !== 'end_turn') return { outcome: 'none', reason: stop === 'refusal' ? 'refused' : 'unfinished' };
  const text = content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  const opinion = SecondOpinion.safeParse(parseJson(text));
  return opinion.success ? { outcome: 'opinion', ...opinion.data } : { outcome: 'none', reason: 'malformed' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
