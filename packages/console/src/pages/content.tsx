// The content of the workspace's site.

import { Dashboard } from '../content/dashboard.tsx';
import { PageFrame } from '../ui/page.tsx';

export function Page() {
  return (
    <PageFrame title="Content" about="What your site says: planned, written, reviewed and published.">
      <Dashboard />
    </PageFrame>
  );
}
