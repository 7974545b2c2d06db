// Every body of the HTTP API.

export * from './chats.ts';
export * from './http.ts';
