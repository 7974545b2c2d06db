# The first process of a container: starts the command, and ends the container when the command or the server has ended.
#
# Reads from its input: a line with a length, then that many bytes: fields that end with NUL: the machine, the filter of system calls
# in hexadecimal digits, the nice value, the working directory, the number of variables, the variables, the program and its
# arguments. The input stays open as long as the server wants the container.
#
# Writes to stderr, which the command does not have, `ended CODE SECONDS_OF_CPU`, and waits until the server has read it.

use strict;

my $buffer = '';
sub take {
  my ($count) = @_;
  while (length $buffer < $count) {
    sysread(STDIN, $buffer, $count - length $buffer, length $buffer) or exit 125;
  }
  return substr($buffer, 0, $count, '');
}
my $length = '';
$length .= take(1) until $length =~ /\n$/;
my @fields = split /\0/, take($length + 0), -1;
pop @fields;
my ($machine, $filter, $nice, $folder, $count) = splice @fields, 0, 5;
my @environment = splice @fields, 0, $count;

my $prctl = $machine eq 'arm64' ? 167 : 157;
sub prctl {
  my ($option, $first, $second) = @_;
  syscall($prctl, $option, $first, $second, 0, 0) == 0 or die "prctl $option: $!\n";
}
# The command has the same user: it must not look into this process, nor open its descriptors.
prctl(4, 0, 0);
prctl(38, 1, 0);
my $instructions = pack 'H*', $filter;
my $program = pack 'Sx6P', length($instructions) / 8, $instructions;
prctl(22, 2, $program);

my $command = fork();
die "fork: $!\n" unless defined $command;
if ($command == 0) {
  open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
  setpriority(0, 0, $nice + 0) or die "nice: $!\n";
  %ENV = map { /^([^=]*)=(.*)$/s } @environment;
  if (chdir $folder) {
    open STDERR, '>&', \*STDOUT or exit 125;
    exec { $fields[0] } @fields;
  }
  print STDOUT "$folder: $!\n";
  exit 127;
}
close STDOUT;
my $ended = 0;
while (1) {
  while ((my $pid = waitpid(-1, 1)) > 0) {
    next if $pid != $command;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my (undef, undef, $user, $system) = times();
    $ended = 1;
    syswrite(STDERR, "ended $code " . ($user + $system) . "\n");
  }
  my $ready = '';
  vec($ready, 0, 1) = 1;
  next unless select($ready, undef, undef, $ended ? undef : 0.05) > 0;
  last unless sysread(STDIN, my $more, 1);
}
exit 0;
