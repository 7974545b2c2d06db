// Schedules of a workspace.

import type { At, BodyOf, Http } from '../http.ts';
import type { WorkspaceOptions } from './chats.ts';

const SCHEDULES = '/api/v1/workspaces/{id}/schedules';
const SCHEDULE = '/api/v1/workspaces/{id}/schedules/{schedule}';
type NewSchedule = BodyOf<At<typeof SCHEDULES, 'post'>>;

export function automation(http: Http) {
  const whole = ({ workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace },
    signal,
  });
  const one = (schedule: string, { workspace = http.workspace, signal }: WorkspaceOptions) => ({
    path: { id: workspace, schedule },
    signal,
  });
  return {
    schedules: {
      list: (where: WorkspaceOptions = {}) => http.call('get', SCHEDULES, whole(where)),
      get: (id: string, where: WorkspaceOptions = {}) => http.call('get', SCHEDULE, one(id, where)),
      create: (body: NewSchedule, where: WorkspaceOptions = {}) =>
        http.call('post', SCHEDULES, { ...whole(where), body }),
      /** Replaces the whole schedule. */
      change: (id: string, body: NewSchedule, where: WorkspaceOptions = {}) =>
        http.call('put', SCHEDULE, { ...one(id, where), body }),
      remove: (id: string, where: WorkspaceOptions = {}) => http.call('delete', SCHEDULE, one(id, where)),
      pause: (id: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${SCHEDULE}/pause`, one(id, where)),
      /** It goes on with its next time after now. */
      resume: (id: string, where: WorkspaceOptions = {}) =>
        http.call('post', `${SCHEDULE}/resume`, one(id, where)),
      /** Starts a run now; refused with `schedule_busy` if its last run is open. */
      run: (id: string, where: WorkspaceOptions = {}) => http.call('post', `${SCHEDULE}/run`, one(id, where)),
    },
  };
}
