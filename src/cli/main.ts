#!/usr/bin/env node
import { requireSupportedNode } from '../platform/base/node-version.js';

requireSupportedNode();
void import('./program/run-program.js').then(({ runProgram }) => runProgram());
