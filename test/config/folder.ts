import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export const SPARKOPS = 'name: sparks\n';

export const CLUSTER = `description: two Sparks
channels: [C0OPS000001]
ssh: { user: aurora, key: ~/.ssh/id, known_hosts: known_hosts }
nodes:
  - name: spark1
    role: head
    address: 10.1.230.180
    fabric: { address: 192.168.200.12, interface: enp1s0f0np0 }
  - name: spark2
    address: 192.168.200.13
    via: [spark1]
    fabric: { address: 192.168.200.13, interface: enp1s0f0np0 }
paths: { models: /m, cache: /c, state: /s }
caps: { gpu_memory_utilization: 0.88 }
`;

export const RECIPE = `recipe_version: "2"
model: org/model
runtime: vllm-ray
container: image:1
min_nodes: 2
defaults:
  port: 8000
  gpu_memory_utilization: 0.8
  max_model_len: 8192
command: vllm serve {model} --port {port} --gpu-memory-utilization {gpu_memory_utilization} --max-model-len {max_model_len}
`;

/** A configuration folder that lives as long as the test. A file given as undefined is left out. */
export async function configFolder(changes: Record<string, string | Uint8Array | undefined> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = { 'sparkops.yaml': SPARKOPS, 'clusters/spark.yaml': CLUSTER, 'recipes/model.yaml': RECIPE, ...changes };
  for (const [name, content] of Object.entries(files)) {
    if (content === undefined) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
