// The package's public names: start the server, with its settings, log and signals.

export { loadConfig } from './config/config.ts';
export { createLogger } from './telemetry/logger.ts';
export { startServer, type RunningServer } from './server.ts';
export { modelInUse, problemWithModel } from './wiring/models.ts';
export { onStopSignal } from './signals.ts';
