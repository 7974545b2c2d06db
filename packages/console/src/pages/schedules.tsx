// What the workspace does while nobody is there: schedules, webhooks and triggers.

import { Schedules } from '../automation/schedules.tsx';
import { Triggers } from '../automation/triggers.tsx';
import { Webhooks } from '../automation/webhooks.tsx';
import { PageFrame } from '../ui/page.tsx';

export function Page() {
  return (
    <PageFrame
      title="Schedules"
      about="Messages that are sent at their times, and what other programs are told or may start."
    >
      <Schedules />
      <Webhooks />
      <Triggers />
    </PageFrame>
  );
}
