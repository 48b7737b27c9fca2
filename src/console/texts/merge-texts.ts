/** Texts about merges of skills. */
export const MERGE_TEXTS = {
  'kind.merge': 'merges into {name}',
  'merge.title': 'Two skills say the same',
  'merge.stays': 'Stays',
  'merge.goes': 'Goes',
  'merge.figures': '{agents} {agents|agent|agents} · {executions} {executions|execution|executions}',
  'merge.outcome':
    'If you approve, agents read only {name}. Its file does not change. The evidence of both skills stays with their proposals.',
  'merge.lost': '{name} has changed or is no longer live: this proposal is withdrawn within a minute.',
  'merge.show': 'Show its evidence',
  'merge.before': 'Goes: {name}',
  'merge.after': 'Stays: {name}',
  'merge.difference': 'Difference between the two files',
  'decide.approve-merge': 'Keep only {name}',
  'decide.reject-merge': 'Keep both …',
  'decide.reason-merge': 'Why? Guildbook proposes these two again only after one of them changes.',
} as const;
