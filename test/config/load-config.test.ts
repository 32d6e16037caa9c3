import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, readConfig } from '../../src/config/load-config.ts';
import { problemLine } from '../../src/config/problem-line.ts';
import { CLUSTER, configFolder, RECIPE, SPARKOPS } from './folder.ts';

async function problems(changes: Parameters<typeof configFolder>[0]): Promise<string[]> {
  const loaded = await loadConfig(await configFolder(changes));
  return loaded.problems.map(problemLine);
}

const cluster = (from: string | RegExp, to: string) => ({ 'clusters/spark.yaml': CLUSTER.replace(from, to) });

test('a good folder', async () => {
  const folder = await configFolder();
  const { config, problems: found } = await loadConfig(folder);
  expect(found).toEqual([]);
  expect(config).toMatchObject({ folder, sparkops: { name: 'sparks', timeouts: { load: 2_700_000, lease: 15_000 } } });
  expect(config?.clusters.get('spark')).toMatchObject({
    name: 'spark',
    ray_port: 29_501,
    ssh: { key: join(homedir(), '.ssh/id'), known_hosts: join(folder, 'known_hosts'), agent: false },
    nodes: [
      { role: 'head', port: 22, via: [] },
      { role: 'worker', via: ['spark1'] },
    ],
  });
  expect(config?.recipes.get('model')).toMatchObject({ name: 'model', minNodes: 2 });
  expect(config?.revision).toMatch(/^[0-9a-f]{8}$/);
});

test('the revision follows every file', async () => {
  const revisionOf = async (changes: Parameters<typeof configFolder>[0]) =>
    (await readConfig(await configFolder(changes))).revision;
  const before = await revisionOf({});
  expect(await revisionOf({})).toBe(before);
  expect(await revisionOf({ 'recipes/model.yaml': `${RECIPE}# changed\n` })).not.toBe(before);
  expect(await revisionOf({ 'failures/ray.yaml': 'x: 1\n' })).not.toBe(before);
  expect(await revisionOf({ 'notes.txt': 'x' })).toBe(before);
});

test('links and .yml are read; hidden and other files are not', async () => {
  const folder = await configFolder({
    'elsewhere/linked.yaml': RECIPE,
    'recipes/short.yml': RECIPE,
    'recipes/.#model.yaml': ':',
    'recipes/a.txt': ':',
  });
  await symlink('../elsewhere/linked.yaml', join(folder, 'recipes/linked.yaml'));
  const { config, problems: found } = await loadConfig(folder);
  expect(found).toEqual([]);
  expect([...(config?.recipes.keys() ?? [])]).toEqual(['linked', 'model', 'short']);
});

