// Inside a sandbox with network: a port on which programs find the proxy. The proxy itself is outside, behind a socket, and
// decides alone what is reached; so it does not matter what a command does to this relay.

/** Where programs find the proxy. */
const PORT = 3128;

/** Listens, starts the relay in the background, and becomes the command. */
const RELAY = `
use Socket;
socket(my $listener, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
bind($listener, sockaddr_in(${PORT}, INADDR_LOOPBACK)) or die "bind: $!";
listen($listener, 64) or die "listen: $!";
my $relay = fork();
die "fork: $!" unless defined $relay;
exec { $ARGV[0] } @ARGV or die "exec: $!" if $relay;
open STDIN, "<", "/dev/null"; open STDOUT, ">", "/dev/null"; open STDERR, ">", "/dev/null";
$SIG{CHLD} = "IGNORE";
while (1) {
  accept(my $client, $listener) or next;
  my $child = fork();
  if ($child || !defined $child) { close $client; next }
  close $listener;
  socket(my $proxy, PF_UNIX, SOCK_STREAM, 0) or exit;
  connect($proxy, sockaddr_un("/proxy/proxy")) or exit;
  my ($from, $to) = fork() ? ($client, $proxy) : ($proxy, $client);
  while (sysread($from, my $piece, 65536)) {
    my $at = 0;
    while ($at < length $piece) {
      my $written = syswrite($to, $piece, length($piece) - $at, $at) or exit;
      $at += $written;
    }
  }
  shutdown($to, 1);
  exit;
}`;

export const RELAYED: readonly string[] = ['/usr/bin/perl', '-e', RELAY, '--'];

const ADDRESS = `127.0.0.1:${PORT}`;

/** Tells the usual programs about the proxy. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, `http://${ADDRESS}`]),
  ...['ALL_PROXY', 'all_proxy'].map((name) => [name, `socks5h://${ADDRESS}`]),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, '']),
  ['NODE_USE_ENV_PROXY', '1'],
]);
