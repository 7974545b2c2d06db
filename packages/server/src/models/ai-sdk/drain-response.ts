// Reads the remainder of an answer after its last content. Usually only the end of the stream follows, and then the connection
// can be reused. Closes the connection if the provider keeps it open.

const DRAIN_MS = 1000;

export async function aiSdkDrainResponse(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  const late = setTimeout(() => void reader.cancel().catch(ignore), DRAIN_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is complete, so it does not matter how its connection ended.
  } finally {
    clearTimeout(late);
  }
}

function ignore(): void {}