describe('files and folders', () => {
  test('no folder', async () => {
    const { config, problems: found } = await loadConfig('/nowhere/at/all');
    expect(config).toBeUndefined();
    expect(found.map(problemLine)).toEqual([
      '.: There is no configuration folder /nowhere/at/all. Name the folder that holds sparkops.yaml.',
    ]);
  });

  test.each<[string, Parameters<typeof configFolder>[0], string[]]>([
    [
      'everything missing',
      { 'sparkops.yaml': undefined, 'clusters/spark.yaml': undefined, 'recipes/model.yaml': undefined },
      [
        'clusters/: clusters/ is missing. Add clusters/.',
        'recipes/: recipes/ is missing. Add recipes/.',
        'sparkops.yaml: sparkops.yaml is missing. Add sparkops.yaml.',
      ],
    ],
    [
      'a folder with a similar name',
      { 'clusters/spark.yaml': undefined, 'cluster/spark.yaml': CLUSTER },
      ['clusters/: clusters/ is missing. Rename cluster to it.'],
    ],
    [
      'sparkops.yml',
      { 'sparkops.yaml': undefined, 'sparkops.yml': SPARKOPS },
      ['sparkops.yaml: sparkops.yaml is missing. Rename sparkops.yml to it.'],
    ],
    [
      'no cluster',
      { 'clusters/spark.yaml': undefined, 'clusters/readme.txt': '' },
      ['clusters: No cluster is described. Add clusters/NAME.yaml.'],
    ],
    [
      'a file for a folder',
      { 'clusters/spark.yaml': undefined, clusters: '' },
      ['clusters: clusters is not a folder that can be read. Make clusters a folder.'],
    ],
    [
      'two clusters of a name',
      { 'clusters/spark.yml': CLUSTER },
      ['clusters/spark.yml: There is a second file for the cluster spark. Keep the one that ends in .yaml.'],
    ],
    [
      'a cluster name with blanks',
      { 'clusters/my spark.yaml': CLUSTER.replace('10.1.230.180', '10.1.230.181') },
      [
        `clusters/my spark.yaml: "my spark" can't be the name of a cluster. Rename the file: a-z, 0-9 and -, starting with a letter, at most 31.`,
      ],
    ],
    [
      'a recipe name that is an option',
      { 'recipes/-f.yaml': RECIPE },
      [
        `recipes/-f.yaml: "-f" can't be the name of a recipe. Rename the file: letters, digits and . _ -, starting with a letter or digit, at most 63.`,
      ],
    ],
    ['an empty file', { 'sparkops.yaml': '' }, ['sparkops.yaml: The file is empty. Fill it in, or delete it.']],
    ['a list', { 'sparkops.yaml': '- a\n' }, ['sparkops.yaml:1: The file is a list. It must be a map of keys.']],
  ])('%s', async (_, changes, expected) => {
    expect(await problems(changes)).toEqual(expected);
  });

  test('a broken link, a folder and a huge file', async () => {
    const folder = await configFolder();
    await symlink('nowhere', join(folder, 'recipes/link.yaml'));
    await mkdir(join(folder, 'recipes/folder.yaml'));
    await writeFile(join(folder, 'recipes/huge.yaml'), Buffer.alloc(1_000_001, 'x'));
    const { config, problems: found } = await loadConfig(folder);
    expect(found.map(problemLine)).toEqual([
      'recipes/folder.yaml: This is not a file. Put a YAML file in its place.',
      'recipes/huge.yaml: The file has 1000001 bytes. It may have at most 1 MB.',
      "recipes/link.yaml: The file can't be read (ENOENT). Check that it exists and that the bot may read it.",
    ]);
    expect([...(config?.recipes.keys() ?? [])]).toEqual(['model']);
    expect([...(config?.brokenRecipes.keys() ?? [])]).toEqual(['folder', 'huge', 'link']);
  });
});

describe('sparkops.yaml', () => {
  test.each([
    [
      'nam: x',
      [
        'sparkops.yaml:1: There is no key "nam". Did you mean name?',
        'sparkops.yaml: name is missing. Add it; it must be text.',
      ],
    ],
    [
      'name: My Sparks',
      [
        'sparkops.yaml:1: name is "My Sparks". It must be a name such as "spark1": a-z, 0-9 and -, starting with a letter.',
      ],
    ],
    ['name: a\ntimeouts:\n  laod: 20m', ['sparkops.yaml:3: There is no key "laod" in timeouts. Did you mean load?']],
    ['name: a\ntimeouts:\n  load: 45', ['sparkops.yaml:3: timeouts.load is 45. It must be text.']],
    [
      'name: a\ntimeouts:\n  load: 45 min',
      ['sparkops.yaml:3: timeouts.load is "45 min". It must be a number with a unit: 500ms, 30s, 45m, 2h or 7d.'],
    ],
    [
      'name: a\ntimeouts:\n  load: 5m',
      [
        'sparkops.yaml:3: timeouts.load_silence (600s) is not below timeouts.load (300s). A load that says nothing must end before the load as a whole does.',
      ],
    ],
    ['name: a\ntimeouts:\n  read: 0s', ['sparkops.yaml:3: timeouts.read is 0. It must be more than 0.']],
    ['name: a\ntimeouts:\n  load: 25h', ['sparkops.yaml:3: timeouts.load is more than a day. It must be at most 24h.']],
    [
      'name: a\ntimeouts:\n  lease: 2m',
      [
        'sparkops.yaml:3: timeouts.lease is 120s. It must be at most 60s: so long nobody can take over from a process that died.',
      ],
    ],
    [
      'name: a\ntimeouts:\n  lease: 500ms',
      ['sparkops.yaml:3: timeouts.lease is 500ms. It must be at least 1s: it is renewed after a third of it.'],
    ],
    [
      'name: a\ntimeouts:\n  stall_check: 20s',
      [
        'sparkops.yaml:3: timeouts.stall_check (20s) is not below timeouts.job_lock (15s). Stalled jobs must be looked for more often than their locks run out.',
      ],
    ],
    [
      'name: a\ntimeouts:\n  connect: 30s',
      [
        'sparkops.yaml:3: timeouts.connect (30s) is not below timeouts.look (20s). A look must outlast one try to connect.',
      ],
    ],
  ])('%j', async (text, expected) => {
    const found = await problems({ 'sparkops.yaml': text });
    expect(found.toSorted()).toEqual(
      expected.map((line) => line.replace('sparkops.yaml: name', 'sparkops.yaml:1: name')).toSorted(),
    );
  });
});

