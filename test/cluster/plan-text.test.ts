import { expect, it } from 'vitest';
import { planText } from '../../src/cluster/plan-text.ts';
import { recipe, renderedPlan } from '../support/rendered-plan.ts';

it('shows what would run on each node', () => {
  const text = planText(renderedPlan({ overrides: { max_model_len: 131_072 } }));
  expect(text).toContain('qwen35 on spark: Qwen3.5 122B on two Sparks\n');
  expect(text).toContain('  endpoint      http://10.1.230.180:8000\n');
  expect(text).toContain('  overrides     max_model_len=131072\n');
  expect(text).toContain('spark2 (worker): 192.168.200.13, fabric 192.168.200.13 on enp1s0f0np0\n');
  expect(text).toContain('                VLLM_HOST_IP=192.168.200.13\n');
  expect(text).toContain('  added by sparkops: --host 0.0.0.0, --port 8000, --distributed-executor-backend ray\n');
  expect(text).toContain('  load          45 min\n');
  expect(text).toContain('  preflight     20 s\n');
  expect(text).toContain('  load, silent  10 min without progress\n');
});

it('keeps to a width, and to commands that can be pasted', () => {
  const text = planText(renderedPlan());
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.includes('docker run'));
  const command = lines.slice(first, lines.findIndex((line, at) => at >= first && !line.endsWith('\\')) + 1);
  expect(command.join('\n').replaceAll(' \\\n    ', ' ').trim()).toMatch(
    /^docker run -d .* --disable-usage-stats '--include-dashboard=false'$/,
  );
});

it('names secrets without their values', () => {
  const text = planText(renderedPlan({ recipe: { ...recipe, secrets: { HF_TOKEN: 'huggingface' } } }));
  expect(text).toContain('  secrets       HF_TOKEN (secret huggingface): put in at the start\n');
});
