import { OperatorError } from '../errors.ts';
import type { Config } from './config.ts';
import { listed, noSuch } from './nearest.ts';
import { problemLine } from './problem-line.ts';
import type { Recipe } from './recipe-file.ts';

/** The recipe of that name. One that can't be used is refused with its problems. */
export function findRecipe(config: Config, name: string): Recipe {
  const recipe = config.recipes.get(name);
  if (recipe) return recipe;
  const problems = config.brokenRecipes.get(name);
  if (problems) {
    throw new OperatorError('config', `The recipe ${name} can't be used.`, {
      hint: `Mend recipes/${name}.yaml; sparkops validate shows when it is right.`,
      lines: problems.map(problemLine),
    });
  }
  const names = [...config.recipes.keys()];
  const hint = names.length === 0 ? 'Put one into recipes/ of the configuration.' : `There are: ${listed(names)}.`;
  throw new OperatorError('unknown-name', noSuch('recipe', name, [...names, ...config.brokenRecipes.keys()]), { hint });
}
