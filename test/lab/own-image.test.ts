import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR } from '../../src/local/slack/people.ts';
import { cleanHosts, onHost, ranOnHost, running } from './support/lab.ts';
import { labCluster, writeLabConfig } from './support/lab-place.ts';
import { buildOwnImage, putComposeProject } from './support/own-image.ts';

// The Dockerfile and docker-compose.yml of sparkops, on spark1's Docker.

const compose = (words: string) => onHost('spark1', `cd ~/sparkops && docker-compose ${words}`);
let folder: string;

beforeAll(async () => {
  await cleanHosts();
  await buildOwnImage();
  folder = await mkdtemp(join(tmpdir(), 'sparkops-image-'));
  const config = join(folder, 'config');
  await writeLabConfig(config, { cluster: labCluster('/home/node/.ssh') });
  await putComposeProject(config);
}, 600_000);

afterAll(async () => {
  await compose('down --volumes --timeout 5');
  await onHost('spark1', 'rm -rf ~/sparkops');
  await cleanHosts();
  await rm(folder, { recursive: true, force: true });
});

const LOCKED_UP = '--rm --read-only --cap-drop ALL --security-opt no-new-privileges --network none';

it('is an ordinary user who can write nothing', async () => {
  const { stdout, stderr } = await ranOnHost(
    'spark1',
    `docker run ${LOCKED_UP} --entrypoint sh sparkops -c 'id -u; touch /app/x /home/node/x'`,
  );
  expect(stdout).toBe('1000\n');
  expect(stderr.match(/Read-only file system/g)).toHaveLength(2);
});

it('holds what runs, and nothing that only builds', async () => {
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  const there = async (names: string[]) =>
    (
      await onHost(
        'spark1',
        `docker run ${LOCKED_UP} --entrypoint sh sparkops -c 'cd node_modules; ls -d ${names.join(' ')} 2>/dev/null || true'`,
      )
    )
      .split('\n')
      .filter(Boolean);
  expect((await there(Object.keys(dependencies))).toSorted()).toEqual(Object.keys(dependencies).toSorted());
  // Types that a package of ours asks for may come with it.
  expect((await there(Object.keys(devDependencies))).filter((name) => !name.startsWith('@types/'))).toEqual([]);
  expect(await onHost('spark1', `docker run ${LOCKED_UP} --entrypoint ls sparkops`)).toBe(
    ['LICENSE', 'assets', 'dist', 'node_modules', 'package.json', 'programs'].join('\n'),
  );
});

it('answers with nothing but a configuration', async () => {
  expect(await onHost('spark1', `docker run ${LOCKED_UP} sparkops --help`)).toContain('sparkops start');
  expect(
    await onHost(
      'spark1',
      `docker run ${LOCKED_UP} -v ~/sparkops/config:/config:ro sparkops validate --config /config`,
    ),
  ).toContain('All is well: 1 cluster, 1 recipe');
});

it('deploys from docker-compose: Redis, a worker, and a command to it', { timeout: 300_000 }, async () => {
  await compose('config --quiet');
  await compose('up --detach --no-build redis worker');
  const said = await compose(`run --rm -T worker say "deploy qwen35 on spark" --as ${OPERATOR} --config /config`);
  expect(said).toContain('spark UP: qwen35');
  const { spark1, spark2 } = await running();
  expect(spark2).toEqual([expect.stringMatching(/^sparkops-\w+-spark2$/)]);
  expect(spark1).toContain(spark2[0]?.replace(/spark2$/, 'spark1'));

  const redis = (words: string) => compose(`exec -T redis redis-cli ${words}`);
  expect(await redis('config get appendonly')).toMatch(/yes$/);
  expect(await redis('config get maxmemory-policy')).toMatch(/noeviction$/);
  expect(await onHost('spark1', 'docker ps -q --filter publish=1-65535')).toBe('');

  await compose('stop worker');
  const worker = '$(cd ~/sparkops && docker-compose ps -q worker)';
  expect(await onHost('spark1', `docker inspect --format '{{.State.ExitCode}}' ${worker}`)).toBe('0');
  expect((await running()).spark2).toEqual(spark2);
});
