// Row changes that commit with events. The log knows no kind of change: a concept declares the types of its changes and registers
// them as `ChangeKinds` (`wiring/log.ts` joins them), and its SQL has a function on_append_<kind> for each.

/**
 * A row change that commits with the group's events. `event` is the index of the event that causes it. The other fields are the
 * parameters of the kind's SQL function, which also gets the thread, run, seq, attempt and time of the event.
 */
export interface Change {
  readonly kind: string;
  readonly event: number;
  readonly [field: string]: unknown;
}

/** How the log treats the changes of one kind. */
export interface ChangeKind<Field extends string = string> {
  /** Fields whose SQL parameter is json. */
  readonly json?: readonly Field[];
  /** Text that may hold anything, such as a model's words. What a text column cannot store is replaced. */
  readonly freeText?: readonly Field[];
  /**
   * The database may refuse such a change (CN001). Its group is then rejected with this error, and the pen appends the other groups.
   * A group has such changes of one concept only.
   */
  readonly refusal?: () => Error;
  /** The first change of its event's run. If it is refused, what was pushed for the run is dropped. */
  readonly opensRun?: boolean;
  /** If such a change has an effect, it has released the thread, and nothing may be appended after it. */
  readonly releases?: boolean;
}

/** The kinds of a concept, by name. `C` is the union of their types. */
export type ChangeKinds<C extends Change> = {
  readonly [K in C['kind']]: ChangeKind<Extract<keyof Extract<C, { kind: K }>, string>>;
};

export type RegisteredKinds = Readonly<Record<string, ChangeKind>>;

/** A change as it is sent to the database. Throws if JSON cannot express it. */
export function encode(change: Change, kinds: RegisteredKinds): Change {
  const kind = kindOf(change, kinds);
  if (!kind.json && !kind.freeText) return change;
  const encoded: Record<string, unknown> = {};
  // The database's JSON functions refuse NUL and lone surrogates inside a value; a cast from text does not.
  for (const field of kind.json ?? []) {
    const value = change[field];
    encoded[field] = value == null ? null : JSON.stringify(value);
  }
  for (const field of kind.freeText ?? []) encoded[field] = storableText(change[field] as string);
  return { ...change, ...encoded };
}

export function kindOf(change: Change, kinds: RegisteredKinds): ChangeKind {
  const kind = kinds[change.kind];
  if (!kind) throw new Error(`no concept has registered changes of the kind ${change.kind}`);
  return kind;
}

/** Replaces NUL and lone surrogates, which a text column cannot store. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
