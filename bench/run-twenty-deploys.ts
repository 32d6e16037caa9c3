import { loadChannel } from './twenty-deploys.ts';

// npx tsx bench/run-twenty-deploys.ts [SECONDS]: 10 minutes when left out. Prints a table.
const seconds = Number(process.argv[2] ?? 600);
const rows = [
  '| deploys | edits | posts | 429 | phase shown after: median, 95 %, worst | end told after: median, 95 %, worst |',
  '| --- | --- | --- | --- | --- | --- |',
];
for (const deploys of [3, 20]) {
  const { edits, posts, refused, phases, ends } = await loadChannel({ deploys, seconds });
  const told = ({ median, p95, worst }: typeof phases) =>
    [median, p95, worst].map((ms) => `${(ms / 1_000).toFixed(1)} s`).join(', ');
  rows.push(`| ${deploys} | ${edits} | ${posts} | ${refused} | ${told(phases)} | ${told(ends)} |`);
}
process.stdout.write(`${rows.join('\n')}\n`);