describe('clusters', () => {
  test.each([
    [
      'no head',
      cluster('    role: head\n', ''),
      ['4: No node is the head. Add role: head to the node that answers requests.'],
    ],
    [
      'two heads',
      cluster('- name: spark2', '- name: spark2\n    role: head'),
      ['10: spark2 is a second head. Remove role: head here, or from spark1.'],
    ],
    [
      'a misspelt role',
      cluster('role: head', 'role: haed'),
      ['6: nodes[0].role is "haed". Did you mean head? It must be head or worker.'],
    ],
    [
      'a misspelt key',
      cluster('interface: enp1s0f0np0 }\n  -', 'interfce: enp1s0f0np0 }\n  -'),
      [
        '8: nodes[0].fabric.interface is missing. Add it; it must be text.',
        '8: There is no key "interfce" in nodes[0].fabric. Did you mean interface?',
      ],
    ],
    [
      'a key like nothing',
      cluster('description: two Sparks', 'rack: 3'),
      [
        '1: There is no key "rack". Known keys: caps, channels, description, min_gbit, nodes, paths, ray_port, ssh and tolerates.',
      ],
    ],
    [
      'a name twice',
      cluster('name: spark2', 'name: spark1'),
      ['9: spark1 has the name spark1 too. Give each node a name of its own.'],
    ],
    [
      'an address twice',
      cluster('address: 192.168.200.13\n', 'address: 10.1.230.180\n'),
      ['10: spark1 has the address 10.1.230.180:22 too. Give the address by which sparkops reaches this node.'],
    ],
    [
      'a fabric address twice',
      cluster('{ address: 192.168.200.13', '{ address: 192.168.200.12'),
      [
        '12: spark1 has the fabric address 192.168.200.12 too. Give the address that ip -4 addr show enp1s0f0np0 prints on this node.',
      ],
    ],
    [
      'a fabric name',
      cluster('{ address: 192.168.200.13', '{ address: spark2'),
      ['12: nodes[1].fabric.address is "spark2". It must be an IPv4 address such as 192.168.200.12.'],
    ],
    [
      'via nobody',
      cluster('[spark1]', '[sprak1]'),
      ['11: via names sprak1, which is no node of this cluster. Did you mean spark1?'],
    ],
    [
      'via somebody else',
      cluster('[spark1]', '[bastion]'),
      ['11: via names bastion, which is no node of this cluster. Name one of spark1, or remove via.'],
    ],
    [
      'via itself',
      cluster('[spark1]', '[spark2]'),
      ['11: spark2 is reached through itself. Name another node, or remove via.'],
    ],
    [
      'a circle',
      cluster('    role: head\n', '    role: head\n    via: [spark2]\n'),
      [
        '7: spark1 and spark2 are reached through each other. Remove via from the one that sparkops reaches directly.',
        '12: spark2 and spark1 are reached through each other. Remove via from the one that sparkops reaches directly.',
      ],
    ],
    [
      'two jumps',
      cluster(
        'paths:',
        '  - name: spark3\n    address: 10.0.0.3\n    via: [spark2]\n    fabric: { address: 192.168.200.14, interface: en0 }\npaths:',
      ),
      [
        '15: spark2 is itself reached through spark1. Name a node that sparkops reaches directly: one jump is the most.',
      ],
    ],
    [
      'no host keys',
      cluster(', known_hosts: known_hosts', ''),
      [
        '5: Nothing says which host key spark1 has. Add ssh: known_hosts: ~/.ssh/known_hosts, or the line that ssh-keygen -lf prints as its host_key.',
        '9: Nothing says which host key spark2 has. Add ssh: known_hosts: ~/.ssh/known_hosts, or the line that ssh-keygen -lf prints as its host_key.',
      ],
    ],
    [
      'a short host key',
      cluster('    role: head', '    role: head\n    host_key: SHA256:abc'),
      ['7: nodes[0].host_key is "SHA256:abc". It must be SHA256: and 43 characters, as ssh-keygen -lf prints it.'],
    ],
    [
      'no key',
      cluster('key: ~/.ssh/id, ', ''),
      ['3: ssh has neither a key nor an agent. Add key: ~/.ssh/id_ed25519, or agent: true.'],
    ],
    [
      'key and agent',
      cluster('key: ~/.ssh/id', 'key: ~/.ssh/id, agent: true'),
      ['3: ssh has both a key and an agent. Keep one of the two.'],
    ],
    [
      "Redis's port",
      cluster('caps:', 'ray_port: 6379\ncaps:'),
      ["14: ray_port is 6379, which is Redis's port. Choose another, such as 29501: Redis may live on the head."],
    ],
    [
      "a worker's port",
      cluster('caps:', 'ray_port: 15000\ncaps:'),
      [
        '14: ray_port is 15000, among the ports that Ray gives to its workers. Choose one outside 10002 to 19999, such as 29501.',
      ],
    ],
    [
      'the SSH port',
      cluster(/(role: head)([^]*)(caps:)/, '$1\n    port: 2222$2ray_port: 2222\n$3'),
      ['15: ray_port is 2222, where spark1 has its SSH server. Choose another, such as 29501.'],
    ],
    [
      'a port of text',
      cluster('caps:', 'ray_port: "29501"\ncaps:'),
      ['14: ray_port is the text "29501". Write 29501 without quotes.'],
    ],
    [
      'a port that is none',
      cluster('caps:', 'ray_port: 70000\ncaps:'),
      ['14: ray_port is 70000. It must be at most 65535.'],
    ],
    [
      'a cap on nothing',
      cluster('gpu_memory_utilization: 0.88', 'gpu_memory_utilisation: 0.88'),
      ['14: No recipe has gpu_memory_utilisation, so the cap guards nothing. Did you mean gpu_memory_utilization?'],
    ],
    [
      'a relative path',
      cluster('models: /m', 'models: models'),
      ['13: paths.models is "models". It must be an absolute path without .. and of letters, digits and . _ / + @ -.'],
    ],
    [
      'a wildcard',
      cluster('caps:', 'tolerates: [monitor, dcgm-*]\ncaps:'),
      [
        `14: tolerates[1] is "dcgm-*". It must be a container's name or an image such as nvcr.io/nvidia/k8s/dcgm-exporter, without wildcards.`,
      ],
    ],
    [
      "a recipe's image",
      cluster('caps:', 'tolerates: [monitor, image]\ncaps:'),
      [
        '14: tolerates names image, the image of the recipe model, so a model started by hand would be tolerated. Name the container instead.',
      ],
    ],
    [
      'a channel name',
      cluster('C0OPS000001', '"#ops"'),
      ['2: channels[0] is "#ops". It must be a channel id such as C0OPS000001.'],
    ],
    [
      'no nodes',
      { 'clusters/spark.yaml': CLUSTER.replace(/nodes:[^]*(?=paths:)/, 'nodes: []\n') },
      ['4: nodes is empty. It must be a list of at least 1.'],
    ],
  ])('%s', async (_, changes, expected) => {
    expect(await problems(changes)).toEqual(expected.map((line) => `clusters/spark.yaml:${line}`));
  });

  test('host keys of the nodes are enough, and so is an agent', async () => {
    const key = `SHA256:${'a'.repeat(43)}`;
    const text = CLUSTER.replace(/ssh: .*/, 'ssh: { user: aurora, agent: true }').replaceAll(
      /(- name: .*)/g,
      `$1\n    host_key: ${key}`,
    );
    expect(await problems({ 'clusters/spark.yaml': text })).toEqual([]);
  });

  test('what others may run is nothing unless the file says so', async () => {
    const toleratedBy = async (changes: Parameters<typeof configFolder>[0]) =>
      (await readConfig(await configFolder(changes))).clusters.get('spark')?.tolerates;
    expect(await toleratedBy({})).toEqual([]);
    const exporters = 'tolerates: [monitor, nvcr.io/nvidia/k8s/dcgm-exporter, image:2]\ncaps:';
    expect(await toleratedBy(cluster('caps:', exporters))).toEqual([
      'monitor',
      'nvcr.io/nvidia/k8s/dcgm-exporter',
      'image:2',
    ]);
  });

  test('a machine in two clusters; a channel in two is fine', async () => {
    expect(await problems({ 'clusters/lab.yaml': CLUSTER })).toEqual([
      'clusters/spark.yaml:7: 10.1.230.180:22 is in the cluster lab too. A machine belongs to one cluster: describe both uses there.',
    ]);
    expect(await problems({ 'clusters/lab.yaml': CLUSTER.replace('10.1.230.180', '10.1.230.190') })).toEqual([]);
  });
});

