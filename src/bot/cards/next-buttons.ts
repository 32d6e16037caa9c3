import type { Button } from '@slack/types';
import { isEnded, type Deployment } from '../../jobs/deployment.ts';
import { foreignWord } from '../../jobs/foreign.ts';
import { button } from './button.ts';
import { keptBack } from './end-by-people.ts';

/** After an attempt that came to nothing: the same again, or what served before it. */
export function nextButtons(record: Deployment): readonly Button[] {
  if (!isEnded(record.state)) return [];
  return [...againButtons(record), ...retryButtons(record), ...bringBackButtons(record)];
}

function retryButtons({ run, state, uid }: Deployment): readonly Button[] {
  const came = run === 'deploy' && (state === 'failed' || state === 'died');
  return came ? [button({ action: 'retry', text: 'Retry', value: uid })] : [];
}

/** Nobody said no: it may be asked again as things are now. */
function againButtons(record: Deployment): readonly Button[] {
  const kind = keptBack(record);
  if (kind !== 'void' && kind !== 'expired') return [];
  return [button({ action: 'again', text: 'Ask again', value: typed(record) })];
}

function typed({ action, run, cluster, number, foreign = [] }: Deployment): string {
  switch (action ?? run) {
    case 'restart':
    case 'rollback':
    case 'stop':
      return `${action ?? run} on ${cluster}`;
    case 'stop-foreign':
      return `stop-foreign ${[...new Set(foreign.map(foreignWord))].join(',')} on ${cluster}`;
    case 'deploy':
    case 'cancel':
      return `retry ${number}`;
  }
}

/** What was removed for it can come back. */
function bringBackButtons({ run, state, replaces = [], replacedBy }: Deployment): readonly Button[] {
  const [before] = replaces;
  if (!before || replacedBy !== undefined || run !== 'deploy' || (state !== 'failed' && state !== 'cancelled'))
    return [];
  return [button({ action: 'bring-back', text: `Bring back ${before.recipe}`, value: `rollback ${before.number}` })];
}
