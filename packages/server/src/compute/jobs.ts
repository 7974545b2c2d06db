// The jobs that worker threads run: pure functions whose inputs and results can be sent between threads.

import { changeCalendar, readCalendars } from './calendar.ts';
import { difference } from './difference.ts';
import { matchPaths } from './glob.ts';
import { nearest } from './likeness.ts';
import { renderMarkdown } from './markdown.ts';
import { merge } from './merge.ts';
import { readPage } from './page.ts';
import { patch } from './patch.ts';
import { replace } from './replace.ts';
import { placeInYaml, readYaml } from './yaml.ts';

export const jobs = {
  difference,
  merge,
  patch,
  replace,
  nearest,
  matchPaths,
  renderMarkdown,
  readPage,
  readCalendars,
  changeCalendar,
  readYaml,
  placeInYaml,
} as const;
