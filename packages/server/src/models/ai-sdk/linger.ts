// What may still come after the last word of an answer: mostly nothing but its end, and then the connection can be used again.
// A provider that keeps it open is not waited for.

const LINGER_MS = 1000;

export async function aiSdkLinger(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  const late = setTimeout(() => void reader.cancel().catch(ignore), LINGER_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is whole: how its connection ended does not matter.
  } finally {
    clearTimeout(late);
  }
}

function ignore(): void {}
