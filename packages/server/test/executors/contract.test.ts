import { contractBehind } from './contract-behind.ts';

const MORE = ['parked-calls', 'policies', 'idempotency', 'thread-events', 'unknown-outcome', 'wire'];
contractBehind('script', 'an executor', MORE);
