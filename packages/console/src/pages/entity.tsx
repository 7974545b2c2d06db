// The address of an entity by its id alone, as links in messages have it. It leads to the entity's page in its project.

import { useNavigate } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useEffect } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParam } from '../app/router.tsx';
import { api } from '../knowledge/api.ts';
import { useKinds } from '../knowledge/queries.ts';
import { Empty, Failure, isMissing, Loading } from '../ui/states.tsx';

export function Page() {
  const id = useParam('entity');
  const navigate = useNavigate();
  const kinds = useKinds();
  const entity = useQuery({
    queryKey: ['entity-address', id],
    queryFn: ({ signal }) => api.read(id, signal),
    staleTime: 0,
  });
  const error = kinds.error ?? entity.error;
  const kind = kinds.data?.items.find((each) => each.kind === entity.data?.kind);
  const project = entity.data?.project_id ?? (kind?.kind === 'project' ? id : null);
  const at = !kind || project === null ? null : kind.kind === 'project' ? '' : `${kind.plural}/${id}`;
  useEffect(() => {
    if (kind?.kind === 'plan') {
      void navigate({ to: '/plans/$plan', params: { plan: id }, replace: true });
      return;
    }
    if (at === null || project === null) return;
    void navigate({ to: '/projects/$project/$', params: { project, _splat: at }, replace: true });
  }, [navigate, project, at, kind, id]);
  if (isMissing(error))
    return (
      <Empty icon={SearchX} title="Entity not found" heading="h1">
        It may have been removed, or it is in another workspace.
      </Empty>
    );
  if (error) return <Failure error={error} heading="h1" />;
  return <Loading what="the entity" />;
}
