/** What reading programs print, as tests write it down. */

export interface ContainerLines {
  name: string;
  uid: string;
  number?: number;
  recipe?: string;
  running?: boolean;
  exit?: number;
  oom?: boolean;
  engine?: 'alive' | 'none' | 'unknown';
  serveStarted?: string;
  serveExit?: string;
  image?: string;
  /** RUN/deployment.json, as a look with records shows it. */
  record?: string;
  /** Instead of all else: what Docker said. */
  problem?: string;
}

export const ID = 'f00d';
export const STARTED = '2026-12-01T10:00:00.5Z';

export function section(name: string, lines: readonly string[], exitCode = 0): string {
  return [`# ${name}`, ...lines.map((line) => ` ${line}`), ' ', ` rc=${exitCode}`, ''].join('\n');
}

/** The output of containers.sh. */
export function containersAnswer(
  containers: readonly ContainerLines[] = [],
  ports: readonly number[] = [22],
  survivors: readonly string[] = [],
): string {
  return (
    section(
      'containers',
      containers.map(({ name }) => JSON.stringify({ Names: name })),
    ) +
    containers.map(containerAnswer).join('') +
    section(
      'listeners',
      ports.map((port) => `LISTEN 0      4096         0.0.0.0:${port}      0.0.0.0:*`),
    ) +
    (survivors.length === 0 ? '' : section('survivors', survivors))
  );
}

/** What foreign-facts.sh adds where nothing foreign runs, or these containers. */
export function foreignAnswer(containers: readonly ForeignLines[] = [], apps: readonly string[] = []): string {
  return (
    section(
      'foreign',
      containers.flatMap(({ id, ...fields }) => [
        `id=${id}`,
        ...Object.entries(fields).map(([key, value]) => `${key}=${value}`),
      ]),
    ) + section('gpu-apps', apps)
  );
}

/** As `describe` prints them: name, running, restart, network, gpu, ports ... */
export type ForeignLines = { id: string } & Readonly<Record<string, string>>;

function containerAnswer(container: ContainerLines): string {
  const {
    name,
    uid,
    number = 1,
    recipe = 'qwen35',
    running = true,
    exit = 0,
    oom = false,
    engine = 'none',
  } = container;
  const { serveStarted = '', serveExit = '', image, record, problem } = container;
  const lines =
    problem === undefined
      ? [
          `id=${ID}`,
          `running=${running}`,
          `oom=${oom}`,
          `exit=${exit}`,
          `started=${STARTED}`,
          'finished=0001-01-01T00:00:00Z',
          'label-realm=lab',
          `label-deployment=${uid}`,
          `label-number=${number}`,
          `label-recipe=${recipe}`,
          ...(image === undefined ? [] : [`image=${image}`]),
        ]
      : [`problem=${problem}`];
  const told = [...lines, `engine=${engine}`, `serve-started=${serveStarted}`, `serve-exit=${serveExit}`];
  const shown = record === undefined ? '' : section(`record ${name}`, [record]);
  return section(`container ${name}`, told) + shown;
}
