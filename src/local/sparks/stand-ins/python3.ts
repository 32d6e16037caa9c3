import { existsSync } from 'node:fs';
import { askEngine } from './ask-engine.ts';
import { printRayNodes } from './ray-nodes.ts';
import { readMachine } from './machine.ts';
import { endWithOwner } from './owner.ts';
import { serve } from './serve.ts';

// The pretend Python knows sparkops' own programs by name, and nothing else.
const [folder = '', ...words] = process.argv.slice(2);
endWithOwner(readMachine(folder));
process.exitCode = await python3(words);

async function python3([program = '', ...args]: string[]): Promise<number> {
  if (program === '--version') return say('Python 3.12.3');
  if (program === '-' && args[0] === 'ray-nodes') return await printRayNodes(readMachine(folder), args.slice(1));
  if (program === '-' && args[0] === 'ask-engine') return await askEngine(readMachine(folder), args.slice(1));
  if (program.endsWith('/serve.py')) {
    if (existsSync(program)) return await serve(args);
    process.stderr.write(`python3: can't open file '${program}': [Errno 2] No such file or directory\n`);
    return 2;
  }
  process.stderr.write(`python3: this pretend machine does not know the program ${[program, ...args].join(' ')}\n`);
  return 127;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
