#!/usr/bin/env node
import { requireSupportedNode } from '../platform/start/node-version.js';

requireSupportedNode();
void import('./program/program.js').then(({ runProgram }) => runProgram(process.argv.slice(2)));
