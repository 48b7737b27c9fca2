#!/usr/bin/env node
import { requireSupportedNode } from '../platform/start/node-version.js';

requireSupportedNode();
void import('./program/program.js').then(({ runCommandLine }) => runCommandLine(process.argv.slice(2), process));
