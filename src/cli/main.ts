#!/usr/bin/env node
import { createProgram } from './program/program.js';
import { fail } from './terminal/failure.js';
import { endQuietlyWithReader } from './terminal/terminal.js';

endQuietlyWithReader();
createProgram().parseAsync().catch(fail);
