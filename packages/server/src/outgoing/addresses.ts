// Which addresses and names are on the public internet. Only those may be reached without the operator's word.

import ipaddr from 'ipaddr.js';

/** What an address is for, if it is not one of the public internet; null if it is. */
export function addressProblem(text: string): string | null {
  // A zone (`fe80::1%eth0`) names a network interface of this machine.
  if (text.includes('%') || !ipaddr.isValid(text)) return 'not an address of the internet';
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return problemOfFour(address);
  const inside = embedded(address);
  if (inside !== null) return problemOfFour(inside);
  const range = address.range();
  // Only 2000::/3 is assigned. The rest has forms that routers or kernels read as IPv4 or local addresses.
  const isAssigned = address.match(ASSIGNED, 3);
  return range === 'unicast' && isAssigned && !isIsatap(address) ? null : wordsFor(range);
}

/** Why a host name can only mean something of the local network; null if it may be public. */
export function nameProblem(name: string): string | null {
  if (!name.includes('.')) return 'a name of this machine or its local network';
  const isLocal = LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
  return isLocal ? 'a name of this machine or its local network' : null;
}

const LOCAL_SUFFIXES = [
  'localhost',
  'local',
  'internal',
  'localdomain',
  'lan',
  'home.arpa',
  'in-addr.arpa',
  'ip6.arpa',
];
const ASSIGNED = ipaddr.IPv6.parse('2000::');
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

/** Azure's wire server: a public address that only machines in that cloud reach, and which hands out their credentials. */
const CLOUD_ADDRESSES = ['168.63.129.16'];

function problemOfFour(address: ipaddr.IPv4): string | null {
  if (CLOUD_ADDRESSES.includes(address.toString())) return 'an address of a cloud’s metadata service';
  const range = address.range();
  return range === 'unicast' ? null : wordsFor(range);
}

/** The IPv4 address that a NAT64 gateway would connect to. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  return address.match(NAT64, 96) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : null;
}

/** `…:0:5efe:127.0.0.1` is a tunnel to an IPv4 address. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return [0, 0x200].includes(address.parts[4]!) && address.parts[5] === 0x5efe;
}

function wordsFor(range: string): string {
  if (range === 'loopback' || range === 'unspecified') return 'an address of this machine';
  if (range === 'linkLocal') return 'a link-local address, where clouds have their metadata';
  if (['private', 'uniqueLocal', 'carrierGradeNat'].includes(range)) return 'an address of a private network';
  return 'not an address of the internet';
}
