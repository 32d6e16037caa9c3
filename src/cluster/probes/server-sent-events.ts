/** The `data:` of each event of a stream. */
export async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = /^data: ?(.*)$/.exec(line)?.[1];
      if (data !== undefined) yield data;
    }
  }
}
