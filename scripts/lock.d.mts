/** Runs `work` while this process alone holds the lock. */
export function withLock<T>(path: string, work: () => Promise<T>): Promise<T>;
