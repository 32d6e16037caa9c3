import { OperatorError } from '../errors.ts';
import type { Recipe, Value } from './recipe-file.ts';
import { fill } from './recipe/placeholders.ts';

/** The recipe's command with its placeholders filled. A value stays inside its word, whatever it holds. */
export function fillCommand(recipe: Recipe, values: Readonly<Record<string, Value>>): [string, ...string[]] {
  const all = { ...values, model: recipe.model };
  const [first, ...rest] = recipe.command;
  const words: [string, ...string[]] = [fill(first, all), ...rest.map((word) => fill(word, all))];
  const broken = words.find((word) => word.includes('\0'));
  if (broken !== undefined) {
    throw new OperatorError('config', `The command of ${recipe.name} holds a NUL character.`, {
      hint: 'Mend the recipe.',
    });
  }
  return words;
}
