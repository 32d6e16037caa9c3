import type { PlanBlock, TaskCardBlock } from '@slack/types';
import { areBlocks } from '../validate/validate-blocks.ts';

const STATES: Record<TaskCardBlock['status'], { shape: string; word: string }> = {
  pending: { shape: '○', word: 'waiting' },
  in_progress: { shape: '◐', word: 'running' },
  complete: { shape: '●', word: 'done' },
  error: { shape: '✕', word: 'failed' },
};

const SAYS_ITS_STATE = /\b(waiting|running|done|failed|undone|skipped|cancelled|not run)\b/i;

/** A shape for the state, and a word for it where the title has none: never a shape or colour alone. */
export function stateOf({ status, title }: TaskCardBlock): { shape: string; word: string | undefined } {
  const { shape, word } = STATES[status];
  return { shape, word: SAYS_ITS_STATE.test(title) ? undefined : word };
}

export function tasksOf(plan: PlanBlock): TaskCardBlock[] {
  return (plan.tasks ?? []).filter(isTask);
}

function isTask(task: unknown): task is TaskCardBlock {
  return areBlocks([task]);
}
