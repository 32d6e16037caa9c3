export interface Audit {
  ok: boolean;
  /** For people. */
  lines: readonly string[];
}

const GRAVE = new Set(['high', 'critical']);

/** What `npm audit --json` printed. Whatever isn't a report of npm's is no proof of anything: it is not ok. */
export function readAudit(json: string): Audit {
  const report = parsed(json);
  const { vulnerabilities, metadata } = report;
  const asked = metadata?.dependencies?.total ?? metadata?.dependencies?.prod ?? 0;
  if (!vulnerabilities || asked === 0) {
    const why = report.message ?? report.error?.summary ?? 'npm audit printed no report';
    return {
      ok: false,
      lines: [`Not checked: the registry did not say what is known of our dependencies (${why.split('\n')[0]}).`],
    };
  }
  const grave = Object.values(vulnerabilities).filter(({ severity = '' }) => GRAVE.has(severity));
  const known = Object.keys(vulnerabilities).length;
  if (grave.length === 0) {
    const lesser = known === 0 ? '' : `; ${known} lesser ones: npm audit --omit=dev`;
    return { ok: true, lines: [`No grave vulnerability is known of ${asked} dependencies${lesser}.`] };
  }
  return {
    ok: false,
    lines: grave.map(({ name = '?', severity, range = '' }) => `${severity}: ${name} ${range}`.trim()),
  };
}

interface Report {
  vulnerabilities?: Record<string, { name?: string; severity?: string; range?: string }>;
  metadata?: { dependencies?: { total?: number; prod?: number } };
  message?: string;
  error?: { summary?: string };
}

function parsed(json: string): Report {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
