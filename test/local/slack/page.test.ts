import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { LocalSlack } from '../../../src/local/slack/local-slack.ts';
import { blocksHtml } from '../../../src/local/slack/page/blocks-html.ts';
import { mrkdwnHtml } from '../../../src/local/slack/page/mrkdwn-html.ts';
import { APPROVER, OPERATOR, OPS_CHANNEL, VIEWER } from '../../../src/local/slack/people.ts';
import type { Reader } from '../../../src/local/slack/text/reader.ts';
import { newSlack, overSocket } from './example-app.ts';

const reader: Reader = { user: () => 'Operator', channel: () => 'spark-ops', now: () => 0, timeZone: 'UTC' };
const render = (...blocks: KnownBlock[]): string => blocksHtml(blocks, { reader, people: [], errors: {} });

describe('mrkdwn', () => {
  test.each([
    ['*b* _i_ ~s~', '<div><b>b</b> <i>i</i> <s>s</s></div>'],
    ['a*b*c', '<div>a*b*c</div>'],
    ['`c*o*de` *x*', '<div><code>c*o*de</code> <b>x</b></div>'],
    ['&gt; said\nthen', '<blockquote>said</blockquote><div>then</div>'],
    ['<!subteam^S1>', '<div><span class="mention">@Operator</span></div>'],
    ['<@U1> <#C1>', '<div><span class="mention">@Operator</span> <span class="mention">#spark-ops</span></div>'],
    ['<script>alert(1)</script>', '<div>&lt;script&gt;alert(1)&lt;/script&gt;</div>'],
    ['`<img src=x onerror=alert(1)>`', '<div><code>&#60;img src=x onerror=alert(1)&#62;</code></div>'],
    ['<javascript:alert(1)|click>', '<div>&lt;javascript:alert(1)|click&gt;</div>'],
    ['<https://x.test/"onclick="a|<b>>', '<div>&lt;https://x.test/"onclick="a|&lt;b&gt;&gt;</div>'],
    ['<!date^0^{time}^javascript:alert(1)|now>', '<div><time>00:00</time></div>'],
    ['\uE0000\uE001 *x*', '<div>0 <b>x</b></div>'],
  ])('%s', (source, html) => {
    expect(mrkdwnHtml(source, reader)).toBe(html);
  });

  test('a link cannot leave its attribute', () => {
    expect(mrkdwnHtml('<https://x.test/"onclick="alert(1)|"label>', reader)).toBe(
      '<div><a href="https://x.test/&#34;onclick=&#34;alert(1)" target="_blank" rel="noopener noreferrer">&#34;label</a></div>',
    );
  });
});

describe('blocks', () => {
  const nasty = '"><script>alert(1)</script>';
  const plain = { type: 'plain_text' as const, text: nasty };

  test('no text becomes markup', () => {
    const confirm = { title: plain, text: plain, confirm: plain, deny: plain };
    const html = render(
      { type: 'header', text: plain },
      {
        type: 'actions',
        block_id: nasty,
        elements: [
          { type: 'button', action_id: nasty, value: nasty, text: plain, confirm },
          { type: 'static_select', action_id: 'a', placeholder: plain, options: [{ text: plain, value: nasty }] },
        ],
      },
      { type: 'markdown', text: nasty },
      { type: 'task_card', task_id: '1', title: nasty, status: 'error' },
      { type: 'table', rows: [[{ type: 'raw_text', text: nasty }]] },
      { type: 'image', image_url: nasty, alt_text: nasty },
    );
    expect(html).not.toContain('<script');
    expect(html).toContain('data-action="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"');
  });

  test('a link button to a script is no link', () => {
    const button = {
      type: 'button' as const,
      action_id: 'a',
      text: { ...plain, text: 'x' },
      url: 'javascript:alert(1)',
    };
    expect(render({ type: 'actions', elements: [button] })).not.toContain('javascript:');
  });

  test('a plan shows each task with a shape and a word', () => {
    const html = render({
      type: 'plan',
      title: 'Deploying',
      tasks: [{ type: 'task_card', task_id: '1', title: 'Load', status: 'in_progress' }],
    });
    expect(html).toContain('<h4>Deploying</h4>');
    expect(html).toContain(
      '<span class="shape" aria-hidden="true">◐</span><div>Load<span class="word">, running</span></div>',
    );
  });
});

