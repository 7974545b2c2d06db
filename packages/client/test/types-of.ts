// The types of an OpenAPI document. Error responses are left out: every path has the same problem format.

import openapiTS, { astToString } from 'openapi-typescript';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
}

const HEADER = `// Made from the server's OpenAPI document by \`npm run generate\`; not to be edited.\n\n`;

export async function typesOf(document: Document): Promise<string> {
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods)) {
      for (const status of Object.keys(operation.responses ?? {}))
        if (Number(status) >= 400) delete operation.responses![status];
    }
  }
  const ast = await openapiTS(document as unknown as Parameters<typeof openapiTS>[0], {
    emptyObjectsUnknown: true,
  });
  return HEADER + astToString(ast);
}
