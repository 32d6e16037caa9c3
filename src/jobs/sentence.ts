/** With its node in front, unless the text names it early on: "spark2: no route to host". */
export function named(node: string | undefined, text: string): string {
  return node === undefined || text.slice(0, 120).includes(node) ? text : `${node}: ${text}`;
}

/** Ends as a sentence does. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
