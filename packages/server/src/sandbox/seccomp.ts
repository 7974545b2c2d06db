// The system calls that a command may not make, as a program for the kernel (classic BPF). They are those that change
// namespaces and mounts, look into other processes, load code into the kernel, or reach parts of it that have no other
// use for a command. A refused call fails with EPERM, as it would without the privilege.

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Their numbers on x64 and arm64; null where there is no such call. */
const REFUSED: Readonly<Record<string, readonly [x64: number, arm64: number | null]>> = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mbind: [237, 235],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  modify_ldt: [154, null],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  remap_file_pages: [216, 234],
  request_key: [249, 218],
  set_mempolicy: [238, 237],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  sysfs: [139, null],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, null],
  userfaultfd: [323, 282],
  ustat: [136, null],
  vhangup: [153, 58],
};

/**
 * Refused where no control group counts memory: memory that belongs to no process, so that a look at the processes does not
 * find it. Programs do without these.
 */
const REFUSED_WITHOUT_GROUPS: typeof REFUSED = {
  memfd_create: [319, 279],
  msgget: [68, 186],
  shmget: [29, 194],
};

const MACHINES = {
  x64: { audit: 0xc000003e, clone: 56, ioctl: 16, socket: 41, socketpair: 53 },
  arm64: { audit: 0xc00000b7, clone: 220, ioctl: 29, socket: 198, socketpair: 199 },
} as const;
export type Machine = keyof typeof MACHINES;

const CLONE3 = 435;
/** All CLONE_NEW… flags that fit into the flags of clone. */
const NEW_NAMESPACES = 0x7e020000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const LOAD = 0x20;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const ANY_BIT = 0x45;
const RETURN = 0x06;
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
/** The low half of an argument. */
const argument = (index: number): Instruction => load(16 + 8 * index);
const allow: Instruction = [RETURN, 0, 0, 0x7fff0000];
const kill: Instruction = [RETURN, 0, 0, 0x80000000];
const refuse = (errno: number): Instruction => [RETURN, 0, 0, 0x00050000 | errno];

/** `isMemoryCounted`: a control group limits all memory. */
export function seccompFilter(machine: Machine, isMemoryCounted: boolean): Buffer {
  const { audit, clone, ioctl, socket, socketpair } = MACHINES[machine];
  const column = machine === 'x64' ? 0 : 1;
  const numbers = (calls: typeof REFUSED) => Object.values(calls).flatMap((each) => each[column] ?? []);
  const refused = (calls: typeof REFUSED, errno: number) =>
    numbers(calls).flatMap((number): Instruction[] => [[EQUAL, 0, 1, number], refuse(errno)]);
  const instructions: Instruction[] = [
    load(4),
    [EQUAL, 1, 0, audit],
    kill,
    load(0),
    // The x32 calls are the same calls under other numbers.
    ...(machine === 'x64' ? ([[AT_LEAST, 0, 1, 0x40000000], refuse(ENOSYS)] as const) : []),
    ...refused(REFUSED, EPERM),
    ...(isMemoryCounted ? [] : refused(REFUSED_WITHOUT_GROUPS, ENOSYS)),
    // Its flags are in memory, which a filter cannot read. Without it, programs use clone.
    [EQUAL, 0, 1, CLONE3],
    refuse(ENOSYS),
    ...when(clone, [argument(0), [ANY_BIT, 0, 1, NEW_NAMESPACES], refuse(EPERM), allow]),
    ...when(ioctl, [argument(1), [EQUAL, 1, 0, TIOCSTI], [EQUAL, 0, 1, TIOCLINUX], refuse(EPERM), allow]),
    ...[socket, socketpair].flatMap((call) => when(call, FAMILIES)),
    allow,
  ];
  const program = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    program.writeUInt16LE(code, index * 8);
    program.writeUInt8(ifTrue, index * 8 + 2);
    program.writeUInt8(ifFalse, index * 8 + 3);
    program.writeUInt32LE(value, index * 8 + 4);
  });
  return program;
}

/** Of netlink only the routing family, which programs ask for their addresses. */
const FAMILIES: readonly Instruction[] = [
  argument(0),
  [EQUAL, 6, 0, AF_UNIX],
  [EQUAL, 5, 0, AF_INET],
  [EQUAL, 4, 0, AF_INET6],
  [EQUAL, 0, 2, AF_NETLINK],
  argument(2),
  [EQUAL, 1, 0, 0],
  refuse(EAFNOSUPPORT),
  allow,
];

/** Runs a part that returns if the call is this one. */
function when(call: number, part: readonly Instruction[]): readonly Instruction[] {
  return [[EQUAL, 0, part.length, call], ...part];
}
