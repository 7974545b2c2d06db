// The priority of work that may take all processors: threads and processes that compute, and the commands of agents.

/** As a nice value. The pod’s own thread has 0, and gets about ten times as much of a processor that both want. */
export const LOW_PRIORITY = 10;
