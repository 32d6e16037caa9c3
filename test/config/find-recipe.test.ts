import { expect, test } from 'vitest';
import { findRecipe } from '../../src/config/find-recipe.ts';
import { readConfig } from '../../src/config/load-config.ts';
import { configFolder, RECIPE } from './folder.ts';

test('a recipe, a wrong name, a broken recipe', async () => {
  const config = await readConfig(
    await configFolder({ 'recipes/qwen35.yaml': RECIPE, 'recipes/bad.yaml': `${RECIPE}env: { VLLM_HOST_IP: x }\n` }),
  );
  expect(findRecipe(config, 'qwen35').name).toBe('qwen35');
  expect(() => findRecipe(config, 'qwen53')).toThrow(
    expect.objectContaining({
      code: 'unknown-name',
      message: 'There is no recipe "qwen53". Did you mean qwen35?',
      hint: 'There are: model and qwen35.',
    }),
  );
  expect(() => findRecipe(config, 'bad')).toThrow(
    expect.objectContaining({
      code: 'config',
      message: "The recipe bad can't be used.",
      hint: 'Mend recipes/bad.yaml; sparkops validate shows when it is right.',
      lines: [expect.stringContaining('recipes/bad.yaml:11: VLLM_HOST_IP belongs to the node')],
    }),
  );
});

test('no recipes at all', async () => {
  const config = await readConfig(await configFolder({ 'recipes/model.yaml': undefined, 'recipes/.keep': '' }));
  expect(() => findRecipe(config, 'x')).toThrow(
    expect.objectContaining({ hint: 'Put one into recipes/ of the configuration.' }),
  );
});
