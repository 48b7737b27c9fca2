import { z } from 'zod';
import { define, flag, integer, text } from './setting.js';

/** The part of the settings that is about how long private lessons live, and who else gets them. */
export const MEMORY_SETTINGS = {
  upkeepEnabled: define(
    'GUILDBOOK_UPKEEP_ENABLED',
    flag(true),
    'true: private lessons are pruned, evicted and copied on schedule. By request they always can.',
  ),
  upkeepCron: define('GUILDBOOK_UPKEEP_CRON', text('30 3 * * *'), 'When (cron, server time).'),
  upkeepUndoDays: define(
    'GUILDBOOK_UPKEEP_UNDO_DAYS',
    integer(14, 1, 365),
    'For how long what a run ended can be brought back.',
  ),
  memoryCapacity: define(
    'GUILDBOOK_MEMORY_CAPACITY',
    integer(100, 1, 10_000),
    'Private lessons of one agent; of more, those that were retrieved least are evicted.',
  ),
  neverRetrievedDays: define(
    'GUILDBOOK_MEMORY_NEVER_RETRIEVED_DAYS',
    integer(30, 1, 3_650),
    'After how many days a lesson goes that was never retrieved.',
  ),
  pruning: define(
    'GUILDBOOK_PRUNING',
    z.enum(['none', 'ttl', 'pareto', 'hybrid']).default('hybrid'),
    'Which private lessons go: by age, by the frontiers of relevance and recency, or by both.',
  ),
  pruningMaxAgeDays: define(
    'GUILDBOOK_PRUNING_MAX_AGE_DAYS',
    integer(90, 1, 3_650),
    'Age from which ttl and hybrid prune.',
  ),
  pruningMaxEntries: define(
    'GUILDBOOK_PRUNING_MAX_ENTRIES',
    integer(100, 1, 10_000),
    'Lessons of one agent that pareto and hybrid leave.',
  ),
  propagation: define(
    'GUILDBOOK_PROPAGATION',
    z.enum(['none', 'role', 'department']).default('none'),
    "To whom an agent's lessons are copied: up to ten agents of its role or department.",
  ),
} as const;
