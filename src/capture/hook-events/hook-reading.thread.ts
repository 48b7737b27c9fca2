import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import type { HookPayload } from './hook.schema.js';
import { readHook } from './hooks.importer.js';

lowerThreadPriority();

export default function readHookAt({ hook, at }: { hook: HookPayload; at: Date }): ReturnType<typeof readHook> {
  return readHook(hook, at);
}
