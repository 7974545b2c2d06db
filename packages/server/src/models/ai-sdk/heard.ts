// Tells a call that bytes of its answer have arrived, even if they are only comments, which gateways send as keep-alives while a
// provider thinks and which the AI SDK's reader swallows. The abort signal is the only unique value that the AI SDK passes from a
// call to `fetch`, so it serves as the key.

const listeners = new WeakMap<AbortSignal, () => void>();

export function aiSdkListen(signal: AbortSignal, heard: () => void): void {
  listeners.set(signal, heard);
}

/** The callback of the request with this signal. */
export function aiSdkListener(signal: AbortSignal | null | undefined): (() => void) | undefined {
  return signal ? listeners.get(signal) : undefined;
}
