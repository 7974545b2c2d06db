// Content that is shown but not edited: chats, images and binary files. An image is shown from a blob, so that no
// script in it runs and it loads nothing.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download, FileDigit, MessageSquare } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { client } from '../data/client.ts';
import { keys, useChats } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { number } from '../ui/format.tsx';
import { nameOf } from './file-search.ts';
import { FileBar } from './file-bar.tsx';
import { download } from './download.ts';
import type { Version } from './queries.ts';

const Editor = lazyPart(async () => (await import('./editor.tsx')).default);

const PICTURE = /\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i;

export function NotEditable({ path, newest }: { readonly path: string; readonly newest: Version }) {
  return (
    <>
      <FileBar path={path} newest={newest} />
      {PICTURE.test(path) ? (
        <Picture path={path} newest={newest} />
      ) : (
        <Empty icon={FileDigit} title={newest.text ? 'Too large for the editor' : 'Not a text file'}>
          <p>
            {number(newest.size)} bytes.{' '}
            {newest.text ? 'Text files of up to 1 MiB can be edited here.' : 'You can download it.'}
          </p>
          <DownloadButton path={path} />
        </Empty>
      )}
    </>
  );
}

function DownloadButton({ path }: { readonly path: string }) {
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <>
      <Button
        className="mt-4"
        onClick={() => void download(path).catch((error: Error) => setProblem(error.message))}
      >
        <Download className="size-4" aria-hidden="true" /> Download
      </Button>
      {problem && (
        <p role="alert" className="mt-3 text-bad">
          {problem}
        </p>
      )}
    </>
  );
}

function Picture({ path, newest }: { readonly path: string; readonly newest: Version }) {
  const { data, error } = useQuery({
    queryKey: ['file-bytes', newest.file, newest.version],
    queryFn: async ({ signal }) =>
      (await client.files.read(path, { version: newest.version, signal })).response.blob(),
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  if (error) return <Failure error={error} />;
  if (url === null) return <Loading what={nameOf(path)} />;
  return (
    <div className="grid min-h-0 flex-1 place-items-center overflow-auto bg-sunken p-6">
      <img src={url} alt={nameOf(path)} className="max-h-full max-w-full rounded-lg border" />
    </div>
  );
}

export function ChatText({ path }: { readonly path: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.files, 'chat', path],
    queryFn: async ({ signal }) => (await client.files.read(path, { signal })).text(),
    // File hints do not cover chats.
    staleTime: 0,
  });
  const chats = useChats().data?.pages.flatMap(({ items }) => items);
  const chat = chats?.find((one) => one.path === path);
  if (error && data === undefined) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (data === undefined) return <Loading what={nameOf(path)} />;
  return (
    <>
      <FileBar path={path} newest={null}>
        <span className="text-xs whitespace-nowrap text-soft">Read-only</span>
        {chat && (
          <Link
            to="/chats/$chat"
            params={{ chat: chat.id }}
            className="inline-flex items-center gap-1.5 rounded-lg border bg-raised px-3 py-1.5 text-sm font-medium whitespace-nowrap hover:bg-hover"
          >
            <MessageSquare className="size-4" aria-hidden="true" /> Open the chat
          </Link>
        )}
      </FileBar>
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Loading what="the text" />}>
          <Editor path={path} text={data} label={`Text of ${path}`} readOnly />
        </Suspense>
      </div>
    </>
  );
}
