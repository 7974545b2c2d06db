// Why a line is missed and what was tried, by the row's key. Written by hand; shown for missed rows only.

const statements =
  'A run sends about 11 statements besides its tokens, and writing them is the largest part of the server’s time. ' +
  'Tried: facts taken only on a wake-up instead of at every step (two statements fewer). ' +
  'To try: the 202 from what enqueuing returned, no reads for a thread’s first run, the end of a run in one append.';
const sockets =
  'At 10 ms a token every token is an append and a write of its own, for durability and for the client; ' +
  'bare writes it once and keeps nothing.';

export const notes: Readonly<Record<string, string>> = {
  'cpu-direct-0ms×50': statements,
  'cpu-bare-0ms×50': statements,
  'cpu-bare-10ms×50': sockets,
  'throughput-direct': statements,
  'throughput-bare': statements,
  'first-token-10ms×1':
    'Four statements and two commits come before the model is asked, none in bare. ' + statements,
  'cancel-aborted-here': 'A statement writes the cancel, a second reads it: the model is aborted after both.',
  dispatch: 'At 200 runs/s both cores are nearly busy, so a run waits for its turn. ' + statements,
};
