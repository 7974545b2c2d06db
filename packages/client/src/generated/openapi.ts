// Made from the server's OpenAPI document by `npm run generate`; not to be edited.

export interface paths {
    "/api/v1/workspaces/{id}/hints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow hints about what has changed
         * @description Server-sent events `hint` `{chats, files, servers, automation, executions}`: the ids of chats whose state, title, queue or approvals have changed, and whether files, MCP servers, or schedules, webhooks and triggers have; and the ids of commands that began, wrote output or ended. A hint only says what to read again. It has no id and is not repeated: after a new connection, read everything once. The stream does not end.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The hints */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List threads, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description The id or the name of a workspace; `default` if absent. */
                    workspace?: string;
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of threads */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Thread"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a thread */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["NewThread"];
                };
            };
            responses: {
                /** @description The thread */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Thread"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/threads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a thread */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The thread */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Thread"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/threads/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List messages, in the order of the conversation */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of messages */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Message"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Send a message; a run answers it */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Stored for 24 hours: repeating a request with its key returns the same run. */
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMessage"];
                };
            };
            responses: {
                /** @description The message is stored and its run queued */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Accepted"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/threads/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a thread, or page through its events
         * @description Server-sent events of all its runs and sessions, after `after` (or the `Last-Event-ID` header); `after=latest` starts now. The stream does not end. With `Accept: application/json` or `format=json`, a page: of the events after `after`, or of the last ones before `before`, in order; `before=latest` is the end of the log. `next` continues in the same direction; it is null when there are no more events.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    before?: string;
                    limit?: number;
                    format?: "json" | "sse";
                };
                header?: {
                    "last-event-id"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                        "application/json": {
                            items: components["schemas"]["ThreadEvent"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a run */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The run */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ListedRun"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a run, or page through its events
         * @description Server-sent events after `after` (or the `Last-Event-ID` header); the stream ends after the terminal `state`. With `Accept: application/json` or `format=json`, a page.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                    format?: "json" | "sse";
                };
                header?: {
                    "last-event-id"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                        "application/json": {
                            items: components["schemas"]["Event"][];
                            next: string | null;
                        };
                    };
                };
                /** @description The run has ended, and the cursor is at its end */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description After a 200 the run ends `canceled`, never with `final`. Idempotent.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["CancelRequest"];
                };
            };
            responses: {
                /** @description The cancellation is accepted */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Run"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/steer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Steer: give a queued run’s message to the running run
         * @description Atomic: the running run gets the message with its files, and the queued run ends `canceled`. Idempotent.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The run that gets the message */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Run"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the same message again
         * @description Starts a new run from the message of a failed or canceled run.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Stored for 24 hours: repeating a request with its key returns the same run. */
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The new run is queued */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Accepted"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain what the run waits for */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The explanation, as a sentence and as fields */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Why"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs, newest first */
        get: {
            parameters: {
                query?: {
                    chat?: string;
                    /** @description Only runs with this status; `open`: queued or running. */
                    status?: "open" | "queued" | "running" | "done" | "error" | "canceled";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of runs */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["ListedRun"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what a run sent to its model
         * @description Rebuilds a request from the log, the versions and the texts that it was made of, and says whether its hash is the one that was stored when it was sent.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The message of the answer, such as `m2`; default: the last one. */
                    message?: string;
                    /** @description The try, if the request was refused as too long and sent again with less; default: the last one. */
                    try?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The request */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunContext"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/threads/{id}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the requests of a thread to models
         * @description In the order of the log, with those that belong to no run, such as titles.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The `next` of the page before. */
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The requests */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["SentRequest"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/threads/{id}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what a thread sent to a model
         * @description Any request of the thread, also one that belongs to no run, such as a title.
         */
        get: {
            parameters: {
                query: {
                    /** @description The request’s `seq`. */
                    seq: number;
                    /** @description The try, if the request was refused as too long and sent again with less; default: the last one. */
                    try?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The request */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelContext"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List chats, latest message first */
        get: {
            parameters: {
                query?: {
                    /** @description `true`: only archived chats. */
                    archived?: "true" | "false";
                    /** @description `true`: only pinned chats; `false`: only others. */
                    pinned?: "true" | "false";
                    /** @description `true`: only removed chats that can still be restored. */
                    removed?: "true" | "false";
                    /** @description Only chats in this state. */
                    state?: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
                    /** @description Only the chats that this run opened for its child runs. */
                    parent_run?: string;
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of chats */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Chat"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Open a chat with a goal; its first run starts at once */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Stored for 24 hours: repeating a request with its key returns the same run. */
                    "idempotency-key"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewChat"];
                };
            };
            responses: {
                /** @description The chat and its first run */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OpenedChat"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a chat: its session, its open approvals, its usage */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The chat */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Chat"];
                    };
                };
            };
        };
        put?: never;
        /** Send the next message; a run answers it */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Stored for 24 hours: repeating a request with its key returns the same run. */
                    "idempotency-key"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMessage"];
                };
            };
            responses: {
                /** @description The message is stored and its run queued */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Accepted"];
                    };
                };
            };
        };
        /**
         * Remove a chat
         * @description Its open runs are canceled. It can be restored for 7 days; then it is purged.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The chat is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        /** Rename, archive or pin a chat */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ChatChange"];
                };
            };
            responses: {
                /** @description The chat */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Chat"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed chat */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The chat */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Chat"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a chat: its runs are canceled, its session ends
         * @description The model call is aborted, a running tool may finish first, and queued runs are canceled. Idempotent. The next message starts a new session.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The stop is accepted */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChatStatus"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a chat before its run’s next step
         * @description No pod owns a paused chat. The pause has no time limit and survives restarts.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The pause is accepted */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChatStatus"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a paused chat */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The chat continues */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChatStatus"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep an idle session alive */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description When the session completes unless something happens */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Pinged"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the audit trail: messages, thoughts and calls, in the order of the log */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of the audit trail */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["ChatMessage"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sessions of the chat, newest first */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of sessions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Session"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/digest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a digest of the chat: what happened, what changed, what it cost, and what it needs
         * @description For a person who returns. Computed from the log: no model is asked. `after` is an event of the chat (the `seq` of the last digest), `since` a time; without either, the digest is about the whole chat. Child runs are included.
         */
        get: {
            parameters: {
                query?: {
                    after?: number | null;
                    since?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The digest */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChatDigest"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a chat, or one of its runs, as Markdown or JSON
         * @description Markdown is the transcript. JSON is `{format: "continuo-chat", version: 1, as_of, chat, run?, events}`, with every event up to `as_of`, the last one when the download began.
         */
        get: {
            parameters: {
                query?: {
                    format?: "markdown" | "json";
                    /** @description Only the events of this run of the chat. */
                    run?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/markdown": string;
                        "application/json": {
                            [key: string]: unknown;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a chat has in focus, and how full its model’s context window is
         * @description Read from the manifest of the last request for an answer. `GET /api/runs/{id}/context` rebuilds that request with its texts.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Focus and use of the window */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChatContext"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/focus": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set what a chat’s next message is about, and load its context in advance
         * @description The scope of the next message, unless that message names one itself. The body is like that of an agent message: `scope` with `project_id` or `entity`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewFocus"];
                };
            };
            responses: {
                /** @description What is in focus */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Focus"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the agent state: what the agent knows, assumes and expects */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The agent state */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AgentState"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Clear the agent state */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The empty state */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AgentStateEdited"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change the agent state
         * @description Item updates are applied first, then state updates. Invalid updates are refused; the others are applied. The response is sent once the change is in the chat’s log.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AgentStateChange"];
                };
            };
            responses: {
                /** @description The state, and the updates that were refused */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AgentStateEdited"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of the chat’s summary, newest first */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Summary"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/summaries/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a version of the summary with what it replaced and what was lost */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                    version: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The version */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SummaryVersion"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List approvals, newest first */
        get: {
            parameters: {
                query?: {
                    state?: "waiting" | "decided" | "all";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of approvals */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Approval"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/approvals/{approval}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an approval */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    approval: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The approval */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Approval"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Decide an approval
         * @description The run continues when all its approvals are decided. Repeating a decision has no effect; a different one is refused with 409.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    approval: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewDecision"];
                };
            };
            responses: {
                /** @description The approval, decided */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Approval"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the models */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The models */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Models"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles of a workspace
         * @description The built-in roles and those of the files `/agents/*.md`, by name. A file overrides the built-in role of its name.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The roles, all on one page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Role"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/roles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a role */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The role */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Role"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the teams of a workspace
         * @description The built-in teams and those of the files `/agents/teams/*.md`, by name. A chat that is opened with the lead’s role is planned by the lead and carried out by the members, unless its mode says otherwise.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The teams, all on one page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Team"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the skills of a workspace
         * @description The Agent Skills of the files `/.agents/skills/*\/SKILL.md`, by name. Every prompt has their names and descriptions; a model reads the rest on demand.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The skills, all on one page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Skill"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the policy of a workspace */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The policy; the default policy if none was set */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Policy"];
                    };
                };
            };
        };
        /**
         * Replace the policy of a workspace
         * @description Applies to every call from now on, also in open runs.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewPolicy"];
                };
            };
            responses: {
                /** @description The policy */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Policy"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List workspaces by name */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                    /** @description `true`: only removed workspaces that can still be restored. */
                    removed?: "true" | "false";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of workspaces */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Workspace"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a workspace */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewWorkspace"];
                };
            };
            responses: {
                /** @description The workspace */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a workspace: its files, bytes and quota */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The workspace */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a workspace
         * @description Its open runs are canceled, and its threads accept no new messages. It can be restored for 7 days; then it is purged with its files and threads.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed workspace */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Rename a workspace */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewWorkspace"];
                };
            };
            responses: {
                /** @description The workspace */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/folder/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore files that disappeared from the folder on disk at once
         * @description If many files disappear at once, their removals are held until a person decides: see `held_removals` of the workspace. The server that owns the folder carries out the decision within moments.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The workspace */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/folder/accept-removals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept the removal of files that disappeared from the folder on disk at once
         * @description If many files disappear at once, their removals are held until a person decides: see `held_removals` of the workspace. The server that owns the folder carries out the decision within moments.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The workspace */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file
         * @description The bytes, with the version as `ETag`; `Range`, `If-Range`, `If-None-Match` and `If-Match` are supported. Served with `Content-Security-Policy: sandbox; default-src 'none'` and `nosniff`. HEAD gives the same without the bytes.
         */
        get: {
            parameters: {
                query?: {
                    /** @description An older version. */
                    version?: number;
                    /** @description `1`: send the file as an attachment. */
                    download?: "0" | "1";
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    /** @description The rest of the URL: the names of the folders and the file, each percent-encoded, separated by slashes. */
                    path: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The bytes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description The client already has this version */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /**
         * Write a file
         * @description The body is the content, of any type, at most 33554432 bytes. `If-Match: "<version>"` writes only over that version, `If-None-Match: *` only if there is no file. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        put: {
            parameters: {
                query?: {
                    /** @description `merge`: if the text is based on an older version, merge it with the newest one, unless they conflict. */
                    on_conflict?: "merge" | "refuse";
                };
                header?: {
                    "if-match"?: string;
                    "if-none-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    /** @description The rest of the URL: the names of the folders and the file, each percent-encoded, separated by slashes. */
                    path: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/octet-stream": string;
                };
            };
            responses: {
                /** @description The file has a new version, or the content was the same */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["File"];
                    };
                };
                /** @description The file is new */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["File"];
                    };
                };
            };
        };
        post?: never;
        /**
         * Remove a file
         * @description Its history stays: `…/restore` restores any version. `If-Match: "<version>"` as with PUT. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    /** @description The rest of the URL: the names of the folders and the file, each percent-encoded, separated by slashes. */
                    path: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file as it was removed */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["File"];
                    };
                };
            };
        };
        options?: never;
        /** Read a file’s headers */
        head: {
            parameters: {
                query?: {
                    /** @description An older version. */
                    version?: number;
                    /** @description `1`: send the file as an attachment. */
                    download?: "0" | "1";
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    /** @description The rest of the URL: the names of the folders and the file, each percent-encoded, separated by slashes. */
                    path: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description As GET, without a body */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description As GET of a range, without a body */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The client already has this version */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a folder
         * @description A folder is a prefix of paths, so there are no empty folders. Only `path=/chats` lists the files in `/chats`, newest first.
         */
        get: {
            parameters: {
                query?: {
                    path?: string;
                    depth?: number;
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of entries */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["TreeEntry"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a folder with everything in it
         * @description All or nothing, at most 10000 files. They can be restored from the trash. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        delete: {
            parameters: {
                query: {
                    path: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed files */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Moved"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/moves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a file, or a folder with everything in it
         * @description All or nothing, at most 10000 files. The files keep their ids and their history. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMove"];
                };
            };
            responses: {
                /** @description The files as they are now */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Moved"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search entities, documents, files and messages
         * @description Finds what has any of the words, the best match first. `"a phrase"` must occur word for word, `begin*` matches words that begin so, and `-not` must not occur. A word that no text has also matches words that are spelled almost like it. Files and chats whose path or name contains the query come first, except with `in=text` or a project. Of a file, its name and its first 131072 characters are searched; of the newest 1000 chats, the titles, which must have all words. Without `kinds`, at most 10 chats are found. Messages are searched if `kinds` has `message`, or with `chat_id`; they come last.
         */
        get: {
            parameters: {
                query: {
                    q: string;
                    in?: "names" | "text" | "all";
                    /** @description Only what is in this project. */
                    project_id?: string;
                    /** @description Only the messages of this chat. */
                    chat_id?: string;
                    /** @description One or several of project, document, task, goal, plan, milestone, risk, requirement, file, chat, message, separated by commas. */
                    kinds?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The best first, names before texts, folders last */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["SearchHit"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a file’s versions, newest first
         * @description Works for a removed file, too: by its last path or by its id.
         */
        get: {
            parameters: {
                query?: {
                    path?: string;
                    /** @description Instead of a path. */
                    file?: string;
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["FileVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions of a file
         * @description A unified diff. `to` defaults to the latest version, `from` to the one before `to`; 0 is the empty file. For texts of at most 1048576 bytes.
         */
        get: {
            parameters: {
                query?: {
                    path?: string;
                    /** @description Instead of a path. */
                    file?: string;
                    from?: number | null;
                    to?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The difference */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FileDiff"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of a file, or a removed workspace
         * @description With a path (or a file’s id) and a version: that content becomes the file’s next version; a removed file keeps its id. With an empty body: restores the removed workspace itself. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Restoration"];
                };
            };
            responses: {
                /** @description The file, or the workspace */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["File"] | components["schemas"]["Workspace"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List removed files, the latest first
         * @description A removed file keeps its id and its versions, as long as its workspace exists.
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only paths that contain this. */
                    q?: string;
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of removed files */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["RemovedFile"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/trash/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore removed files
         * @description Each with its id, its path and its last content. A file whose path is taken stays removed and is listed in `skipped`; `POST …/restore` with `to` restores it elsewhere. A file that is not removed is left as it is. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TrashRestoration"];
                };
            };
            responses: {
                /** @description What was restored, and what was not */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Restored"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the changes of the files
         * @description Server-sent events `file_updated`, `file_moved`, `file_removed`, `entity_patch`, `content_published` and `content_unpublished`, after `after` (or the `Last-Event-ID` header); `after=latest` starts now. The stream does not end.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                };
                header?: {
                    "last-event-id"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The changes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Page through the changes of the files
         * @description `next` is null at the end of the feed; to continue later, send the `seq` of the last item as `after`.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of changes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Change"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a folder as a zip */
        get: {
            parameters: {
                query?: {
                    path?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The zip */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/zip": string;
                    };
                };
            };
        };
        /**
         * Upload a zip into a folder
         * @description Each file is written as with PUT. At most 10000 entries, 268435456 bytes, and 1073741824 bytes unpacked. Links, devices, encrypted entries and entries with invalid paths are refused one by one; the response names them. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        put: {
            parameters: {
                query?: {
                    path?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/zip": string;
                };
            };
            responses: {
                /** @description The written and the refused files */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Unpacked"];
                    };
                };
            };
        };
        /**
         * The same as PUT
         * @description Each file is written as with PUT. At most 10000 entries, 268435456 bytes, and 1073741824 bytes unpacked. Links, devices, encrypted entries and entries with invalid paths are refused one by one; the response names them. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        post: {
            parameters: {
                query?: {
                    path?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/zip": string;
                };
            };
            responses: {
                /** @description The written and the refused files */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Unpacked"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    state?: "active" | "paused" | "done";
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of projects */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Project"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a project, with a context document and what else is given, in one transaction */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewProject"];
                };
            };
            responses: {
                /** @description The project, and everything that was created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            project: components["schemas"]["Project"];
                            entitiesCreated: components["schemas"]["Entity"][];
                            edgesCreated: components["schemas"]["Edge"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects/{entity_id}/doc-structure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the structure of a project’s documents
         * @description With `include=metadata` also the title, description and length of each document, of the same moment.
         */
        get: {
            parameters: {
                query?: {
                    include?: "metadata";
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The structure */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Counts the changes of the structure. */
                            version: number;
                            root: components["schemas"]["StructureNode"][];
                            documents?: components["schemas"]["DocumentMetadata"][];
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects/{entity_id}/document-by-path": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a document by the titles above it
         * @description The path of a document, such as `Research/Market/Competitors`, or the end of it if only one document has that end.
         */
        get: {
            parameters: {
                query: {
                    path: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The document */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Document"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/documents/{entity_id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a document in its project’s structure, with everything below it
         * @description Its file and the folder of its children move too, where the parent changes.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DocumentMove"];
                };
            };
            responses: {
                /** @description The document */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Document"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/edges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link two entities
         * @description GET …/kinds lists the relations, and which kinds they link.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewEdge"];
                };
            };
            responses: {
                /** @description The edge */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Edge"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/edges/{edge_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove the link between two entities */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    edge_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The edge is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/entities/{entity_id}/edges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an entity’s links, both ways */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The links, as of one moment */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Link"][];
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects/{entity_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a project as one archive
         * @description A zip: `project.json` has the entities, the links between them, the order of the documents and the history of the versions; `docs/…` are the documents, `files/…` the project’s other files. Everything in it is from the same moment.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The zip */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/zip": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a project from an archive
         * @description All or nothing. Entities keep their ids where these are free. At most 10000 entries, 268435456 bytes, 1073741824 bytes unpacked, 16777216 bytes of `project.json`, 20000 entities and 50000 links.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/zip": string;
                };
            };
            responses: {
                /** @description The project, and everything that was created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            project: components["schemas"]["Project"];
                            entitiesCreated: components["schemas"]["Entity"][];
                            edgesCreated: components["schemas"]["Edge"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an approved plan, in a new chat
         * @description Each step is a child run with a chat of its own. A plan that ran before continues with its first unfinished step. The limits are a budget that all steps share.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunPlan"];
                };
            };
            responses: {
                /** @description The run that works on the plan */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Accepted"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause the run of a plan, and its steps */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The plan, with the status of each step */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanProgress"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume the run of a plan, and its steps */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The plan, with the status of each step */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanProgress"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop the run of a plan, and its steps */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The plan, with the status of each step */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanProgress"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plans with their states, newest first
         * @description Reads only rows: a change of a plan’s file shows within a second.
         */
        get: {
            parameters: {
                query?: {
                    /** @description `true`: only plans whose approval a run waits for. */
                    waiting?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of plans */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["ListedPlan"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a plan with the status of each step
         * @description The stages and steps of the plan’s file, and its problems. The change feed has a `plan_step` for every step that changes, and a `plan_changed` for the plan.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The plan, with the status of each step */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanProgress"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a plan as it is now
         * @description Stores the version that was approved. A plan with problems is refused, each problem with its line.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ApprovePlan"];
                };
            };
            responses: {
                /** @description The plan, with the status of each step */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanProgress"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a step
         * @description The step and the steps that it blocked are pending again.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                    step_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The plan, with the status of each step */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanProgress"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/steps/{step_id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Skip a step
         * @description Steps that wait for it continue without its result.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                    step_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SkipStep"];
                };
            };
            responses: {
                /** @description The plan, with the status of each step */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlanProgress"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a project */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The project */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Project"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a project with all that is in it
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed project */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Project"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a project */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProjectPatch"];
                };
            };
            responses: {
                /** @description The project */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Project"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a project, newest first
         * @description Works for a removed project, too.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed project with all that is in it */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The project, and the files that stay removed because their paths are taken */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "project";
                            /** Format: uuid */
                            project_id: string | null;
                            /** @description Counts from 1; each change of the entity or of its edges adds one. */
                            version: number;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            removed_at: string | null;
                            edges: components["schemas"]["Edge"][];
                            name: string;
                            /** @enum {string} */
                            state: "active" | "paused" | "done";
                            purpose?: string | null;
                            folder: string;
                            skipped: components["schemas"]["SkippedFile"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List documents
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of documents */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Document"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a document */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewDocument"];
                };
            };
            responses: {
                /** @description The document */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Document"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/documents/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a document */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The document */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Document"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a document with all that is below it
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed document */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Document"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a document */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DocumentPatch"];
                };
            };
            responses: {
                /** @description The document */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Document"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/documents/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a document, newest first
         * @description Works for a removed document, too. They are those of its file.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/documents/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed document with all that is below it */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The document, and the files that stay removed because their paths are taken */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "document";
                            /** Format: uuid */
                            project_id: string | null;
                            /** @description Counts from 1; each change of the entity or of its edges adds one. */
                            version: number;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: date-time */
                            removed_at: string | null;
                            edges: components["schemas"]["Edge"][];
                            title: string;
                            description?: string | null;
                            /** @description The path of its file in the workspace. */
                            path: string;
                            /** @description The version of its file. */
                            content_version: number;
                            /** @description The length of the text after the front matter, in bytes. */
                            content_length: number;
                            /** @description Only in the response for a single document. */
                            content?: string;
                            skipped: components["schemas"]["SkippedFile"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tasks
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    state?: "todo" | "in_progress" | "blocked" | "done" | "canceled";
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of tasks */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Task"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a task */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewTask"];
                };
            };
            responses: {
                /** @description The task */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/tasks/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tasks of a project by state */
        get: {
            parameters: {
                query: {
                    project_id: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A column for each state, with how many there are and the first of them */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            columns: {
                                state: string;
                                count: number;
                                items: components["schemas"]["Task"][];
                            }[];
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/tasks/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a task */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The task */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a task
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed task */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a task */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TaskPatch"];
                };
            };
            responses: {
                /** @description The task */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/tasks/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a task, newest first
         * @description Works for a removed task, too.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/tasks/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed task */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The task */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Task"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/goals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List goals
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    state?: "active" | "achieved" | "abandoned";
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of goals */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Goal"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a goal */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewGoal"];
                };
            };
            responses: {
                /** @description The goal */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Goal"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/goals/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the goals of a project by state */
        get: {
            parameters: {
                query: {
                    project_id: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A column for each state, with how many there are and the first of them */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            columns: {
                                state: string;
                                count: number;
                                items: components["schemas"]["Goal"][];
                            }[];
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/goals/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a goal */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The goal */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Goal"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a goal
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed goal */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Goal"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a goal */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["GoalPatch"];
                };
            };
            responses: {
                /** @description The goal */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Goal"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/goals/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a goal, newest first
         * @description Works for a removed goal, too.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/goals/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed goal */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The goal */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Goal"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plans
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of plans */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Plan"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a plan */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewPlan"];
                };
            };
            responses: {
                /** @description The plan */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plan"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a plan */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The plan */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plan"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a plan
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed plan */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plan"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a plan */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PlanPatch"];
                };
            };
            responses: {
                /** @description The plan */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plan"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a plan, newest first
         * @description Works for a removed plan, too. They are those of its file.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/plans/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed plan */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The plan */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plan"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/milestones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List milestones
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    state?: "planned" | "reached" | "missed";
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of milestones */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Milestone"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a milestone */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewMilestone"];
                };
            };
            responses: {
                /** @description The milestone */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Milestone"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/milestones/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the milestones of a project by state */
        get: {
            parameters: {
                query: {
                    project_id: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A column for each state, with how many there are and the first of them */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            columns: {
                                state: string;
                                count: number;
                                items: components["schemas"]["Milestone"][];
                            }[];
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/milestones/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a milestone */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The milestone */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Milestone"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a milestone
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed milestone */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Milestone"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a milestone */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MilestonePatch"];
                };
            };
            responses: {
                /** @description The milestone */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Milestone"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/milestones/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a milestone, newest first
         * @description Works for a removed milestone, too.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/milestones/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed milestone */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The milestone */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Milestone"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/risks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List risks
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    state?: "open" | "mitigated" | "accepted" | "occurred" | "closed";
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of risks */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Risk"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a risk */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewRisk"];
                };
            };
            responses: {
                /** @description The risk */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Risk"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/risks/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the risks of a project by state */
        get: {
            parameters: {
                query: {
                    project_id: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A column for each state, with how many there are and the first of them */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            columns: {
                                state: string;
                                count: number;
                                items: components["schemas"]["Risk"][];
                            }[];
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/risks/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a risk */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The risk */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Risk"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a risk
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed risk */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Risk"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a risk */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RiskPatch"];
                };
            };
            responses: {
                /** @description The risk */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Risk"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/risks/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a risk, newest first
         * @description Works for a removed risk, too.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/risks/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed risk */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The risk */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Risk"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/requirements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requirements
         * @description `as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.
         */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    state?: "proposed" | "agreed" | "met" | "dropped";
                    /** @description `true`: those that were removed and can be restored, for 30 days. */
                    removed?: "true" | "false";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of requirements */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Requirement"][];
                            next: string | null;
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        /** Create a requirement */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewRequirement"];
                };
            };
            responses: {
                /** @description The requirement */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Requirement"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/requirements/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the requirements of a project by state */
        get: {
            parameters: {
                query: {
                    project_id: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A column for each state, with how many there are and the first of them */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            columns: {
                                state: string;
                                count: number;
                                items: components["schemas"]["Requirement"][];
                            }[];
                            as_of: number;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/requirements/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a requirement */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The requirement */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Requirement"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Remove a requirement
         * @description It can be restored for 30 days.
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The removed requirement */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Requirement"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Change a requirement */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity. */
                    "if-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RequirementPatch"];
                };
            };
            responses: {
                /** @description The requirement */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Requirement"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}/requirements/{entity_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a requirement, newest first
         * @description Works for a removed requirement, too.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of versions */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityVersion"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/requirements/{entity_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a removed requirement */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The requirement */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Requirement"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the kinds of entities and the relations between them */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The kinds, in the order in which the console shows them */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["EntityKind"][];
                            relations: components["schemas"]["Relation"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/entities/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an entity of any kind */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    entity_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The entity */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Entity"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the content types
         * @description Articles and pages, and those of the files `/content/types/*.yaml`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description All on one page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["ContentType"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the pieces of a type, with the live version of each */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description By slug, at most 1,000 files, all on one page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["ContentPiece"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content/{type}/{slug}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check a piece: how it would be published, and its problems */
        get: {
            parameters: {
                query?: {
                    version?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The piece, rendered */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ContentCheck"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content/{type}/{slug}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a version of a piece
         * @description Readers get a copy of this version. Later edits of the file are not live until it is published again.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["PublishContent"];
                };
            };
            responses: {
                /** @description What is live now */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PublishedContent"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content/{type}/{slug}/publications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List which version of a piece was live when */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Newest first, at most 100, all on one page */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Publication"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content/{type}/{slug}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish an earlier live version again
         * @description Without a version, the last live one before the current one. The file stays as it is; …/publish publishes it again.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["RestoreContent"];
                };
            };
            responses: {
                /** @description What is live now */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PublishedContent"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content/{type}/{slug}/unpublish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpublish a piece
         * @description Its file stays; a publication that waits for its time is canceled. Idempotent.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The piece is no longer live */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/content/{type}/{slug}/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Schedule a version of a piece for publication
         * @description This version is published at `at`, once, by any server that runs then, or by the first that runs after it. It replaces the time that the piece had. Publishing or unpublishing the piece before that cancels it. If the piece cannot be published at its time, `problem` says why.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ScheduleContent"];
                };
            };
            responses: {
                /** @description The scheduled publications */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ScheduledContent"];
                    };
                };
            };
        };
        /**
         * Cancel the scheduled publication of a piece
         * @description The live version stays. Idempotent.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The piece is no longer scheduled */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/rss.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The 50 newest pieces of a type as RSS
         * @description Addresses are those of the site in `/content/site.yaml`.
         */
        get: {
            parameters: {
                query?: {
                    type?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description XML */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/xml": string;
                    };
                };
                /** @description The client already has it */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/sitemap.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The sitemap of all published pieces
         * @description Addresses are those of the site in `/content/site.yaml`.
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description XML */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/xml": string;
                    };
                };
                /** @description The client already has it */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the published pieces of a type
         * @description Send the `ETag` as `If-None-Match` to get 304 while nothing has changed. Further parameters are conditions on fields, all of which must hold: `fields.author=Ann`, `fields.minutes[lte]=30`; the comparisons are eq, ne, gt, gte, lt, lte, in, has, exists.
         */
        get: {
            parameters: {
                query?: {
                    tag?: string;
                    /** @description `newest`, `oldest` or a field, such as `title`; `-title` reverses the order. */
                    sort?: string;
                    /** @description One or several of type, slug, title, fields, html, markdown, version, first_published_at, published_at, separated by commas; `fields.author` is one of the fields. */
                    fields?: string;
                    /** @description 20 by default; with bodies at most 20. */
                    limit?: number;
                    after?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Without bodies, unless `fields` names them */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                type?: string;
                                slug?: string;
                                title?: string;
                                /** @description The front matter, checked by the content type. */
                                fields?: {
                                    [key: string]: unknown;
                                };
                                /** @description The body as sanitised HTML. */
                                html?: string;
                                /** @description The body as it was written. */
                                markdown?: string;
                                /** @description The version of the file that is published. */
                                version?: number;
                                /** Format: date-time */
                                first_published_at?: string;
                                /** Format: date-time */
                                published_at?: string;
                            }[];
                            /** @description How many pieces meet the conditions, on all pages. */
                            total: number;
                            next: string | null;
                        };
                    };
                };
                /** @description The client already has it */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/assets/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file that published content shows
         * @description In the version `v`, if a published piece shows that, and otherwise in the newest version that one shows. `Range` is supported. `preview` is the token in the address that a draft has for the file.
         */
        get: {
            parameters: {
                query?: {
                    v?: number;
                    preview?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Its content */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description The requested range */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description The client already has it */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content/{id}/{type}/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a published piece
         * @description `preview` is the token of a preview link: it shows the newest draft instead.
         */
        get: {
            parameters: {
                query?: {
                    /** @description One or several of type, slug, title, fields, html, markdown, version, first_published_at, published_at, separated by commas; `fields.author` is one of the fields. */
                    fields?: string;
                    preview?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    type: string;
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The piece */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PublishedContent"];
                    };
                };
                /** @description The client already has it */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/chats/{chat}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a chat, or page through its events
         * @description Server-sent events of all its runs and sessions, from the chat’s beginning, or after `after` (or the `Last-Event-ID` header); `after=latest` starts now. The stream does not end. With `Accept: application/json` or `format=json`, a page; `next` is null at the end of the log. docs/dialects.md describes the frames.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                    format?: "json" | "sse";
                };
                header?: {
                    "last-event-id"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    chat: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                        "application/json": {
                            items: components["schemas"]["Frame"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agent/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message and follow its run
         * @description Server-sent events `session`, `agent_state`, `text_delta`, `tool_call`, `tool_result`, `operation`, `entity_patch`, `context_usage`, `error` and, last, `done`. `Content-Location` is the address at which the `Last-Event-ID` header resumes the stream; `reconnect` `{location}` instead of `done` means that the server is shutting down, and that the client should resume the stream.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Stored for 24 hours: repeating a request with its key returns the same run. */
                    "idempotency-key"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AgentMessage"];
                };
            };
            responses: {
                /** @description The run */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agent/stream/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a run as an agent’s turn
         * @description Starts at the run’s beginning, or after `after` (or the `Last-Event-ID` header); the stream ends after `done`.
         */
        get: {
            parameters: {
                query?: {
                    after?: string;
                };
                header?: {
                    "last-event-id"?: string;
                };
                path: {
                    run_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The run */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description The run has ended, and the cursor is at its end */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message as the AI SDK does, and follow its run
         * @description Repeating a message returns the same run. The stream ends when the run waits for approval; a request with the answers continues it. Answers need a person. A client that disconnects stops nothing.
         */
        post: {
            parameters: {
                query?: {
                    /** @description The id or the name of a workspace; `default` if absent. */
                    workspace?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ChatRequest"];
                };
            };
            responses: {
                /** @description A UI message stream */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the chat’s active run, or a given one
         * @description Starts at the run’s beginning, or after `after` (or the `Last-Event-ID` header). A response names its run in `Content-Location`; that address works after the run’s end, too.
         */
        get: {
            parameters: {
                query?: {
                    /** @description The id or the name of a workspace; `default` if absent. */
                    workspace?: string;
                    run?: string;
                    after?: string;
                };
                header?: {
                    "last-event-id"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A UI message stream */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description No run is active, or the cursor is at the end of the run */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop everything open in the chat
         * @description Its runs are canceled, and their streams end with `abort`. Idempotent.
         */
        post: {
            parameters: {
                query?: {
                    /** @description The id or the name of a workspace; `default` if absent. */
                    workspace?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Whether anything was open */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            stopped: boolean;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ag-ui": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a run that an AG-UI client started
         * @description Starts at the run’s beginning, or after `after` (or the `Last-Event-ID` header). The client does not send its conversation here: if a message is superseded, it gets `CUSTOM superseded {messageId}` instead of a snapshot of the messages.
         */
        get: {
            parameters: {
                query: {
                    /** @description The id or the name of a workspace; `default` if absent. */
                    workspace?: string;
                    threadId: string;
                    runId: string;
                    /** @description The server’s id of the run, as in `Content-Location`. */
                    run: string;
                    after?: string;
                };
                header?: {
                    "last-event-id"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description AG-UI events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description The run has ended, and the cursor is at its end */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        /**
         * Run an agent as AG-UI’s HttpAgent does
         * @description A run that waits for approval finishes with interrupts; a run that resumes them continues it. A client that disconnects stops nothing; repeating the `runId` replays the run, after `Last-Event-ID` if that is given. `Content-Location` is the address at which a GET resumes the stream. Resuming an interrupt needs a person.
         */
        post: {
            parameters: {
                query?: {
                    /** @description The id or the name of a workspace; `default` if absent. */
                    workspace?: string;
                };
                header?: {
                    "last-event-id"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunAgentInput"];
                };
            };
            responses: {
                /** @description AG-UI events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description The run has ended, and the cursor is at its end */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tool-results/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a call’s full result */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The run’s id, a colon, and the call’s id. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The call and its result */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ToolResult"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether agents can run commands on this server, and if not, why */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The state of the sandbox */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Sandbox"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a command, its output and the changes that it proposes
         * @description With `wait`, the response comes when the command has written more than `after` bytes or has ended, and at the latest after that many seconds.
         */
        get: {
            parameters: {
                query?: {
                    after?: number | null;
                    wait?: number | null;
                    /** @description How the output is returned: as plain text, with escape sequences for colours, or not at all. */
                    output?: "plain" | "colors" | "none";
                };
                header?: never;
                path: {
                    /** @description The run’s id, a colon, and the call’s id. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The command */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Execution"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare a file that a command proposes with the version that the command started from */
        get: {
            parameters: {
                query: {
                    path: string;
                };
                header?: never;
                path: {
                    /** @description The run’s id, a colon, and the call’s id. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The difference */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FileDiff"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply files that a command proposes, all or none
         * @description Each becomes a version whose author is the caller, if the file is still at the version that the command started from. Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The run’s id, a colon, and the call’s id. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AppliedChanges"];
                };
            };
            responses: {
                /** @description The files that changed */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["File"][];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executors/{name}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim the next assignment of an executor
         * @description With `wait`, the response comes when there is an assignment, and at the latest after that many seconds. The claim is lost without a post or a heartbeat for `lease_seconds`.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description Models name it as `executor/<name>`. */
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["ClaimRequest"];
                };
            };
            responses: {
                /** @description The assignment */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Assignment"];
                    };
                };
                /** @description No assignment came in time */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/assignments/{answer}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post events of an answer, and extend the lease
         * @description Idempotent: a batch whose `seq` was posted before changes nothing. `finish` or `fail` ends the answer.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    /** @description The `message` of the assignment. */
                    answer: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PostedEvents"];
                };
            };
            responses: {
                /** @description The events are stored */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HeldClaim"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/assignments/{answer}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend the lease of a claim, and learn whether it is still valid
         * @description With `wait`, the response comes after that many seconds, or at once when the claim is no longer valid, such as after a cancel. With `release`, the claim ends.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    /** @description The `message` of the assignment. */
                    answer: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HeartbeatRequest"];
                };
            };
            responses: {
                /** @description The claim is still valid */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HeldClaim"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sum tokens and cost by run, thread, role or model */
        get: {
            parameters: {
                query?: {
                    by?: "run" | "thread" | "role" | "model";
                    thread_id?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The largest sums first */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["UsageSum"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tokens and cost over time, by model, role, project or chat
         * @description In at most 400 buckets. A run counts in the bucket in which it was queued, once it has ended; a title or a summary when it was made. The ten keys with the most tokens have a series each; `others` sums up the rest.
         */
        get: {
            parameters: {
                query?: {
                    by?: "model" | "role" | "project" | "chat";
                    /** @description Default: 30 days before `to`. */
                    from?: string;
                    /** @description Default: now. */
                    to?: string;
                    bucket?: "hour" | "day" | "week" | "month";
                    /** @description Where days, weeks (from Monday) and months begin. */
                    time_zone?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The series */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UsageOverTime"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the MCP servers of a workspace, with their state and tools */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The servers, by name */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["McpServer"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/mcp-servers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Add or change an MCP server; it is (re)started */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["McpConfig"];
                };
            };
            responses: {
                /** @description The server was changed */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["McpServer"];
                    };
                };
                /** @description The server was added */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["McpServer"];
                    };
                };
            };
        };
        post?: never;
        /** Remove an MCP server; its process is stopped */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The server is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/mcp-servers/{name}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restart an MCP server on every pod */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The server is restarting */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["McpServer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the schedules of a workspace, with their next times and the outcomes of the last ones */
        get: {
            parameters: {
                query?: {
                    plan_id?: string;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The schedules, by name */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Schedule"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Add a schedule
         * @description A workspace has at most 100. Its runs act on behalf of the principal that added or last changed it.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewSchedule"];
                };
            };
            responses: {
                /** @description The schedule */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/schedules/{schedule}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a schedule */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    schedule: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The schedule */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
            };
        };
        /**
         * Change a schedule
         * @description The body replaces the whole schedule. The schedule continues with its next time.
         */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    schedule: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewSchedule"];
                };
            };
            responses: {
                /** @description The schedule */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
            };
        };
        post?: never;
        /** Remove a schedule; its chats stay */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    schedule: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The schedule is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/schedules/{schedule}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a schedule */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    schedule: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The schedule */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/schedules/{schedule}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a schedule, with its next time after now */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    schedule: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The schedule */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/schedules/{schedule}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of a schedule now; its next time stays
         * @description 409 `schedule_busy` if its last run is still open and it skips such times.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    schedule: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The schedule */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the names of a workspace’s secrets */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The secrets by name, without their values */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Secret"][];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Store a secret; MCP servers that use it are restarted */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewSecret"];
                };
            };
            responses: {
                /** @description The secret was replaced */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Secret"];
                    };
                };
                /** @description The secret was added */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Secret"];
                    };
                };
            };
        };
        post?: never;
        /** Remove a secret */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The secret is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhooks of a workspace, with their waiting and dead messages */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The webhooks, oldest first */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Webhook"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Add a webhook; the response has its secret, which is not shown again
         * @description A workspace has at most 20.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            responses: {
                /** @description The webhook */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AddedWebhook"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/webhooks/{webhook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    webhook: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The webhook */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Webhook"];
                    };
                };
            };
        };
        /** Change a webhook; its secret stays */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    webhook: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            responses: {
                /** @description The webhook */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Webhook"];
                    };
                };
            };
        };
        post?: never;
        /** Remove a webhook with its messages */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    webhook: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The webhook is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/webhooks/{webhook}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the secret of a webhook; the old one stops working at once */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    webhook: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The webhook */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AddedWebhook"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/webhooks/{webhook}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the messages to a webhook, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description `dead`: only messages whose attempts are used up. */
                    state?: "waiting" | "delivered" | "dead";
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    webhook: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of messages */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["WebhookMessage"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/webhooks/{webhook}/messages/{message}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message again, with all its attempts
         * @description The `webhook-id` stays the same, so that a receiver can recognise the message.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    webhook: string;
                    message: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The message is being sent */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the triggers of a workspace */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The triggers, by name */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["Trigger"][];
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Add a trigger; the response has its address and its secret, which are not shown again
         * @description A workspace has at most 20.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewTrigger"];
                };
            };
            responses: {
                /** @description The trigger */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AddedTrigger"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/triggers/{trigger}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a trigger */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    trigger: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The trigger */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Trigger"];
                    };
                };
            };
        };
        /** Change a trigger; its address stays */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    trigger: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewTrigger"];
                };
            };
            responses: {
                /** @description The trigger */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChangedTrigger"];
                    };
                };
            };
        };
        post?: never;
        /** Remove a trigger; its chats stay */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    trigger: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The trigger is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/triggers/{trigger}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the address of a trigger; the old one stops working at once */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    trigger: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The trigger */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AddedTrigger"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/read-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the read keys */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description At most 20, all on one page, without the keys themselves */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: components["schemas"]["ReadKey"][];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        /**
         * Create a read key; the response has the key, which is not shown again
         * @description A site that sends the key may read what this workspace has published, and nothing else.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewReadKey"];
                };
            };
            responses: {
                /** @description The key */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AddedReadKey"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/read-keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a read key
         * @description The key stops working at once on this pod, and on other pods within 5 seconds.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The key is removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run through a trigger
         * @description The body may be any text of at most 65536 bytes; the agent gets it as data that nobody has checked. At most 60 requests a minute. A repeated `webhook-id` or `Idempotency-Key` starts no second run for 24 hours.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    "idempotency-key"?: string;
                    "webhook-id"?: string;
                };
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The run is queued */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Triggered"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/person": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether this client may make requests that need a person */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Whether the request carries the person’s token */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PersonState"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Store the person’s token as a cookie in this browser
         * @description The console sends the token from the link that opened it. The cookie is HttpOnly and SameSite=Strict, and lasts 365 days.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PersonToken"];
                };
            };
            responses: {
                /** @description The cookie is set */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PersonState"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The version and the main routes */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The version, and the addresses of the most used routes */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            [key: string]: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The process is alive */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {string} */
                            status: "ok";
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server is ready */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The server is ready */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Ready"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Metrics */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description Stable, for programs. */
            code: string;
            /** @description What was wrong, and what to do about it. */
            detail: string;
        } & {
            [key: string]: unknown;
        };
        Thread: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            title: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The latest session. */
            session: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
            } | null;
            /**
             * Format: uuid
             * @description The running run, or the next one in the queue.
             */
            active_run: string | null;
        };
        NewThread: {
            /** @description A name for people. */
            title?: string;
            /** @description The id or the name of its workspace; default: `default`. */
            workspace?: string;
        };
        Accepted: {
            run: components["schemas"]["Run"];
        };
        Run: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            thread_id: string;
            /** Format: uuid */
            message_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "done" | "error" | "canceled";
            model: string;
            role: string;
            principal: components["schemas"]["Principal"];
            /** Format: uuid */
            retry_of: string | null;
            /**
             * Format: uuid
             * @description The running run that its message was given to; this run ends `canceled`.
             */
            steered_into: string | null;
            /**
             * Format: uuid
             * @description The run that started it and waits for it.
             */
            parent_run: string | null;
            limits: components["schemas"]["Limits"];
            /**
             * Format: uuid
             * @description While it is queued: the open run before it in the thread.
             */
            blocked_by: string | null;
            /** Format: date-time */
            queued_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
            /** Format: date-time */
            cancel_requested_at: string | null;
            /** @description Who asked for it to be canceled. */
            cancel_requested_by: {
                /** @enum {string} */
                kind: "local";
            } | {
                /** @enum {string} */
                kind: "key";
                name: string;
            } | null;
            error: {
                code: string;
                error: string;
            } | null;
            /** @description The sum over its model calls, once it has ended. */
            usage: {
                input: number;
                output: number;
                cachedInput?: number;
                cacheWrite?: number;
                reasoning?: number;
            } | null;
            /** @description US dollars, as far as prices are known. */
            cost: number | null;
        };
        /** @description Who sent a message, and on whose behalf a run acts: someone on the server’s machine or with the person’s token, or the owner of a key. A retry acts on behalf of the one who asked for it. A model’s message has none. */
        Principal: {
            /** @enum {string} */
            kind: "local";
        } | {
            /** @enum {string} */
            kind: "key";
            name: string;
        };
        /** @description What the run may use. The role’s and the server’s limits apply to what is absent. */
        Limits: {
            /** @description Model calls. */
            steps?: number;
            tokens?: number;
            /** @description US dollars, as far as prices are known. */
            cost?: number;
            seconds?: number;
        } | null;
        NewMessage: {
            /** @description The message. The whole body may have at most 1 MiB. */
            content: string;
            /** @description Ids or paths of files of the workspace to attach, in their current versions. */
            files?: string[];
            /**
             * @description What happens if the thread has an open run; default: `enqueue`.
             * @enum {string}
             */
            policy?: "enqueue" | "reject" | "interrupt" | "rollback" | "steer";
            /**
             * Format: uuid
             * @description The id of an earlier message of a person: the thread is rewound to before it, and this message takes its place.
             */
            replaces?: string;
            /** @description `provider/model`, or the bare name of a model that only one provider has; default: the chat’s, the role’s or the server’s. */
            model?: string;
            /** @description The role that answers; default: the chat’s, or `assistant`. */
            role?: string;
            limits?: components["schemas"]["Limits"];
        };
        Message: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            role: "user" | "assistant";
            content: string;
            /** Format: uuid */
            run_id: string;
            principal?: components["schemas"]["Principal"];
            /** @description The attached files. */
            files?: components["schemas"]["AttachedFile"][];
            /**
             * @description For a model’s message: how it ended.
             * @enum {string}
             */
            ended?: "complete" | "error" | "interrupted";
            /**
             * @description Present if a rewind has hidden it from models.
             * @enum {boolean}
             */
            rewound?: true;
            /**
             * @description Present if it was sent to a running run that has not read it yet.
             * @enum {boolean}
             */
            waiting?: true;
            /** Format: date-time */
            created_at: string;
        };
        AttachedFile: {
            /** Format: uuid */
            file: string;
            path: string;
            /** @description Its version at that time. */
            v: number;
            media_type: string;
            size: number;
        };
        /** @description An event of a thread; `seq` is its position in the thread, `run_seq` in its run, from 1, without gaps. */
        ThreadEvent: {
            seq: number;
            /**
             * Format: uuid
             * @description Null: the event belongs to the thread, not to a run.
             */
            run_id: string | null;
            run_seq: number | null;
            type: string;
            data: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            at: string;
        };
        ListedRun: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            thread_id: string;
            /** Format: uuid */
            message_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "done" | "error" | "canceled";
            model: string;
            role: string;
            principal: components["schemas"]["Principal"];
            /** Format: uuid */
            retry_of: string | null;
            /**
             * Format: uuid
             * @description The running run that its message was given to; this run ends `canceled`.
             */
            steered_into: string | null;
            /**
             * Format: uuid
             * @description The run that started it and waits for it.
             */
            parent_run: string | null;
            limits: components["schemas"]["Limits"];
            /**
             * Format: uuid
             * @description While it is queued: the open run before it in the thread.
             */
            blocked_by: string | null;
            /** Format: date-time */
            queued_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
            /** Format: date-time */
            cancel_requested_at: string | null;
            /** @description Who asked for it to be canceled. */
            cancel_requested_by: {
                /** @enum {string} */
                kind: "local";
            } | {
                /** @enum {string} */
                kind: "key";
                name: string;
            } | null;
            error: {
                code: string;
                error: string;
            } | null;
            /** @description The sum over its model calls, once it has ended. */
            usage: {
                input: number;
                output: number;
                cachedInput?: number;
                cacheWrite?: number;
                reasoning?: number;
            } | null;
            /** @description US dollars, as far as prices are known. */
            cost: number | null;
            /** @description The title of its chat. */
            title: string | null;
            /** @description The message that it answers; in a list, its first 200 characters. */
            said: string;
        };
        /** @description An event of a run; `id` is its position in the run, from 1, without gaps. */
        Event: {
            id: number;
            type: string;
            data: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            at: string;
        };
        CancelRequest: {
            /** @description Default: `user_cancelled`. */
            reason?: string;
        };
        Why: {
            /** Format: uuid */
            run_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "done" | "error" | "canceled";
            /** @description A sentence about what the run waits for. */
            sentence: string;
            /** @enum {string} */
            waits_for: "nothing" | "pod" | "run" | "model" | "tool" | "approval" | "children" | "resume" | "takeover" | "cancel" | "step";
            /** @description How many open runs are before it in its thread. */
            queue_position: number | null;
            /** Format: uuid */
            blocked_by: string | null;
            /** @description The pod that holds the thread. */
            pod: {
                /** Format: uuid */
                id: string;
                name: string;
                heartbeat_age_ms: number;
                lease_seconds: number;
            } | null;
            /** @description How many pods have held the run. */
            attempt: number;
            step: {
                /** @enum {string} */
                kind: "model" | "tool" | "approval" | "between";
                message: string | null;
                calls: {
                    call: string;
                    tool: string;
                    /** @description For a call that waits for approval. */
                    approval?: string;
                }[];
            } | null;
            /**
             * Format: date-time
             * @description When it started to wait: for a model, at the request; for people, when there was nothing else left to do.
             */
            since: string | null;
            /** Format: date-time */
            cancel_requested_at: string | null;
        };
        RunContext: {
            thread_id: string;
            /** @description The thread’s event that the request’s manifest was committed with. */
            seq: number;
            /** @description From 1. A request that was refused as too long is followed by a shorter one. */
            try: number;
            /** @description Null: the request belongs to no run. */
            run_id: string | null;
            /** @description The message of the answer. */
            message: string | null;
            /** @enum {string} */
            purpose: "answer" | "title" | "summary";
            model: string;
            /** @description The SHA-256 of the exact request, stored when it was sent. */
            hash: string;
            at: string;
            rebuilt_hash: string;
            /** @description Whether the rebuilt request has the stored hash. */
            exact: boolean;
            /** @description Why it does not; null if it does. */
            problem: string | null;
            /** @description The position in the change feed that the parts were read at. */
            feed_seq: number | null;
            tokens: {
                estimated: number;
                /** @description As the provider reported it. */
                input: number | null;
                cached: number | null;
                /** @description How many tokens the provider counts for one that the server estimated, as it was known then. The estimates include it. */
                ratio: number;
            };
            /** @description US dollars: what the input cost. */
            cost: number | null;
            /** @description In the order in which they were sent. */
            parts: components["schemas"]["ContextPart"][];
            left_out: {
                what: string;
                why: string;
                /** @description An estimate; 0: not known. */
                tokens: number;
            }[];
            /** @description All requests of the run, in order. */
            requests: components["schemas"]["SentRequest"][];
            /** @description The last request of the run before, to compare with; null: there is none. */
            previous: {
                thread_id: string;
                /** @description The thread’s event that the request’s manifest was committed with. */
                seq: number;
                /** @description From 1. A request that was refused as too long is followed by a shorter one. */
                try: number;
                /** @description Null: the request belongs to no run. */
                run_id: string | null;
                /** @description The message of the answer. */
                message: string | null;
                /** @enum {string} */
                purpose: "answer" | "title" | "summary";
                model: string;
                /** @description The SHA-256 of the exact request, stored when it was sent. */
                hash: string;
                at: string;
            } | null;
        };
        ContextPart: {
            /** @enum {string} */
            place: "tools" | "system" | "history" | "turn";
            /** @description Such as `role`, `guide`, `skill`, `scope`, `summary`, `user`, `assistant`, `tool`. */
            kind: string;
            source: {
                /** @enum {string} */
                kind: "text";
                name: string;
            } | {
                /** @enum {string} */
                kind: "file";
                id: string;
                version: number;
                /** @description Of this version. Absent in early manifests. */
                path?: string;
            } | {
                /** @enum {string} */
                kind: "entity" | "structure";
                id: string;
                version: number;
            } | {
                /** @enum {string} */
                kind: "event";
                seq: number;
            };
            /** @description An estimate. */
            tokens: number;
            /** @description US dollars: its share of what the input cost. Null: not known. */
            cost: number | null;
            /** @description Null: its source was deleted for good. */
            text: string | null;
        };
        SentRequest: {
            thread_id: string;
            /** @description The thread’s event that the request’s manifest was committed with. */
            seq: number;
            /** @description From 1. A request that was refused as too long is followed by a shorter one. */
            try: number;
            /** @description Null: the request belongs to no run. */
            run_id: string | null;
            /** @description The message of the answer. */
            message: string | null;
            /** @enum {string} */
            purpose: "answer" | "title" | "summary";
            model: string;
            /** @description The SHA-256 of the exact request, stored when it was sent. */
            hash: string;
            at: string;
        };
        ModelContext: {
            thread_id: string;
            /** @description The thread’s event that the request’s manifest was committed with. */
            seq: number;
            /** @description From 1. A request that was refused as too long is followed by a shorter one. */
            try: number;
            /** @description Null: the request belongs to no run. */
            run_id: string | null;
            /** @description The message of the answer. */
            message: string | null;
            /** @enum {string} */
            purpose: "answer" | "title" | "summary";
            model: string;
            /** @description The SHA-256 of the exact request, stored when it was sent. */
            hash: string;
            at: string;
            rebuilt_hash: string;
            /** @description Whether the rebuilt request has the stored hash. */
            exact: boolean;
            /** @description Why it does not; null if it does. */
            problem: string | null;
            /** @description The position in the change feed that the parts were read at. */
            feed_seq: number | null;
            tokens: {
                estimated: number;
                /** @description As the provider reported it. */
                input: number | null;
                cached: number | null;
                /** @description How many tokens the provider counts for one that the server estimated, as it was known then. The estimates include it. */
                ratio: number;
            };
            /** @description US dollars: what the input cost. */
            cost: number | null;
            /** @description In the order in which they were sent. */
            parts: components["schemas"]["ContextPart"][];
            left_out: {
                what: string;
                why: string;
                /** @description An estimate; 0: not known. */
                tokens: number;
            }[];
        };
        OpenedChat: {
            chat: components["schemas"]["Chat"];
            run: components["schemas"]["Run"];
        };
        Chat: {
            /**
             * Format: uuid
             * @description The id of the chat and of its thread.
             */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            title: string | null;
            /** @description The beginning of the first message; null if there is none yet. */
            goal: string | null;
            /** @description The path of the chat as a file. */
            path: string;
            /** @description Null: the default role. */
            role: string | null;
            /** @description Null: the role’s or the server’s default. */
            model: string | null;
            /** @enum {string} */
            mode: "chat_mode" | "plan_then_execute" | "parallel_agents" | "autonomous";
            /**
             * Format: uuid
             * @description The run that opened the chat for a part of its work. Lists hide such chats.
             */
            parent_run: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description The time of the latest message.
             */
            active_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            archived_at: string | null;
            /**
             * Format: date-time
             * @description Pinned chats are listed first by the console.
             */
            pinned_at: string | null;
            /** Format: date-time */
            removed_at: string | null;
            /**
             * @description The state of the session; `idle` if there has been none.
             * @enum {string}
             */
            state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
            /**
             * @description A stop or a pause that has been requested and not yet taken effect, or `waiting` for approval.
             * @enum {string|null}
             */
            reason: "stopping" | "pausing" | "waiting" | null;
            /** @description The latest session. */
            session: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
                /** @description The reason for this state. */
                reason: string;
                /** Format: date-time */
                started_at: string;
                /** Format: date-time */
                changed_at: string;
            } | null;
            /**
             * Format: uuid
             * @description The running run, or the next one in the queue.
             */
            active_run: string | null;
            queued_runs: number;
            /** @description Messages that were sent to the running run and that it has not read yet. */
            waiting_steers: number;
            waiting_approvals: number;
            /** @description The sum over its ended runs and its title. */
            usage: {
                runs: number;
                input: number;
                output: number;
                cost: number | null;
            };
        };
        NewChat: {
            /** @description The first message. The whole body may have at most 1 MiB. */
            goal: string;
            /** @description A name for people. If absent, the server finds one. */
            title?: string;
            /** @description Ids or paths of files of the workspace to attach, in their current versions. */
            files?: string[];
            /** @description The role that answers, unless a message names another; default: `assistant`. */
            role?: string;
            /** @description `provider/model`, unless a message names another. */
            model?: string;
            /**
             * Format: uuid
             * @description The project that the chat is about.
             */
            project_id?: string;
            /**
             * Format: uuid
             * @description The entity of a project that the chat is about.
             */
            entity_id?: string;
            /**
             * @description How the chat pursues its goal; see the modes in the documentation. Default: `plan_then_execute` if the role leads a team, else `chat_mode`.
             * @enum {string}
             */
            mode?: "chat_mode" | "plan_then_execute" | "parallel_agents" | "autonomous";
            /**
             * Format: uuid
             * @description The plan that `plan_then_execute` or `parallel_agents` carries out; without it, a planner writes one.
             */
            plan_id?: string;
            /** @description For `parallel_agents`: who works at the same time, and on what. Without it, a planner divides the goal, and a person approves the plan. */
            agents?: components["schemas"]["NamedAgent"][];
            /** @description For `autonomous`: how to tell that the goal is reached. Without it, a judge derives criteria first. */
            done_when?: {
                /** @description A command that ends with exit code 0 when the goal is reached. It runs in the sandbox. */
                check?: string;
                /** @description What is true when the goal is reached. A judge decides. */
                criteria?: string[];
                /** @description The judge’s `provider/model`; the chat’s, if absent. */
                judge_model?: string;
            };
            /** @description The limits of the first run. */
            limits?: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            };
        };
        NamedAgent: {
            role: string;
            /** @description What this agent is to do. */
            brief: string;
        };
        ChatChange: {
            title?: string;
            archived?: boolean;
            pinned?: boolean;
        };
        ChatStatus: {
            /** @enum {string} */
            status: "cancelled" | "pausing" | "paused" | "running";
            /** Format: uuid */
            chat_id: string;
        };
        Pinged: {
            /** @enum {string} */
            state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
            /**
             * Format: date-time
             * @description When the idle session completes; null while it is not idle.
             */
            expires_at: string | null;
        };
        ChatMessage: {
            /** @description The position of its event in the chat’s log. */
            seq: number;
            /** @description The position within the event, if the event has several items. */
            part: number;
            /** @enum {string} */
            role: "user" | "assistant" | "tool" | "system";
            /** @enum {string} */
            message_type: "message" | "reasoning_complete" | "tool_call" | "tool_result";
            /** Format: uuid */
            run_id: string;
            /**
             * @description Present if a rewind has hidden it from models.
             * @enum {boolean}
             */
            rewound?: true;
            /**
             * Format: uuid
             * @description For a person’s message: its id, which `replaces` takes.
             */
            message_id?: string;
            content?: string;
            files?: components["schemas"]["AttachedFile"][];
            /** @enum {string} */
            ended?: "complete" | "error" | "interrupted";
            /** Format: uuid */
            reasoning_id?: string;
            call?: string;
            tool_name?: string;
            tool_arguments?: unknown;
            /** @description The output; if it is long, a summary. */
            tool_output?: unknown;
            tool_success?: boolean;
            /** @description The id of the result; `/api/v1/tool-results/{id}` has the whole output. */
            tool_result?: string;
            /** Format: date-time */
            created_at: string;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
            /** @description The reason for this state. */
            reason: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            changed_at: string;
        };
        ChatDigest: {
            /** Format: uuid */
            chat_id: string;
            /** @description The digest is about the events of the chat after this one. */
            after: number;
            /**
             * Format: date-time
             * @description The time of that event; null at the beginning of the log.
             */
            since: string | null;
            /** @description The last event of the chat; `after` of the next digest. */
            seq: number;
            /**
             * Format: date-time
             * @description When the digest was made.
             */
            at: string;
            /** @description Nothing happened, and nothing is needed. */
            is_empty: boolean;
            /** @enum {string} */
            state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
            /** @description The digest in a few sentences. */
            text: string;
            /** @description Runs of the chat and child runs that began, ended or are still open; newest first, at most 50. */
            runs: components["schemas"]["DigestRun"][];
            /** @description How many of all these runs have each status. */
            run_counts: {
                [key: string]: number;
            };
            /** @description Steps of plans that changed, each with its latest status; at most 200. */
            steps: {
                /** Format: uuid */
                plan_id: string;
                step: number;
                step_id: string;
                title: string | null;
                /** @enum {string} */
                status: "pending" | "running" | "done" | "failed" | "skipped" | "blocked";
                error: string | null;
                /** Format: uuid */
                chat_id: string | null;
            }[];
            /** @description The latest verdict of an autonomous run. */
            verdict: {
                /** Format: uuid */
                run_id: string;
                /** @description The round of work that was judged, counted from 1. */
                round: number;
                /** @enum {string} */
                verdict: "met" | "not_met" | "impossible";
                /**
                 * @description The check command, the judge’s model, or the watchdog, if the round failed.
                 * @enum {string}
                 */
                by: "check" | "judge" | "watchdog";
                reasons: string[];
                /** Format: date-time */
                at: string;
            } | null;
            /** @description Files that the chat and its child runs changed; at most 200. */
            files: {
                /** Format: uuid */
                file: string;
                path: string;
                /** @description The latest version that was made here. */
                v: number;
                /** @description How many versions were made here. */
                versions: number;
                /** @enum {string} */
                change: "created" | "changed" | "moved" | "removed";
            }[];
            /** @description Entities that they changed; at most 200. */
            entities: {
                entity_type: string;
                entity_id: string;
                entity_name: string | null;
            }[];
            changed_counts: {
                files: number;
                entities: number;
            };
            /** @description Calls of tools. */
            calls: {
                total: number;
                failed: number;
            };
            usage: {
                model_calls: number;
                input: number;
                output: number;
                /** @description In dollars; null if no cost is known. */
                cost: number | null;
            };
            /** @description What waits for a person now, whenever it was asked. */
            needs: components["schemas"]["DigestNeed"][];
        };
        DigestRun: {
            /** Format: uuid */
            run_id: string;
            /**
             * Format: uuid
             * @description The chat of the run: this one, or the chat of a child run.
             */
            chat_id: string;
            /**
             * Format: uuid
             * @description The run that started it; null for a run of this chat.
             */
            parent_run: string | null;
            title: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "done" | "error" | "canceled";
            /** Format: date-time */
            queued_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
            error: {
                code: string;
                error: string;
            } | null;
            /** @description The beginning of its last message. */
            text: string | null;
        };
        DigestNeed: {
            /**
             * @description `approval`, `question`, `unknown_outcome`: decide about `approval_id`. `plan_approval`: approve the plan `plan_id` as it is now. `resume`: the chat is paused. `failed_run`: the last run failed.
             * @enum {string}
             */
            kind: "approval" | "question" | "unknown_outcome" | "plan_approval" | "resume" | "failed_run";
            /** @description A sentence for people. */
            text: string;
            /** Format: uuid */
            chat_id: string;
            /** Format: uuid */
            run_id: string | null;
            /** Format: uuid */
            approval_id: string | null;
            /** Format: uuid */
            plan_id: string | null;
        };
        /** @description What is in focus, and how full the model’s context window is. */
        ChatContext: {
            focus: {
                /** @enum {string} */
                scope: "global" | "project" | "entity";
                project: {
                    id: string;
                    kind: string;
                    title: string;
                } | null;
                entity: {
                    id: string;
                    kind: string;
                    title: string;
                } | null;
                /** @description True: chosen for the next message. False: what the last request was about. */
                is_next: boolean;
            };
            /** @description The last request for an answer; null: there was none. */
            last: {
                run_id: string | null;
                message: string | null;
                model: string;
                at: string;
                /** @description The request and its answer as reported, or the request as estimated. */
                tokens: number;
                is_reported: boolean;
                ratio: number;
                /** @description How many tokens the model can read. */
                window: number;
                /** @description False: the model’s window is not known, and `window` is the limit that is used instead. */
                is_window_known: boolean;
                /** @description Sums by place and kind, estimated. */
                parts: {
                    /** @enum {string} */
                    place: "tools" | "system" | "history" | "turn";
                    kind: string;
                    tokens: number;
                }[];
            } | null;
        };
        Focus: {
            /** @enum {string} */
            scope: "global" | "project" | "entity";
            /** Format: uuid */
            project_id: string | null;
            entity: {
                type: string;
                /** Format: uuid */
                id: string;
            } | null;
            /** @description What a model would be told about it, with estimated tokens. */
            parts: {
                kind: string;
                tokens: number;
            }[];
            /** @description The position in the change feed that it was read at. */
            feed_seq: number | null;
            /** @description Null if the workspace’s policy lets no agent read it. */
            pack: {
                /** @enum {string} */
                scope: "global" | "project" | "entity";
                focus: {
                    /** Format: uuid */
                    projectId?: string;
                    projectName?: string;
                    /** Format: uuid */
                    entityId?: string;
                    entityType?: string;
                };
                /** @description The layers of the system prompt. The role’s preamble, the workspace’s instructions and its skills come on top. */
                systemInstructions: string;
                data: {
                    /** @description Of a project’s or an entity’s scope: the documents without their content, at most 4,000 tokens. */
                    docStructure?: {
                        version: number;
                        root: unknown[];
                        below?: number;
                    };
                    /** @description In the global scope, a line about each project that changed recently. */
                    projectSummary?: string;
                    entityDetails?: {
                        [key: string]: unknown;
                    };
                    linkedEntities?: {
                        /** Format: uuid */
                        id: string;
                        version: number;
                        kind: string;
                        title: string;
                        state: string | null;
                        path: string | null;
                        rel: string;
                        outgoing: boolean;
                    }[];
                    recentActivity?: {
                        /** Format: uuid */
                        id: string;
                        version: number;
                        kind: string;
                        title: string;
                        state: string | null;
                        path: string | null;
                    }[];
                    agentState: components["schemas"]["AgentState"];
                };
                /** @description What the message is about, and the documents that would be loaded for it. */
                retrievalHints: {
                    keywords: string[];
                    docIds: string[];
                };
                budgets: {
                    /** @description The context window of the chat’s model. */
                    maxTokens: number;
                    summaryTokens: number;
                    recentMessages: number;
                };
            } | null;
        };
        /** @description What the agent knows, assumes and expects in this chat. */
        AgentState: {
            /**
             * Format: uuid
             * @description The id of the chat.
             */
            sessionId: string;
            current_understanding: {
                entities: {
                    id: string;
                    kind: string;
                    name?: string;
                }[];
                dependencies: {
                    from: string;
                    to: string;
                    rel?: string;
                }[];
            };
            assumptions: {
                id: string;
                hypothesis: string;
                confidence: number;
                evidence?: string[];
            }[];
            expectations: {
                action: string;
                expected_outcome: string;
                invariant?: string;
            }[];
            tentative_hypotheses: {
                id: string;
                hypothesis: string;
                reason?: string;
            }[];
            items: components["schemas"]["AgentStateItem"][];
            /** Format: date-time */
            lastSummarizedAt?: string;
        };
        /** @description Something provisional that is not (yet) an entity. */
        AgentStateItem: {
            id: string;
            /** @enum {string} */
            kind: "task" | "doc" | "note" | "idea" | "question";
            title: string;
            details?: string;
            /** @enum {string} */
            status: "active" | "resolved" | "discarded";
            relatedEntityIds?: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        NewFocus: {
            /**
             * @description What the session is about from here on: the whole workspace, a project, or an entity. If absent, what it was about before; a new session is about the workspace.
             * @enum {string}
             */
            scope: "global" | "project" | "entity";
            /**
             * Format: uuid
             * @description Of the scope `project`; of an entity, its project.
             */
            project_id?: string;
            /** @description Of the scope `entity`. */
            entity?: {
                /** @example task */
                type: string;
                /** Format: uuid */
                id: string;
            };
            /** @description The message that may be sent next, for `retrievalHints`. */
            message?: string;
        };
        AgentStateEdited: {
            state: components["schemas"]["AgentState"];
            /** @description Updates that were not applied, and why. */
            refused: {
                update?: unknown;
                reason: string;
            }[];
        };
        /** @description Item updates are applied first, then state updates. */
        AgentStateChange: {
            agent_state_item_updates?: components["schemas"]["AgentStateItemUpdate"][];
            agent_state_updates?: components["schemas"]["AgentStateUpdate"];
        };
        /** @description `remove` marks the item as discarded. */
        AgentStateItemUpdate: {
            /** @enum {string} */
            op: "add";
            item: {
                id: string;
                /** @enum {string} */
                kind: "task" | "doc" | "note" | "idea" | "question";
                title: string;
                details?: string;
                /**
                 * @default active
                 * @enum {string}
                 */
                status: "active" | "resolved" | "discarded";
                relatedEntityIds?: string[];
            };
        } | {
            /** @enum {string} */
            op: "update";
            id: string;
            patch: {
                /** @enum {string} */
                kind?: "task" | "doc" | "note" | "idea" | "question";
                title?: string;
                details?: string;
                /** @enum {string} */
                status?: "active" | "resolved" | "discarded";
                relatedEntityIds?: string[];
            };
        } | {
            /** @enum {string} */
            op: "remove";
            id: string;
        };
        /** @description Adds to the lists of the state; an element with the same key replaces the earlier one. */
        AgentStateUpdate: {
            current_understanding?: {
                entities?: {
                    id: string;
                    kind: string;
                    name?: string;
                }[];
                dependencies?: {
                    from: string;
                    to: string;
                    rel?: string;
                }[];
            };
            assumptions?: {
                id: string;
                hypothesis: string;
                confidence: number;
                evidence?: string[];
            }[];
            expectations?: {
                action: string;
                expected_outcome: string;
                invariant?: string;
            }[];
            tentative_hypotheses?: {
                id: string;
                hypothesis: string;
                reason?: string;
            }[];
        };
        /** @description A version of the rolling summary. */
        Summary: {
            /** @description Counts the chat’s summaries from 1. */
            version: number;
            text: string;
            /** @description The model, or `extract` if no model made it. */
            made_by: string;
            /** Format: date-time */
            made_at: string;
            /** @description How many messages it stands for. */
            messages: number;
            /** @description Estimates: what it replaced, and the summary itself. */
            tokens: {
                replaced: number;
                summary: number;
            };
            /** @description The version that it builds on; null for the first. */
            replaces: number | null;
            /** @description Whether models are shown it. False if a rewind or a retry took it back. */
            in_use: boolean;
            /** @description Why no model made it, although there is one. */
            note?: string;
        };
        SummaryVersion: {
            /** @description Counts the chat’s summaries from 1. */
            version: number;
            text: string;
            /** @description The model, or `extract` if no model made it. */
            made_by: string;
            /** Format: date-time */
            made_at: string;
            /** @description How many messages it stands for. */
            messages: number;
            /** @description Estimates: what it replaced, and the summary itself. */
            tokens: {
                replaced: number;
                summary: number;
            };
            /** @description The version that it builds on; null for the first. */
            replaces: number | null;
            /** @description Whether models are shown it. False if a rewind or a retry took it back. */
            in_use: boolean;
            /** @description Why no model made it, although there is one. */
            note?: string;
            replaced: {
                /** @description The text of the version before. */
                summary: string | null;
                messages: {
                    id: string;
                    /** @enum {string} */
                    role: "user" | "assistant" | "tool" | "system";
                    text: string;
                    /** @description Models are still shown this message as it is. */
                    kept: boolean;
                }[];
            };
            /** @description Ids, names, paths, numbers and quoted words of the replaced messages that the summary does not have. */
            lost: string[];
        };
        Approval: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            chat_id: string;
            /** Format: uuid */
            run_id: string;
            call: string;
            tool: string;
            /**
             * @description `call`: whether to make the call. `unknown_outcome`: whether to repeat a call whose outcome a crash left unknown. `question`: a question that the running call asks.
             * @enum {string}
             */
            kind: "call" | "unknown_outcome" | "question";
            /** @description The input of the call; empty for a `question`. */
            input?: unknown;
            /** @description For a `question`: the JSON schema of the answer. */
            schema?: {
                [key: string]: unknown;
            };
            /** @description The paths that the call would touch, as policy rules see them. */
            paths: string[];
            /** @description The rule that requires approval; for a `question`, its text. */
            reason: string;
            /** Format: date-time */
            asked_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /**
             * @description Null until it is decided.
             * @enum {string|null}
             */
            decision: "approve" | "deny" | "edit" | "retry" | "skip" | "answer" | "expired" | "canceled" | null;
            /** @description For `edit`: the new input of the call. For `answer`: the answer. */
            decided_input?: unknown;
            comment: string | null;
            /** Format: date-time */
            decided_at: string | null;
            /** @description Who decided; null if nobody did. */
            decided_by: {
                /** @enum {string} */
                kind: "local";
            } | {
                /** @enum {string} */
                kind: "key";
                name: string;
            } | null;
        };
        NewDecision: {
            /**
             * @description A `call` takes `approve`, `deny` and `edit`; an `unknown_outcome` takes `retry` and `skip`; a `question` takes `answer`, `deny` (the person declines) and `skip` (the person dismisses it).
             * @enum {string}
             */
            decision: "approve" | "deny" | "edit" | "retry" | "skip" | "answer";
            /** @description For `edit`: the new input of the call. For `answer`: the answer. Not allowed otherwise. */
            input?: {
                [key: string]: unknown;
            };
            /** @description A comment for the model. */
            comment?: string;
        };
        Models: {
            /** @description The model that answers if neither the message, the chat nor the role names one. */
            default: string;
            /** @description The known models. Any other `provider/model` of a usable provider works, too. */
            models: string[];
            providers: {
                name: string;
                usable: boolean;
                /** @description Environment variables; any one of them makes the provider usable. */
                set: string[];
            }[];
        };
        Role: {
            name: string;
            description: string | null;
            /** @description Null: the server’s default. */
            model: string | null;
            /** @description Names and globs of tools; null: all tools. */
            tools: string[] | null;
            permissions: components["schemas"]["PolicyRule"][];
            limits: components["schemas"]["Limits"];
            /** @description What the model is told first; null if no version of the role’s file can be used. */
            preamble: string | null;
            /** @description Where the role in use comes from. */
            source: {
                /** @enum {string} */
                kind: "built-in";
            } | {
                /** @enum {string} */
                kind: "file";
                path: string;
                version: number;
            };
            /** @description What is wrong with the newest version of the role’s file. */
            problem: {
                path: string;
                version: number;
                line: number;
                column: number;
                sentence: string;
            } | null;
        };
        PolicyRule: {
            /** @description A tool’s name, or a glob of names. */
            tool: string;
            /** @description A glob; the rule matches calls that touch a matching path. */
            path?: string;
            /** @enum {string} */
            effect?: "pure" | "idempotent" | "transactional" | "external";
            /**
             * @description The rule is about calls in chats in which the model has read untrusted content. Such rules are judged on their own, and the stricter verdict counts.
             * @enum {string}
             */
            after?: "untrusted";
            /** @enum {string} */
            action: "allow" | "ask" | "deny";
        };
        Team: {
            name: string;
            description: string | null;
            /** @description The role that brings the others in: it writes the plan. Null if no version of the team’s file can be used. */
            lead: string | null;
            /** @description The other roles. */
            members: string[];
            /** @description The path at which the lead writes the plan. */
            plan: string | null;
            /** @description The paths of files that the models of all these roles are told. */
            files: string[];
            /** @description How the team works; the lead is told it. */
            text: string | null;
            /** @description Where the team in use comes from. */
            source: {
                /** @enum {string} */
                kind: "built-in";
            } | {
                /** @enum {string} */
                kind: "file";
                path: string;
                version: number;
            };
            /** @description What is wrong with the newest version of the team’s file. */
            problem: {
                path: string;
                version: number;
                line: number;
                column: number;
                sentence: string;
            } | null;
        };
        Skill: {
            name: string;
            /** @description Null if no version of the skill’s file can be used. */
            description: string | null;
            license: string | null;
            compatibility: string | null;
            /** @description The path of its SKILL.md. */
            path: string;
            /** @description The version of the file that is in use. */
            version: number;
            /** @description What is wrong with the newest version of the skill’s file. */
            problem: {
                path: string;
                version: number;
                line: number;
                column: number;
                sentence: string;
            } | null;
        };
        /** @description The last rule that matches a call decides; a call that matches no rule needs approval. */
        Policy: {
            rules: {
                /** @description A tool’s name, or a glob of names. */
                tool: string;
                /** @description A glob; the rule matches calls that touch a matching path. */
                path?: string;
                /** @enum {string} */
                effect?: "pure" | "idempotent" | "transactional" | "external";
                /**
                 * @description The rule is about calls in chats in which the model has read untrusted content. Such rules are judged on their own, and the stricter verdict counts.
                 * @enum {string}
                 */
                after?: "untrusted";
                /** @enum {string} */
                action: "allow" | "ask" | "deny";
            }[];
            /** @description The hosts that commands of agents may be given access to; ports 80 and 443 unless an entry names another. */
            network: string[];
            /** @description The version of these rules. */
            version: string;
        };
        NewPolicy: {
            rules: {
                /** @description A tool’s name, or a glob of names. */
                tool: string;
                /** @description A glob; the rule matches calls that touch a matching path. */
                path?: string;
                /** @enum {string} */
                effect?: "pure" | "idempotent" | "transactional" | "external";
                /**
                 * @description The rule is about calls in chats in which the model has read untrusted content. Such rules are judged on their own, and the stricter verdict counts.
                 * @enum {string}
                 */
                after?: "untrusted";
                /** @enum {string} */
                action: "allow" | "ask" | "deny";
            }[];
            /** @description The hosts that commands of agents may be given access to; ports 80 and 443 unless an entry names another. */
            network?: string[];
            /** @description The version that was read; 409 `policy_changed` if the policy has changed since. */
            version?: string;
        };
        Workspace: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            removed_at: string | null;
            /**
             * Format: date-time
             * @description A removed workspace can be restored until then.
             */
            purged_after: string | null;
            files: number;
            /** @description The size of all versions of its files. */
            bytes: number;
            quota_bytes: number;
            /** @description Files that disappeared from the folder on disk at once and are still in the workspace, until a person decides: `POST …/folder/restore` or `…/folder/accept-removals`. */
            held_removals: {
                /** Format: date-time */
                since: string;
                files: number;
            } | null;
        };
        NewWorkspace: {
            /**
             * @description 1 to 64 lower-case letters, digits, `-` and `_`; also the name of its folder on disk.
             * @example garden
             */
            name: string;
        };
        File: {
            /**
             * Format: uuid
             * @description Stays the same through moves, removal and restoration.
             */
            id: string;
            /** @description Begins with a slash, such as `/notes/haiku.md`. */
            path: string;
            /** @enum {string} */
            kind: "file" | "agent" | "plan";
            /** @description Counts from 1; each change of the file adds one. */
            version: number;
            size: number;
            /** @description SHA-256 of the content, in hex. */
            hash: string;
            /** @description Whether it is UTF-8 text. */
            text: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            changed_at: string;
            /** Format: date-time */
            removed_at: string | null;
            /**
             * @description Present if the content was the same, so that there is no new version.
             * @enum {boolean}
             */
            unchanged?: true;
            /**
             * @description Present if the text was merged with a newer version.
             * @enum {boolean}
             */
            merged?: true;
        };
        /** @description A folder has a type, a name and a path. */
        TreeEntry: {
            /** @enum {string} */
            type: "folder" | "file";
            name: string;
            /** @description Begins with a slash, such as `/notes/haiku.md`. */
            path: string;
            /** Format: uuid */
            id?: string;
            /** @enum {string} */
            kind?: "file" | "agent" | "plan" | "chat";
            size?: number;
            version?: number;
            /** Format: date-time */
            changed_at?: string;
            /** @enum {string} */
            author?: "person" | "key" | "disk" | "run" | "plan";
        };
        /** @description The files after the move; at most the first 1000. */
        Moved: {
            files: components["schemas"]["File"][];
            count: number;
        };
        NewMove: {
            /** @example /notes/haiku.md */
            from: string;
            /** @example /poems/haiku.md */
            to: string;
            /** @description The version that the file must have. */
            if_match?: number;
        };
        SearchHit: {
            /** @description A kind of entities, `file` for a file that is not a document, `chat`, or `message`. */
            entity_type: string;
            /** Format: uuid */
            entity_id: string;
            /** Format: uuid */
            project_id: string | null;
            title: string;
            snippet: string | null;
            /** @description Can be compared within one answer only; 0 if only the path matches. */
            score: number;
            /** @enum {string} */
            found_in: "name" | "text";
            /** @description The path, if it is a file, a document or a chat. */
            path: string | null;
            /**
             * @description The kind of the file.
             * @enum {string|null}
             */
            kind: "file" | "agent" | "plan" | "chat" | null;
            /**
             * Format: uuid
             * @description The file’s id.
             */
            id: string | null;
            version: number | null;
            size: number | null;
            /** @description Of a message; `title` is then the title of its chat. */
            message?: {
                /** Format: uuid */
                chat_id: string;
                /** @enum {string} */
                role: "user" | "assistant";
                /** @description Where it begins in the log; null if it waits. */
                seq: number | null;
                at: string;
            };
        };
        FileVersion: {
            /** Format: uuid */
            file: string;
            /** @description Counts from 1; each change of the file adds one. */
            version: number;
            /** @enum {string} */
            op: "write" | "move" | "remove" | "restore";
            /** @description Begins with a slash, such as `/notes/haiku.md`. */
            path: string;
            size: number;
            /** @description SHA-256 of the content, in hex. */
            hash: string;
            text: boolean;
            author: components["schemas"]["Author"];
            /** Format: date-time */
            at: string;
        };
        /** @description Who made a version: a person, the owner of a key, a person on disk, or a call of a run. */
        Author: {
            /** @enum {string} */
            kind: "person" | "disk" | "plan";
        } | {
            /** @enum {string} */
            kind: "key";
            name: string;
        } | {
            /** @enum {string} */
            kind: "run";
            /** Format: uuid */
            thread: string;
            /** Format: uuid */
            run: string;
            call: string;
        };
        FileDiff: {
            /** @description Begins with a slash, such as `/notes/haiku.md`. */
            path: string;
            from: number;
            to: number;
            binary: boolean;
            /** @description A unified diff; empty if the versions are equal or one is not text. */
            diff: string;
            added: number;
            removed: number;
        };
        /** @description Empty: restores the removed workspace itself. */
        Restoration: {
            path?: string;
            /**
             * Format: uuid
             * @description The file’s id, instead of a path.
             */
            file?: string;
            version?: number;
            /** @description A path other than the file’s own. */
            to?: string;
            /** @description The version that the file at this path must have. */
            if_match?: number;
        };
        RemovedFile: {
            /** Format: uuid */
            id: string;
            /** @description Where it was. */
            path: string;
            /** @enum {string} */
            kind: "file" | "agent" | "plan";
            /** @description The version of the removal; the content is in the version before it. */
            version: number;
            size: number;
            text: boolean;
            /** Format: date-time */
            removed_at: string;
            removed_by: components["schemas"]["Author"];
        };
        Restored: {
            files: components["schemas"]["File"][];
            skipped: components["schemas"]["SkippedFile"][];
        };
        SkippedFile: {
            /** Format: uuid */
            id: string;
            /** @description Begins with a slash, such as `/notes/haiku.md`. */
            path: string;
            /** @description Why it was not restored, such as: `/a.md is a folder`. */
            reason: string;
        };
        TrashRestoration: {
            /** @description The ids of removed files. */
            files: string[];
        };
        /** @description A change of a file, an entity, or what is published; `seq` counts from 1, without gaps. */
        Change: {
            seq: number;
            /** @enum {string} */
            type: "file_updated" | "file_moved" | "file_removed" | "entity_patch" | "plan_step" | "plan_changed" | "content_published" | "content_unpublished";
            /** Format: date-time */
            at: string;
            data: {
                /** @description Begins with a slash, such as `/notes/haiku.md`. */
                path: string;
                from?: string;
                v: number;
                /** Format: uuid */
                file: string;
                /** @enum {string} */
                kind: "file" | "agent" | "plan";
                size: number;
                /** @description SHA-256 of the content, in hex. */
                hash: string;
                author: components["schemas"]["Author"];
            } | {
                /** @description A kind, or `doc_structure`. */
                entity_type: string;
                /**
                 * Format: uuid
                 * @description Of a structure: the project’s id.
                 */
                entity_id: string;
                /** Format: uuid */
                project_id: string | null;
                entity_name?: string;
                /** @description Apply the patch only to the version before this one. */
                version: number;
                patch: components["schemas"]["PatchOperation"][];
                author: components["schemas"]["Author"];
            } | {
                /** Format: uuid */
                plan: string;
                /** @description The step’s position in the plan, counted from 1. */
                step: number;
                step_id: string;
                /** @enum {string} */
                status: "pending" | "running" | "done" | "failed" | "skipped" | "blocked";
                title?: string;
                /** Format: uuid */
                chat?: string;
                /** Format: uuid */
                run?: string;
                error?: string;
            } | {
                /** Format: uuid */
                plan: string;
                /** @enum {string} */
                state: "draft" | "approved" | "running" | "paused" | "done" | "failed" | "stopped";
                approved_version?: number;
                /** Format: uuid */
                run?: string;
                /** Format: uuid */
                chat?: string;
            } | {
                /** Format: uuid */
                file: string;
                type: string;
                slug: string;
                /** @description The version that is published now. */
                v?: number;
            };
        };
        /** @description An operation of a JSON Patch (RFC 6902). */
        PatchOperation: {
            /** @enum {string} */
            op: "add" | "remove" | "replace" | "move";
            path: string;
            from?: string;
            value?: unknown;
        };
        Unpacked: {
            written: number;
            unchanged: number;
            bytes: number;
            refused: {
                name: string;
                problem: string;
            }[];
            /** @description How many entries were refused; `refused` names the first 100. */
            refused_count: number;
        };
        /** @description A piece of work with its documents, and the tasks, goals and other entities around them. */
        Project: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "project";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            name: string;
            /** @enum {string} */
            state: "active" | "paused" | "done";
            purpose?: string | null;
            folder: string;
        };
        /** @description A relation from one entity to another; the vocabulary lists the relations. */
        Edge: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            from_id: string;
            rel: string;
            /** Format: uuid */
            to_id: string;
        };
        /** @description An entity of any kind; its kind’s fields are members too. */
        Entity: {
            /** Format: uuid */
            id: string;
            kind: string;
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title?: string;
            name?: string;
            state?: string;
        } & {
            [key: string]: unknown;
        };
        NewProject: {
            name: string;
            /** @description In your own words; it is the text of the context document. */
            purpose?: string;
            goals?: (string | {
                title: string;
                /** @enum {string} */
                state?: "active" | "achieved" | "abandoned";
                description?: string | null;
                measure?: string | null;
                /** Format: date */
                due?: string | null;
            })[];
            tasks?: (string | {
                title: string;
                /** @enum {string} */
                state?: "todo" | "in_progress" | "blocked" | "done" | "canceled";
                description?: string | null;
                /** @enum {string|null} */
                priority?: "low" | "normal" | "high" | "urgent" | null;
                /** Format: date */
                due?: string | null;
                assignee?: string | null;
                /** @description The goal that it supports: its number in `goals`, from 0. */
                goal?: number;
            })[];
        };
        StructureNode: {
            /** Format: uuid */
            id: string;
            order: number;
            children: components["schemas"]["StructureNode"][];
        };
        DocumentMetadata: {
            /** Format: uuid */
            id: string;
            version: number;
            title: string;
            description: string | null;
            /** @description The length of the text after the front matter, in bytes. */
            content_length: number;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description A Markdown file in the project’s map of knowledge. Its id is the file’s id. */
        Document: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "document";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title: string;
            description?: string | null;
            /** @description The path of its file in the workspace. */
            path: string;
            /** @description The version of its file. */
            content_version: number;
            /** @description The length of the text after the front matter, in bytes. */
            content_length: number;
            /** @description Only in the response for a single document. */
            content?: string;
        };
        DocumentMove: {
            /**
             * Format: uuid
             * @description The document to place it below; null: the root.
             */
            parent_id: string | null;
            /** @description The position among the siblings; last without one. */
            order?: number;
        };
        NewEdge: {
            /** Format: uuid */
            from_id: string;
            /** Format: uuid */
            to_id: string;
            /** @example depends_on */
            rel: string;
        };
        /** @description An edge seen from one of its ends. */
        Link: {
            /**
             * Format: uuid
             * @description The id of the edge.
             */
            id: string;
            rel: string;
            /**
             * @description `out`: the edge starts at this entity.
             * @enum {string}
             */
            direction: "out" | "in";
            /** @description How it reads from this entity, such as “depends on”. */
            label: string;
            entity: {
                /** Format: uuid */
                id: string;
                kind: string;
                /**
                 * Format: uuid
                 * @description Links may lead to other projects.
                 */
                project_id: string | null;
                title: string;
                state: string | null;
            };
        };
        RunPlan: {
            /** @description How many steps run at the same time; 4 by default. */
            cap?: number;
            model?: string;
            /** @description All steps are pending again first. Otherwise, the first unfinished step is next. */
            restart?: boolean;
            /** @description What all steps may spend together. */
            limits?: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            };
        };
        /** @description A plan, with the status of each step. */
        PlanProgress: {
            /** Format: uuid */
            id: string;
            path: string;
            title: string;
            /** Format: uuid */
            project_id: string | null;
            /** @description The version of the plan’s file. */
            content_version: number;
            /** @enum {string} */
            state: "draft" | "approved" | "running" | "paused" | "done" | "failed" | "stopped";
            /** @description Null if the file is not a plan yet: see `problems`. */
            goal: string | null;
            constraints: string[];
            stages: components["schemas"]["PlanStageState"][];
            /** @description How many steps have each status. */
            counts: {
                pending?: number;
                running?: number;
                done?: number;
                failed?: number;
                skipped?: number;
                blocked?: number;
            };
            /** @description A plan with problems cannot be approved or run. */
            problems: components["schemas"]["PlanProblem"][];
            approved: {
                /** @description The version of the file that was approved. */
                version: number;
                /** Format: date-time */
                at: string;
                by?: unknown;
                /** @description False if the plan was changed since. */
                is_current: boolean;
            } | null;
            /**
             * Format: uuid
             * @description The run that works on the plan.
             */
            run_id: string | null;
            /** Format: uuid */
            chat_id: string | null;
            /** @description What the plan’s last run has used together with all of its child runs, as far as they have ended; null if it never ran. */
            usage: {
                runs: number;
                input: number;
                output: number;
                /** @description In dollars; null if no cost is known. */
                cost: number | null;
            } | null;
        };
        PlanStageState: {
            /** @description Unique among the stages. */
            id: string;
            name: string;
            /** @enum {string} */
            mode: "parallel" | "sequence";
            steps: components["schemas"]["PlanStepState"][];
        };
        PlanStepState: {
            /** @description Unique in the plan. */
            id: string;
            title: string;
            /** @enum {string} */
            intent: "research" | "analysis" | "draft" | "edit" | "create" | "update" | "review";
            /** @description Who does it: planner, research, writer, editor, tooling, or the name of a role. */
            executor: string;
            /** @description Without it, all tools of the executor. */
            tools?: string[];
            /** @description Ids of steps: this step waits for them and gets their results. */
            inputs?: string[];
            /** @description What it produces: paths, ids of entities. */
            outputs?: string[];
            /** @description Its position in the plan, counted from 1. */
            step: number;
            /** @enum {string} */
            status: "pending" | "running" | "done" | "failed" | "skipped" | "blocked";
            /**
             * Format: uuid
             * @description The chat in which it is done.
             */
            chat_id: string | null;
            /** Format: uuid */
            run_id: string | null;
            /** @description Why it failed, is blocked, or was skipped. */
            error: string | null;
            /** @description In dollars; null if it is not known. */
            cost: number | null;
            /** Format: date-time */
            updated_at: string | null;
        };
        /** @description A mistake in a plan’s file, and where it is. */
        PlanProblem: {
            /** @description Counts from 1. */
            line: number;
            /** @description Counts from 1. */
            column: number;
            text: string;
            step_id?: string;
        };
        ListedPlan: {
            /** Format: uuid */
            id: string;
            path: string;
            title: string;
            /** Format: uuid */
            project_id: string | null;
            /** @description The version of the plan’s file. */
            content_version: number;
            /** @enum {string} */
            state: "draft" | "approved" | "running" | "paused" | "done" | "failed" | "stopped";
            /** @description A run waits for a person’s approval of the plan as it is now. */
            is_waiting: boolean;
            /** @description How many steps have each status. */
            counts: {
                pending?: number;
                running?: number;
                done?: number;
                failed?: number;
                skipped?: number;
                blocked?: number;
            };
            /** @description How many problems the plan has; `progress` lists them. */
            problems: number;
            /**
             * Format: uuid
             * @description The run that works on the plan, or did so last.
             */
            run_id: string | null;
            /** Format: uuid */
            chat_id: string | null;
            /**
             * Format: date-time
             * @description The last change of the file or of a step.
             */
            updated_at: string;
        };
        ApprovePlan: {
            /** @description The version of the file that was read; 409 `plan_changed` if the plan has changed since. */
            version?: number;
        };
        SkipStep: {
            reason?: string;
        };
        EntityVersion: {
            version: number;
            /** @enum {string} */
            op: "create" | "update" | "remove" | "restore" | "link" | "unlink" | "write" | "move";
            author: components["schemas"]["Author"];
            /** Format: date-time */
            at: string;
            /** @description The entity after the change. A document’s versions are its file’s. */
            entity?: {
                /** Format: uuid */
                id: string;
                kind: string;
                /** Format: uuid */
                project_id: string | null;
                /** @description Counts from 1; each change of the entity or of its edges adds one. */
                version: number;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
                /** Format: date-time */
                removed_at: string | null;
                edges: components["schemas"]["Edge"][];
                title?: string;
                name?: string;
                state?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /** @description The fields to change; null clears one. */
        ProjectPatch: {
            name?: string;
            /** @enum {string} */
            state?: "active" | "paused" | "done";
            purpose?: string | null;
        };
        NewDocument: {
            /** Format: uuid */
            project_id: string;
            title: string;
            description?: string | null;
            content?: string;
            /**
             * Format: uuid
             * @description The document to place it below.
             */
            parent_id?: string | null;
            order?: number;
        };
        /** @description The fields to change; null clears one. */
        DocumentPatch: {
            title?: string;
            description?: string | null;
            content?: string;
        };
        /** @description Something to do. */
        Task: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "task";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title: string;
            /** @enum {string} */
            state: "todo" | "in_progress" | "blocked" | "done" | "canceled";
            description?: string | null;
            /** @enum {string|null} */
            priority?: "low" | "normal" | "high" | "urgent" | null;
            /** Format: date */
            due?: string | null;
            assignee?: string | null;
        };
        NewTask: {
            /** Format: uuid */
            project_id: string;
            title: string;
            /** @enum {string} */
            state?: "todo" | "in_progress" | "blocked" | "done" | "canceled";
            description?: string | null;
            /** @enum {string|null} */
            priority?: "low" | "normal" | "high" | "urgent" | null;
            /** Format: date */
            due?: string | null;
            assignee?: string | null;
        };
        /** @description The fields to change; null clears one. */
        TaskPatch: {
            title?: string;
            /** @enum {string} */
            state?: "todo" | "in_progress" | "blocked" | "done" | "canceled";
            description?: string | null;
            /** @enum {string|null} */
            priority?: "low" | "normal" | "high" | "urgent" | null;
            /** Format: date */
            due?: string | null;
            assignee?: string | null;
        };
        /** @description An outcome that the project is for. */
        Goal: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "goal";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title: string;
            /** @enum {string} */
            state: "active" | "achieved" | "abandoned";
            description?: string | null;
            measure?: string | null;
            /** Format: date */
            due?: string | null;
        };
        NewGoal: {
            /** Format: uuid */
            project_id: string;
            title: string;
            /** @enum {string} */
            state?: "active" | "achieved" | "abandoned";
            description?: string | null;
            measure?: string | null;
            /** Format: date */
            due?: string | null;
        };
        /** @description The fields to change; null clears one. */
        GoalPatch: {
            title?: string;
            /** @enum {string} */
            state?: "active" | "achieved" | "abandoned";
            description?: string | null;
            measure?: string | null;
            /** Format: date */
            due?: string | null;
        };
        /** @description A file with stages and steps towards a goal. Its id is the file’s id, its title the goal. */
        Plan: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "plan";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title: string;
            description?: string | null;
            /** @description The path of its file in the workspace. */
            path: string;
            /** @description The version of its file. */
            content_version: number;
            /** @description The length of the text after the front matter, in bytes. */
            content_length: number;
            /** @description Only in the response for a single document. */
            content?: string;
        };
        NewPlan: {
            /** Format: uuid */
            project_id?: string | null;
            title: string;
            description?: string | null;
            content?: string;
        };
        /** @description The fields to change; null clears one. */
        PlanPatch: {
            title?: string;
            description?: string | null;
            content?: string;
        };
        /** @description A point that the project wants to reach by a day. */
        Milestone: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "milestone";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title: string;
            /** @enum {string} */
            state: "planned" | "reached" | "missed";
            description?: string | null;
            /** Format: date */
            due?: string | null;
        };
        NewMilestone: {
            /** Format: uuid */
            project_id: string;
            title: string;
            /** @enum {string} */
            state?: "planned" | "reached" | "missed";
            description?: string | null;
            /** Format: date */
            due?: string | null;
        };
        /** @description The fields to change; null clears one. */
        MilestonePatch: {
            title?: string;
            /** @enum {string} */
            state?: "planned" | "reached" | "missed";
            description?: string | null;
            /** Format: date */
            due?: string | null;
        };
        /** @description Something that may go wrong. */
        Risk: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "risk";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title: string;
            /** @enum {string} */
            state: "open" | "mitigated" | "accepted" | "occurred" | "closed";
            description?: string | null;
            /** @enum {string|null} */
            likelihood?: "low" | "medium" | "high" | null;
            /** @enum {string|null} */
            impact?: "low" | "medium" | "high" | null;
            response?: string | null;
        };
        NewRisk: {
            /** Format: uuid */
            project_id: string;
            title: string;
            /** @enum {string} */
            state?: "open" | "mitigated" | "accepted" | "occurred" | "closed";
            description?: string | null;
            /** @enum {string|null} */
            likelihood?: "low" | "medium" | "high" | null;
            /** @enum {string|null} */
            impact?: "low" | "medium" | "high" | null;
            response?: string | null;
        };
        /** @description The fields to change; null clears one. */
        RiskPatch: {
            title?: string;
            /** @enum {string} */
            state?: "open" | "mitigated" | "accepted" | "occurred" | "closed";
            description?: string | null;
            /** @enum {string|null} */
            likelihood?: "low" | "medium" | "high" | null;
            /** @enum {string|null} */
            impact?: "low" | "medium" | "high" | null;
            response?: string | null;
        };
        /** @description Something that the result must do or be. */
        Requirement: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "requirement";
            /** Format: uuid */
            project_id: string | null;
            /** @description Counts from 1; each change of the entity or of its edges adds one. */
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            removed_at: string | null;
            edges: components["schemas"]["Edge"][];
            title: string;
            /** @enum {string} */
            state: "proposed" | "agreed" | "met" | "dropped";
            description?: string | null;
            /** @enum {string|null} */
            priority?: "must" | "should" | "could" | null;
        };
        NewRequirement: {
            /** Format: uuid */
            project_id: string;
            title: string;
            /** @enum {string} */
            state?: "proposed" | "agreed" | "met" | "dropped";
            description?: string | null;
            /** @enum {string|null} */
            priority?: "must" | "should" | "could" | null;
        };
        /** @description The fields to change; null clears one. */
        RequirementPatch: {
            title?: string;
            /** @enum {string} */
            state?: "proposed" | "agreed" | "met" | "dropped";
            description?: string | null;
            /** @enum {string|null} */
            priority?: "must" | "should" | "could" | null;
        };
        EntityKind: {
            kind: string;
            /** @description The last part of its routes. */
            plural: string;
            label: {
                one: string;
                many: string;
            };
            description: string;
            /** @enum {string} */
            title_field: "title" | "name";
            /** @description JSON Schema of the fields besides title and state. */
            fields: {
                [key: string]: unknown;
            };
            /** @description Each state with the states that it may change to; null: the kind has no states. */
            states: {
                initial: string;
                transitions: {
                    [key: string]: string[];
                };
            } | null;
            /** @description The fields that a table shows. */
            columns: string[];
            /** @description The entity’s id is its file’s id. */
            is_file: boolean;
        };
        Relation: {
            rel: string;
            forward: string;
            backward: string;
            /** @description The kinds at its start; null: any. */
            from: string[] | null;
            to: string[] | null;
            acyclic: boolean;
        };
        ContentType: {
            /** @description Also the name of its folder in /content. */
            name: string;
            title: string;
            fields: {
                [key: string]: {
                    /** @enum {string} */
                    kind: "text" | "number" | "boolean" | "date" | "list" | "reference" | "url" | "file";
                    required: boolean;
                    to?: string;
                };
            };
            /** @description What is wrong with the type’s file. */
            problem: {
                path: string;
                line: number;
                sentence: string;
            } | null;
        };
        ContentPiece: {
            type: string;
            slug: string;
            /** @description Of the newest version of its file, or of what is live if the file was removed; the slug if it has none. */
            title: string;
            /**
             * @description `draft`: not published. `published`: the newest version is live. `changed`: an older version is live. `removed`: the file is gone, but its publication or its schedule remains.
             * @enum {string}
             */
            state: "draft" | "published" | "changed" | "removed";
            path: string | null;
            /** Format: uuid */
            file_id: string | null;
            /** @description The newest version of the file. */
            version: number | null;
            live: {
                version: number;
                title: string;
                /** Format: date-time */
                published_at: string;
            } | null;
            scheduled: {
                version: number;
                title: string;
                /** Format: date-time */
                at: string;
                /** @description Why it could not be published at its time. It then waits for a person to schedule it again or to cancel it. */
                problem: string | null;
            } | null;
            /**
             * Format: date-time
             * @description When the newest version of the file was written.
             */
            changed_at: string | null;
        };
        ContentCheck: {
            type: string;
            slug: string;
            title: string;
            /** @description The front matter, checked by the content type. */
            fields: {
                [key: string]: unknown;
            };
            html: string;
            markdown: string;
            version: number;
            words: number;
            /** @description Why it cannot be published; empty if it can. */
            problems: {
                line: number | null;
                sentence: string;
            }[];
            /** @description Warnings that do not prevent publishing, such as a link to a piece that is not live. */
            warnings: {
                line: number | null;
                sentence: string;
            }[];
            /** @description The files of the workspace that readers get with it. */
            files: {
                /** Format: uuid */
                file_id: string;
                version: number;
                path: string;
            }[];
            /** @description An address that shows this draft to anybody, for seven days. */
            preview: string;
        };
        PublishedContent: {
            type: string;
            slug: string;
            title: string;
            /** @description The front matter, checked by the content type. */
            fields: {
                [key: string]: unknown;
            };
            /** @description The body as sanitised HTML. */
            html?: string;
            /** @description The body as it was written. */
            markdown?: string;
            /** @description The version of the file that is published. */
            version: number;
            /** Format: date-time */
            first_published_at: string;
            /** Format: date-time */
            published_at: string;
        };
        /** @description Without a version, the newest one. */
        PublishContent: {
            version?: number;
        };
        Publication: {
            version: number;
            title: string;
            /** Format: date-time */
            at: string;
            /**
             * Format: date-time
             * @description When another version replaced it, or it was unpublished; null while it is live.
             */
            until: string | null;
            by: {
                /** @enum {string} */
                kind: "local" | "key" | "run";
                /** @description Of a key. */
                name?: string;
                /**
                 * Format: uuid
                 * @description The run of the agent that published it, with a person’s approval.
                 */
                run?: string;
            };
        };
        RestoreContent: {
            version?: number;
        };
        /** @description A version that is published at a time. */
        ScheduledContent: {
            version: number;
            title: string;
            /** Format: date-time */
            at: string;
            /** @description Why it could not be published at its time. It then waits for a person to schedule it again or to cancel it. */
            problem: string | null;
        };
        /** @description Without a version, the newest one as it is now. */
        ScheduleContent: {
            /** Format: date-time */
            at: string;
            version?: number;
        };
        /** @description A frame that a dialect makes of an event. */
        Frame: {
            /** @description The event’s number; `<number>.<part>` for all frames of the event but the last. */
            id: string;
            type: string;
            data: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            at: string;
        };
        AgentMessage: {
            /** @description The message. The whole body may have at most 1 MiB. */
            message: string;
            /**
             * Format: uuid
             * @description A thread’s id; if absent, a new thread is created.
             */
            session_id?: string;
            /**
             * @description What the session is about from here on: the whole workspace, a project, or an entity. If absent, what it was about before; a new session is about the workspace.
             * @enum {string}
             */
            scope?: "global" | "project" | "entity";
            /**
             * Format: uuid
             * @description Of the scope `project`; of an entity, its project.
             */
            project_id?: string;
            /** @description Of the scope `entity`. */
            entity?: {
                /** @example task */
                type: string;
                /** Format: uuid */
                id: string;
            };
            /** @description The id or the name of a new thread’s workspace; default: `default`. */
            workspace?: string;
            /** @description `provider/model`. */
            model?: string;
            /** @description The role that answers. */
            role?: string;
        };
        ChatRequest: {
            /** @description `provider/model`, or the bare name of a model that only one provider has; default: the chat’s, the role’s or the server’s. */
            model?: string;
            /** @description The role that answers; default: the chat’s, or `assistant`. */
            role?: string;
            limits?: components["schemas"]["Limits"];
            /**
             * @description What happens if the thread has an open run; default: `enqueue`.
             * @enum {string}
             */
            policy?: "enqueue" | "reject" | "interrupt" | "rollback" | "steer";
            /** @description The id of a thread, or the client’s own name for it. */
            id: string;
            /** @description The conversation. The server reads only its end: a person’s message, which the run answers, or answers to approvals. */
            messages: ({
                id: string;
                role: string;
                parts: ({
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
            /**
             * @default submit-message
             * @enum {string}
             */
            trigger: "submit-message" | "regenerate-message";
            /** @description Not used: `regenerate-message` answers the last message of the conversation again. */
            messageId?: string;
        };
        RunAgentInput: {
            /** @description The id of a thread, or the client’s own name for it. */
            threadId: string;
            /** @description The client’s name for the run. Repeating a name returns the same run. */
            runId: string;
            /** @description The conversation. The server reads only its last message, a person’s, which the run answers. */
            messages: ({
                id: string;
                role: string;
                content?: string | ({
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
            /** @description Settings of the run: `role`, `model`, `limits`, `policy`. */
            forwardedProps?: {
                /** @description `provider/model`, or the bare name of a model that only one provider has; default: the chat’s, the role’s or the server’s. */
                model?: string;
                /** @description The role that answers; default: the chat’s, or `assistant`. */
                role?: string;
                limits?: components["schemas"]["Limits"];
                /**
                 * @description What happens if the thread has an open run; default: `enqueue`.
                 * @enum {string}
                 */
                policy?: "enqueue" | "reject" | "interrupt" | "rollback" | "steer";
            } | null;
            resume?: ({
                interruptId: string;
                /** @enum {string} */
                status: "resolved" | "cancelled";
                /** @description For a resolved interrupt: `approved`, and the fields of its `responseSchema`. */
                payload?: {
                    approved: boolean;
                    input?: {
                        [key: string]: unknown;
                    };
                    comment?: string;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        ToolResult: {
            /** @description The run’s id, a colon, and the call’s id. */
            id: string;
            /** Format: uuid */
            run_id: string;
            call: string;
            tool: string;
            /** @description A sentence about what the call did. */
            title?: string;
            input?: unknown;
            /** @description The whole output; after a failure, `error` says what was wrong. */
            output?: unknown;
            success: boolean;
            /** @enum {string} */
            outcome?: "unknown" | "canceled" | "denied";
            /** @description What later runs see instead of the output, if the tool defines it. */
            summary?: string;
            /** @description Ids of the files that the output was made from. */
            sources: string[];
            /** Format: date-time */
            ended_at: string;
        };
        Sandbox: {
            /** @description Whether agents have the tool `exec` on this server. */
            usable: boolean;
            runner: string | null;
            /** @description Why it is not usable. */
            reason: string | null;
            /** @description What to install or change. */
            remedy: string | null;
        };
        /** @description A call of `exec`. */
        Execution: {
            /** @description The run’s id, a colon, and the call’s id. */
            id: string;
            /** Format: uuid */
            run_id: string;
            /** Format: uuid */
            thread_id: string;
            call: string;
            command: string;
            cwd: string;
            /** @description The hosts that it may reach. */
            network: string[];
            /** @enum {string} */
            status: "running" | "ended";
            /** @description While it runs, the end of the output; afterwards all of it that is kept. Plain text, or with escape sequences for colours and no others. */
            output: string;
            /** @description How much the command has written. */
            output_bytes: number;
            exit_code: number | null;
            /**
             * @description The limit that ended it.
             * @enum {string|null}
             */
            ended_by: "time" | "output" | "memory" | "scratch" | "canceled" | null;
            /** @description The files that it proposes to change. */
            changes: {
                path: string;
                /** @description The version that the command started from; 0: a new file. */
                base: number;
                size: number;
                text: boolean;
                /**
                 * @description outdated: the file has another version by now, so the change cannot be applied.
                 * @enum {string}
                 */
                state: "open" | "applied" | "outdated";
                /** @description The version that it became when applied. */
                version: number | null;
            }[];
            /** @description What it changed besides, and why that is not proposed. */
            left_out: {
                path: string;
                reason: string;
            }[];
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            ended_at: string | null;
        };
        /** @description The files to apply, all or none. */
        AppliedChanges: {
            paths: string[];
        };
        /** @description One answer for an executor to write. */
        Assignment: {
            /** Format: uuid */
            run_id: string;
            /** Format: uuid */
            thread_id: string;
            /** Format: uuid */
            workspace_id: string;
            /** @description Names the answer within its run, such as `m1`. */
            message: string;
            executor: string;
            /**
             * Format: uuid
             * @description Proves that the assignment is the executor’s. Send it with every request.
             */
            claim: string;
            /** @description Without a post or a heartbeat for so long, the claim is lost. */
            lease_seconds: number;
            request: components["schemas"]["AssignmentRequest"];
        };
        AssignmentRequest: {
            role: string;
            /** @description The instructions that a model would get. */
            system: string;
            history: components["schemas"]["AssignmentMessage"][];
            /** @description The tools that the answer may call. The server runs them. */
            tools: {
                name: string;
                description: string;
                /** @description JSON Schema of the input. */
                input: {
                    [key: string]: unknown;
                };
            }[];
            /** @description What a budget leaves for the answer. */
            max_output_tokens: number | null;
            /** @description The W3C trace context of the answer, if the server sends traces: spans of the executor can be its children. */
            traceparent: string | null;
            /** @description The state that the executor stored with its last answer in this thread; null if there is none. */
            state?: unknown;
        };
        /** @description A message of the thread’s history, oldest first. */
        AssignmentMessage: {
            /** @enum {string} */
            role: "user";
            id: string;
            content: string;
            files?: {
                media_type: string;
                /** @description A `data:` or `https:` URL. */
                url: string;
            }[];
        } | {
            /** @enum {string} */
            role: "assistant";
            id: string;
            parts: ({
                /** @enum {string} */
                type: "text" | "reasoning";
                text: string;
            } | {
                /** @enum {string} */
                type: "tool_call";
                call: string;
                tool: string;
                input?: unknown;
            })[];
        } | {
            /** @enum {string} */
            role: "tool";
            call: string;
            tool: string;
            output?: unknown;
            failed: boolean;
            files?: {
                media_type: string;
                /** @description A `data:` or `https:` URL. */
                url: string;
            }[];
        } | {
            /** @enum {string} */
            role: "system";
            content: string;
        };
        ClaimRequest: {
            /** @description The id or name of a workspace; every workspace that the key may use if absent. */
            workspace?: string;
            /** @description The name of a role: only answers of its runs; of all roles if absent. */
            role?: string;
            /**
             * @description How many seconds to wait for an assignment.
             * @default 0
             */
            wait: number;
            /** @description Names the program, for people. */
            by?: string;
        };
        /** @description The claim is still valid. */
        HeldClaim: {
            lease_seconds: number;
        };
        /** @description Nothing may follow `finish` or `fail`. */
        PostedEvents: {
            /** Format: uuid */
            claim: string;
            /** @description Numbers the batches of an answer from 1. A batch that is sent twice counts once. */
            seq: number;
            events: components["schemas"]["ExecutorEvent"][];
        };
        ExecutorEvent: {
            /** @enum {string} */
            type: "text";
            text: string;
        } | {
            /** @enum {string} */
            type: "reasoning";
            text: string;
        } | {
            /** @enum {string} */
            type: "tool_call";
            /** @description Names the call within its run. The server makes it unique. */
            call?: string;
            tool: string;
            input: {
                [key: string]: unknown;
            };
        } | {
            /** @enum {string} */
            type: "finish";
            /** @enum {string} */
            reason?: "end" | "tool_use" | "length" | "filtered" | "other";
            usage?: {
                input: number;
                output: number;
                cached_input?: number;
                reasoning?: number;
            };
            /** @description Given back with the next assignment of the thread. */
            state?: unknown;
        } | {
            /** @enum {string} */
            type: "fail";
            code: string;
            error: string;
            /** @description The server may ask once more. */
            retryable?: boolean;
        };
        HeartbeatRequest: {
            /** Format: uuid */
            claim: string;
            /**
             * @description How many seconds to wait for the end of the assignment.
             * @default 0
             */
            wait: number;
            /**
             * @description Gives the claim up: another executor gets the assignment at once.
             * @enum {boolean}
             */
            release?: true;
        };
        UsageSum: {
            key: string;
            runs: number;
            input: number;
            output: number;
            cached_input: number;
            reasoning: number;
            cost: number | null;
        };
        UsageOverTime: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            time_zone: string;
            /** @description When each bucket begins. */
            buckets: string[];
            total: {
                runs: number;
                input: number;
                output: number;
                cached_input: number;
                reasoning: number;
                cost: number | null;
            };
            /** @description The largest sums of tokens, at most 10. */
            series: components["schemas"]["UsageSeries"][];
            others: {
                total: {
                    runs: number;
                    input: number;
                    output: number;
                    cached_input: number;
                    reasoning: number;
                    cost: number | null;
                };
                /** @description A value for each of `buckets`. */
                runs: number[];
                /** @description A value for each of `buckets`. */
                input: number[];
                /** @description A value for each of `buckets`. */
                output: number[];
                /** @description A value for each of `buckets`. */
                cost: (number | null)[];
                /** @description How many keys there are besides those in `series`. */
                count: number;
            } | null;
        };
        UsageSeries: {
            /** @description The model, the role, or the id of the project or chat. Null: calls without a role (titles and summaries), or in no project. */
            key: string | null;
            /** @description Of a project or a chat, unless it was deleted; otherwise the key. */
            name: string | null;
            total: {
                runs: number;
                input: number;
                output: number;
                cached_input: number;
                reasoning: number;
                cost: number | null;
            };
            /** @description A value for each of `buckets`. */
            runs: number[];
            /** @description A value for each of `buckets`. */
            input: number[];
            /** @description A value for each of `buckets`. */
            output: number[];
            /** @description A value for each of `buckets`. */
            cost: (number | null)[];
        };
        McpServer: {
            name: string;
            config: components["schemas"]["McpConfig"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The state on the pod that answers; each pod has its own connections. */
            state: {
                /** @enum {string} */
                status: "disabled";
            } | {
                /** @enum {string} */
                status: "connecting";
                /** Format: date-time */
                since: string;
            } | {
                /** @enum {string} */
                status: "ready";
                /** Format: date-time */
                since: string;
                tools: {
                    /** @description The name that models see. */
                    name: string;
                    /** @description The MCP server’s own name for it. */
                    tool: string;
                    description: string;
                    /** @enum {string} */
                    effect: "pure" | "idempotent" | "external" | "transactional";
                }[];
                left_out: {
                    tool: string;
                    reason: string;
                }[];
            } | {
                /** @enum {string} */
                status: "failed";
                /** Format: date-time */
                since: string;
                reason: string;
                /** Format: date-time */
                retry_at: string;
            };
        };
        /** @description An MCP server. The values of `env` and `headers` are never sent back. */
        McpConfig: {
            /** @enum {string} */
            transport: "stdio";
            /** @description A program, started without a shell. */
            command: string;
            /** @default [] */
            args: string[];
            /**
             * @description The environment variables of the process. null keeps the stored value. `${NAME}` stands for an environment variable of the server.
             * @default {}
             */
            env: {
                [key: string]: string | null;
            };
            /** @description Default: the working folder of this server. */
            cwd?: string;
            /**
             * @description Whether to trust what the server says about the effects of its tools.
             * @default false
             */
            trust: boolean;
            /**
             * @description The time limit of one call.
             * @default 60
             */
            timeout_seconds: number;
            /** @default true */
            enabled: boolean;
        } | {
            /** @enum {string} */
            transport: "http";
            /** Format: uri */
            url: string;
            /**
             * @description null keeps the stored value. `${NAME}` stands for an environment variable of the server.
             * @default {}
             */
            headers: {
                [key: string]: string | null;
            };
            /**
             * @description Whether to trust what the server says about the effects of its tools.
             * @default false
             */
            trust: boolean;
            /**
             * @description The time limit of one call.
             * @default 60
             */
            timeout_seconds: number;
            /** @default true */
            enabled: boolean;
        };
        Schedule: {
            /** @description Unique in the workspace. */
            name: string;
            /**
             * @description Five fields (minute, hour, day of the month, month, day of the week), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
             * @example 0 9 * * MON-FRI
             */
            cron: string;
            /**
             * @description A time zone of the IANA database.
             * @default UTC
             * @example Europe/Berlin
             */
            time_zone: string;
            /**
             * @description The message to the agent; empty with `plan_id`, whose goal is the message.
             * @default
             */
            message: string;
            /**
             * Format: uuid
             * @description The chat that gets the message; null: a new chat each time.
             * @default null
             */
            chat_id: string | null;
            /**
             * @description The title of new chats; null: the server finds one.
             * @default null
             */
            title: string | null;
            /** @default null */
            role: string | null;
            /** @default null */
            model: string | null;
            /**
             * @description The limits of each run.
             * @default null
             */
            limits: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            } | null;
            /**
             * Format: uuid
             * @description The plan that is run at each time, in a new chat. A plan that has ended starts over; one that was stopped continues. Without `chat_id`, `title` and `role`.
             * @default null
             */
            plan_id: string | null;
            /**
             * @description What happens to times that passed more than a minute ago, while no server was running: nothing, or one run for all of them.
             * @default skip
             * @enum {string}
             */
            missed: "skip" | "run_once";
            /**
             * @description What happens at a time when the last run of the schedule is still open: the time is skipped, or its message is queued in the chat. `queue` needs `chat_id`.
             * @default skip
             * @enum {string}
             */
            overlap: "skip" | "queue";
            /** @default false */
            paused: boolean;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            /**
             * Format: date-time
             * @description Null if it is paused, or the expression has no further time.
             */
            next_at: string | null;
            /** @description The next five times; none if it is paused. */
            next_times: string[];
            /** @description The outcomes of its last ten times, latest first. */
            times: components["schemas"]["ScheduleTime"][];
            /** @description On whose behalf its runs act. */
            principal: {
                /** @enum {string} */
                kind: "local";
            } | {
                /** @enum {string} */
                kind: "key";
                name: string;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ScheduleTime: {
            /**
             * Format: date-time
             * @description The time in the schedule; of a manual run, when it was asked for.
             */
            at: string;
            /**
             * @description `missed`: no server was running. `skipped`: the last run was still open. `refused`: the run could not be started.
             * @enum {string}
             */
            outcome: "started" | "missed" | "skipped" | "refused";
            /** @description Somebody asked for the run, at no time of the schedule. */
            manual: boolean;
            /** @description How many earlier times were missed together with it; 100 means 100 or more. */
            earlier: number;
            /** @description Why no run was started. */
            reason: string | null;
            /** Format: uuid */
            chat_id: string | null;
            /**
             * Format: uuid
             * @description The run that it started; if it was skipped, the open run.
             */
            run_id: string | null;
            /** Format: date-time */
            decided_at: string;
        };
        NewSchedule: {
            /** @description Unique in the workspace. */
            name: string;
            /**
             * @description Five fields (minute, hour, day of the month, month, day of the week), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
             * @example 0 9 * * MON-FRI
             */
            cron: string;
            /**
             * @description A time zone of the IANA database.
             * @default UTC
             * @example Europe/Berlin
             */
            time_zone: string;
            /**
             * @description The message to the agent; empty with `plan_id`, whose goal is the message.
             * @default
             */
            message: string;
            /**
             * Format: uuid
             * @description The chat that gets the message; null: a new chat each time.
             * @default null
             */
            chat_id: string | null;
            /**
             * @description The title of new chats; null: the server finds one.
             * @default null
             */
            title: string | null;
            /** @default null */
            role: string | null;
            /** @default null */
            model: string | null;
            /**
             * @description The limits of each run.
             * @default null
             */
            limits: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            } | null;
            /**
             * Format: uuid
             * @description The plan that is run at each time, in a new chat. A plan that has ended starts over; one that was stopped continues. Without `chat_id`, `title` and `role`.
             * @default null
             */
            plan_id: string | null;
            /**
             * @description What happens to times that passed more than a minute ago, while no server was running: nothing, or one run for all of them.
             * @default skip
             * @enum {string}
             */
            missed: "skip" | "run_once";
            /**
             * @description What happens at a time when the last run of the schedule is still open: the time is skipped, or its message is queued in the chat. `queue` needs `chat_id`.
             * @default skip
             * @enum {string}
             */
            overlap: "skip" | "queue";
            /** @default false */
            paused: boolean;
        };
        /** @description A secret of a workspace. Its value is never returned. */
        Secret: {
            name: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description False if it was stored with another key than this server’s. */
            readable: boolean;
        };
        NewSecret: {
            value: string;
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            url: string;
            events: ("run.ended" | "approval.waiting" | "plan.ended" | "plan.waiting" | "content.published" | "content.unpublished")[];
            /** Format: uuid */
            plan_id: string | null;
            enabled: boolean;
            /** @description Messages that are not delivered yet. */
            waiting: number;
            /** @description Messages whose attempts are used up. They can be sent again. */
            dead: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        AddedWebhook: {
            /** Format: uuid */
            id: string;
            url: string;
            events: ("run.ended" | "approval.waiting" | "plan.ended" | "plan.waiting" | "content.published" | "content.unpublished")[];
            /** Format: uuid */
            plan_id: string | null;
            enabled: boolean;
            /** @description Messages that are not delivered yet. */
            waiting: number;
            /** @description Messages whose attempts are used up. They can be sent again. */
            dead: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * @description Verifies the signatures, as Standard Webhooks describe it. It is not shown again.
             * @example whsec_…
             */
            secret: string;
        };
        NewWebhook: {
            /**
             * Format: uri
             * @description Gets a POST for each event.
             */
            url: string;
            /**
             * @default [
             *       "run.ended",
             *       "approval.waiting",
             *       "plan.ended",
             *       "plan.waiting"
             *     ]
             */
            events: ("run.ended" | "approval.waiting" | "plan.ended" | "plan.waiting" | "content.published" | "content.unpublished")[];
            /**
             * Format: uuid
             * @description The only plan that it is told about; null: everything in the workspace.
             * @default null
             */
            plan_id: string | null;
            /**
             * @description A disabled webhook gets no new messages; those that wait stay.
             * @default true
             */
            enabled: boolean;
        };
        WebhookMessage: {
            /**
             * Format: uuid
             * @description Its `webhook-id` is `msg_` and this id, also when it is sent again.
             */
            id: string;
            /** @enum {string} */
            event: "run.ended" | "approval.waiting" | "plan.ended" | "plan.waiting" | "content.published" | "content.unpublished";
            /** @description The body of the request. */
            payload: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            state: "waiting" | "delivered" | "dead";
            attempts: number;
            /**
             * Format: date-time
             * @description When a waiting message is tried next.
             */
            next_at: string | null;
            /** @description The status of the last answer. */
            status: number | null;
            /** @description Why the last attempt failed. */
            error: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            attempted_at: string | null;
        };
        Trigger: {
            /** @description Unique in the workspace. */
            name: string;
            /** @description The message to the agent. */
            message: string;
            /**
             * Format: uuid
             * @description The chat that gets the message; null: a new chat each time.
             * @default null
             */
            chat_id: string | null;
            /**
             * @description The title of new chats; null: the server finds one.
             * @default null
             */
            title: string | null;
            /** @default null */
            role: string | null;
            /** @default null */
            model: string | null;
            /**
             * @description The limits of each run.
             * @default null
             */
            limits: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            } | null;
            /**
             * @description Whether requests must be signed as Standard Webhooks describe it.
             * @default false
             */
            signed: boolean;
            /**
             * @description A disabled trigger answers as if it did not exist.
             * @default true
             */
            enabled: boolean;
            /** Format: uuid */
            id: string;
            /** @description How many runs it has started. */
            uses: number;
            /** Format: date-time */
            used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        AddedTrigger: {
            /** @description Unique in the workspace. */
            name: string;
            /** @description The message to the agent. */
            message: string;
            /**
             * Format: uuid
             * @description The chat that gets the message; null: a new chat each time.
             * @default null
             */
            chat_id: string | null;
            /**
             * @description The title of new chats; null: the server finds one.
             * @default null
             */
            title: string | null;
            /** @default null */
            role: string | null;
            /** @default null */
            model: string | null;
            /**
             * @description The limits of each run.
             * @default null
             */
            limits: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            } | null;
            /**
             * @description Whether requests must be signed as Standard Webhooks describe it.
             * @default false
             */
            signed: boolean;
            /**
             * @description A disabled trigger answers as if it did not exist.
             * @default true
             */
            enabled: boolean;
            /** Format: uuid */
            id: string;
            /** @description How many runs it has started. */
            uses: number;
            /** Format: date-time */
            used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * @description The address, on this server. It contains the token, which is not shown again.
             * @example /hooks/…
             */
            path: string;
            /** @description Signs requests, if they must be signed. It is not shown again. */
            secret: string | null;
        };
        NewTrigger: {
            /** @description Unique in the workspace. */
            name: string;
            /** @description The message to the agent. */
            message: string;
            /**
             * Format: uuid
             * @description The chat that gets the message; null: a new chat each time.
             * @default null
             */
            chat_id: string | null;
            /**
             * @description The title of new chats; null: the server finds one.
             * @default null
             */
            title: string | null;
            /** @default null */
            role: string | null;
            /** @default null */
            model: string | null;
            /**
             * @description The limits of each run.
             * @default null
             */
            limits: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            } | null;
            /**
             * @description Whether requests must be signed as Standard Webhooks describe it.
             * @default false
             */
            signed: boolean;
            /**
             * @description A disabled trigger answers as if it did not exist.
             * @default true
             */
            enabled: boolean;
        };
        ChangedTrigger: {
            /** @description Unique in the workspace. */
            name: string;
            /** @description The message to the agent. */
            message: string;
            /**
             * Format: uuid
             * @description The chat that gets the message; null: a new chat each time.
             * @default null
             */
            chat_id: string | null;
            /**
             * @description The title of new chats; null: the server finds one.
             * @default null
             */
            title: string | null;
            /** @default null */
            role: string | null;
            /** @default null */
            model: string | null;
            /**
             * @description The limits of each run.
             * @default null
             */
            limits: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            } | null;
            /**
             * @description Whether requests must be signed as Standard Webhooks describe it.
             * @default false
             */
            signed: boolean;
            /**
             * @description A disabled trigger answers as if it did not exist.
             * @default true
             */
            enabled: boolean;
            /** Format: uuid */
            id: string;
            /** @description How many runs it has started. */
            uses: number;
            /** Format: date-time */
            used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Present if requests must be signed from now on. It is not shown again. */
            secret: string | null;
        };
        ReadKey: {
            /** Format: uuid */
            id: string;
            name: string;
            created_by: components["schemas"]["Principal"];
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description The last use, to the hour.
             */
            used_at: string | null;
        };
        AddedReadKey: {
            /** Format: uuid */
            id: string;
            name: string;
            created_by: components["schemas"]["Principal"];
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description The last use, to the hour.
             */
            used_at: string | null;
            /** @description Shown once; only its hash is stored. */
            key: string;
        };
        NewReadKey: {
            name: string;
        };
        Triggered: {
            /** Format: uuid */
            run_id: string;
        };
        PersonState: {
            person: boolean;
        };
        PersonToken: {
            token: string;
        };
        Ready: {
            /** @enum {string} */
            status: "ready" | "unready";
            database: string;
            migrations: string;
            /** @description `full` after a write was refused because a disk is full, until a write of 1 MiB succeeds; also while the server's embedded database cannot be reached and less than 16 MiB are free for it. `unknown` while the database cannot be reached for another reason. */
            storage: string;
            pod: string;
            /** @description `ok`, or why the folders on disk are behind, such as `the disk is full`. The server is ready all the same. */
            folders: string;
            /** @description The version of the server. */
            version: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
