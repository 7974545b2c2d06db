// Attempts to get out of the sandbox, one command each. An attempt that succeeds prints ESCAPED. What else must hold is in
// `expect`: a text that the output must contain. The placeholders are filled by the test: SECRET is a readable file of the
// host outside of the workspace, PORT and SOCKET are a server of the host, PID is a process of the host, TOKEN is in the
// environment of the server and in no sandbox.

export interface Attack {
  readonly name: string;
  readonly command: string;
  readonly expect?: string;
  /** How the command must end, if a limit has to end it. */
  readonly killed?: 'time' | 'output' | 'memory' | 'scratch';
  /** The command may also fail before the limit ends it. */
  readonly mayFail?: true;
}

/** A system call by its number on x64 and arm64; fails with one of these errors. */
const call = (name: string, x64: number, arm64: number, args: string, refused = 'EPERM'): Attack => ({
  name: `the system call ${name}`,
  command: `perl -MErrno=${refused} -e 'my $n = \`uname -m\` =~ /aarch64/ ? ${arm64} : ${x64}; my $s = "x" x 200; my $r = syscall($n, ${args}); print $r == -1 && $! == ${refused} ? "refused\\n" : "ESCAPED $r $!\\n"'`,
  expect: 'refused',
});

const connect = (address: string) =>
  `timeout 3 bash -c 'exec 3<>/dev/tcp/${address} && echo ESCAPED' 2>&1 || echo refused`;

const READING: readonly Attack[] = [
  { name: 'a file of the host by its path', command: 'cat "$SECRET" && echo ESCAPED; true' },
  {
    name: 'a file of the host by a relative path',
    command: 'cat "../../../../../../..$SECRET" && echo ESCAPED; true',
  },
  {
    name: 'a file of the host through the root of process 1',
    command: 'cat "/proc/1/root$SECRET" && echo ESCAPED; true',
  },
  {
    name: 'a file of the host through its own root',
    command: 'cat "/proc/self/root$SECRET" && echo ESCAPED; true',
  },
  {
    name: 'a file of the host through the folders of processes',
    command:
      'for p in /proc/[0-9]*; do cat "$p/cwd/../../..$SECRET" "$p/root/..$SECRET" && echo ESCAPED; done 2>/dev/null; true',
  },
  {
    name: 'a file of the host through open descriptors',
    command:
      'for f in /proc/[0-9]*/fd/*; do cat "$f/../../../../..$SECRET" && echo ESCAPED; done 2>/dev/null; true',
  },
  {
    name: 'a symbolic link of the workspace that leads out',
    command: 'cat planted-link && echo ESCAPED; true',
  },
  {
    name: 'a symbolic link that the command makes',
    command: 'ln -s "$SECRET" l; cat l && echo ESCAPED; ln -s / r; cat "r$SECRET" && echo ESCAPED; true',
  },
  {
    name: 'the password file of the host',
    command:
      'cat /etc/shadow && echo ESCAPED; grep -v -E "^(root|sandbox):" /etc/passwd && echo ESCAPED; true',
  },
  {
    name: 'the folders of the host',
    command:
      'ls -A /root /home /var /srv /opt /mnt /media /run /boot /sys /sys/fs 2>/dev/null | grep -v -e : -e "^fs$" -e "^cgroup$" | grep . && echo ESCAPED; true',
  },
  {
    name: 'any file with the name of the secret',
    command: 'find / -xdev -name "$(basename "$SECRET")" 2>/dev/null | grep . && echo ESCAPED; true',
  },
  {
    name: 'the disks',
    command:
      'for d in /dev/sda /dev/vda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/fuse /dev/loop0 /dev/kvm; do [ -e $d ] && echo ESCAPED; done; true',
  },
  {
    name: 'the memory of the kernel',
    command: 'head -c1 /proc/kcore && echo ESCAPED; head -c1 /dev/mem && echo ESCAPED; true',
  },
  {
    name: 'the log of the kernel',
    command: 'timeout 1 head -c1 /proc/kmsg && echo ESCAPED; dmesg && echo ESCAPED; true',
  },
  {
    name: 'the chat of another run',
    command: 'ls /outputs /scratch/.. 2>/dev/null; ls /scratch/../sandbox && echo ESCAPED; true',
  },
];

