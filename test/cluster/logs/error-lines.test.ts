import { expect, it } from 'vitest';
import { lineCleaner } from '../../../src/cluster/logs/clean-lines.ts';
import { plainCause } from '../../../src/cluster/logs/error-lines.ts';

const nodeOf = (ip: string) => (ip === '192.168.200.13' ? 'spark2' : undefined);
const read = (...lines: string[]) => plainCause(lineCleaner()(`${lines.join('\n')}\n`), nodeOf);

it('finds the end of a traceback', () => {
  const cause = read(
    '(APIServer pid=1) INFO 06-07 13:18:49 [model.py:1680] Using max model len 8192',
    '(APIServer pid=1) Traceback (most recent call last):',
    '(APIServer pid=1)   File "/usr/local/bin/vllm", line 10, in <module>',
    '(APIServer pid=1)     sys.exit(main())',
    '(APIServer pid=1)              ^^^^^^',
    '(APIServer pid=1) ValueError: Chunked MM input disabled but max_tokens_per_mm_item (2496) is larger.',
  );
  expect(cause).toEqual({
    text: 'ValueError: Chunked MM input disabled but max_tokens_per_mm_item (2496) is larger.',
    exception: 'ValueError',
    lines: [
      'Using max model len 8192',
      'Traceback (most recent call last):',
      '  File "/usr/local/bin/vllm", line 10, in <module>',
      '    sys.exit(main())',
      'ValueError: Chunked MM input disabled but max_tokens_per_mm_item (2496) is larger.',
    ],
  });
});

it("finds the error of a worker on another node behind the engine's own", () => {
  const worker =
    '(EngineCore_DP0 pid=1) (RayWorkerWrapper pid=2, ip=192.168.200.13) ERROR 12-01 10:00:00 [worker_base.py:342]';
  const cause = read(
    `${worker} Traceback (most recent call last):`,
    `${worker} torch.OutOfMemoryError: CUDA out of memory.`,
    '(EngineCore_DP0 pid=1) ERROR 12-01 10:00:01 [core.py:700] EngineCore failed to start.',
    '(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
  );
  expect(cause).toEqual({
    text: 'torch.OutOfMemoryError: CUDA out of memory.',
    exception: 'torch.OutOfMemoryError',
    ip: '192.168.200.13',
    lines: [
      'spark2: Traceback (most recent call last):',
      'spark2: torch.OutOfMemoryError: CUDA out of memory.',
      'EngineCore failed to start.',
      'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
    ],
  });
});

it('names an address that no node has', () => {
  const cause = read('(RayWorkerWrapper pid=2, ip=10.0.0.9) RuntimeError: x');
  expect(cause).toMatchObject({ ip: '10.0.0.9', lines: ['10.0.0.9: RuntimeError: x'] });
});

it.each([
  ['an error record without an exception', ['INFO a', 'ERROR 12-01 10:00:00 [x.py:1] no way', 'INFO b'], 'no way'],
  [
    'only an error that points elsewhere',
    ['INFO a', 'RuntimeError: Engine core initialization failed.'],
    'RuntimeError: Engine core initialization failed.',
  ],
  ['no error at all', ['INFO a', 'Killed'], 'Killed'],
  ['an exception without a message', ['KeyError', 'INFO a'], 'KeyError'],
])('copes with %s', (_, lines, text) => {
  expect(read(...lines).text).toBe(text);
});

it('copes with an empty log', () => {
  expect(plainCause([], nodeOf)).toEqual({ text: 'the log is empty', lines: [] });
});

it('shows at most 15 lines, none of them long', () => {
  const noise = Array.from({ length: 100 }, (_, at) => `ERROR 12-01 10:00:00 [x.py:${at}] ${'x'.repeat(1_000)}`);
  const { lines, text } = read(...noise, 'RuntimeError: no', ...noise);
  expect(text).toBe('RuntimeError: no');
  expect(lines.length).toBe(13);
  expect(Math.max(...lines.map((line) => line.length))).toBe(400);
});

const BAR = 'Loading safetensors checkpoint shards:  51% Completed | 20/39 [00:01<00:01,  0.08s/it]';

it('leaves bars out beside an error, and shows them when there is nothing else', () => {
  expect(read(BAR, 'RuntimeError: no').lines).toEqual(['RuntimeError: no']);
  expect(read('INFO a', BAR).lines).toEqual(['INFO a', BAR]);
});

it('cuts the cause at a sentence, and shows the line that it is of whole', () => {
  const line = `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. ${'And so on. '.repeat(40)}end`;
  const { text, lines } = read(line);
  expect(text).toMatch(/^torch\.OutOfMemoryError: CUDA out of memory\. Tried to allocate 2\.00 GiB\. .*And so on\.$/);
  expect(text.length).toBeLessThanOrEqual(150);
  expect(lines).toEqual([line]);
});
