// Named points at which a test may stop the process. In production nothing is registered.

export type Faults = (point: string) => void | Promise<void>;