const WRITING: readonly Attack[] = [
  { name: 'appending to a file of the workspace', command: 'echo changed >> kept.txt' },
  { name: 'truncating a file of the workspace', command: ': > kept.txt' },
  { name: 'renaming over a file of the workspace', command: 'echo changed > n; mv -f n kept.txt' },
  { name: 'removing the workspace', command: 'rm -rf /workspace/* /workspace/.[a-z]*' },
  {
    name: 'changing modes and times in the workspace',
    command: 'chmod 777 kept.txt; touch -d 2000-01-01 kept.txt',
  },
  {
    name: 'a hard link to a file of the workspace',
    command: 'ln kept.txt /scratch/h && echo changed >> /scratch/h; ln kept.txt k && echo changed >> k',
  },
  {
    name: 'writing through a mapped file',
    command: `perl -e 'open F, "+<", "kept.txt"; syswrite F, "changed"'`,
  },
  {
    name: 'writing through the layers below the overlay',
    command:
      'for f in /proc/[0-9]*/fd/*; do echo changed > "$f/kept.txt"; done 2>/dev/null; find / -xdev -name lower 2>/dev/null | grep mnt && echo ESCAPED; true',
  },
  {
    name: 'the programs of the host',
    command:
      'touch /usr/bin/x && echo ESCAPED; echo x >> /usr/bin/env && echo ESCAPED; chmod u+w /usr && echo ESCAPED; true',
  },
  {
    name: 'the root of the sandbox',
    command: 'touch /x && echo ESCAPED; mkdir /y && echo ESCAPED; mv /bin /b && echo ESCAPED; true',
  },
  { name: 'the account file', command: 'echo evil::0:0::/:/bin/sh >> /etc/passwd && echo ESCAPED; true' },
  { name: 'the outputs of earlier commands', command: 'touch /outputs/x && echo ESCAPED; true' },
  { name: 'the devices', command: 'touch /dev/x && echo ESCAPED; rm /dev/null && echo ESCAPED; true' },
  {
    name: 'racing symbolic links',
    command:
      'for i in $(seq 200); do ln -sfn "$SECRET" race; echo changed > race; ln -sfn kept.txt race; echo changed > race; done 2>/dev/null; true',
  },
];

