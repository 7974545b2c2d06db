// A pod's mirrors in a process of their own, to be killed and stopped: writes what it is told to, and says what happened.

import {
  connect,
  createMirrors,
  createPool,
  parsePath,
  PostgresBus,
  removeFile,
  saveFile,
  subscribeMirrors,
  Workspaces,
} from '@continuo/server/internals';
import type { Order } from './mirror-order.ts';

const [url, home, workspaceId, lease] = process.argv.slice(2) as [string, string, string, string];
let armed = { point: '', left: 0, signal: 'SIGKILL' };
const settings = { connection: url, applicationName: 'continuo-mirror', leaseSeconds: Number(lease) };
const pool = createPool(settings, () => undefined);
const bus = new PostgresBus({
  pool,
  alone: () => false,
  onError: (error) => say({ reason: error.message }, 'the bus had trouble'),
});
const workspaces = new Workspaces({
  bus,
  maxFileBytes: 32 * 1024 * 1024,
  quotaBytes: 2 ** 40,
});

function hit(point: string): void {
  if (point !== armed.point) return;
  armed.left -= 1;
  if (armed.left !== 0) return;
  process.send!({ hit: point });
  process.kill(process.pid, armed.signal);
  // The signal may reach another thread of this process first: nothing more happens in this one meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}

const say = (fields: object, text: string) => void process.send!({ warning: { text, ...fields } });
const mirrors = createMirrors({
  pool,
  database: settings,
  home,
  workspaces,
  log: { info: () => undefined, warn: say, error: say },
  now: () => new Date(),
  faults: hit,
});
workspaces.attach(mirrors);
subscribeMirrors(bus, mirrors);

async function obey(order: Order): Promise<unknown> {
  const { kind, path = '', text = '' } = order;
  const parsed = parsePath(path);
  const where = { workspaceId, author: { kind: 'person' } as const, base: null };
  switch (kind) {
    case 'arm': {
      const [point = '', nth = '1'] = order.fault!.split('#');
      armed = { point, left: Number(nth), signal: order.signal ?? 'SIGKILL' };
      return null;
    }
    case 'folder':
      return mirrors.folder(workspaceId);
    case 'role':
      return mirrors.role;
    case 'stop':
      await mirrors.stop();
      await listener.end();
      await pool.end();
      setImmediate(() => process.disconnect());
      return null;
    case 'remove': {
      if (!parsed.ok) throw new Error(parsed.problem);
      const removed = await removeFile(pool, { ...where, path: parsed.path });
      process.send!({ committed: order.id });
      await workspaces.committed(workspaceId, [removed]);
      return removed.kind;
    }
    case 'write': {
      if (!parsed.ok) throw new Error(parsed.problem);
      const saved = await saveFile(pool, pool, {
        ...where,
        path: parsed.path,
        quotaBytes: 2 ** 40,
        stage: workspaces.stage,
        bytes: Buffer.from(text),
        merge: false,
      });
      if (saved.kind !== 'changed') return saved.kind;
      process.send!({ committed: order.id });
      await workspaces.committed(workspaceId, [saved]);
      return saved.file.version;
    }
  }
}

// The test is gone, and nobody else would end this process.
process.on('disconnect', () => process.exit(1));
const listener = await connect(settings);
await bus.listenOn(listener);
process.on('message', (order: Order) => {
  obey(order).then(
    (value) => process.send?.({ id: order.id, value }),
    (error: Error) => process.send?.({ id: order.id, error: error.message }),
  );
});
await mirrors.start();
process.send!({ ready: true });
