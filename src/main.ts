import { requireSupportedNode } from './platform/base/node-version.js';

requireSupportedNode();
void import('./serve.js').then(({ serve }) => serve());
