import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processOf } from '../../../src/local/sparks/stand-ins/processes.ts';
import { IMAGE, startBench, until, type Bench } from './bench.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});

afterAll(async () => {
  await bench.stop();
});

const JSON_FORMAT = `--format '{{json .}}'`;

async function json(text: string) {
  const { stdout, stderr, exitCode } = await bench.run('spark1', text);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout);
}

async function start(name: string, more = '', command = `--entrypoint sleep ${IMAGE} 600`) {
  return await bench.run('spark1', `docker run -d --pull=never --name ${name} ${more} ${command}`);
}

describe('docker on a pretend Spark', () => {
  it('tells its version and its runtimes', async () => {
    expect(await bench.run('spark1', `docker version --format '{{.Server.Version}}'`)).toMatchObject({
      stdout: '28.3.3\n',
    });
    expect(await json(`docker info --format '{{json .Runtimes}}'`)).toHaveProperty(
      'nvidia.path',
      'nvidia-container-runtime',
    );
  });

  it('knows its image with and without the tag, and no other', async () => {
    const image = await json(`docker image inspect ${JSON_FORMAT} ${IMAGE}`);
    expect(image).toMatchObject({
      Id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      RepoDigests: [expect.stringMatching(`^${IMAGE}@sha256:`)],
      Config: { Entrypoint: null, Cmd: ['/bin/bash'], Env: expect.any(Array) },
    });
    expect(await json(`docker image inspect ${JSON_FORMAT} ${IMAGE}:latest`)).toEqual(image);
    expect(await bench.run('spark1', `docker image inspect ${JSON_FORMAT} other/image`)).toEqual({
      exitCode: 1,
      stdout: '\n',
      stderr: 'Error response from daemon: No such image: other/image\n',
    });
  });

  it('runs a container, shows it, and removes it with everything in it', async () => {
    const { stdout, exitCode } = await start('one', '--label sparkops.realm=test --label sparkops.node=spark1');
    expect(exitCode).toBe(0);
    const id = stdout.trim();
    expect(await json(`docker inspect ${JSON_FORMAT} one`)).toMatchObject({
      Id: id,
      Name: '/one',
      State: { Running: true, ExitCode: 0, OOMKilled: false, StartedAt: expect.stringMatching(/^20/) },
      HostConfig: { RestartPolicy: { Name: 'no' } },
      Config: { Image: IMAGE, Entrypoint: ['sleep'], Labels: { 'sparkops.realm': 'test', 'sparkops.node': 'spark1' } },
    });
    expect(await json(`docker ps --all --no-trunc --filter label=sparkops.realm=test ${JSON_FORMAT}`)).toMatchObject({
      ID: id,
      Names: 'one',
      State: 'running',
      Labels: 'sparkops.realm=test,sparkops.node=spark1',
    });
    expect((await bench.run('spark1', `docker ps --filter label=sparkops.realm=other ${JSON_FORMAT}`)).stdout).toBe('');
    await bench.run('spark1', 'docker exec -d one sleep 700');
    const top = (await bench.run('spark1', 'docker top one -eo pid,args')).stdout;
    expect(top).toMatch(/^PID +COMMAND\n\d+ +sleep 600\n\d+ +sleep 700\n$/);
    expect(await bench.run('spark1', 'docker rm --force one missing')).toEqual({
      exitCode: 0,
      stdout: 'one\n',
      stderr: 'Error response from daemon: No such container: missing\n',
    });
    const pids = [...top.matchAll(/^\d+/gm)].map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => processOf(pid))).toEqual([]);
    expect(await bench.run('spark1', `docker inspect ${JSON_FORMAT} one`)).toEqual({
      exitCode: 1,
      stdout: '\n',
      stderr: 'Error: No such object: one\n',
    });
  });

  it('refuses a name that is taken, also when two come at once', async () => {
    const both = await Promise.all([start('twice'), start('twice')]);
    expect(new Set(both.map((one) => one.exitCode))).toEqual(new Set([0, 125]));
    const winner = both.find((one) => one.exitCode === 0)?.stdout.trim() ?? '';
    expect(both.find((one) => one.exitCode === 125)?.stderr).toContain(
      `docker: Error response from daemon: Conflict. The container name "/twice" is already in use by container "${winner}". You have to remove (or rename) that container to be able to reuse that name.`,
    );
    expect(bench.sparks.starts('spark1')['twice']).toBe(1);
  });

  it('refuses an image that it lacks and a flag that it does not know', async () => {
    expect(await start('none', '', 'other/image')).toMatchObject({
      exitCode: 125,
      stderr: expect.stringContaining('docker: Error response from daemon: No such image: other/image:latest'),
    });
    expect(await start('none', '--no-such-flag')).toMatchObject({
      exitCode: 125,
      stderr: expect.stringContaining('docker: unknown flag: --no-such-flag'),
    });
  });

  it('leaves a created container behind when its program is not there', async () => {
    const failed = await start('odd', '', `--entrypoint no-such-program ${IMAGE}`);
    expect(failed).toMatchObject({
      exitCode: 127,
      stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/),
      stderr: expect.stringContaining('exec: "no-such-program": executable file not found in $PATH'),
    });
    expect(await json(`docker inspect ${JSON_FORMAT} odd`)).toMatchObject({
      State: { Status: 'created', Running: false, ExitCode: 127 },
    });
  });

  it('gives the container its environment, of the image, the file and the flags, and nothing of the host', async () => {
    const text = `printf 'TOKEN=a b\\n# no\\n' > env; docker run -d --pull=never --name env -e A=1 -e HOME=/tmp --env-file env --entrypoint sleep ${IMAGE} 600; rm env`;
    await bench.run('spark1', text);
    const { stdout } = await bench.run(
      'spark1',
      `docker exec env sh -c 'echo "$A|$TOKEN|$HOME|$USER|$NVIDIA_VISIBLE_DEVICES"'`,
    );
    expect(stdout).toBe('1|a b|/tmp||all\n');
    expect((await bench.run('spark1', 'docker exec env docker ps')).exitCode).toBe(127);
    expect(await start('env2', '--env-file gone')).toMatchObject({
      exitCode: 125,
      stderr: expect.stringContaining('docker: open gone: no such file or directory'),
    });
  });

  it('passes standard input, output and the exit code through exec', async () => {
    await start('pipe');
    expect(await bench.run('spark1', `docker exec -i pipe sh -c 'cat; echo no >&2; exit 7'`, 'in')).toEqual({
      exitCode: 7,
      stdout: 'in',
      stderr: 'no\n',
    });
    expect((await bench.run('spark1', 'docker exec pipe cat', 'in')).stdout).toBe('');
    expect(await bench.run('spark1', 'docker exec gone true')).toMatchObject({
      exitCode: 1,
      stderr: 'Error response from daemon: No such container: gone\n',
    });
  });

  it('keeps the output and the exit code of a container that has ended, and ends what else ran in it', async () => {
    const home = join(bench.folder, 'machines/spark1/home');
    await start(
      'ends',
      '',
      `--entrypoint sh ${IMAGE} -c 'echo one; echo two; until [ -e ${home}/go ]; do sleep 0.02; done; echo three >&2; exit 5'`,
    );
    await bench.run('spark1', 'docker exec -d ends sleep 800');
    const [sleeper] =
      /^\d+(?= +sleep 800)/m.exec((await bench.run('spark1', 'docker top ends -eo pid,args')).stdout) ?? [];
    expect(sleeper).toBeDefined();
    await bench.run('spark1', 'echo now > go');
    const state = await until(async () => {
      const found = await json(`docker inspect --format '{{json .State}}' ends`);
      return found.Running ? undefined : found;
    });
    expect(state).toMatchObject({ Status: 'exited', ExitCode: 5 });
    expect((await bench.run('spark1', 'docker logs --tail 2 ends')).stdout).toBe('two\nthree\n');
    expect((await bench.run('spark1', `docker exec ends true`)).stderr).toMatch(
      /^Error response from daemon: container \w+ is not running/,
    );
    expect((await bench.run('spark1', `docker top ends -eo pid,args`)).exitCode).toBe(1);
    expect(processOf(Number(sleeper))).toBeUndefined();
  });
});