describe('recipes', () => {
  test('one that is broken leaves the others usable', async () => {
    const { config, problems: found } = await loadConfig(await configFolder({ 'recipes/bad.yaml': 'model: [' }));
    expect([...(config?.recipes.keys() ?? [])]).toEqual(['model']);
    expect(config?.brokenRecipes.get('bad')).toEqual(found);
    expect(found).toHaveLength(1);
  });

  test.each([
    [
      'port: 8000',
      'port: 29501',
      '7: port is 29501, which is the ray_port of the cluster spark. Choose another, such as 8000.',
    ],
    [
      'port: 8000',
      'port: 6379',
      "7: port is 6379, which is Redis's port: it may live on the head. Choose another, such as 8000.",
    ],
    [
      'port: 8000',
      'port: 12000',
      '7: port is 12000, among the ports that Ray gives to its workers. Choose another, such as 8000.',
    ],
    [
      '--port {port}',
      '--port=29501',
      '7: port is 29501, which is the ray_port of the cluster spark. Choose another, such as 8000.',
    ],
  ])('%s as %s', async (from, to, expected) => {
    const { config, problems: found } = await loadConfig(
      await configFolder({ 'recipes/model.yaml': RECIPE.replace(from, to) }),
    );
    expect(found.map(problemLine)).toEqual([`recipes/model.yaml:${expected}`]);
    expect(config?.recipes.size).toBe(0);
  });

  test('without Ray its ports are free', async () => {
    const text = RECIPE.replace('vllm-ray', 'sglang').replace('port: 8000', 'port: 12000');
    expect(await problems({ 'recipes/model.yaml': text })).toEqual([]);
  });

  test('mods are looked for below recipes/mods', async () => {
    const [missing] = await problems({ 'recipes/model.yaml': `${RECIPE}mods: [mods/fix]\n` });
    expect(missing).toContain('The mod fix is not here');
    const [there] = await problems({
      'recipes/model.yaml': `${RECIPE}mods: [mods/fix]\n`,
      'recipes/mods/fix/run.sh': '',
    });
    expect(there).toContain('mods are not built yet');
  });

  test('two files of a name', async () => {
    const { config } = await loadConfig(await configFolder({ 'recipes/model.yml': RECIPE }));
    expect(config?.recipes.size).toBe(0);
    expect(config?.brokenRecipes.get('model')?.map(problemLine)).toEqual([
      'recipes/model.yml: There is a second file for the recipe model. Keep the one that ends in .yaml.',
    ]);
  });
});

