// Why a line is missed and what was tried, by the row's key. Written by hand; shown for missed rows only.

const statements =
  'A run sends one statement to enqueue it, and shares three appends with the others; each is a write that wakes Postgres. ' +
  'Tried: the 202, the first facts and the followers without reads, the end of a run in one append (eleven statements before). ' +
  'To try: enqueuing in groups.';
const sockets =
  'At 10 ms a token each token is a read of its own from the model, which is what direct pays, too, and a row in the log. ' +
  'Tried: pieces gather for up to 25 ms when many threads are written, so that a commit and a write to the client carry several. ' +
  'To try: putting pieces that were gathered together, as under pressure.';

export const notes: Readonly<Record<string, string>> = {
  'files-write':
    'A write is one commit and two fsyncs (the file, its folder), against one and one, and the statement also indexes the ' +
    'text for search (0.4 ms of 1.3). Tried: the content in the same statement as its version (a commit less), the mirror ' +
    'told what was written instead of reading it. To try: the temporary file synced while the commit is under way.',
  'cpu-direct-0ms×50': statements,
  'cpu-bare-0ms×50': statements,
  'cpu-bare-10ms×50': sockets,
  'throughput-direct': statements,
  'throughput-bare': statements,
  'first-token-10ms×1':
    'Two statements, each with its commit, come before the model is asked, none in bare. ' + statements,
  'cancel-aborted-here': 'A statement writes the cancel, a second reads it: the model is aborted after both.',
  dispatch: 'At 200 runs/s both cores are nearly busy, so a run waits for its turn. ' + statements,
};
