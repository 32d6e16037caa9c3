import { expect, test } from 'vitest';
import { validate } from '../../src/cli/validate.ts';
import { configFolder, RECIPE } from '../config/folder.ts';

async function output(changes: Parameters<typeof configFolder>[0]): Promise<{ code: number; text: string }> {
  let text = '';
  const code = await validate(await configFolder(changes), (more) => {
    text += more;
  });
  return { code, text };
}

test('all is well', async () => {
  const { code, text } = await output({
    'sparkops.yaml': 'name: sparks\nrights: { operator: [U0123ABCD], approver: [U0456EFGH] }\n',
  });
  expect(code).toBe(0);
  expect(text).toMatch(/^All is well: 1 cluster, 1 recipe, revision [0-9a-f]{8}\.\n$/);
});

test.each([
  [
    'name: sparks\n',
    [
      'Note: sparkops.yaml: rights lists no operator, so nobody may deploy, stop or cancel.',
      'Note: sparkops.yaml: approvals need 1 person of approver (everywhere), and rights lists fewer.',
    ],
  ],
  [
    'name: a\nrights: { operator: [U1], approver: [U2], admin: [U3] }\napprovals: { actions: { stop: { required: 3 } } }\n',
    ['Note: sparkops.yaml: approvals need 3 people of approver (stop on spark), and rights lists fewer.'],
  ],
  // A user group may hold any number of people, and an admin is an operator too.
  ['name: a\nrights: { admin: [S1] }\napprovals: { required: 3 }\n', []],
])('what nobody could do is said: %j', async (sparkops, expected) => {
  const { code, text } = await output({ 'sparkops.yaml': sparkops });
  expect(code).toBe(0);
  expect(text.split('\n').slice(0, -2)).toEqual(expected);
});

test('what sparkops does not act on is said, and is no problem', async () => {
  const { code, text } = await output({
    'recipes/model.yaml': `${RECIPE}executor_config: { user: root }\nmodel_revision: abc\n`,
  });
  expect(code).toBe(0);
  expect(text).toMatch(
    /Note: recipes\/model\.yaml: sparkops does not act on model_revision, executor_config\.\nAll is well: /,
  );
});

test('every problem, by file', async () => {
  const { code, text } = await output({
    'sparkops.yaml': 'nam: x\n',
    'recipes/model.yaml': RECIPE.replace('{port}', '{prot}').replace('min_nodes', 'min_node'),
  });
  expect(code).toBe(2);
  expect(text).toBe(`recipes/model.yaml:5: There is no key "min_node". Did you mean min_nodes?
recipes/model.yaml:10: Nothing fills {prot}. Did you mean {port}?

sparkops.yaml:1: name is missing. Add it; it must be text.
sparkops.yaml:1: There is no key "nam". Did you mean name?

4 problems in 2 files.
`);
});

test('a recipe alone leaves the rest usable', async () => {
  const { code, text } = await output({ 'recipes/bad.yaml': 'model: x\n' });
  expect(code).toBe(2);
  expect(text).toMatch(/1 problem in 1 file\. 1 recipe can be used\.\n$/);
});
