import { type Check, ok } from './check.ts';

export const gpuCheck: Check = {
  name: 'gpu',
  judge: ({ facts: { gpus, gpuProblem }, node }) =>
    gpus.length > 0
      ? ok(gpus.map((gpu) => gpu.replace(/^GPU \d+: /, '').replace(/ \(UUID.*$/, '')).join(', '))
      : {
          state: 'failed',
          short: `${node.name} has no GPU`,
          text: `no GPU: ${gpuProblem.at(-1) ?? 'nvidia-smi says nothing'}`,
          remedy: `On ${node.name}: nvidia-smi. If it doesn't see the GPU either, look at the driver or reboot.`,
          lines: gpuProblem.slice(-5),
        },
};
