// What a workspace does while nobody is there: schedules, webhooks and triggers.

import type { At, BodyOf, Http, QueryOf } from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';

const SCHEDULES = '/api/v1/workspaces/{id}/schedules';
const SCHEDULE = '/api/v1/workspaces/{id}/schedules/{schedule}';
const WEBHOOKS = '/api/v1/workspaces/{id}/webhooks';
const WEBHOOK = '/api/v1/workspaces/{id}/webhooks/{webhook}';
const MESSAGES = '/api/v1/workspaces/{id}/webhooks/{webhook}/messages';
const TRIGGERS = '/api/v1/workspaces/{id}/triggers';
const TRIGGER = '/api/v1/workspaces/{id}/triggers/{trigger}';
type Body<P extends typeof SCHEDULES | typeof WEBHOOKS | typeof TRIGGERS> = BodyOf<At<P, 'post'>>;
/** The server fills in the fields that have defaults. */
type NewSchedule = Partial<Body<typeof SCHEDULES>> & Pick<Body<typeof SCHEDULES>, 'name' | 'cron'>;
type NewWebhook = Partial<Body<typeof WEBHOOKS>> & Pick<Body<typeof WEBHOOKS>, 'url'>;
type NewTrigger = Partial<Body<typeof TRIGGERS>> & Pick<Body<typeof TRIGGERS>, 'name' | 'message'>;

export function automation(http: Http) {
  const at = <Names extends object>(
    names: Names,
    { workspace = http.workspace, signal }: WorkspaceOptions,
  ) => ({
    path: { id: workspace, ...names },
    signal,
  });
  return {
    schedules: {
      /** With `plan_id`, those that run that plan. */
      list: ({ plan_id, ...where }: WorkspaceOptions & QueryOf<At<typeof SCHEDULES, 'get'>> = {}) =>
        http.call('get', SCHEDULES, {
          ...at({}, where),
          query: { ...(plan_id !== undefined && { plan_id }) },
        }),
      get: (schedule: string, where: WorkspaceOptions = {}) =>
        http.call('get', SCHEDULE, at({ schedule }, where)),
      create: (body: NewSchedule, where: WorkspaceOptions = {}) =>
        http.call('post', SCHEDULES, { ...at({}, where), body: body as Body<typeof SCHEDULES> }),
      /** Replaces the whole schedule. */
      change: (schedule: string, body: NewSchedule, where: WorkspaceOptions = {}) =>
        http.call('put', SCHEDULE, { ...at({ schedule }, where), body: body as Body<typeof SCHEDULES> }),
      remove: (schedule: string, where: WorkspaceOptions = {}) =>
        http.call('delete', SCHEDULE, at({ schedule }, where)),
      pause: (schedule: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${SCHEDULE}/pause`, at({ schedule }, where)),
      /** It continues with its next time after now. */
      resume: (schedule: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${SCHEDULE}/resume`, at({ schedule }, where)),
      /** Starts a run now; refused with `schedule_busy` if its last run is open. */
      run: (schedule: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${SCHEDULE}/run`, at({ schedule }, where)),
    },
    webhooks: {
      list: (where: WorkspaceOptions = {}) => http.call('get', WEBHOOKS, at({}, where)),
      get: (webhook: string, where: WorkspaceOptions = {}) =>
        http.call('get', WEBHOOK, at({ webhook }, where)),
      /** The answer has the secret, which is not shown again. */
      create: (body: NewWebhook, where: WorkspaceOptions = {}) =>
        http.call('post', WEBHOOKS, { ...at({}, where), body: body as Body<typeof WEBHOOKS> }),
      change: (webhook: string, body: NewWebhook, where: WorkspaceOptions = {}) =>
        http.call('put', WEBHOOK, { ...at({ webhook }, where), body: body as Body<typeof WEBHOOKS> }),
      remove: (webhook: string, where: WorkspaceOptions = {}) =>
        http.call('delete', WEBHOOK, at({ webhook }, where)),
      replaceSecret: (webhook: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${WEBHOOK}/secret`, at({ webhook }, where)),
      /** Newest first; with `state: 'dead'`, those whose attempts are used up. */
      messages: (
        webhook: string,
        query: QueryOf<At<typeof MESSAGES, 'get'>> = {},
        where: WorkspaceOptions = {},
      ) => http.call('get', MESSAGES, { ...at({ webhook }, where), query }),
      sendAgain: (webhook: string, message: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${MESSAGES}/{message}/send`, at({ webhook, message }, where)),
    },
    triggers: {
      list: (where: WorkspaceOptions = {}) => http.call('get', TRIGGERS, at({}, where)),
      get: (trigger: string, where: WorkspaceOptions = {}) =>
        http.call('get', TRIGGER, at({ trigger }, where)),
      /** The answer has the address and the secret, which are not shown again. */
      create: (body: NewTrigger, where: WorkspaceOptions = {}) =>
        http.call('post', TRIGGERS, { ...at({}, where), body: body as Body<typeof TRIGGERS> }),
      change: (trigger: string, body: NewTrigger, where: WorkspaceOptions = {}) =>
        http.call('put', TRIGGER, { ...at({ trigger }, where), body: body as Body<typeof TRIGGERS> }),
      remove: (trigger: string, where: WorkspaceOptions = {}) =>
        http.call('delete', TRIGGER, at({ trigger }, where)),
      replaceToken: (trigger: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${TRIGGER}/token`, at({ trigger }, where)),
    },
  };
}
