// GET /docs: the API reference, rendered from the OpenAPI document. One page without scripts or external requests; everything
// that comes from the document is escaped.

import { createHash } from 'node:crypto';
import { addressOf } from './address.ts';
import { style } from './docs-style.ts';
import { exampleOf, nameIn, typeOf } from './docs-schema.ts';
import type { Schema, Schemas } from './docs-schema.ts';
import type { App } from '../app.ts';

interface Media {
  readonly schema?: Schema;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}
interface Body {
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
}
/** The part of an OpenAPI 3.1 document that the page shows. */
interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}
interface Endpoint extends Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}
interface Page {
  readonly schemas: Schemas;
  readonly origin: string;
  /** Whether the examples need the API key. */
  readonly key: boolean;
}

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function docsRoute(app: App): void {
  app.get('/docs', async (c) => {
    // Passes on the caller's headers, so the guards of the document also protect this page.
    const source = await app.request('/openapi.json', { headers: c.req.raw.headers }, c.env);
    if (!source.ok) return source;
    const key = c.req.header('authorization') !== undefined || c.req.header('x-api-key') !== undefined;
    const html = renderDocs((await source.json()) as ApiDocument, {
      origin: new URL(addressOf(c)).origin,
      key,
    });
    return c.html(html, 200, {
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });
}

function renderDocs(document: ApiDocument, options: Omit<Page, 'schemas'>): string {
  const { title, version, description } = document.info;
  const schemas = document.components?.schemas ?? {};
  const groups = Map.groupBy(endpoints(document), ({ tags }) => tags?.[0] ?? 'other');
  const page: Page = { ...options, schemas };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} API</title><style>${style}</style></head><body>
<header><h1>${escape(title)} <small>${escape(version)}</small></h1><p>${prose(description)}
Errors are <code>application/problem+json</code> with a stable <code>code</code>.
Machines read <a href="/openapi.json">/openapi.json</a>.</p></header>
<div class="columns"><nav>${[...groups].map(renderContents).join('')}${renderContents(['schemas', Object.keys(schemas)])}</nav>
<main>${[...groups].map(([tag, group]) => renderGroup(tag, group, page)).join('')}
${Object.keys(schemas).length === 0 ? '' : `<h2>Schemas</h2>${Object.entries(schemas).map(renderSchema).join('')}`}
</main></div></body></html>`;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

function endpoints(document: ApiDocument): Endpoint[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ ...operation, method, path, id: slug(`${method} ${path}`) })),
  );
}

function renderContents([title, items]: [string, readonly (Endpoint | string)[]]): string {
  if (items.length === 0) return '';
  const links = items.map((item) =>
    typeof item === 'string'
      ? `<a href="#${slug(item)}">${escape(item)}</a>`
      : `<a href="#${item.id}"><b class="${item.method}">${item.method}</b>${breakable(item.path)}</a>`,
  );
  return `<h3>${escape(title)}</h3>${links.join('')}`;
}

function renderGroup(tag: string, group: readonly Endpoint[], page: Page): string {
  return `<h2>${escape(tag)}</h2>${group.map((endpoint) => renderEndpoint(endpoint, page)).join('')}`;
}

function renderEndpoint(endpoint: Endpoint, page: Page): string {
  const { id, method, path, summary, description, parameters = [], requestBody, responses = {} } = endpoint;
  return `<article id="${id}"><h3><a href="#${id}"><b class="${method}">${method}</b> <code>${breakable(path)}</code></a></h3>
${summary ? `<p class="summary">${prose(summary)}</p>` : ''}${description ? `<p>${prose(description)}</p>` : ''}
${parameters.length > 0 ? `<h4>Parameters</h4><dl>${parameters.map(renderParameter).join('')}</dl>` : ''}
${requestBody ? `<h4>Body${requestBody.required ? '' : ' <i>optional</i>'}</h4>${renderContent(requestBody, page)}` : ''}
<h4>Answers</h4>${renderResponses(responses, page)}
<h4>Example</h4><pre>${escape(curl(endpoint, page))}</pre></article>`;
}

function renderParameter({ name, in: place, required, description, schema }: Parameter): string {
  const type = schema ? ` <code>${typeOf(schema, link)}</code>` : '';
  return `<dt><code>${escape(name)}</code> <i>${escape(place)}${required ? '' : ', optional'}</i>${type}</dt>
<dd>${prose(description)}</dd>`;
}

/** Success responses are open and errors are folded. Status codes with the same body are merged. */
function renderResponses(responses: Readonly<Record<string, Body>>, page: Page): string {
  const same = Map.groupBy(Object.entries(responses), ([status, body]) => status[0] + JSON.stringify(body));
  return [...same.values()]
    .map((group) => {
      const [[status, response]] = group as [[string, Body]];
      const codes = group.map(([code]) => `<b class="s${escape(code.slice(0, 1))}">${escape(code)}</b>`);
      const head = `${codes.join(' ')} ${prose(response.description)}`;
      if (!response.content) return `<p class="answer">${head}</p>`;
      const open = status.startsWith('2') ? ' open' : '';
      return `<details${open}><summary>${head}</summary>${renderContent(response, page)}</details>`;
    })
    .join('');
}

/** A named schema is rendered where it is used, under its name. */
function renderContent({ content = {} }: Body, { schemas }: Page): string {
  return Object.entries(content)
    .map(([type, { schema = {} }]) => {
      const name = schema.$ref && nameIn(schema.$ref);
      const shown = (name && schemas[name]) || schema;
      return `<p class="media">${escape(type)}${name ? ` · ${link.reference(name)}` : ''}</p><pre>${typeOf(shown, link)}</pre>`;
    })
    .join('');
}

function renderSchema([name, schema]: [string, Schema]): string {
  return `<article id="${slug(name)}"><h3><a href="#${slug(name)}"><code>${escape(name)}</code></a></h3>
${schema.description ? `<p>${prose(schema.description)}</p>` : ''}<pre>${typeOf(schema, link)}</pre></article>`;
}

const link = {
  text: escape,
  reference: (name: string) => `<a href="#${slug(name)}">${escape(name)}</a>`,
  comment: (text: string) => `<i>// ${escape(text)}</i>`,
};

function curl({ method, path, parameters = [], requestBody, responses = {} }: Endpoint, page: Page): string {
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name }) => `${name}=…`);
  const streams = Object.values(responses).some(({ content }) => content?.['text/event-stream']);
  const lines = [
    `curl ${streams ? '-N ' : ''}${method === 'get' ? '' : `-X ${method.toUpperCase()} `}` +
      `'${page.origin}${path}${query.length > 0 ? `?${query.join('&')}` : ''}'`,
  ];
  if (page.key) lines.push(`-H "authorization: Bearer $CONTINUO_API_KEY"`);
  for (const { name } of parameters.filter((each) => each.in === 'header' && each.required))
    lines.push(`-H '${name}: …'`);
  const schema = requestBody?.content?.['application/json']?.schema;
  if (schema) {
    const example = JSON.stringify(exampleOf(schema, page.schemas)).replaceAll("'", String.raw`'\''`);
    lines.push(`-H 'content-type: application/json'`, `-d '${example}'`);
  } else if (requestBody) lines.push('--data-binary @file');
  return lines.join(' \\\n  ');
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Renders text, with `code` in backticks. */
function prose(text = ''): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** Lets a path wrap after a slash on a narrow page. */
function breakable(path: string): string {
  return escape(path).replaceAll('/', '/<wbr>');
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
