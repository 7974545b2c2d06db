// Renders JSON Schema for people: as a TypeScript-like type, and as an example value.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
export type Schemas = Readonly<Record<string, Schema>>;

/** How to write a type out. `text` must escape its argument. */
interface Writer {
  readonly text: (text: string) => string;
  readonly reference: (name: string) => string;
  readonly comment: (text: string) => string;
}

export function typeOf(schema: Schema, writer: Writer, indent = ''): string {
  const inner = (each: Schema): string => typeOf(each, writer, indent);
  if (schema.$ref) return writer.reference(nameIn(schema.$ref));
  if (schema.const !== undefined) return writer.text(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => writer.text(JSON.stringify(value))).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(inner).join(' | ');
  if (schema.allOf) return schema.allOf.map(inner).join(writer.text(' & '));
  return types(schema)
    .map((type) => {
      if (type === 'array') return arrayOf(inner(schema.items ?? {}));
      if (type === 'object') return objectOf(schema, writer, indent);
      return writer.text(schema.format && type !== 'null' ? `${type} (${schema.format})` : type);
    })
    .join(' | ');
}

function types({ type, properties }: Schema): readonly string[] {
  if (typeof type === 'string') return [type];
  return type ?? [properties ? 'object' : 'unknown'];
}

function arrayOf(item: string): string {
  return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function objectOf(schema: Schema, writer: Writer, indent: string): string {
  const deeper = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const mark = schema.required?.includes(name) ? '' : '?';
    const comment = field.description && !field.$ref ? `  ${writer.comment(field.description)}` : '';
    return `${deeper}${writer.text(name + mark)}: ${typeOf(field, writer, deeper)}${comment}`;
  });
  const { additionalProperties: rest } = schema;
  if (typeof rest === 'object') lines.push(`${deeper}[name]: ${typeOf(rest, writer, deeper)}`);
  return lines.length === 0 ? 'object' : `{\n${lines.join('\n')}\n${indent}}`;
}

/** The smallest useful example: the required fields, or all fields if none is required. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  if (depth > 8) return null;
  const inner = (each: Schema): unknown => exampleOf(each, schemas, depth + 1);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.$ref) return inner(schemas[nameIn(schema.$ref)] ?? {});
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return inner(choice);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(inner));
  const [type] = types(schema);
  if (type === 'object') return exampleObject(schema, inner);
  if (type === 'array') return schema.items ? [inner(schema.items)] : [];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  return type === 'string' ? '…' : null;
}

function exampleObject(
  { properties = {}, required = [] }: Schema,
  inner: (schema: Schema) => unknown,
): object {
  const names = required.length > 0 ? required : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, inner(properties[name] ?? {})]));
}

/** `Run` of `#/components/schemas/Run`. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
