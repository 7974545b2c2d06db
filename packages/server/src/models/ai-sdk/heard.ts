// Tells a call that bytes of its answer have come, whatever they say: comments, which gateways send while a provider thinks, get
// no further than the AI SDK's reader. What it hands through from a call to `fetch`, and nobody else has, is the signal.

const listeners = new WeakMap<AbortSignal, () => void>();

export function aiSdkListen(signal: AbortSignal, heard: () => void): void {
  listeners.set(signal, heard);
}

/** Who listens to the request with this signal. */
export function aiSdkListener(signal: AbortSignal | null | undefined): (() => void) | undefined {
  return signal ? listeners.get(signal) : undefined;
}
