// Named points at which a test can stop the process. Production registers none.

export type Faults = (point: string) => void | Promise<void>;
