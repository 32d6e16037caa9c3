import type { Plan } from '../plan.ts';
import type { OurContainer } from './containers.ts';

/** The plan of the deployment that these containers are of, from its deployment.json. Undefined: none was read, or it is broken. */
export function planIn(containers: readonly Pick<OurContainer, 'record'>[]): Plan | undefined {
  const text = containers.find(({ record }) => record !== undefined)?.record;
  if (text === undefined) return undefined;
  try {
    const { plan } = JSON.parse(text) as { plan?: Plan };
    return Array.isArray(plan?.nodes) && Array.isArray(plan.serve?.argv) && plan.port > 0 ? plan : undefined;
  } catch {
    return undefined;
  }
}
