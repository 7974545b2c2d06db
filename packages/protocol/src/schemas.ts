// All bodies of the HTTP API.

export * from './chats.ts';
export * from './files.ts';
export * from './http.ts';
export * from './mcp.ts';