const PROC: readonly Attack[] = [
  {
    name: 'the handler of crashes',
    command: 'echo "|/bin/sh" > /proc/sys/kernel/core_pattern && echo ESCAPED; true',
  },
  {
    name: 'settings of the kernel',
    command:
      'echo 1 > /proc/sys/vm/drop_caches && echo ESCAPED; echo 0 > /proc/sys/kernel/randomize_va_space && echo ESCAPED; echo 1 > /proc/sys/kernel/sysrq && echo ESCAPED; true',
  },
  { name: 'the request key', command: 'echo h > /proc/sysrq-trigger && echo ESCAPED; true' },
  { name: 'the helper of modules', command: 'echo /tmp/x > /proc/sys/kernel/modprobe && echo ESCAPED; true' },
  {
    name: 'the environment of the first process',
    command: 'tr "\\0" "\\n" < /proc/1/environ | grep . && echo ESCAPED; true',
  },
  {
    name: 'the environment of every process',
    command:
      'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -e TOKEN= -e DATABASE_URL -e CONTINUO_ && echo ESCAPED; true',
  },
  {
    name: 'paths of the host in command lines',
    command:
      'cat /proc/1/cmdline | tr "\\0" " " | cut -d" " -f1-3 | grep -e continuo -e launch && echo ESCAPED; true',
  },
  {
    name: 'processes of the host',
    command:
      'kill -0 "$PID" && echo ESCAPED; [ -e "/proc/$PID" ] && [ "$PID" -gt 100 ] && echo ESCAPED; ls /proc | grep -c "^[0-9]" | grep -E "^.{3,}" && echo ESCAPED; true',
  },
  { name: 'signals to all processes', command: 'kill -TERM -1; kill -STOP 1; true' },
  {
    name: 'inherited descriptors',
    command:
      'ls -l /proc/self/fd | grep -v -e "/dev/null" -e "pipe:" -e "/proc/" -e total | grep . && echo ESCAPED; true',
  },
  { name: 'the memory of the first process', command: 'head -c1 /proc/1/mem && echo ESCAPED; true' },
  { name: 'its user map', command: 'echo "0 0 1" > /proc/self/uid_map && echo ESCAPED; true' },
  {
    name: 'protection from the memory killer',
    command: 'echo -1000 > /proc/self/oom_score_adj && echo ESCAPED; true',
  },
  { name: 'a higher priority', command: 'nice -n -5 true 2>&1 | grep -q cannot || echo ESCAPED' },
  { name: 'the control groups', command: 'ls /sys/fs/cgroup 2>/dev/null | grep . && echo ESCAPED; true' },
  {
    name: 'raising its own limits',
    command:
      'ulimit -c unlimited && echo ESCAPED; ulimit -n 100000 && echo ESCAPED; ulimit -f unlimited && echo ESCAPED; true',
  },
  { name: 'the name of the host', command: 'hostname', expect: 'sandbox' },
];

const PRIVILEGES: readonly Attack[] = [
  { name: 'the super-user', command: '[ "$(id -u)" -gt 1000 ] && echo unprivileged', expect: 'unprivileged' },
  {
    name: 'programs that change the user',
    command:
      'for p in su sudo passwd newgrp chsh mount pkexec; do command -v $p >/dev/null && [ "$(timeout 1 $p -c "id -u" 2>/dev/null </dev/null)" = 0 ] && echo ESCAPED; done; true',
  },
  {
    name: 'a program of its own that changes the user',
    command:
      'cp /bin/bash /scratch/b; chmod 4755 /scratch/b; cp /bin/bash /tmp/b; chmod 4755 /tmp/b; for b in /scratch/b /tmp/b; do [ "$($b -p -c "id -u")" = "$(id -u)" ] || echo ESCAPED; done',
  },
  {
    name: 'capabilities',
    command: 'grep ^Cap /proc/self/status | grep -v 0000000000000000 && echo ESCAPED; true',
  },
  { name: 'a user namespace', command: 'unshare --user true && echo ESCAPED; true' },
  { name: 'a mount namespace', command: 'unshare --mount true && echo ESCAPED; true' },
  { name: 'a process namespace', command: 'unshare --pid --fork true && echo ESCAPED; true' },
  { name: 'a network namespace', command: 'unshare --net true && echo ESCAPED; true' },
  { name: 'the namespaces of process 1', command: 'nsenter -t 1 -m -u -n -p true && echo ESCAPED; true' },
  { name: 'a sandbox in the sandbox', command: 'bwrap --ro-bind / / true && echo ESCAPED; true' },
  { name: 'another root', command: 'chroot / true && echo ESCAPED; true' },
  {
    name: 'a mount',
    command:
      'mount -t tmpfs t /tmp && echo ESCAPED; mount --bind / /tmp && echo ESCAPED; mount -o remount,rw /usr && echo ESCAPED; true',
  },
  {
    name: 'removing a mount',
    command: 'umount /workspace && echo ESCAPED; umount -l /usr && echo ESCAPED; true',
  },
  { name: 'a device file', command: 'mknod d b 8 0 && echo ESCAPED; mknod c c 1 1 && echo ESCAPED; true' },
  { name: 'another owner', command: 'chown 0:0 kept.txt && echo ESCAPED; true' },
  call('clone with a user namespace', 56, 220, '0x10000011, 0, 0, 0, 0'),
  call('clone3', 435, 435, '$s, 88', 'ENOSYS'),
  call('unshare', 272, 97, '0x10000000'),
  call('setns', 308, 268, '0, 0'),
  call('mount', 165, 40, '$s, $s, $s, 0, $s'),
  call('fsopen', 430, 430, '$s, 0'),
  call('open_tree', 428, 428, '-100, $s, 1'),
  call('move_mount', 429, 429, '0, $s, 0, $s, 0'),
  call('mount_setattr', 442, 442, '-100, $s, 0, $s, 32'),
  call('pivot_root', 155, 41, '$s, $s'),
  call('ptrace', 101, 117, '16, 1, 0, 0'),
  call('process_vm_readv', 310, 270, '1, $s, 1, $s, 1, 0'),
  call('pidfd_getfd', 438, 438, '0, 0, 0'),
  call('bpf', 321, 280, '0, $s, 72'),
  call('perf_event_open', 298, 241, '$s, 0, -1, -1, 0'),
  call('userfaultfd', 323, 282, '0'),
  call('io_uring_setup', 425, 425, '8, $s'),
  call('keyctl', 250, 219, '0, -3, 0'),
  call('add_key', 248, 217, '$s, $s, $s, 1, -3'),
  call('open_by_handle_at', 304, 265, '-100, $s, 0'),
  call('kexec_load', 246, 104, '0, 0, 0, 0'),
  call('finit_module', 313, 273, '0, $s, 0'),
  call('personality', 135, 92, '0x0040000'),
  call('the terminal’s input (TIOCSTI)', 16, 29, '0, 0x5412, $s'),
];

