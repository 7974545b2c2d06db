// Code in colours: one span per token, with a class of highlight.js. Loaded with the first code block that has a language.

import { common, createLowlight } from 'lowlight';
import { Fragment, type ReactNode } from 'react';

const lowlight = createLowlight(common);

type Nodes = ReturnType<typeof lowlight.highlight>['children'];

/** Null if there is no grammar of that name. */
export function colored(language: string, code: string): ReactNode {
  if (!lowlight.registered(language)) return null;
  return shown(lowlight.highlight(language, code).children);
}

function shown(nodes: Nodes): ReactNode {
  return nodes.map((node, index) => {
    if (node.type === 'text') return <Fragment key={index}>{node.value}</Fragment>;
    if (node.type !== 'element') return null;
    return (
      <span key={index} className={(node.properties.className as string[]).join(' ')}>
        {shown(node.children)}
      </span>
    );
  });
}
