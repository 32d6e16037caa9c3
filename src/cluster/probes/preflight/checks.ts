import type { Check } from './check.ts';
import { digestCheck } from './digest-check.ts';
import { dockerCheck } from './docker-check.ts';
import { entrypointCheck } from './entrypoint-check.ts';
import { fabricCheck } from './fabric-check.ts';
import { foreignCheck } from './foreign-check.ts';
import { gpuCheck } from './gpu-check.ts';
import { imageCheck } from './image-check.ts';
import { leftoversCheck } from './leftovers-check.ts';
import { portsCheck } from './ports-check.ts';
import { programsCheck } from './programs-check.ts';
import { servingCheck } from './serving-check.ts';
import { toolsCheck } from './tools-check.ts';

/** In the order of the table. */
export const CHECKS: readonly Check[] = [
  dockerCheck,
  toolsCheck,
  gpuCheck,
  imageCheck,
  digestCheck,
  entrypointCheck,
  programsCheck,
  fabricCheck,
  servingCheck,
  leftoversCheck,
  foreignCheck,
  portsCheck,
];
