// Why a line is missed and what was tried, by the row's key. Written by hand; shown for missed rows only.

const statements =
  'A run sends one statement to enqueue it, and shares three appends with the others; each is a write that wakes Postgres. ' +
  'Tried: the 202, the first facts and the followers without reads, the end of a run in one append (eleven statements before), ' +
  'chats written to disk only while no run is running. To try: enqueuing in groups.';

const alone =
  'One run at a time commits token by token, so that a token is durable before anybody sees it: each commit is a write that wakes ' +
  'Postgres. Tokens are put together only where more than four threads are being written.';

const newChat =
  'A direct call keeps nothing; here the chat, its message and its run are committed before the model is asked, and the first token ' +
  'before it is shown.';

export const notes: Readonly<Record<string, string>> = {
  'cpu-direct-0ms×1': alone,
  'cpu-bare-0ms×1': alone,
  'cpu-direct-10ms×1': alone,
  'cpu-bare-10ms×1': alone,
  'files-write':
    'A write is one commit and two fsyncs (the file, its folder), against one and one. Tried: the content in the same statement as its ' +
    'version (a commit less), the mirror told what was written instead of reading it, the file synced while the commit is in flight, ' +
    'texts indexed afterwards.',
  'knowledge-create':
    'A task is an entity, a version, an event and a row to index, and the workspace’s row is updated: one statement and one commit, against one row. ' +
    'Tried: plans that are kept, the project checked once and without a lock, its first version written at once, the text indexed afterwards.',
  'knowledge-document':
    'A document is the file and three more rows (an entity, its place, the count of the structure) with two patches, in the same commit. ' +
    'Tried: a path of its own for one new document, plans that are kept, no second look for a plan, the patch returned ' +
    'instead of a read, the folder of the project kept.',
  'cpu-direct-0ms×50': statements,
  'cpu-bare-0ms×50': statements,
  'cpu-bare-10ms×50':
    'At 10 ms a token each token is a read of its own from the model, which is what direct pays, too. Tried: many models are read ' +
    'together, every 50 ms at most, so that a read, a commit and a write to the client carry several tokens.',
  'throughput-direct': statements,
  'throughput-bare': statements,
  'first-token-0ms×1':
    'Bare asks the model at once; here a commit comes before, another before the first token is shown, and the client’s second request.',
  'first-token-10ms×1':
    'Bare asks the model at once; here a commit comes before, another before the first token is shown, and the client’s second request. ' +
    'Tried: the model asked while the run’s beginning is being written, the first token in the next append alone.',
  'first-token-0ms×50': 'The slowest of runs that come fifty at once. ' + statements,
  'cancel-aborted-here':
    'One commit, then the model is aborted. Tried: the owner told at once instead of reading the cancel, the run not read first.',
  'chat-first-token':
    'Two commits, each with its work (a message, a run, a claim; four events and three rows), and the lookup of the workspace by its ' +
    'name. Tried: no reading of the log, the first token in the same append as the run’s beginning, cheaper estimates and tool profiles, ' +
    'values that need no quoting (25 ms before).',
  'new-chat-agent': newChat,
  'new-chat-chat': newChat,
  dispatch: 'At 200 runs/s both cores are nearly busy, so a run waits for its turn. ' + statements,
};
