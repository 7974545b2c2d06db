// What the workspace does while nobody is there: schedules, webhooks and triggers.

import { Schedules } from '../automation/schedules.tsx';
import { Triggers } from '../automation/triggers.tsx';
import { Webhooks } from '../automation/webhooks.tsx';
import { PageFrame } from '../ui/page.tsx';

export function Page() {
  return (
    <PageFrame
      title="Schedules"
      about="Schedules send messages at set times, webhooks tell other programs what happens, and triggers let them start chats."
    >
      <Schedules />
      <Webhooks />
      <Triggers />
    </PageFrame>
  );
}