describe('the page', () => {
  const post = (slack: LocalSlack, path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(slack.url + path, {
      method: 'POST',
      headers: { origin: slack.url.slice(0, -1), 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  async function nextPicture(slack: LocalSlack, user: string): Promise<{ list: string; modal: string; head: string }> {
    const abort = new AbortController();
    const response = await fetch(`${slack.url}page/stream?as=${user}`, { signal: abort.signal });
    const first = await response.body?.getReader().read();
    abort.abort();
    const text = Buffer.from(first?.value ?? new Uint8Array()).toString('utf8');
    return JSON.parse(text.slice('data: '.length)) as { list: string; modal: string; head: string };
  }

  test('is served with a policy that runs only its own script', async () => {
    const slack = await newSlack();
    const response = await fetch(`${slack.url}?as=${APPROVER}`);
    const html = await response.text();
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    for (const name of ['Operator', 'Approver', 'Viewer', 'Admin']) expect(html).toContain(`</span> ${name}</a>`);
    expect(html).toContain('</span> Guest <span class="badge">guest</span></a>');
    expect(html).toContain('</span> Stranger <span class="badge">of elsewhere</span></a>');
    expect(html).not.toMatch(/<script>|style=|onclick=/);
    expect((await fetch(`${slack.url}page/page.js`)).headers.get('content-type')).toContain('text/javascript');
    expect((await fetch(`${slack.url}page/page.css`)).status).toBe(200);
    expect((await fetch(`${slack.url}page/else`)).status).toBe(404);
  });

  test('another site cannot press buttons or read', async () => {
    const slack = await newSlack();
    const foreign = { origin: 'https://evil.test' };
    expect((await post(slack, 'page/say', { text: 'x' }, foreign)).status).toBe(403);
    expect((await fetch(`${slack.url}page/say`, { method: 'POST', body: '{"text":"x"}' })).status).toBe(403);
    expect(slack.messages(OPS_CHANNEL)).toEqual([]);
  });

  test('typing, pressing, filling in a modal; each person sees their own', async () => {
    const slack = await newSlack();
    await overSocket(slack);
    await post(slack, `page/say?as=${OPERATOR}`, { text: '/spark deploy qwen35' });
    const card = await slack.until(() => slack.messages(OPS_CHANNEL)[0]);
    await slack.until(() => slack.ephemerals(OPERATOR)[0]);
    const mine = await nextPicture(slack, OPERATOR);
    expect(mine.list).toContain('Only visible to you');
    expect(mine.list).toContain('data-action="approve"');
    expect(mine.head).toContain('sparkops is connected');
    expect((await nextPicture(slack, VIEWER)).list).not.toContain('Only visible to you');

    await post(slack, `page/click?as=${OPERATOR}`, { ts: card.ts, actionId: 'edit', blockId: 'decide' });
    const modal = await slack.until(() => slack.modals(OPERATOR)[0]);
    expect((await nextPicture(slack, OPERATOR)).modal).toContain('Context length');
    expect((await nextPicture(slack, VIEWER)).modal).toBe('');
    await post(slack, `page/submit?as=${OPERATOR}`, { viewId: modal.view.id, typed: { length: 'many' } });
    expect((await nextPicture(slack, OPERATOR)).modal).toContain('must be a number');
    await post(slack, `page/close?as=${OPERATOR}`, { viewId: modal.view.id });
    expect(slack.modals(OPERATOR)).toEqual([]);
    const wrong = await post(slack, `page/click?as=${OPERATOR}`, { ts: card.ts, actionId: 'nothing' });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { ok: false }]);
  });
});
