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
         * Hear which chats have changed
         * @description Server-sent events `hint` `{chats, files, servers}`: the ids of chats whose state, title, queue or approvals have changed, and whether files or MCP servers have. A hint only says where to look. It has no id and is not repeated: after a new connection, look at everything once. The stream has no end.
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
        /** Make a thread */
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
        /** List what was said, in reading order */
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
                    /** @description Kept for 24 hours: the same key and request give the same run. */
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
         * @description Server-sent events of all its runs and sessions, from `after` (or the `Last-Event-ID` header) on; `after=latest` begins now. The stream has no end. With `Accept: application/json` or `format=json`, a page: of the events after `after`, or of the last ones before `before`, in order; `before=latest` is the end of the log. `next` goes on in the same direction; it is null when there is nothing more now.
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
         * @description Server-sent events from `after` (or the `Last-Event-ID` header) on; the stream ends after the terminal `state`. With `Accept: application/json` or `format=json`, a page.
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
         * @description After a 200 the run ends `canceled`, and never with `final`. Repeating it is fine.
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
         * Give the message of a queued run to the run that is at work
         * @description In one step: the run at work takes the message in, with its files, and the queued run ends `canceled`. Repeating it is fine.
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
                /** @description The run that takes it in */
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
         * @description For a failed or canceled run: a new run from the same message.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Kept for 24 hours: the same key and request give the same run. */
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
        /** What the run waits for */
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
                /** @description In a sentence and as fields */
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
                    /** @description Only those in this state; `open`: queued or running. */
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
    "/api/v1/workspaces/{id}/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List chats, the one that was last spoken to first */
        get: {
            parameters: {
                query?: {
                    /** @description `true`: those that were put away. */
                    archived?: "true" | "false";
                    /** @description `true`: those that can still be brought back. */
                    removed?: "true" | "false";
                    /** @description Only those in this state. */
                    state?: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
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
        /** Open a chat with a goal; a run begins at once */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Kept for 24 hours: the same key and request give the same run. */
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
        /** Read a chat: its session, what it waits for, what it used */
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
                    /** @description Kept for 24 hours: the same key and request give the same run. */
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
         * @description Its open runs are canceled. For 7 days it can be brought back; then it is deleted for good.
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
        /** Rename a chat, or put it away */
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
        /** Bring a removed chat back */
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
         * @description The model’s call is aborted, a running tool finishes first, queued runs are canceled. Repeating it is fine. The next message starts a new session.
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
         * Pause a chat at its run’s next step
         * @description A paused chat is held by nobody, for as long as need be; it survives restarts.
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
        /** Go on with a paused chat */
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
                /** @description It goes on */
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
                /** @description When the session completes if nothing happens */
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
        /** The audit trail: what was said, thought and called, in the log’s order */
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
                /** @description A page of it */
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
        /** The sessions that the chat had, newest first */
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
    "/api/v1/workspaces/{id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what runs ask people, newest first */
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
         * Decide about a call
         * @description The run goes on when everything that it asked is decided. The same decision again is fine; another one is 409.
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
        /** List the models that can answer */
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
         * @description The built-in roles, overlaid by the files `/agents/*.md`, by name.
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
                /** @description The policy; the default if none was set */
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
         * @description Holds for every call from now on, also of runs that are under way.
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
                    /** @description `true`: those that can still be brought back. */
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
        /** Make a workspace */
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
         * @description Its open runs are canceled, and its threads take no new message. For 7 days it can be brought back; then its files and threads are deleted for good.
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
         * Put back files that disappeared from the folder on disk at once
         * @description Where many files disappear at once, nothing is removed until a person decides; `held_removals` of the workspace says so. The server that has the folder does what was decided, within moments.
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
         * Remove from the workspace files that disappeared from the folder on disk at once
         * @description Where many files disappear at once, nothing is removed until a person decides; `held_removals` of the workspace says so. The server that has the folder does what was decided, within moments.
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
         * @description The bytes, with the version as `ETag`; `Range`, `If-Range`, `If-None-Match` and `If-Match` are understood. Served with `Content-Security-Policy: sandbox; default-src 'none'` and `nosniff`. HEAD gives the same without the bytes.
         */
        get: {
            parameters: {
                query?: {
                    /** @description An older one. */
                    version?: number;
                    /** @description `1`: as an attachment. */
                    download?: "0" | "1";
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    /** @description The rest of the URL: the names of folders and file, each percent-encoded, with slashes between. */
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
                /** @description A part of them */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description You have it already */
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
         * @description The body is the content, of any type, at most 33554432 bytes. `If-Match: "<version>"` writes only over that version, `If-None-Match: *` only where nothing is. What is in `/agents`, and `/AGENTS.md`, is for a person alone.
         */
        put: {
            parameters: {
                query?: {
                    /** @description `merge`: a stale text is merged with what is there, if that goes cleanly. */
                    on_conflict?: "merge" | "refuse";
                };
                header?: {
                    "if-match"?: string;
                    "if-none-match"?: string;
                };
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    /** @description The rest of the URL: the names of folders and file, each percent-encoded, with slashes between. */
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
                /** @description The file has a next version, or the content was the same */
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
         * @description Its history stays: `…/restore` brings any version back. `If-Match: "<version>"` as with PUT. What is in `/agents`, and `/AGENTS.md`, is for a person alone.
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
                    /** @description The rest of the URL: the names of folders and file, each percent-encoded, with slashes between. */
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
        /** Look at a file without its bytes */
        head: {
            parameters: {
                query?: {
                    /** @description An older one. */
                    version?: number;
                    /** @description `1`: as an attachment. */
                    download?: "0" | "1";
                };
                header?: never;
                path: {
                    /** @description The workspace’s id or name. */
                    id: string;
                    /** @description The rest of the URL: the names of folders and file, each percent-encoded, with slashes between. */
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
                /** @description You have it already */
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
         * @description Folders are the beginnings of paths: an empty one is not there. What is in `/chats` is listed by `path=/chats` alone, newest first.
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
         * Search names and texts
         * @description Names by a part of the path; texts by words, as a web search: `"a phrase"`, `or`, `-not`. Of a text its first 131072 characters are searched, of the chats the names of the newest 1000.
         */
        get: {
            parameters: {
                query: {
                    q: string;
                    in?: "names" | "text" | "all";
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
                /** @description The best first, names before texts */
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
         * Move a file, or a folder with all that is in it
         * @description All or nothing, at most 10000 files. The files keep their ids and their history. What is in `/agents`, and `/AGENTS.md`, is for a person alone.
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
    "/api/v1/workspaces/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a file’s versions, newest first
         * @description Also of a removed file: by the path it was removed from, or by its id.
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
         * The difference between two versions of a file
         * @description Unified. `to` is the latest if absent, `from` the one before it; 0 is the empty file. Texts of at most 1048576 bytes.
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
         * Bring back a version of a file, or a removed workspace
         * @description With a path (or a file’s id) and a version: that content is the file’s next version; a removed file comes back under its own id. With an empty body: the workspace itself, while it is removed. What is in `/agents`, and `/AGENTS.md`, is for a person alone.
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
    "/api/v1/workspaces/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens to the files
         * @description Server-sent events `file_updated`, `file_moved` and `file_removed`, from `after` (or the `Last-Event-ID` header) on; `after=latest` begins now. The stream has no end.
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
         * Page through what happened to the files
         * @description `next` is null when there is nothing more now; the `seq` of the last item goes on from there later.
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
         * @description Each file is written as by PUT. At most 10000 entries, 268435456 bytes, and 1073741824 bytes unpacked. Links, devices, encrypted entries and names that no path may have are refused one by one; the answer says which. What is in `/agents`, and `/AGENTS.md`, is for a person alone.
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
                /** @description What came of it */
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
         * @description Each file is written as by PUT. At most 10000 entries, 268435456 bytes, and 1073741824 bytes unpacked. Links, devices, encrypted entries and names that no path may have are refused one by one; the answer says which. What is in `/agents`, and `/AGENTS.md`, is for a person alone.
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
                /** @description What came of it */
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
    "/api/v1/workspaces/{id}/chats/{chat}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a chat, or page through its events
         * @description Server-sent events of all its runs and sessions, from the chat’s beginning, or from `after` (or the `Last-Event-ID` header) on; `after=latest` begins now. The stream has no end. With `Accept: application/json` or `format=json`, a page; `next` is null when there is nothing more now. docs/dialects.md tells what is sent.
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
         * @description Server-sent events `session`, `agent_state`, `text_delta`, `tool_call`, `tool_result`, `context_usage`, `error` and, last, `done`. `Content-Location` is where the stream can be taken up again with the `Last-Event-ID` header; `reconnect` `{location}` instead of `done` says that the server shuts down, and that the client should do so.
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description Kept for 24 hours: the same key and request give the same run. */
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
         * @description From its beginning, or from `after` (or the `Last-Event-ID` header) on; the stream ends after `done`.
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
         * @description The same message again gives the same run. Where the run waits for approval the stream ends; a request with the answers goes on. Answers need a person. A client that goes away stops nothing.
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
         * @description From its beginning, or from `after` (or the `Last-Event-ID` header) on. `Content-Location` of a response names its run, which can then be taken up again after its end, too.
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
         * Stop what the chat is doing
         * @description Its runs are canceled, and their streams end with `abort`. Repeating it is fine.
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
                /** @description Whether there was something to stop */
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
         * Follow a run that AG-UI’s client began
         * @description From its beginning, or from `after` (or the `Last-Event-ID` header) on. The client does not send its conversation here: where a message is superseded it is sent `CUSTOM superseded {messageId}` instead of a snapshot of the messages.
         */
        get: {
            parameters: {
                query: {
                    /** @description The id or the name of a workspace; `default` if absent. */
                    workspace?: string;
                    threadId: string;
                    runId: string;
                    /** @description The server’s id of the run, as `Content-Location` has it. */
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
         * @description Where the run waits for approval it finishes with interrupts, and a run that resumes them goes on with it. A client that goes away stops nothing; the same `runId` again replays the run, from `Last-Event-ID` on where that is given. `Content-Location` is where a GET takes it up again. What resumes an interrupt needs a person.
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
                /** @description The call and what came of it */
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
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tokens and money, by run, thread, role or model */
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
        /** Add an MCP server, or change it; it is (re)started */
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
        /** Remove an MCP server; its process is ended */
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
                /** @description It is gone */
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
        /** Start an MCP server anew, on every pod */
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
                /** @description It is being started */
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
    "/api/person": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether this client may do what needs a person */
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
         * Keep the person’s token as a cookie of this browser
         * @description The console sends the token of the link that it was opened with. The cookie is HttpOnly and SameSite=Strict, and stays for 365 days.
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
        /** Where to begin */
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
        /** The process is there */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is */
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
        /** The server can do its work */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It can */
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
        /** What operators watch, for Prometheus */
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
            /** @description Stable; switch on this. */
            code: string;
            /** @description What was wrong, and what to do. */
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
             * @description The run that is running or next in the queue.
             */
            active_run: string | null;
        };
        NewThread: {
            /** @description A name for people. */
            title?: string;
            /** @description The id or the name of its workspace; `default` if absent. */
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
            /** Format: uuid */
            retry_of: string | null;
            /**
             * Format: uuid
             * @description The run at work that its message was given to; this one ends `canceled`.
             */
            steered_into: string | null;
            limits: components["schemas"]["Limits"];
            /**
             * Format: uuid
             * @description The open run before it in the thread, while it is queued.
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
            error: {
                code: string;
                error: string;
            } | null;
            /** @description The sums of its model calls, once it has ended. */
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
        /** @description What the run may use; its role and the server’s settings fill the gaps. */
        Limits: {
            /** @description Model calls. */
            steps?: number;
            tokens?: number;
            /** @description US dollars, as far as prices are known. */
            cost?: number;
            seconds?: number;
        } | null;
        NewMessage: {
            /** @description What to say; at most what the body limit of 1 MiB leaves. */
            content: string;
            /** @description Ids or paths of files of the workspace that come with it, as they are now. */
            files?: string[];
            /**
             * @description What happens if the thread is busy; `enqueue` if absent.
             * @enum {string}
             */
            policy?: "enqueue" | "reject" | "interrupt" | "rollback" | "steer";
            /**
             * Format: uuid
             * @description An earlier message of a person: the thread is taken back to before it, and this is said instead.
             */
            replaces?: string;
            /** @description `provider/model`, or the bare name of a model that one provider has; the chat’s, the role’s or the server’s default if absent. */
            model?: string;
            /** @description The role that answers; the chat’s or `assistant` if absent. */
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
            /** @description What came with it. */
            files?: components["schemas"]["AttachedFile"][];
            /**
             * @description Of a model’s message: how it ended.
             * @enum {string}
             */
            ended?: "complete" | "error" | "interrupted";
            /**
             * @description Said before the thread was taken back.
             * @enum {boolean}
             */
            rewound?: true;
            /**
             * @description Sent to its run while that was at work, and taken in at its next step.
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
            /** @description The version that it was then. */
            v: number;
            media_type: string;
            size: number;
        };
        /** @description An event of a thread; `seq` is its place in the thread, `run_seq` in its run, from 1, without a gap. */
        ThreadEvent: {
            seq: number;
            /**
             * Format: uuid
             * @description Null: the event is the thread’s own.
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
            /** Format: uuid */
            retry_of: string | null;
            /**
             * Format: uuid
             * @description The run at work that its message was given to; this one ends `canceled`.
             */
            steered_into: string | null;
            limits: components["schemas"]["Limits"];
            /**
             * Format: uuid
             * @description The open run before it in the thread, while it is queued.
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
            error: {
                code: string;
                error: string;
            } | null;
            /** @description The sums of its model calls, once it has ended. */
            usage: {
                input: number;
                output: number;
                cachedInput?: number;
                cacheWrite?: number;
                reasoning?: number;
            } | null;
            /** @description US dollars, as far as prices are known. */
            cost: number | null;
            /** @description Of its chat. */
            title: string | null;
            /** @description The message that it answers; in a list, its first 200 characters. */
            said: string;
        };
        /** @description An event of a run; `id` is its place in the run, from 1, without a gap. */
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
            /** @description `user_cancelled` if absent. */
            reason?: string;
        };
        Why: {
            /** Format: uuid */
            run_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "done" | "error" | "canceled";
            /** @description What the run waits for, in words. */
            sentence: string;
            /** @enum {string} */
            waits_for: "nothing" | "pod" | "run" | "model" | "tool" | "approval" | "resume" | "takeover" | "cancel" | "step";
            /** @description How many open runs of its thread come before it. */
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
                    /** @description Of a call that waits for one. */
                    approval?: string;
                }[];
            } | null;
            /**
             * Format: date-time
             * @description Since when it waits: for a model, from the request on; for people, since nothing else was left to do.
             */
            since: string | null;
            /** Format: date-time */
            cancel_requested_at: string | null;
        };
        OpenedChat: {
            chat: components["schemas"]["Chat"];
            run: components["schemas"]["Run"];
        };
        Chat: {
            /**
             * Format: uuid
             * @description Also the id of its thread.
             */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            title: string | null;
            /** @description The beginning of its first message; null while there is none. */
            goal: string | null;
            /** @description Where it is shown as a file. */
            path: string;
            /** @description Null: the default. */
            role: string | null;
            /** @description Null: the role’s or the server’s default. */
            model: string | null;
            /** @enum {string} */
            mode: "chat_mode" | "plan_then_execute" | "parallel_agents" | "autonomous";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When somebody last said something in it.
             */
            active_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            archived_at: string | null;
            /** Format: date-time */
            removed_at: string | null;
            /**
             * @description The session’s; `idle` if there has been none.
             * @enum {string}
             */
            state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
            /**
             * @description What is on its way: a stop, a pause; or `waiting` for approval.
             * @enum {string|null}
             */
            reason: "stopping" | "pausing" | "waiting" | null;
            /** @description The latest. */
            session: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
                /** @description Why it is in this state. */
                reason: string;
                /** Format: date-time */
                started_at: string;
                /** Format: date-time */
                changed_at: string;
            } | null;
            /**
             * Format: uuid
             * @description The run that is running or next in the queue.
             */
            active_run: string | null;
            queued_runs: number;
            /** @description Messages that the run at work was sent and has not taken in yet. */
            waiting_steers: number;
            waiting_approvals: number;
            /** @description Of its runs that have ended, and of its title. */
            usage: {
                runs: number;
                input: number;
                output: number;
                cost: number | null;
            };
        };
        NewChat: {
            /** @description The first message; at most what the body limit of 1 MiB leaves. */
            goal: string;
            /** @description A name for people; the chat finds one if absent. */
            title?: string;
            /** @description Ids or paths of files of the workspace that come with it, as they are now. */
            files?: string[];
            /** @description Who answers, unless a message says otherwise; `assistant` if absent. */
            role?: string;
            /** @description `provider/model`, unless a message says otherwise. */
            model?: string;
            /**
             * @description Only `chat_mode` is available in this version.
             * @default chat_mode
             * @enum {string}
             */
            mode: "chat_mode" | "plan_then_execute" | "parallel_agents" | "autonomous";
            /**
             * Format: uuid
             * @description Not available in this version.
             */
            plan_id?: string;
            /** @description Of the first run. */
            limits?: {
                /** @description Model calls. */
                steps?: number;
                tokens?: number;
                /** @description US dollars, as far as prices are known. */
                cost?: number;
                seconds?: number;
            };
        };
        ChatChange: {
            title?: string;
            archived?: boolean;
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
            /** @description The place of its event in the chat’s log. */
            seq: number;
            /** @description The place in the event, where that says several things. */
            part: number;
            /** @enum {string} */
            role: "user" | "assistant" | "tool" | "system";
            /** @enum {string} */
            message_type: "message" | "reasoning_complete" | "tool_call" | "tool_result";
            /** Format: uuid */
            run_id: string;
            /**
             * @description Said before the chat was taken back.
             * @enum {boolean}
             */
            rewound?: true;
            /**
             * Format: uuid
             * @description Of a person’s message: what `replaces` means.
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
            /** @description The output, or a summary of it where it is long. */
            tool_output?: unknown;
            tool_success?: boolean;
            /** @description The whole output is at `/api/v1/tool-results/` and this. */
            tool_result?: string;
            /** Format: date-time */
            created_at: string;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "idle" | "running" | "paused" | "error" | "cancelled" | "completed";
            /** @description Why it is in this state. */
            reason: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            changed_at: string;
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
             * @description May this call be made; where a crash left its outcome unknown, may it be made again; or a question that the call itself asks while it is being made.
             * @enum {string}
             */
            kind: "call" | "unknown_outcome" | "question";
            /** @description What the call is made with; nothing for a `question`. */
            input?: unknown;
            /** @description Of a `question`: the JSON schema of the answer. */
            schema?: {
                [key: string]: unknown;
            };
            /** @description What it would touch, as rules see it. */
            paths: string[];
            /** @description Whose rule asks; of a `question`, its text. */
            reason: string;
            /** Format: date-time */
            asked_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /**
             * @description Null while it waits.
             * @enum {string|null}
             */
            decision: "approve" | "deny" | "edit" | "retry" | "skip" | "answer" | "expired" | "canceled" | null;
            /** @description Of `edit`: what the call is made with. Of `answer`: the answer. */
            decided_input?: unknown;
            comment: string | null;
            /** Format: date-time */
            decided_at: string | null;
        };
        NewDecision: {
            /**
             * @description A `call` takes `approve`, `deny` and `edit`; an `unknown_outcome` takes `retry` and `skip`; a `question` takes `answer`, `deny` (the person declines) and `skip` (the person dismisses it).
             * @enum {string}
             */
            decision: "approve" | "deny" | "edit" | "retry" | "skip" | "answer";
            /** @description Of `edit`: what the call is made with. Of `answer`: the answer. Of no other. */
            input?: {
                [key: string]: unknown;
            };
            /** @description The model is told. */
            comment?: string;
        };
        Models: {
            /** @description Answers where neither message, chat nor role names one. */
            default: string;
            /** @description Those that are known; any other `provider/model` of a usable provider can be named, too. */
            models: string[];
            providers: {
                name: string;
                usable: boolean;
                /** @description The variables, any one of which makes it usable. */
                set: string[];
            }[];
        };
        Role: {
            name: string;
            description: string | null;
            /** @description Null: the server’s default. */
            model: string | null;
            /** @description Names and globs; null: all. */
            tools: string[] | null;
            permissions: components["schemas"]["PolicyRule"][];
            limits: components["schemas"]["Limits"];
            /** @description What the model is told; null if no version of the file can be used. */
            preamble: string | null;
            /** @description Where what is in use comes from. */
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
            /** @description A glob; matches calls that touch such a path. */
            path?: string;
            /** @enum {string} */
            effect?: "pure" | "idempotent" | "transactional" | "external";
            /** @enum {string} */
            action: "allow" | "ask" | "deny";
        };
        /** @description The last rule that matches a call decides; what none matches is asked. */
        Policy: {
            rules: {
                /** @description A tool’s name, or a glob of names. */
                tool: string;
                /** @description A glob; matches calls that touch such a path. */
                path?: string;
                /** @enum {string} */
                effect?: "pure" | "idempotent" | "transactional" | "external";
                /** @enum {string} */
                action: "allow" | "ask" | "deny";
            }[];
            /** @description Of these rules. */
            version: string;
        };
        NewPolicy: {
            rules: {
                /** @description A tool’s name, or a glob of names. */
                tool: string;
                /** @description A glob; matches calls that touch such a path. */
                path?: string;
                /** @enum {string} */
                effect?: "pure" | "idempotent" | "transactional" | "external";
                /** @enum {string} */
                action: "allow" | "ask" | "deny";
            }[];
            /** @description The one that was read: 409 `policy_changed` if somebody else has written meanwhile. */
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
             * @description Until then a removed workspace can be brought back.
             */
            purged_after: string | null;
            files: number;
            /** @description Of all versions of its files. */
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
             * @description 1 to 64 lower case letters, digits, `-` and `_`; also the name of its folder on disk.
             * @example garden
             */
            name: string;
        };
        File: {
            /**
             * Format: uuid
             * @description Stays through moves, removal and restoration.
             */
            id: string;
            /** @description Begins with a slash, such as `/notes/haiku.md`. */
            path: string;
            /** @enum {string} */
            kind: "file" | "agent" | "plan";
            /** @description From 1; each change of the file is the next. */
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
             * @description The content was the same: no new version.
             * @enum {boolean}
             */
            unchanged?: true;
            /**
             * @description Written with what others changed meanwhile.
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
            author?: "person" | "disk" | "run";
        };
        SearchHit: {
            /** @description Begins with a slash, such as `/notes/haiku.md`. */
            path: string;
            /** @enum {string} */
            found_in: "name" | "text";
            /** @enum {string} */
            kind: "file" | "agent" | "plan" | "chat";
            /** Format: uuid */
            id: string | null;
            version: number | null;
            size: number | null;
            snippet: string | null;
        };
        /** @description The files as they are now; of many, the first 1000. */
        Moved: {
            files: components["schemas"]["File"][];
            count: number;
        };
        NewMove: {
            /** @example /notes/haiku.md */
            from: string;
            /** @example /poems/haiku.md */
            to: string;
            /** @description The version of the file, if it must be that one. */
            if_match?: number;
        };
        FileVersion: {
            /** Format: uuid */
            file: string;
            /** @description From 1; each change of the file is the next. */
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
        /** @description Who made a version: a person, somebody on disk, or a call of a run. */
        Author: {
            /** @enum {string} */
            kind: "person" | "disk";
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
            /** @description Unified; empty if nothing differs or a side is not text. */
            diff: string;
            added: number;
            removed: number;
        };
        /** @description Empty: the removed workspace itself is brought back. */
        Restoration: {
            path?: string;
            /**
             * Format: uuid
             * @description Instead of a path.
             */
            file?: string;
            version?: number;
            /** @description Another path than the file’s own. */
            to?: string;
            /** @description The version that is there now, if it must be that one. */
            if_match?: number;
        };
        /** @description What happened to a file; `seq` counts from 1, without a gap. */
        Change: {
            seq: number;
            /** @enum {string} */
            type: "file_updated" | "file_moved" | "file_removed";
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
            };
        };
        Unpacked: {
            written: number;
            unchanged: number;
            bytes: number;
            refused: {
                name: string;
                problem: string;
            }[];
            /** @description How many were refused; the first 100 are named. */
            refused_count: number;
        };
        /** @description What a dialect says of an event. */
        Frame: {
            /** @description The event’s number; `<number>.<part>` of all its frames but the last. */
            id: string;
            type: string;
            data: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            at: string;
        };
        AgentMessage: {
            /** @description What to say; at most what the body limit of 1 MiB leaves. */
            message: string;
            /**
             * Format: uuid
             * @description A thread’s id; a new thread is made if absent.
             */
            session_id?: string;
            /**
             * @description Only `global` is available.
             * @default global
             * @enum {string}
             */
            scope: "global" | "project" | "entity";
            /** @description Not available. */
            project_id?: string;
            /** @description Not available. */
            entity?: unknown;
            /** @description The id or the name of a new thread’s workspace; `default` if absent. */
            workspace?: string;
            /** @description `provider/model`. */
            model?: string;
            /** @description The role that answers. */
            role?: string;
        };
        ChatRequest: {
            /** @description `provider/model`, or the bare name of a model that one provider has; the chat’s, the role’s or the server’s default if absent. */
            model?: string;
            /** @description The role that answers; the chat’s or `assistant` if absent. */
            role?: string;
            limits?: components["schemas"]["Limits"];
            /**
             * @description What happens if the thread is busy; `enqueue` if absent.
             * @enum {string}
             */
            policy?: "enqueue" | "reject" | "interrupt" | "rollback" | "steer";
            /** @description The id of a thread, or any name that the client has for it. */
            id: string;
            /** @description The conversation. Only its end is read: a person’s message, which a run answers; or answers to approvals. */
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
        };
        RunAgentInput: {
            /** @description The id of a thread, or any name that the client has for it. */
            threadId: string;
            /** @description The client’s name for the run: the same name is the same run. */
            runId: string;
            /** @description The conversation. Only its end is read: a person’s message, which a run answers. */
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
            /** @description Who answers, and how: `role`, `model`, `limits`, `policy`. */
            forwardedProps?: {
                /** @description `provider/model`, or the bare name of a model that one provider has; the chat’s, the role’s or the server’s default if absent. */
                model?: string;
                /** @description The role that answers; the chat’s or `assistant` if absent. */
                role?: string;
                limits?: components["schemas"]["Limits"];
                /**
                 * @description What happens if the thread is busy; `enqueue` if absent.
                 * @enum {string}
                 */
                policy?: "enqueue" | "reject" | "interrupt" | "rollback" | "steer";
            } | null;
            resume?: ({
                interruptId: string;
                /** @enum {string} */
                status: "resolved" | "cancelled";
                /** @description Of a resolved one: `approved`, and what its `responseSchema` says. */
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
            /** @description What the call did, in words. */
            title?: string;
            input?: unknown;
            /** @description The whole output; of a failure, `error` says what was wrong. */
            output?: unknown;
            success: boolean;
            /** @enum {string} */
            outcome?: "unknown" | "canceled" | "denied";
            /** @description What later runs are shown, where the tool says so. */
            summary?: string;
            /** @description Ids of the files that the output was made from. */
            sources: string[];
            /** Format: date-time */
            ended_at: string;
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
        McpServer: {
            name: string;
            config: components["schemas"]["McpConfig"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description On the pod that answers: each has connections of its own. */
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
                    /** @description As models know it. */
                    name: string;
                    /** @description As the server calls it. */
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
            /** @description A program; no shell reads it. */
            command: string;
            /** @default [] */
            args: string[];
            /**
             * @description The variables that the process gets. null keeps the value that is stored. `${NAME}` stands for an environment variable of the server.
             * @default {}
             */
            env: {
                [key: string]: string | null;
            };
            /** @description The server’s own working folder if absent. */
            cwd?: string;
            /**
             * @description Whether to believe what the server says of its tools’ effects.
             * @default false
             */
            trust: boolean;
            /**
             * @description Of one call.
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
             * @description null keeps the value that is stored. `${NAME}` stands for an environment variable of the server.
             * @default {}
             */
            headers: {
                [key: string]: string | null;
            };
            /**
             * @description Whether to believe what the server says of its tools’ effects.
             * @default false
             */
            trust: boolean;
            /**
             * @description Of one call.
             * @default 60
             */
            timeout_seconds: number;
            /** @default true */
            enabled: boolean;
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
            /** @description `full` after a write was refused because a disk is full, until a write of 1 MiB succeeds; also while the server's own database is away and less than 16 MiB are free for it. `unknown` while the database is away otherwise. */
            storage: string;
            pod: string;
            /** @description `ok`, or why the folders on disk are behind: `the disk is full`, say. The server can do its work all the same. */
            folders: string;
            /** @description Of the server. */
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
