// The hosts that the operator allows besides the public internet: `CONTINUO_OUTGOING_ALLOW`.

import ipaddr from 'ipaddr.js';

export interface AllowedHost {
  matches(host: string, port: number): boolean;
}

const NAME = /^(\*\.)?[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/;

/**
 * Reads `name`, `*.name`, an address or a range of addresses, each also with `:port`; null if it is none of these. An entry
 * matches the host as the URL names it: a name that resolves to an allowed address is not allowed by it.
 */
export function parseAllowed(entry: string): AllowedHost | null {
  const { host, port } = split(entry.trim().toLowerCase());
  if (port !== null && (port < 1 || port > 65_535)) return null;
  const isHost = rangeOf(host) ?? nameOf(host);
  if (!isHost) return null;
  return { matches: (given, givenPort) => (port === null || port === givenPort) && isHost(given) };
}

/** The host of a URL as it is compared: without brackets and the final dot, in lower case. */
export function plainHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

function split(entry: string): { host: string; port: number | null } {
  // An IPv6 address without brackets has no port.
  const isBare = entry.split(':').length > 2 && !entry.startsWith('[');
  const found = isBare ? null : /^(.*):(\d{1,5})$/.exec(entry);
  const [host, port] = found ? [found[1]!, Number(found[2])] : [entry, null];
  return { host: plainHost(host), port };
}

type IsHost = (host: string) => boolean;

function rangeOf(text: string): IsHost | null {
  const isRange = ipaddr.isValidCIDR(text);
  if (!isRange && !isAddress(text)) return null;
  const single = isRange ? null : ipaddr.process(text);
  const [base, bits] = single ? [single, single.kind() === 'ipv4' ? 32 : 128] : ipaddr.parseCIDR(text);
  return (host) => {
    if (!isAddress(host)) return false;
    const address = ipaddr.process(host);
    return address.kind() === base.kind() && address.match(base, bits);
  };
}

/** `127.1` and `0x7f000001` are addresses for ipaddr.js as well, but here they would only hide what is allowed. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function nameOf(text: string): IsHost | null {
  if (!NAME.test(text) || /^[\d.]+$/.test(text)) return null;
  if (!text.startsWith('*.')) return (host) => host === text;
  return (host) => host.endsWith(text.slice(1));
}
