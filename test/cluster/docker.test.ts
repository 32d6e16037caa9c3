import { expect, it } from 'vitest';
import {
  containerLogs,
  dockerRun,
  envFile,
  execPython,
  imagePrograms,
  putFile,
  removeContainers,
  startContainer,
  startServe,
} from '../../src/cluster/docker.ts';
import { programPath } from '../../src/cluster/remote/programs.ts';
import { toShell } from '../../src/cluster/remote/shell.ts';
import { renderedPlan } from '../support/rendered-plan.ts';

const [head] = renderedPlan().nodes;
const STATE = '/home/aurora/.sparkops';

it('runs a container with everything that two Sparks need, and nothing else', () => {
  expect(dockerRun(head.container, { A: "it's b" }).words.join(' ')).toBe(
    [
      'docker run -d --pull=never --name sparkops-abcdefghij-spark1',
      '--label sparkops.realm=lab --label sparkops.deployment=abcdefghij --label sparkops.recipe=qwen35 --label sparkops.node=spark1',
      '--network host --ipc host --gpus all --ulimit memlock=-1 --ulimit stack=67108864',
      '--device /dev/infiniband --cap-add IPC_LOCK --cap-add SYS_PTRACE',
      '-v /etc/passwd:/etc/passwd:ro -v /etc/group:/etc/group:ro',
      '-v /home/aurora/.cache/huggingface:/home/aurora/.cache/huggingface -v /home/aurora/models:/home/aurora/models:ro',
      `-v ${STATE}/runs/abcdefghij:${STATE}/runs/abcdefghij`,
      "-e A=it's b --entrypoint ray hellohal2064/vllm-qwen3.5-gb10:latest",
      'start --block --head --port 29501 --node-ip-address 192.168.200.12 --object-store-memory 1073741824 --disable-usage-stats --include-dashboard=false',
    ].join(' '),
  );
});

it('starts it through the program that brings the secrets, with its number as a label', () => {
  const text = startContainer(head, 142).words.join(' ');
  expect(text).toMatch(`sh ${programPath(STATE, 'start-container.sh')} ${STATE}/runs/abcdefghij -- docker run -d`);
  expect(text).toContain('--label sparkops.node=spark1 --label sparkops.number=142 --network');
  expect(text).toContain('-e VLLM_HOST_IP=192.168.200.12');
});

it('makes the other commands', () => {
  expect(toShell(removeContainers(['a', 'b']))).toBe('docker rm --force a b');
  expect(toShell(containerLogs('a', 20))).toBe('docker logs --tail 20 a');
  expect(toShell(execPython('a', 'ray-nodes', '--limit', 3))).toBe('docker exec -i a python3 - ray-nodes --limit 3');
  expect(toShell(putFile(head, '/x/y'))).toBe(`sh ${programPath(STATE, 'put-file.sh')} /x/y`);
  expect(toShell(startServe(head, ['vllm', 'serve', 'a b']))).toBe(
    `sh ${programPath(STATE, 'start-serve.sh')} sparkops-abcdefghij-spark1 ${STATE}/runs/abcdefghij -- vllm serve 'a b'`,
  );
});

it.each(['--privileged', '-v', '', 'a b', 'a;b'])('takes %j for no name', (name) => {
  expect(() => removeContainers([name])).toThrow('Not the name of a container');
  expect(() => dockerRun({ ...head.container, image: name }, {})).toThrow('Not the name of a image');
  expect(() => dockerRun(head.container, { [name]: 'x' })).toThrow('Not the name of a variable');
});

it('writes secrets as an env file, one line each', () => {
  expect(envFile({ HF_TOKEN: 'a=b c', KEY: 'x' })).toBe('HF_TOKEN=a=b c\nKEY=x\n');
  expect(envFile({})).toBe('');
  expect(() => envFile({ HF_TOKEN: 'a\nPATH=/evil' })).toThrow('The value of HF_TOKEN has more than one line');
});

it('looks into the image under a name that is no deployment', () => {
  expect(imagePrograms(head, 'lab', ['ray', 'vllm']).words.join(' ')).toBe(
    `sh ${programPath(STATE, 'image-programs.sh')} sparkops-programs-lab ${head.container.image} ray vllm`,
  );
});
