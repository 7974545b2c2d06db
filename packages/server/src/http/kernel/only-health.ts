// A pod with the role `worker` answers nothing but probes and metrics. 503 lets a load balancer try another pod.

import type { MiddlewareHandler } from 'hono';
import { Problem } from './problem.ts';

const ANSWERED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export const onlyHealth: MiddlewareHandler = async (c, next) => {
  if (ANSWERED.has(c.req.path)) return next();
  throw new Problem({
    status: 503,
    code: 'worker_pod',
    detail: 'This pod only runs (CONTINUO_ROLE=worker). Send requests to a pod that serves.',
  });
};
