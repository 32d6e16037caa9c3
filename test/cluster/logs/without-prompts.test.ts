import { expect, test } from 'vitest';
import { lineCleaner } from '../../../src/cluster/logs/clean-lines.ts';
import { withoutPrompts } from '../../../src/cluster/logs/without-prompts.ts';

const BEFORE = '(APIServer pid=1) INFO 06-07 13:28:58 [launcher.py:46] Route: /health, Methods: GET';
const AFTER =
  '(APIServer pid=1) INFO 06-07 13:29:29 [loggers.py:271] Engine 000: Avg prompt throughput: 231.0 tokens/s, Running: 1 reqs';

test.each([
  [
    'vLLM, a request',
    "(APIServer pid=1) INFO 06-07 13:29:01 [logger.py:39] Received request chatcmpl-8f: prompt: '<|im_start|>user\\nmy SECRET question', params: SamplingParams(n=1), prompt_token_ids: None, lora_request: None.",
  ],
  [
    'vLLM 0.8, a request',
    "INFO 08-19 21:25:13 logger.py:42] Received request cmpl-1-0: prompt: 'SECRET', params: SamplingParams(n=1), prompt_token_ids: [128000, 9906].",
  ],
  [
    'vLLM, its details',
    "(APIServer pid=1) DEBUG 06-07 13:29:01 [logger.py:50] Request chatcmpl-8f details: prompt: 'SECRET', prompt_token_ids: [1, 2]",
  ],
  [
    'vLLM, an answer',
    "(APIServer pid=1) INFO 06-07 13:29:09 [logger.py:71] Generated response chatcmpl-8f (streaming complete): output: 'SECRET', output_token_ids: None, finish_reason: stop",
  ],
  [
    'vLLM, what it dumps when it dies',
    '(EngineCore_DP0 pid=322563) ERROR 12-25 11:58:02 [dump_input.py:79] Dumping scheduler output for model execution: SchedulerOutput(scheduled_new_reqs=[NewRequestData(req_id=SECRET,prompt_token_ids=[1]',
  ],
  [
    'a body that the API refuses',
    "(APIServer pid=1) ERROR 06-07 13:29:09 [serving.py:5] 1 validation error: {'type': 'missing', 'loc': ('body', 'model'), 'input': {'messages': [{'role': 'user', 'content': 'SECRET'}]}}",
  ],
  ['a body as JSON', '{"model": "qwen35", "messages": [{"role": "user", "content": "SECRET"}], "stream": true}'],
  ['a body as JSON, of the older kind', '(APIServer pid=1) INFO:     body: {"prompt":"SECRET","max_tokens":5}'],
  [
    'a form of a tool call',
    '(APIServer pid=1) INFO 06-07 13:29:09 [x.py:1] {"name": "find", "arguments": "{\\"q\\": \\"SECRET\\"}"}',
  ],
  [
    'SGLang, a request',
    "[2026-08-12 10:41:01] Receive: obj=GenerateReqInput(rid='1', text='SECRET', sampling_params={'temperature': 0})",
  ],
  [
    'SGLang, a request of the OpenAI kind',
    "[2026-08-12 10:41:02 TP0] Receive OpenAI: obj=ChatCompletionRequest(messages=[{'content': 'SECRET'}])",
  ],
  [
    'SGLang, an answer',
    "[2026-08-12 10:41:03] Finish: obj=GenerateReqInput(rid='1'), out={'text': ' SECRET', 'meta_info': {'id': '1'}}",
  ],
  [
    'the older vLLM engine',
    "INFO 08-19 21:25:13 x.py:9] RequestOutput(request_id=0, prompt='SECRET', outputs=[CompletionOutput(index=0, text=' SECRET')])",
  ],
])('leaves out %s, with what follows it', (_, line) => {
  const lines = [BEFORE, line, 'SECRET, second line of a question', '', '  INFO of a third', AFTER];
  expect(withoutPrompts(lines)).toEqual([BEFORE, AFTER]);
  expect(
    lineCleaner()(`${lines.join('\n')}\n`)
      .map(({ text }) => text)
      .join('\n'),
  ).not.toContain('SECRET');
});

