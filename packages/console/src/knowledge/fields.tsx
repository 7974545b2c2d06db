// The fields of a form, made from the JSON Schema of a kind.

import { useId } from 'react';
import { inWords } from './words.ts';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly schema: Schema;
}

/** Longer texts get several lines. */
const LINE_CHARACTERS = 200;

/** The title first, then the fields in the order of their definition. */
export function fieldsOf(kind: {
  readonly title_field: string;
  readonly fields: Readonly<Record<string, unknown>>;
}): Field[] {
  const properties = (kind.fields.properties ?? {}) as Record<string, Schema>;
  return [
    {
      name: kind.title_field,
      label: inWords(kind.title_field),
      schema: { type: 'string', maxLength: LINE_CHARACTERS },
    },
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      label: inWords(name),
      schema: withoutNull(schema),
    })),
  ];
}

function withoutNull(schema: Schema): Schema {
  const kept = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return kept.length === 1
    ? { ...kept[0]!, ...(schema.description && { description: schema.description }) }
    : schema;
}

const BOX = 'mt-1 w-full rounded-lg border border-strong/60 bg-page px-3 py-1.5 text-sm';

interface FieldInputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
}

/** An empty field is null. */
export function FieldInput({
  field: { label, schema },
  value,
  change,
  required,
  autoFocus,
}: FieldInputProps) {
  const id = useId();
  const shared = { id, required, autoFocus, className: BOX };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const give = (given: string) => change(given === '' ? null : given);
  return (
    <div>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {schema.type === 'boolean' ? (
        <input
          id={id}
          type="checkbox"
          className="ml-2"
          checked={value === true}
          onChange={(event) => change(event.target.checked)}
        />
      ) : schema.enum ? (
        <select {...shared} value={text} onChange={(event) => give(event.target.value)}>
          <option value="">—</option>
          {schema.enum.map((each) => (
            <option key={String(each)} value={String(each)}>
              {inWords(String(each))}
            </option>
          ))}
        </select>
      ) : schema.type === 'integer' || schema.type === 'number' ? (
        <input
          {...shared}
          type="number"
          step={schema.type === 'integer' ? 1 : 'any'}
          value={text}
          onChange={(event) => change(event.target.value === '' ? null : event.target.valueAsNumber)}
        />
      ) : schema.type === 'array' && schema.items?.type === 'string' ? (
        <textarea
          {...shared}
          rows={3}
          placeholder="One per line"
          value={Array.isArray(value) ? value.join('\n') : ''}
          onChange={(event) => change(event.target.value === '' ? null : event.target.value.split('\n'))}
        />
      ) : schema.type !== 'string' ? (
        <JsonInput id={id} value={value} change={change} />
      ) : schema.format === 'date' ? (
        <input {...shared} type="date" value={text} onChange={(event) => give(event.target.value)} />
      ) : (schema.maxLength ?? Infinity) > LINE_CHARACTERS ? (
        <textarea
          {...shared}
          rows={Math.min(12, Math.max(3, text.split('\n').length + 1))}
          maxLength={schema.maxLength}
          value={text}
          onChange={(event) => give(event.target.value)}
        />
      ) : (
        <input
          {...shared}
          autoComplete="off"
          maxLength={schema.maxLength}
          value={text}
          onChange={(event) => give(event.target.value)}
        />
      )}
      {schema.description && <p className="mt-1 text-xs text-soft">{schema.description}</p>}
    </div>
  );
}

/** A field of a form that has no input of its own; text that is not JSON yet is sent as text, and the server says what it needs. */
function JsonInput({
  id,
  value,
  change,
}: {
  readonly id: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}) {
  const parse = (text: string): unknown => {
    if (text.trim() === '') return null;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  return (
    <textarea
      id={id}
      rows={3}
      spellCheck={false}
      placeholder="JSON"
      className={`${BOX} font-mono`}
      value={typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)}
      onChange={(event) => change(parse(event.target.value))}
    />
  );
}
