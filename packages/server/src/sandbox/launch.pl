# Starts one command in bubblewrap. Node cannot make the system calls that this needs, and a program for each of them
# (unshare, mount, setpriv, prlimit) costs more time than the sandbox itself.
#
#   perl launch.pl name=value ... -- bwrap option ... -- command argument ...
#   perl launch.pl name=value ... container=1    mounts only the workspace, at `place`/workspace, where an engine sees it,
#                                                until the input ends, also because the server was killed
#
# 1. A mount namespace, private; without root also a user namespace.
# 2. On a small tmpfs at `place`: the workspace as `workspace`, with an overlay over it that takes the writes, and the
#    other folders. As root, the workspace is mounted with its owner mapped to `uid`, because the overlay compares owners.
# 3. cgroups, limits, priority; as root, the switch to `uid`.
# 4. bubblewrap, which makes the sandbox itself. Its options go through a pipe: its command line is readable inside.
#
# bubblewrap is in a process namespace of its own, whose first process is a copy of this one. When that is killed, at any moment,
# also while bubblewrap is still making the sandbox, the kernel kills all others, and `waitpid` returns when none is left. It
# waits for all of them, because bubblewrap does not: otherwise their CPU time would not be counted.
#
# Relays the output through a pipe, because Node's pipes are sockets and /dev/stdout cannot be opened on one. Ends with
# `code SECONDS_OF_CPU` on descriptor 3, or with a sentence on stderr and code 125 if the sandbox could not be made.

use strict;

my (%given, @bwrap);
while (defined(my $arg = shift @ARGV)) {
  last if $arg eq '--';
  my ($name, $value) = split /=/, $arg, 2;
  $given{$name} = $value;
}
while (defined(my $arg = shift @ARGV)) {
  last if $arg eq '--';
  push @bwrap, $arg;
}

my $arm = $given{arch} eq 'arm64';
my %CALL = (
  mount => $arm ? 40 : 165, unshare => $arm ? 97 : 272, prctl => $arm ? 167 : 157, prlimit => $arm ? 261 : 302,
  setgroups => $arm ? 159 : 116, setresgid => $arm ? 149 : 119, setresuid => $arm ? 147 : 117,
  open_tree => 428, move_mount => 429, mount_setattr => 442, close_range => 436,
  openat2 => 437, umount2 => $arm ? 39 : 166, dup3 => $arm ? 24 : 292, exit_group => $arm ? 94 : 231,
  sched_setattr => $arm ? 274 : 314,
);
# Loading a module costs a millisecond: no POSIX, no constant.
my ($O_DIRECTORY, $O_NOFOLLOW) = $arm ? (0x4000, 0x8000) : (0x10000, 0x20000);
my ($RESOLVE_NO_SYMLINKS, $RESOLVE_BENEATH, $EINTR) = (4, 8, 4);
my ($NEWNS, $NEWUSER, $NEWPID) = (0x00020000, 0x10000000, 0x20000000);
my ($RDONLY, $NOSUID, $NODEV, $REMOUNT, $BIND, $REC, $PRIVATE) = (1, 2, 4, 32, 4096, 16384, 1 << 18);
my ($AT_EMPTY_PATH, $OPEN_TREE_CLONE, $MOVE_EMPTY_SOURCE, $ATTR_IDMAP) = (0x1000, 1, 4, 0x00100000);
my $DETACH = 2;
my ($PDEATHSIG, $DUMPABLE, $NO_NEW_PRIVS, $KILL) = (1, 4, 38, 9);
my ($BATCH, $SLICE_NS) = (3, 20_000_000);
my %LIMIT = (cpu => 0, fsize => 1, data => 2, core => 4, nofile => 7);

my $program = shift @bwrap;
my ($root, $place, $uid) = ($> == 0, $given{place}, $given{uid});

sub leave { syscall($CALL{exit_group}, $_[0] + 0) }
sub fail { print STDERR "@_: $!\n"; leave(125) }