test.each([
  '(APIServer pid=1) INFO:     172.17.0.1:44082 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  '[2026-06-07 11:58:23] Prefill batch, #new-seq: 1, #new-token: 6, token usage: 0.00',
  '2025-12-25 11:51:11,225\tINFO worker.py:1837 -- Connecting to existing Ray cluster at address: 192.168.200.12:6379...',
  'W0607 13:27:42.911000 96 torch/_inductor/utils.py:1731] Not enough SMs',
  '[rank0]:[W822 16:31:16.13 ProcessGroupNCCL.cpp:632] destroy_process_group() was not called',
  'spark:1171:1171 [0] NCCL INFO Bootstrap: Using enp1s0f1np1:192.168.200.12<0>',
  '0.02.254.428 I srv  llama_server: server is listening on http://0.0.0.0:18082',
])('goes on with the next record: %s', (line) => {
  expect(withoutPrompts(["INFO 06-07 13:29:01 [logger.py:39] Received request 1: prompt: 'a'", 'b', line])).toEqual([
    line,
  ]);
});

test('what says why an engine did not start stays', () => {
  const lines = [
    "(APIServer pid=1) INFO 06-07 13:19:24 [utils.py:233] non-default args: {'model_tag': 'q', 'host': '0.0.0.0', 'limit_mm_per_prompt': {}}",
    'pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig',
    "  Value error, User-specified max_model_len (999999) is greater than the derived max_model_len [type=value_error, input_value=ArgsKwargs((), {'model': 'q'}), input_type=ArgsKwargs]",
    '(EngineCore_DP0 pid=5) ERROR 06-07 13:20:01 [core.py:708]     self.model_executor = executor_class(vllm_config)',
    '(EngineCore_DP0 pid=5) ERROR 06-07 13:20:01 [core.py:708] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB',
    'Loading safetensors checkpoint shards:  50% Completed | 1/2 [05:57<05:57, 357.35s/it]',
    "specs=[{'GPU': 1.0, 'node:192.168.200.12': 0.001}, {'GPU': 1.0}]",
  ];
  expect(withoutPrompts(lines)).toEqual(lines);
});

test('a log that was cut in the middle of a question begins with the first record', () => {
  const lines = ['the rest of a SECRET question', 'RuntimeError: of a user', AFTER, 'a line of its own'];
  expect(withoutPrompts(lines, { cut: true })).toEqual([AFTER, 'a line of its own']);
  expect(withoutPrompts(lines)).toEqual(lines);
  expect(withoutPrompts(['serve.py: vllm: No such file or directory'], { cut: true })).toHaveLength(1);
});

test('a question longer than anybody holds, in pieces, leaves nothing behind', () => {
  const feed = lineCleaner();
  const texts: string[] = [];
  const pieces = [
    `${BEFORE}\n${"INFO 06-07 13:29:01 [l.py:3] Received request 1: prompt: '".padEnd(9_000, 'x')}`,
    'SECRET '.repeat(2_000),
    `SECRET\nSECRET\n${AFTER}\n`,
  ];
  for (const piece of pieces) texts.push(...feed(piece).map(({ text }) => text));
  expect(texts).toEqual([BEFORE, AFTER].map((line) => line.replace('(APIServer pid=1) ', '')));
  const late = lineCleaner();
  const body = [`{"model": "q", "tools": "${'x'.repeat(9_000)}`, `", "messages": ["SECRET`, `"]}\n${AFTER}\n`];
  expect(body.flatMap((piece) => late(piece)).map(({ text }) => text)).toEqual([
    AFTER.replace('(APIServer pid=1) ', ''),
  ]);
});
