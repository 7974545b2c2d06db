// The schedules of the workspace: their next times and the outcomes of the last ones; add, run, pause, remove.

import { Link } from '@tanstack/react-router';
import { Pause, Play, Zap } from 'lucide-react';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useRoles } from '../data/queries.ts';
import { useAction } from '../data/use-action.ts';
import { usePlan, usePlans } from '../plans/queries.ts';
import { Labelled } from '../settings/labelled.tsx';
import { CARD, Code, FIELD, Section } from '../settings/section.tsx';
import { IconButton } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { Visible } from '../ui/visible.tsx';
import { AddForm, NameAndMessage, Problem, RemoveButton, useChanged, useItems } from './parts.tsx';

type Schedule = Awaited<ReturnType<typeof client.schedules.get>>;
type Time = Schedule['times'][number];

export function Schedules() {
  const query = useItems('schedules', (signal) => client.schedules.list({ signal }));
  return (
    <Section
      title="Scheduled messages"
      about="Each sends its message to a new chat or to a chat of yours, or runs a plan. One run at a time."
      query={query}
    >
      {(schedules) => (
        <>
          <ul className={CARD} aria-label="Schedules">
            {schedules.map((schedule) => (
              <Entry key={schedule.id} schedule={schedule} />
            ))}
            {schedules.length === 0 && <li className="px-4 py-3 text-soft">No schedules yet.</li>}
          </ul>
          <AddSchedule />
        </>
      )}
    </Section>
  );
}

function Entry({ schedule }: { readonly schedule: Schedule }) {
  const { id, name, cron, time_zone, paused, next_times, times, message, plan_id } = schedule;
  const { busy, problem, act } = useAction(useChanged());
  const [next, ...further] = next_times;
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium wrap-anywhere">
          <Visible text={name} />
        </h3>
        <span className="text-xs text-soft">
          <Code>{cron}</Code> {time_zone}
        </span>
        <span className="ml-auto flex items-center gap-1">
          <IconButton
            label={`Run ${name} now`}
            disabled={busy}
            onClick={() => void act(() => client.schedules.run(id))}
          >
            <Zap />
          </IconButton>
          <IconButton
            label={`${paused ? 'Resume' : 'Pause'} ${name}`}
            disabled={busy}
            onClick={() => void act(() => client.schedules[paused ? 'resume' : 'pause'](id))}
          >
            {paused ? <Play /> : <Pause />}
          </IconButton>
          <RemoveButton name={name} busy={busy} remove={() => void act(() => client.schedules.remove(id))} />
        </span>
      </div>
      {plan_id !== null && <PlanOf id={plan_id} />}
      <p className="line-clamp-2 text-soft wrap-anywhere">
        <Visible text={message} />
      </p>
      <p className="mt-1 text-xs">
        {paused ? 'Paused' : next === undefined ? 'No further time' : `Next: ${inZone(next, time_zone)}`}
      </p>
      {further.length > 0 && (
        <details className="text-xs">
          <summary className="text-soft hover:text-ink">The times after that</summary>
          <ul className="mt-1 border-l-2 pl-3">
            {further.map((time) => (
              <li key={time}>{inZone(time, time_zone)}</li>
            ))}
          </ul>
        </details>
      )}
      {times.length > 0 && (
        <ul aria-label={`Last times of ${name}`} className="mt-1 space-y-0.5 border-l-2 pl-3 text-xs">
          {times.slice(0, 5).map((time) => (
            <Past key={time.at} time={time} zone={time_zone} />
          ))}
        </ul>
      )}
      <Problem text={problem} />
    </li>
  );
}

function PlanOf({ id }: { readonly id: string }) {
  const { data: plan } = usePlan(id);
  return (
    <p className="text-soft wrap-anywhere">
      Runs the plan{' '}
      <Link to="/plans/$plan" params={{ plan: id }} className="text-ink underline">
        <Visible text={plan?.title ?? id} />
      </Link>
      {plan?.approved?.is_current === false && ', which was changed since its approval'}
      {plan && !plan.approved && ', which is not approved yet'}
    </p>
  );
}

const OUTCOME: Record<Time['outcome'], { readonly words: string; readonly style: string }> = {
  started: { words: 'Started', style: 'text-good' },
  missed: { words: 'Missed', style: 'text-warn' },
  skipped: { words: 'Skipped', style: 'text-warn' },
  refused: { words: 'Not started', style: 'text-bad' },
};

function Past({ time, zone }: { readonly time: Time; readonly zone: string }) {
  const { at, outcome, manual, earlier, reason, chat_id } = time;
  const { words, style } = OUTCOME[outcome];
  return (
    <li>
      <span className={style}>{words}</span> {inZone(at, zone)}
      {manual && ' by hand'}
      {reason !== null && `: ${reason}`}
      {earlier > 0 && `; ${earlier === 100 ? '100 or more' : earlier} earlier missed`}
      {chat_id !== null && (
        <>
          {' '}
          <Link to="/chats/$chat" params={{ chat: chat_id }} className="underline">
            Open chat
          </Link>
        </>
      )}
    </li>
  );
}

function inZone(time: string, timeZone: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
    new Date(time),
  );
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const NONE = '';

function AddSchedule() {
  const changed = useChanged();
  const { data: roles = [] } = useRoles();
  const plans = usePlans().data?.pages.flatMap(({ items }) => items) ?? [];
  const [plan, setPlan] = useState(NONE);
  const [name, setName] = useState('');
  const [cron, setCron] = useState('0 9 * * MON-FRI');
  const [zone, setZone] = useState(ZONE);
  const [message, setMessage] = useState('');
  const [role, setRole] = useState(NONE);
  const [missed, setMissed] = useState<Schedule['missed']>('skip');
  const add = async () => {
    await client.schedules.create({
      name,
      cron,
      time_zone: zone,
      ...(plan === NONE ? { message, role: role === NONE ? null : role } : { plan_id: plan }),
      missed,
    });
    setName('');
    setMessage('');
    setPlan(NONE);
    await changed();
  };
  return (
    <AddForm what="schedule" add={add}>
      <NameAndMessage
        name={name}
        setName={setName}
        message={plan === NONE ? message : null}
        setMessage={setMessage}
        hint="The message to the agent, each time."
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Labelled label="When" hint="Minute, hour, day, month, weekday.">
          {(id) => (
            <input
              id={id}
              required
              value={cron}
              onChange={(event) => setCron(event.target.value)}
              className={`${FIELD} font-mono`}
            />
          )}
        </Labelled>
        <Labelled label="Time zone">
          {(id) => (
            <input
              id={id}
              required
              value={zone}
              onChange={(event) => setZone(event.target.value)}
              className={FIELD}
            />
          )}
        </Labelled>
      </div>
      <div className="flex flex-wrap gap-3">
        {plans.length > 0 && (
          <Select
            label="What it starts"
            value={plan}
            choose={setPlan}
            choices={[
              [NONE, 'Sends a message'],
              ...plans.map((each): [string, string] => [each.id, `Runs the plan ${each.title}`]),
            ]}
          />
        )}
        {plan === NONE && (
          <Select
            label="Role"
            value={role}
            choose={setRole}
            choices={[
              [NONE, 'Default role'],
              ...roles.map((each): [string, string] => [each.name, each.name]),
            ]}
          />
        )}
        <Select
          label="Missed times"
          value={missed}
          choose={(value) => setMissed(value as Schedule['missed'])}
          choices={[
            ['skip', 'Skip missed times'],
            ['run_once', 'One run for missed times'],
          ]}
        />
      </div>
    </AddForm>
  );
}
