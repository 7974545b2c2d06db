// The name of a chat's project, as a link to it.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FolderKanban } from 'lucide-react';
import { api } from '../knowledge/api.ts';
import { Visible } from '../ui/visible.tsx';

export function ChatProject({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ['project-name', id],
    queryFn: ({ signal }) => api.read(id, signal),
    staleTime: 0,
  });
  return (
    <Link
      to="/projects/$project/$"
      params={{ project: id, _splat: '' }}
      className="inline-flex min-w-0 items-center gap-1.5 rounded text-ink hover:underline"
    >
      <FolderKanban className="size-4 shrink-0 text-soft" aria-hidden="true" />
      <span className="truncate">
        <Visible text={data?.name ?? 'Project'} />
      </span>
    </Link>
  );
}