const NETWORK: readonly Attack[] = [
  { name: 'a server of the host on loopback', command: connect('127.0.0.1/$PORT'), expect: 'refused' },
  { name: 'a server of the host on IPv6 loopback', command: connect('::1/$PORT'), expect: 'refused' },
  { name: 'the address of cloud metadata', command: connect('169.254.169.254/80'), expect: 'refused' },
  { name: 'a public address', command: connect('1.1.1.1/443'), expect: 'refused' },
  { name: 'a name', command: 'getent hosts example.com && echo ESCAPED; true' },
  { name: 'a datagram', command: 'echo x > /dev/udp/1.1.1.1/53 && echo ESCAPED; true' },
  { name: 'other interfaces', command: 'grep : /proc/net/dev | grep -v " lo:" && echo ESCAPED; true' },
  {
    name: 'a socket of the host in the file system',
    command: `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); print connect(S, sockaddr_un($ENV{SOCKET})) ? "ESCAPED" : "refused"'`,
    expect: 'refused',
  },
  {
    name: 'an abstract socket of the host',
    command: `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); print connect(S, pack("Sa*", AF_UNIX, "\\0$ENV{ABSTRACT}")) ? "ESCAPED" : "refused"'`,
    expect: 'refused',
  },
  {
    name: 'the sockets of Postgres and of services',
    command: 'find / -xdev -type s 2>/dev/null | grep . && echo ESCAPED; true',
  },
  call('a raw socket', 41, 198, '17, 3, 0', 'EAFNOSUPPORT'),
  call('a socket to the hypervisor', 41, 198, '40, 1, 0', 'EAFNOSUPPORT'),
  call('a socket to the crypto of the kernel', 41, 198, '38, 5, 0', 'EAFNOSUPPORT'),
  call('a netlink socket to the firewall', 41, 198, '16, 3, 12', 'EAFNOSUPPORT'),
];

