#!/usr/bin/env node
import { runProcess } from './commands/process.ts';

await runProcess(process.argv.slice(2));
