import type { PlanBlock, TaskCardBlock } from '@slack/types';
import { areBlocks } from '../validate/validate-blocks.ts';

/** A word for each state beside a shape, never colour alone. */
export const TASK_STATES: Record<TaskCardBlock['status'], { shape: string; word: string }> = {
  pending: { shape: '○', word: 'waiting' },
  in_progress: { shape: '◐', word: 'running' },
  complete: { shape: '●', word: 'done' },
  error: { shape: '✕', word: 'failed' },
};

export function tasksOf(plan: PlanBlock): TaskCardBlock[] {
  return (plan.tasks ?? []).filter(isTask);
}

function isTask(task: unknown): task is TaskCardBlock {
  return areBlocks([task]);
}
