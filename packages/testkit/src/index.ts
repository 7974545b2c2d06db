// What needs no test runner: waiting for a condition, and a client that knows the server by its wire only. The benchmark
// uses it, too.

export {
  ANONYMOUS,
  ApiError,
  AS_PERSON,
  ask,
  call,
  createThread,
  follow,
  followToEnd,
  framesOf,
  isEnd,
  PERSON_TOKEN,
  readRun,
  seen,
  send,
  type Answer,
  type Frame,
  type RunBody,
} from './client/api.ts';
export { attacks, type Attack, type Outcome } from './client/attacks.ts';
export { afterBytes, afterEvents, startProxy, type Cut, type Proxy } from './client/proxy.ts';
export { script } from './script.ts';
export { until, type UntilOptions } from './until.ts';
