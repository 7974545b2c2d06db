// The form for a question that a call asks, built from the flat JSON schema that MCP allows. A property without a field
// keeps the server's default.

import { useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Visible } from '../ui/visible.tsx';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  readonly required: boolean;
  readonly kind:
    | { readonly type: 'text'; readonly input: string }
    | { readonly type: 'number'; readonly step: string }
    | { readonly type: 'boolean' }
    | { readonly type: 'choice'; readonly many: boolean; readonly options: readonly Option[] };
  readonly first: Value;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

type Value = string | boolean | readonly string[];
type Schema = Readonly<Record<string, unknown>>;

interface AnswerFormProps {
  readonly schema: Schema;
  readonly busy: boolean;
  readonly answer: (content: Record<string, unknown>) => void;
  readonly decline: () => void;
  readonly dismiss: () => void;
}

export function AnswerForm({ schema, busy, answer, decline, dismiss }: AnswerFormProps) {
  const fields = fieldsOf(schema);
  const [values, setValues] = useState<Readonly<Record<string, Value>>>(() =>
    Object.fromEntries(fields.map(({ name, first }) => [name, first])),
  );
  return (
    <form
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        answer(contentOf(fields, values));
      }}
    >
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={values[field.name] ?? field.first}
          change={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" disabled={busy}>
          Answer
        </Button>
        <Button kind="danger" disabled={busy} onClick={decline}>
          Decline
        </Button>
        <Button disabled={busy} onClick={dismiss}>
          Dismiss
        </Button>
      </div>
    </form>
  );
}

interface FormFieldProps {
  readonly field: Field;
  readonly value: Value;
  readonly change: (value: Value) => void;
}

const STYLE = 'w-full rounded-lg border border-strong bg-page px-3 py-1.5 text-sm';

function FormField({ field, value, change }: FormFieldProps) {
  const id = useId();
  const { label, description, required, kind } = field;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium text-soft">
        <Visible text={label} />
        {required && kind.type !== 'boolean' && ' (required)'}
      </label>
      {description !== null && (
        <p id={`${id}-about`} className="text-xs text-soft wrap-anywhere">
          <Visible text={description} />
        </p>
      )}
      <Control id={id} field={field} value={value} change={change} />
    </div>
  );
}

function Control({ id, field, value, change }: FormFieldProps & { readonly id: string }) {
  const { kind, required, description } = field;
  const about = description === null ? {} : { 'aria-describedby': `${id}-about` };
  switch (kind.type) {
    case 'boolean':
      return (
        <input
          {...about}
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={(event) => change(event.target.checked)}
          className="size-4"
        />
      );
    case 'choice':
      return (
        <select
          {...about}
          id={id}
          required={required}
          multiple={kind.many}
          value={value as string | string[]}
          onChange={(event) => {
            const chosen = [...event.target.selectedOptions].map((option) => option.value);
            change(kind.many ? chosen : (chosen[0] ?? ''));
          }}
          className={STYLE}
        >
          {!kind.many && <option value="">Choose…</option>}
          {kind.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      );
    default:
      return (
        <input
          {...about}
          id={id}
          type={kind.type === 'number' ? 'number' : kind.input}
          {...(kind.type === 'number' && { step: kind.step })}
          required={required}
          value={value as string}
          onChange={(event) => change(event.target.value)}
          className={STYLE}
        />
      );
  }
}

function fieldsOf(schema: Schema): readonly Field[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    label: textOr(property['title'], name),
    description: typeof property['description'] === 'string' ? property['description'] : null,
    required: required.includes(name),
    kind: kindOf(property),
    first: firstOf(property),
  }));
}

const INPUTS: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
};

function kindOf(property: Schema): Field['kind'] {
  const { type, format } = property;
  if (type === 'boolean') return { type: 'boolean' };
  if (type === 'number') return { type: 'number', step: 'any' };
  if (type === 'integer') return { type: 'number', step: '1' };
  if (type === 'array')
    return { type: 'choice', many: true, options: optionsOf((property['items'] ?? {}) as Schema) };
  const options = optionsOf(property);
  if (options.length > 0) return { type: 'choice', many: false, options };
  return { type: 'text', input: (typeof format === 'string' && INPUTS[format]) || 'text' };
}

function optionsOf(property: Schema): readonly Option[] {
  const titled = property['oneOf'] ?? property['anyOf'];
  if (Array.isArray(titled))
    return titled.map((each: Schema) => {
      const value = textOr(each['const'], '');
      return { value, label: textOr(each['title'], value) };
    });
  const names = Array.isArray(property['enumNames']) ? (property['enumNames'] as unknown[]) : [];
  const values = Array.isArray(property['enum']) ? (property['enum'] as unknown[]) : [];
  return values.map((value, index) => ({
    value: String(value),
    label: textOr(names[index], String(value)),
  }));
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' ? value : other;
}

function firstOf({ type, default: given }: Schema): Value {
  if (type === 'boolean') return given === true;
  if (type === 'array') return Array.isArray(given) ? given.map(String) : [];
  return typeof given === 'string' || typeof given === 'number' ? String(given) : '';
}

/** Leaves out empty fields, so that an optional field counts as missing, not as invalid. */
function contentOf(
  fields: readonly Field[],
  values: Readonly<Record<string, Value>>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, first }): [string, unknown][] => {
      const value = values[name] ?? first;
      if (value === '') return [];
      return [[name, kind.type === 'number' ? Number(value) : value]];
    }),
  );
}