const RESOURCES: readonly Attack[] = [
  { name: 'a fork bomb', command: ':(){ :|:& };: 2>/dev/null; wait', killed: 'time', mayFail: true },
  {
    name: 'a process that takes all memory',
    command: `perl -e 'my @a; push @a, "x" x 1e6 while 1' || echo over`,
    killed: 'memory',
    mayFail: true,
  },
  {
    name: 'many processes that take all memory',
    command: `for i in 1 2 3 4 5 6; do perl -e 'my $a = "x" x 5e7; sleep 5' & done; wait; echo over`,
    killed: 'memory',
  },
  {
    name: 'memory of processes that a second thread starts',
    command: `perl -Mthreads -e 'threads->create(sub { for (1..6) { next if fork; my $a = "x" x (5e7 + $_); sleep 1; exit } sleep 2 })->join; print "over\n"'`,
    killed: 'memory',
  },
  {
    name: 'memory in files without a name',
    command: `perl -e 'my $n = \`uname -m\` =~ /aarch64/ ? 279 : 319; my $s = "x"; my @f; for (1..40) { my $d = syscall($n, $s, 0); $d < 0 and die "refused\n"; open my $f, "+<&=", $d; syswrite $f, "x" x 1e7; push @f, $f } sleep 2; print "ESCAPED\n"'`,
    killed: 'memory',
    mayFail: true,
  },
  {
    name: 'memory in segments that no process uses',
    command: `perl -e 'for (1..40) { my $d = shmget(0, 1e7, 01600) // die "refused\n"; shmwrite($d, "x" x 1e7, 0, 1e7) or die } sleep 2; print "ESCAPED\n"'`,
    killed: 'memory',
    mayFail: true,
  },
  { name: 'memory through /dev/shm', command: 'head -c 200M /dev/zero > /dev/shm/x && echo ESCAPED; true' },
  { name: 'endless output', command: 'yes', killed: 'output' },
  {
    name: 'filling the scratch volume',
    command:
      'while head -c 8M /dev/zero; do :; done > /scratch/big; for i in $(seq 1000); do head -c 8M /dev/zero > /scratch/$i; done',
    killed: 'scratch',
  },
  {
    name: 'filling the overlay',
    command: 'for i in $(seq 1000); do head -c 8M /dev/zero > $i; done',
    killed: 'scratch',
  },
  {
    name: 'filling /tmp',
    command: 'for i in $(seq 1000); do head -c 8M /dev/zero > /tmp/$i; done',
    killed: 'scratch',
  },
  {
    name: 'a file that is too large',
    command: 'head -c 64M /dev/zero > big; [ $(stat -c %s big) -gt 20000000 ] && echo ESCAPED; true',
  },
  {
    name: 'very many files',
    command: 'perl -e \'for (1..1e6) { open F, ">", "/scratch/f$_" }\'',
    killed: 'scratch',
  },
  {
    name: 'folders deeper than a path',
    command:
      'for i in $(seq 300); do mkdir aaaaaaaaaaaaaaaaaaaa && cd aaaaaaaaaaaaaaaaaaaa || break; done; echo over',
    expect: 'over',
  },
  {
    name: 'folders that cannot be read',
    command:
      'mkdir -p a/b && touch a/b/c && chmod 000 a; mkdir /scratch/z && chmod 000 /scratch/z; echo over',
    expect: 'over',
  },
  {
    name: 'running for ever, deaf to signals',
    command: 'trap "" TERM INT HUP; while :; do sleep 1; done',
    killed: 'time',
  },
  {
    name: 'a process that leaves its group',
    command: 'setsid nohup sleep 1000 >/dev/null 2>&1 & echo started',
    expect: 'started',
  },
  {
    name: 'a process that outlives its parent',
    command: '( ( trap "" TERM; sleep 1000 ) & ) >/dev/null 2>&1; echo started',
    expect: 'started',
  },
];

export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  'reading outside': READING,
  'writing outside': WRITING,
  'through /proc': PROC,
  'for more privileges': PRIVILEGES,
  'over the network': NETWORK,
  'on resources': RESOURCES,
};
