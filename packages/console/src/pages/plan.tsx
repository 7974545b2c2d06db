// A plan, by the id of its file.

import { useParam } from '../app/router.tsx';
import { PlanView } from '../plans/plan.tsx';

export function Page() {
  const id = useParam('plan');
  return <PlanView key={id} id={id} />;
}
