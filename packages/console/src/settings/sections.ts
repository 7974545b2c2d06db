// The sections of the settings, in their order. Each has an address of its own: `/settings#usage`.

export const SECTIONS = [
  'Model',
  'Roles',
  'Skills',
  'Policy',
  'Commands',
  'MCP servers',
  'Secrets',
  'Keys for your site',
  'Usage',
  'Workspaces',
  'Storage',
  'Server',
] as const;

export function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}
