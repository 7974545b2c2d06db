// Tells a call that bytes of its answer have arrived, even if they are only comments, which gateways send as keep-alives while a
// provider thinks and which the AI SDK's reader swallows. The abort signal is the only unique value that the AI SDK passes from a
// call to `fetch`, so it serves as the key.

const callbacks = new WeakMap<AbortSignal, () => void>();

export function aiSdkOnActivity(signal: AbortSignal, onActivity: () => void): void {
  callbacks.set(signal, onActivity);
}

/** The callback of the request with this signal. */
export function aiSdkActivityCallback(signal: AbortSignal | null | undefined): (() => void) | undefined {
  return signal ? callbacks.get(signal) : undefined;
}