describe('what follows from a problem is none of its own', () => {
  test.each([
    [
      'a role like nothing',
      cluster('role: head', 'role: boss'),
      ['6: nodes[0].role is "boss". It must be head or worker.'],
    ],
    [
      'a wrong host key, where there is no file',
      cluster(
        /ssh: .*([^]*)    role: head\n([^]*) {4}via/,
        'ssh: { user: aurora, agent: true }$1    role: head\n    host_key: x\n$2    host_key: y\n    via',
      ),
      [
        '7: nodes[0].host_key is "x". It must be SHA256: and 43 characters, as ssh-keygen -lf prints it.',
        '12: nodes[1].host_key is "y". It must be SHA256: and 43 characters, as ssh-keygen -lf prints it.',
      ],
    ],
    [
      'a misspelt list',
      cluster('nodes:', 'node:'),
      ['4: There is no key "node". Did you mean nodes?', '1: nodes is missing. Add it; it must be a list.'],
    ],
    [
      'a misspelt via, with a wrong name',
      cluster('via: [spark1]', 'vai: [spark3]'),
      [
        '11: There is no key "vai" in nodes[1]. Did you mean via?',
        '11: via names spark3, which is no node of this cluster. Did you mean spark1?',
      ],
    ],
  ])('%s', async (_, changes, expected) => {
    expect((await problems(changes)).toSorted()).toEqual(
      expected.map((line) => `clusters/spark.yaml:${line}`).toSorted(),
    );
  });

  test('in recipes', async () => {
    const text = RECIPE.replace('defaults', 'Defaults')
      .replace('port: 8000', 'port: 29501')
      .replace('image:1', '--image')
      .replace('vllm serve', 'A=1 vllm serve');
    expect(await problems({ 'recipes/model.yaml': text })).toEqual([
      'recipes/model.yaml:4: container is "--image". It must be an image such as hellohal2064/vllm-qwen3.5-gb10.',
      'recipes/model.yaml:6: There is no key "Defaults". Did you mean defaults?',
      'recipes/model.yaml:10: The command begins with a variable. Move A to env.',
    ]);
  });

  test('a cap on a key of a recipe that is broken', async () => {
    const changes = {
      ...cluster('gpu_memory_utilization: 0.88', 'draft_tokens: 4'),
      'recipes/bad.yaml': 'defaults: { draft_tokens: 2 }\n',
    };
    expect((await problems(changes)).filter((line) => line.startsWith('clusters/'))).toEqual([]);
  });
});

test('everything at once, by file and line', async () => {
  const found = await problems({
    'sparkops.yaml': 'name: A\ntimeouts: { laod: 1m }\n',
    'clusters/spark.yaml': CLUSTER.replace('role: head', 'role: haed').replace('[spark1]', '[x]'),
    'recipes/model.yaml': RECIPE.replace('{port}', '{prot}'),
  });
  expect(found.map((line) => line.split(' ')[0])).toEqual([
    'clusters/spark.yaml:6:',
    'clusters/spark.yaml:11:',
    'recipes/model.yaml:10:',
    'sparkops.yaml:1:',
    'sparkops.yaml:2:',
  ]);
});

test('readConfig lists the problems', async () => {
  const folder = await configFolder({ 'sparkops.yaml': 'name: A\n' });
  await expect(readConfig(folder)).rejects.toMatchObject({
    code: 'config',
    message: `The configuration in ${folder} has a problem.`,
    hint: 'Mend it; sparkops validate shows everything.',
    lines: [
      'sparkops.yaml:1: name is "A". It must be a name such as "spark1": a-z, 0-9 and -, starting with a letter.',
    ],
  });
});
