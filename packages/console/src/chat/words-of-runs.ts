// What runs of modes do, in words for people.

import type { EventData } from '@continuo/protocol';
import { number } from '../ui/format.tsx';

type Verdict = EventData['verdict'];

export const VERDICTS: Record<Verdict['verdict'], string> = {
  met: 'The goal is met',
  not_met: 'Not there yet',
  impossible: 'The goal cannot be met',
};

export const DECIDED_BY: Record<Verdict['by'], string> = {
  check: 'by the check command',
  judge: 'by the judge',
  watchdog: 'because the round failed',
};

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}
