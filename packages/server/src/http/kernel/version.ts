// The version of the server, as it tells it.

export const VERSION = '0.1.0';
