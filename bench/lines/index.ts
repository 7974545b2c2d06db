// Every line, in the order of the table.

import { append } from './append.ts';
import { attack } from './attack.ts';
import { cancel } from './cancel.ts';
import { chats } from './chats.ts';
import { cpu } from './cpu.ts';
import { content } from './content.ts';
import { deltas } from './deltas.ts';
import { dispatch } from './dispatch.ts';
import { endurance } from './endurance.ts';
import { executor } from './executor.ts';
import { files } from './files.ts';
import { followers } from './followers.ts';
import { help } from './help.ts';
import { history } from './history.ts';
import { idle } from './idle.ts';
import { knowledge } from './knowledge.ts';
import { latency, tail } from './latency.ts';
import type { Line } from './line.ts';
import { newChats } from './new-chats.ts';
import { plans } from './plans.ts';
import { projection } from './projection.ts';
import { resume } from './resume.ts';
import { sandbox } from './sandbox.ts';
import { screen } from './screen.ts';
import { search } from './search.ts';
import { takeover } from './takeover.ts';
import { throughput } from './throughput.ts';
import { traces } from './traces.ts';
import { view } from './view.ts';

export const lines: readonly Line[] = [
  deltas,
  cpu,
  traces,
  throughput,
  latency,
  tail,
  followers,
  cancel,
  dispatch,
  takeover,
  executor,
  append,
  resume,
  history,
  projection,
  view,
  screen,
  files,
  knowledge,
  plans,
  search,
  content,
  sandbox,
  attack,
  chats,
  newChats,
  help,
  idle,
  endurance,
];
