// What a person can do with a piece: publish it now or at a time, take it off.

import { CalendarClock, Globe, GlobeOff, Undo2, X } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { client } from '../data/client.ts';
import { useAction } from '../data/use-action.ts';
import { Labelled } from '../settings/labelled.tsx';
import { FIELD } from '../settings/section.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Visible } from '../ui/visible.tsx';
import { contentChanged, useVersionBefore, type Piece } from './queries.ts';

interface ActionsProps {
  readonly piece: Piece;
  /** The version that the page shows: exactly this one is published. */
  readonly version: number | null;
  readonly canPublish: boolean;
}

const longTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function Actions({ piece, version, canPublish }: ActionsProps) {
  const { type, slug, live, scheduled } = piece;
  const { busy, problem, act } = useAction(contentChanged);
  const [open, setOpen] = useState<'schedule' | 'unpublish' | null>(null);
  const before = useVersionBefore(piece);
  const isLive = live !== null && live.version === version;
  return (
    <section aria-label="Publishing" className="rounded-xl border bg-raised p-4 text-sm">
      <p>
        {live
          ? `Version ${live.version} has been live since ${longTime.format(new Date(live.published_at))}.`
          : 'Readers cannot see it yet.'}
      </p>
      {scheduled && (
        <div className="mt-2">
          <p className={scheduled.problem === null ? '' : 'text-bad'}>
            {scheduled.problem === null
              ? `Version ${scheduled.version} goes live on ${longTime.format(new Date(scheduled.at))}.`
              : `Version ${scheduled.version} could not be published on ${longTime.format(new Date(scheduled.at))}:`}
          </p>
          {scheduled.problem !== null && (
            <p className="wrap-anywhere">
              <Visible text={scheduled.problem} />
            </p>
          )}
          <Button
            className="mt-2"
            disabled={busy}
            onClick={() => void act(() => client.content.cancelSchedule(type, slug))}
          >
            <X className="size-4" aria-hidden="true" />
            Cancel the schedule
          </Button>
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {version !== null && !isLive && (
          <Button
            kind="primary"
            disabled={busy || !canPublish}
            onClick={() => void act(() => client.content.publish(type, slug, { version }))}
          >
            <Globe className="size-4" aria-hidden="true" />
            {live && version < live.version
              ? `Publish version ${version} again`
              : live
                ? 'Publish changes'
                : 'Publish now'}
          </Button>
        )}
        {version !== null && !isLive && open !== 'schedule' && (
          <Button disabled={busy || !canPublish} onClick={() => setOpen('schedule')}>
            <CalendarClock className="size-4" aria-hidden="true" />
            {scheduled ? 'Change the time' : 'Publish later'}
          </Button>
        )}
        {live && before !== null && before !== version && (
          <Button
            disabled={busy}
            onClick={() => void act(() => client.content.restore(type, slug, { version: before }))}
          >
            <Undo2 className="size-4" aria-hidden="true" />
            Restore version {before}
          </Button>
        )}
        {live && (
          <Button kind="danger" disabled={busy} onClick={() => setOpen('unpublish')}>
            <GlobeOff className="size-4" aria-hidden="true" />
            Take off
          </Button>
        )}
      </div>
      {open === 'schedule' && version !== null && (
        <ScheduleForm
          busy={busy}
          close={() => setOpen(null)}
          choose={(at) =>
            void act(async () => {
              await client.content.schedule(type, slug, { at, version });
              setOpen(null);
            })
          }
        />
      )}
      {problem !== null && (
        <p role="alert" className="mt-2 text-bad wrap-anywhere">
          {problem}
        </p>
      )}
      <Confirm
        open={open === 'unpublish'}
        close={() => setOpen(null)}
        title="Take this off the site?"
        action="Take off"
        act={async () => {
          await client.content.unpublish(type, slug);
          await contentChanged();
        }}
      >
        Readers no longer find it. The text stays here, and you can publish it again.
      </Confirm>
    </section>
  );
}

interface ScheduleFormProps {
  readonly busy: boolean;
  readonly choose: (at: string) => void;
  readonly close: () => void;
}

function ScheduleForm({ busy, choose, close }: ScheduleFormProps) {
  const [time, setTime] = useState(tomorrowAtNine);
  const [isPast, setPast] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const at = new Date(time);
    setPast(at.getTime() <= Date.now());
    if (!busy && at.getTime() > Date.now()) choose(at.toISOString());
  };
  return (
    <form aria-label="Publish later" className="mt-3 grid gap-3" onSubmit={submit}>
      <Labelled label="Goes live on" hint={`Your time, ${inZone()}.`}>
        {(id) => (
          <input
            id={id}
            type="datetime-local"
            required
            autoFocus
            value={time}
            onChange={(event) => setTime(event.target.value)}
            className={FIELD}
          />
        )}
      </Labelled>
      {isPast && (
        <p role="alert" className="text-bad">
          This time has passed. Choose a later one, or publish it now.
        </p>
      )}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={busy}>
          Set the time
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
}

/** `Europe/Berlin` becomes `Europe, Berlin`. */
function inZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('/', ', ').replaceAll('_', ' ');
}

/** As the field writes it, in the person's time zone. */
function tomorrowAtNine(): string {
  const day = new Date();
  day.setDate(day.getDate() + 1);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T09:00`;
}
