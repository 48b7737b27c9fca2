import { requireSupportedNode } from './platform/start/node-version.js';

requireSupportedNode();
void import('./serve.js').then(({ serve }) => serve());
