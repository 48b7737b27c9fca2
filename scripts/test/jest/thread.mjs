import { register } from 'node:module';

// Every thread of Node 20 needs the hooks for itself.
register('./hooks.mjs', import.meta.url, { data: {} });
