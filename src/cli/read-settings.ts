import { readSecretSources } from '../config/secret-sources.ts';
import { OperatorError } from '../errors.ts';
import type { Settings } from '../settings.ts';

type Environment = Readonly<Partial<Record<string, string>>>;

/** Environment -> Settings. Every missing variable is named at once. */
export async function readSettings(env: Environment, configFolder: string): Promise<Settings> {
  const missing = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'].filter((name) => !env[name]);
  if (missing.length > 0)
    throw new OperatorError('config', `Not set in the environment: ${missing.join(', ')}`, {
      hint: 'The README says where Slack shows them. `sparkops demo` needs none of them.',
    });

  return {
    configFolder,
    redisUrl: env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
    slack: {
      botToken: env['SLACK_BOT_TOKEN'] ?? '',
      appToken: env['SLACK_APP_TOKEN'] ?? '',
      ...(env['SLACK_API_URL'] ? { apiUrl: env['SLACK_API_URL'] } : {}),
    },
    ...(env['SSH_AUTH_SOCK'] ? { sshAgent: env['SSH_AUTH_SOCK'] } : {}),
    secret: await readSecretSources(env),
  };
}
