// Looks into a pod's heap, through the debugger's protocol.

import type { TestPod } from '@continuo/testkit/fixtures';

/** A pod that can be looked into is started with this. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** What is in use after a garbage collection: the heap, and what lies outside of it such as buffers; in MiB. */
export async function usedMiB(pod: TestPod): Promise<number> {
  const listening = () => /Debugger listening on (ws:\S+)/.exec(pod.output())?.[1];
  await pod.logged('For help, see: ');
  const socket = new WebSocket(listening()!);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the pod cannot be looked into')));
  });
  const ask = (id: number, method: string, params: object = {}) =>
    new Promise<{ result?: { value: string } }>((resolve) => {
      const hear = (message: MessageEvent): void => {
        const answer = JSON.parse(String(message.data)) as {
          id?: number;
          result: { result?: { value: string } };
        };
        if (answer.id !== id) return;
        socket.removeEventListener('message', hear);
        resolve(answer.result);
      };
      socket.addEventListener('message', hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  await ask(1, 'HeapProfiler.collectGarbage');
  const { result } = await ask(2, 'Runtime.evaluate', {
    expression: 'JSON.stringify(process.memoryUsage())',
  });
  socket.close();
  const { heapUsed, external } = JSON.parse(result!.value) as NodeJS.MemoryUsage;
  return (heapUsed + external) / 2 ** 20;
}
