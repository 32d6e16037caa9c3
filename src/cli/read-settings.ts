import { readSecretSources } from '../config/secret-sources.ts';
import { OperatorError } from '../errors.ts';
import type { OperationSettings, Role, Settings, SlackSettings, SlackWay, WorkerSettings } from '../settings.ts';

type Environment = Readonly<Partial<Record<string, string>>>;

export interface SettingsOptions {
  configFolder: string;
  /** Left out: both. */
  role?: string | undefined;
  /** Instead of the environment's. */
  httpPort?: string | undefined;
  metricsPort?: string | undefined;
}

export const DEFAULT_REDIS = 'redis://127.0.0.1:6379';
const LOOPBACK = '127.0.0.1';
const HTTP_PORT = '3000';

/** Environment -> Settings: what the role needs and no more. Every missing variable is named at once. */
export async function readSettings(env: Environment, options: SettingsOptions): Promise<Settings> {
  const role = readRole(options.role);
  return {
    configFolder: options.configFolder,
    redisUrl: env['REDIS_URL'] ?? DEFAULT_REDIS,
    ...(role === 'worker' ? {} : { slack: readSlack(env, { role, httpPort: options.httpPort }) }),
    ...(role === 'bot' ? {} : { worker: await readWorker(env) }),
    operation: readOperation(env, options.metricsPort),
  };
}

function readRole(role: string | undefined): Role | undefined {
  if (role === undefined || role === 'bot' || role === 'worker') return role;
  throw new OperatorError('usage', `There is no role "${role}"`, {
    hint: 'The roles are bot and worker; without --role a process is both.',
  });
}

/** The app token means Socket Mode, the signing secret means HTTP. Two ways at once would answer everything twice. */
export function readSlack(
  env: Environment,
  { role, httpPort }: { role?: Role | undefined; httpPort?: string | undefined } = {},
): SlackSettings {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret } = env;
  if (appToken && signingSecret) {
    throw new OperatorError('config', 'Both SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are set', {
      hint: 'Keep one: the app token for Socket Mode, the signing secret when Slack calls a URL of yours.',
    });
  }
  const missing = [
    ...(botToken ? [] : ['SLACK_BOT_TOKEN']),
    ...(appToken || signingSecret ? [] : ['SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET, for HTTP)']),
  ];
  if (missing.length > 0) {
    const whom = role === 'bot' ? 'The bot needs' : 'sparkops needs';
    throw new OperatorError('config', `Not set in the environment: ${missing.join(', ')}`, {
      hint: `${whom} them: the README says where Slack shows them. \`sparkops demo\` needs none, nor does \`sparkops start --role worker\`.`,
    });
  }
  const way: SlackWay = appToken
    ? { kind: 'socket', appToken }
    : {
        kind: 'http',
        signingSecret: signingSecret ?? '',
        host: env['SPARKOPS_HTTP_HOST'] || LOOPBACK,
        port: port(httpPort ?? (env['SPARKOPS_HTTP_PORT'] || HTTP_PORT), 'SPARKOPS_HTTP_PORT'),
      };
  return { botToken: botToken ?? '', way, ...(env['SLACK_API_URL'] ? { apiUrl: env['SLACK_API_URL'] } : {}) };
}

async function readWorker(env: Environment): Promise<WorkerSettings> {
  return {
    ...(env['SSH_AUTH_SOCK'] ? { sshAgent: env['SSH_AUTH_SOCK'] } : {}),
    secret: await readSecretSources(env),
  };
}

function readOperation(env: Environment, metricsPort: string | undefined): OperationSettings {
  const wanted = metricsPort ?? env['SPARKOPS_METRICS_PORT'];
  const { SPARKOPS_HEARTBEAT_URL: heartbeatUrl, SPARKOPS_BOARD_PORT: boardPort } = env;
  if (heartbeatUrl && !/^https?:\/\//.test(heartbeatUrl)) {
    throw new OperatorError('config', 'SPARKOPS_HEARTBEAT_URL is not an http:// or https:// address', {
      hint: 'Copy it from the service that watches sparkops, or leave it out.',
    });
  }
  return {
    ...(wanted
      ? { port: { host: env['SPARKOPS_METRICS_HOST'] || LOOPBACK, port: port(wanted, 'SPARKOPS_METRICS_PORT') } }
      : {}),
    ...(heartbeatUrl ? { heartbeatUrl } : {}),
    ...(boardPort ? { boardPort: port(boardPort, 'SPARKOPS_BOARD_PORT') } : {}),
    // The variable with which every OpenTelemetry SDK is told where to send.
    telemetry: Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT']),
  };
}

function port(text: string, name: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535 && text.trim() !== '') return number;
  throw new OperatorError('config', `${name}: "${text}" is not a port`, { hint: 'A number up to 65535.' });
}
