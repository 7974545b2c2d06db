// The process log: JSON lines, or readable ones at a terminal. Secrets are removed before a line is written; this file
// has the only list of the fields that carry them.

import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { LogLevel } from '../config/config.ts';

const secrets = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  '["x-api-key"]',
  'apiKey',
  'api_key',
  'password',
];

/** Only two levels deep: pino compiles the paths once, but each wildcard costs time on every line. */
const paths = ['', '*.', '*.*.'].flatMap((prefix) =>
  secrets.map((name) => (name.startsWith('[') ? prefix.slice(0, -1) + name : prefix + name)),
);

export function createLogger(options: {
  readonly level: LogLevel;
  /** Readable lines with colours instead of JSON. */
  readonly pretty: boolean;
  readonly destination?: DestinationStream;
}): Logger {
  const destination = options.destination ?? pino.destination({ fd: 1, sync: true });
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      redact: { paths, censor: '[redacted]' },
      // Applied to the finished line, because a connection string can appear in any text, such as a driver's message.
      hooks: { streamWrite: hidePasswords },
    },
    options.pretty ? readable(destination) : destination,
  );
}

/** Formats each line as it is written: a transport in a thread would lose the last lines before a crash. */
function readable(destination: DestinationStream): DestinationStream {
  const prettify = prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => destination.write(prettify(line)) };
}

/** `postgres://user:secret@host` becomes `postgres://user:[redacted]@host`, in any text. */
function hidePasswords(text: string): string {
  return text.replaceAll(/([a-z][a-z+.-]{0,20}:\/\/[^\s:/?#@"']{0,200}):[^\s"']{1,500}@/gi, '$1:[redacted]@');
}