# Arguments are passed to the kernel as they are: numbers as numbers, strings by address.
sub call {
  my ($name, @args) = @_;
  my $result = syscall($CALL{$name}, @args);
  fail($name) if $result < 0;
  return $result;
}
sub mount {
  my ($from, $to, $type, $flags, $data) = @_;
  my @strings = map { "$_" } ($from, $to, $type, $data // '');
  syscall($CALL{mount}, $strings[0], $strings[1], $strings[2], $flags + 0, $strings[3]) == 0
    or fail("mount $type on $to");
}
sub folder {
  my ($path) = @_;
  mkdir $path, 0755 or fail("mkdir $path");
  return $path;
}
# No symbolic link may stand in the path below `from`.
sub descriptor {
  my ($path, $from) = @_;
  my $how = pack('QQQ', $O_DIRECTORY | $O_NOFOLLOW, 0, defined $from ? $RESOLVE_NO_SYMLINKS | $RESOLVE_BENEATH : 0);
  return call('openat2', $from // -100, "$path", $how, 24);
}
sub write_file {
  my ($path, $text) = @_;
  open(my $file, '>', $path) or fail("open $path");
  print $file $text or fail("write $path");
  close $file or fail("write $path");
}

if ($given{container}) {
  my $workspace = '/proc/self/fd/' . workspace_descriptor();
  mount_workspace($workspace, '/proc/self/fd/' . descriptor($given{upper}), '/proc/self/fd/' . descriptor($given{work}));
  # The overlay has a mount of its own of what is below.
  my $lower = "$place/lower";
  call('umount2', $lower, $DETACH);
  # No signal for the server's process group ends this before the server.
  $SIG{$_} = 'IGNORE' for qw(INT TERM HUP);
  syswrite(STDOUT, "mounted\n");
  sysread(STDIN, my $end, 1);
  my $merged = "$place/workspace";
  call('umount2', $merged, $DETACH);
  rmdir $_ for ($lower, $merged, $place);
  leave(0);
}

# Descriptors 3 to 5 are taken, so that no handle below gets one of these numbers.
call('dup3', 2, 5, 0);
my $parent = getppid();
call('prctl', $PDEATHSIG, $KILL, 0, 0, 0);

# 1. Namespaces.
for my $cgroup (split /:/, $given{cgroups} // '') { write_file("$cgroup/cgroup.procs", "$$\n") }
my ($outside_uid, $outside_gid) = ($>, $) + 0);
call('unshare', $root ? $NEWNS : $NEWNS | $NEWUSER);
unless ($root) {
  write_file('/proc/self/setgroups', 'deny');
  write_file('/proc/self/uid_map', "0 $outside_uid 1");
  write_file('/proc/self/gid_map', "0 $outside_gid 1");
}
mount('none', '/', 'none', $REC | $PRIVATE);

# 2. Mounts. The folders are opened first: the tmpfs may hide them.
my @shown = (qw(scratch tmp outputs), defined $given{proxy} ? 'proxy' : ());
my %source = map { ($_ => '/proc/self/fd/' . descriptor($given{$_})) } (@shown, qw(upper work));
my $workspace = '/proc/self/fd/' . workspace_descriptor();
mount('tmpfs', $place, 'tmpfs', $NOSUID | $NODEV, 'mode=755,size=1m');
for my $name (@shown) {
  mount($source{$name}, folder("$place/$name"), 'none', $BIND | $REC);
  mount('none', "$place/$name", 'none', $BIND | $REMOUNT | $NOSUID | $NODEV);
}
mount_workspace($workspace, $source{upper}, $source{work});
folder("$place/etc");
write_file("$place/etc/passwd", "root:x:0:0::/:/usr/sbin/nologin\nsandbox:x:65534:65534::/scratch/home:/bin/sh\n");
write_file("$place/etc/group", "root:x:0:\nsandbox:x:65534:\n");
write_file("$place/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n");

# 3. Limits.
sub limit_and_drop {
  for my $name (grep { defined $given{$_} } keys %LIMIT) {
    my $both = pack('QQ', $given{$name}, $given{$name});
    call('prlimit', 0, $LIMIT{$name}, $both, 0);
  }
  umask 0022;
  chdir '/' or fail('chdir');
  if ($root) {
    my $groups = '';
    call('setgroups', 0, $groups);
    call('setresgid', $uid + 0, $uid + 0, $uid + 0);
    call('setresuid', $uid + 0, $uid + 0, $uid + 0);
  }
  # A change of user clears both, and a new process does not have the first.
  call('prctl', $PDEATHSIG, $KILL, 0, 0, 0);
  call('prctl', $DUMPABLE, 1, 0, 0, 0);
  call('prctl', $NO_NEW_PRIVS, 1, 0, 0, 0);
}

# Without a slice of its own, the kernel would let a command finish the usual one before the server is woken up; a process whose
# slice is shorter need not wait.
sub lower_priority {
  my $attributes = pack('LLQlLQQQ', 48, $BATCH, 0, $given{nice}, 0, $SLICE_NS, 0, 0);
  call('sched_setattr', 0, $attributes, 0);
}

# 4. The sandbox, and the relay of its output.
pipe(my $options_out, my $options_in) or fail('pipe');
pipe(my $status_out, my $status_in) or fail('pipe');
pipe(my $output, my $stdout) or fail('pipe');
# Its end tells that this process is gone: the first process of a namespace does not see its parent.
pipe(my $alive_out, my $alive_in) or fail('pipe');
call('unshare', $NEWPID);
my $child = fork();
fail('fork') unless defined $child;
if ($child == 0) {
  close $_ for ($alive_in, $options_in, $status_out, $output);
  limit_and_drop();
  my $ended = '';
  vec($ended, fileno($alive_out), 1) = 1;
  leave(125) if select($ended, undef, undef, 0) > 0;
  my $bubblewrap = fork();
  fail('fork') unless defined $bubblewrap;
  if ($bubblewrap != 0) {
    close $_ for ($options_out, $status_in, $stdout);
    1 while wait() > 0;
    leave(0);
  }
  lower_priority();
  call('dup3', fileno($stdout), 1, 0);
  call('dup3', fileno($stdout), 2, 0);
  call('dup3', fileno($options_out), 3, 0);
  call('dup3', fileno($status_in), 5, 0);
  # bubblewrap passes on what is open: a folder's descriptor would lead out of the sandbox. 4 is the seccomp filter.
  call('close_range', 6, 0xffffffff, 0);
  %ENV = ();
  exec { $program } $program, '--args', '3', @ARGV or leave(125);
}
# Without this process, the kernel ends the child: so also where the child still is another user, who gets no signal from here.
$SIG{$_} = sub { kill $KILL, $child or leave(125) } for qw(TERM PIPE);
limit_and_drop();
leave(125) if getppid() != $parent;
close $_ for ($options_out, $status_in, $stdout, $alive_out);
syswrite($options_in, join("\0", @bwrap) . "\0");
close $options_in;
my $piece;
while (1) {
  my $read = sysread($output, $piece, 65536);
  next if !defined $read && $! == $EINTR;
  last unless $read;
  my $at = 0;
  while ($at < $read) {
    my $written = syswrite(STDOUT, $piece, $read - $at, $at);
    next if !defined $written && $! == $EINTR;
    last unless defined $written;
    $at += $written;
  }
}
until (waitpid($child, 0) == $child) { last unless $! == $EINTR }
my $status = join '', readline($status_out);
my ($code) = $status =~ /"exit-code":\s*(\d+)/;
my (undef, undef, $user, $system) = times();
open(my $report, '>&=', 3) or leave(125);
print $report defined $code ? "$code" : 'none', ' ', $user + $system, "\n";
close $report;
leave(0);

sub workspace_descriptor {
  my $workspace = descriptor($given{workspace});
  return $given{slice} eq '' ? $workspace : descriptor($given{slice}, $workspace);
}

# The workspace, read-only, with the command's layer above.
sub mount_workspace {
  my ($workspace, $upper, $work) = @_;
  my ($lower, $merged) = (folder("$place/lower"), folder("$place/workspace"));
  if ($root) { bind_with_owner($workspace, $lower) }
  else { mount($workspace, $lower, 'none', $BIND | $REC) }
  mount('none', $lower, 'none', $BIND | $REMOUNT | $RDONLY | $NOSUID | $NODEV);
  my $layers = "lowerdir=$lower,upperdir=$upper,workdir=$work,userxattr";
  mount('overlay', $merged, 'overlay', $NOSUID | $NODEV, $layers);
}

# Mounts a folder so that what belongs to root belongs to `uid`. The kernel takes the mapping from a user namespace.
sub bind_with_owner {
  my ($from, $to) = @_;
  pipe(my $ready_out, my $ready_in) or fail('pipe');
  pipe(my $done_out, my $done_in) or fail('pipe');
  my $holder = fork();
  fail('fork') unless defined $holder;
  if ($holder == 0) {
    call('prctl', $PDEATHSIG, $KILL, 0, 0, 0);
    close $done_in;
    call('unshare', $NEWUSER);
    syswrite($ready_in, '.');
    sysread($done_out, my $end, 1);
    leave(0);
  }
  sysread($ready_out, my $ready, 1) or fail('user namespace');
  write_file("/proc/$holder/uid_map", "0 $uid 1");
  write_file("/proc/$holder/gid_map", "0 $uid 1");
  open(my $namespace, '<', "/proc/$holder/ns/user") or fail('open user namespace');
  my ($source, $empty, $target) = ("$from", '', "$to");
  my $tree = call('open_tree', -100, $source, $OPEN_TREE_CLONE);
  my $attributes = pack('QQQQ', $ATTR_IDMAP, 0, 0, fileno $namespace);
  call('mount_setattr', $tree, $empty, $AT_EMPTY_PATH, $attributes, 32);
  call('move_mount', $tree, $empty, -100, $target, $MOVE_EMPTY_SOURCE);
  close $done_in;
  waitpid($holder, 0);
}
