// The commands, their arguments and options. Each command loads its module when it runs.

import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { EXIT } from './failure.ts';

const JSON_FLAG = new Option('--json', 'results as JSON on stdout, errors as JSON on stderr');

export const USAGE_HINT = "continuo --help lists the commands; options come after a command's name";

/** `quiet`: errors are thrown without being printed first. */
export function createProgram({ quiet }: { readonly quiet: boolean }): Command {
  const program = new Command('continuo')
    .description('The durable agent server, and everyday work with it.')
    .version(version(), '-V, --version')
    // Options after a command's name belong to the command: `files cat --version` is about a file.
    .enablePositionalOptions()
    .showHelpAfterError(`(${USAGE_HINT})`)
    .configureOutput(quiet ? { writeErr: () => undefined } : {})
    .configureHelp({ sortSubcommands: false })
    .exitOverride()
    .addHelpText('after', HELP_END);
  serverCommands(program);
  chatCommands(program);
  chatsCommands(program.command('chats').description('chats: list, rename, archive, remove, restore'));
  workspaceCommands(
    program.command('workspaces').description('workspaces, each with its own files and chats'),
  );
  fileCommands(program);
  knowledgeCommands(program);
  scheduleCommands(
    program
      .command('schedule')
      .description('schedules: messages that are sent, and plans that are run, at their times'),
  );
  contentCommands(program.command('content').description('content: check, publish, schedule, unpublish'));
  upkeepCommands(program);
  return program;
}

const HELP_END = `
Environment: CONTINUO_URL (the server), CONTINUO_API_KEY (its key), NO_COLOR.
Exit codes: ${EXIT.ok} done, ${EXIT.failed} failed, ${EXIT.usage} wrong usage, ${EXIT.noServer} no server, ${EXIT.notFound} not found, ${EXIT.conflict} conflict, ${EXIT.waiting} waits for approval, ${EXIT.oldNode} Node is too old, ${EXIT.interrupted} Ctrl-C.`;

function serverCommands(program: Command): void {
  command(program, 'start', { isDefault: true })
    .description('start the server and open the console (the default command)')
    .option('--no-open', 'do not open the console in a browser')
    .option('--port <number>', 'the port to listen on; default 4400, 0 for any free port', whole(0, 65_535))
    .addOption(home())
    .allowExcessArguments()
    .action(async (options, { args }: Command) => {
      // Unknown commands end up here, because `start` is the default command.
      const [given] = args;
      if (program.commands.some((each) => each.name() === given)) program.error(optionsComeAfter(given!));
      if (given !== undefined) program.error(`error: unknown command '${given}'`);
      await (await import('./commands/start.ts')).start(options);
    });
  const roles = {
    serve: 'start a pod that serves requests and runs nothing; pods with the command worker, or start, run',
    worker: 'start a pod that runs and serves no requests but /healthz, /readyz and /metrics',
  };
  for (const role of ['serve', 'worker'] as const)
    command(program, role)
      .description(roles[role])
      .option('--port <number>', 'the port to listen on; default 4400, 0 for any free port', whole(0, 65_535))
      .addOption(home())
      .action(async (options) =>
        (await import('./commands/start.ts')).start({ ...options, open: false, role }),
      );
  command(program, 'open')
    .description('print the link that opens the console for a person, and open it')
    .option('--no-open', 'do not open it in a browser')
    .option(...URL_OPTION)
    .addOption(home())
    .action(async (options) => (await import('./commands/open.ts')).openConsole(options));
}

function chatCommands(program: Command): void {
  remote(command(program, 'chat [message]'))
    .description('send a message and watch the answer; Ctrl-C detaches, twice stops')
    .option('-c, --chat <id>', 'continue this chat instead of opening one', identifier)
    .option('-f, --file <path...>', 'files of the workspace to attach to the message')
    .option('--model <provider/model>', 'the model that answers; the provider can be left out')
    .option('--role <name>', 'the role that answers')
    .addOption(
      new Option('--policy <policy>', 'what the message does if the chat is busy').choices([
        'enqueue',
        'reject',
        'interrupt',
        'rollback',
        'steer',
      ]),
    )
    .option('--no-wait', 'send the message and exit; prints how to watch the run')
    .action(async (message, options) => (await import('./commands/chat.ts')).chat(message, options));
  remote(command(program, 'runs'))
    .description('list runs, newest first, with their states')
    .addOption(
      new Option('--status <status>', 'only runs with this status').choices([
        'open',
        'queued',
        'running',
        'done',
        'error',
        'canceled',
      ]),
    )
    .option('-c, --chat <id>', 'only runs of this chat', identifier)
    .option('-n, --limit <number>', 'how many', whole(1, 1000), 20)
    .action(async (options) => (await import('./commands/runs.ts')).runs(options));
  remote(command(program, 'tail').argument('<run|chat>', ID_OR_LAST, identifierOrLast))
    .description('watch a run to its end, or a chat until Ctrl-C')
    .option('--no-follow', 'show the events so far and exit')
    .action(async (id, options) => (await import('./commands/tail.ts')).tail(id, options));
  remote(command(program, 'export').argument('<run|chat>', ID_OR_LAST, identifierOrLast).argument('[file]'))
    .description(
      'write a chat, or one run, to a Markdown file, or with --format json to a JSON file; `-` prints it',
    )
    .addOption(
      new Option('--format <format>', 'what to write').choices(['markdown', 'json']).default('markdown'),
    )
    .option('--force', 'replace the file if it exists')
    .action(async (id, file, options) => (await import('./commands/export.ts')).exportTo(id, file, options));
  remote(command(program, 'why').argument('<run>', ID_OR_LAST, identifierOrLast))
    .description('what a run waits for, in a sentence')
    .action(async (id, options) => (await import('./commands/runs.ts')).why(id, options));
  remote(command(program, 'context').argument('<run>', ID_OR_LAST, identifierOrLast))
    .description('what a run sent to its model, with tokens, cost and sources')
    .option('--message <id>', 'the call that this message answers, such as m2; default: the last one')
    .option('--try <number>', 'of a call that was refused as too long and sent again shorter', whole(1, 1000))
    .option('--text', 'also the texts of the parts')
    .action(async (id, options) => (await import('./commands/context.ts')).context(id, options));
  remote(command(program, 'top'))
    .description('watch the whole server: pods, runs, queue, tokens, cost, approvals; q ends it')
    .option('--once', 'print it once and exit; so it does without a terminal, and with --json')
    .option('--interval <seconds>', 'seconds between two readings', whole(1, 3600), 2)
    .option('--pod <address...>', 'also these pods, such as workers that no proxy leads to')
    .action(async (options) => (await import('./commands/top.ts')).top(options));
  remote(command(program, 'stop').argument('<chat|run>', ID_OR_LAST, identifierOrLast))
    .description('stop a chat, or cancel one run')
    .action(async (id, options) => (await import('./commands/runs.ts')).stop(id, options));
  remote(command(program, 'approve').argument('[id]', ID, identifier))
    .description('list waiting approvals, or decide one: approve, unless an option says otherwise')
    .option('--deny', 'deny the call; the model is told')
    .option('--edit <json>', 'make the call with this input, or answer a question with it')
    .option('--retry', 'for a call with an unknown outcome: make it again')
    .option('--skip', 'for a call with an unknown outcome: do not make it again')
    .option('--comment <text>', 'a comment for the model')
    .action(async (id, options) => (await import('./commands/approve.ts')).approve(id, options));
}

function chatsCommands(group: Command): void {
  const load = () => import('./commands/chats.ts');
  remote(command(group, 'list', { isDefault: true }))
    .description('list the chats, latest message first (the default)')
    .addOption(new Option('--archived', 'only archived chats').conflicts('removed'))
    .option('--removed', 'only removed chats, which can be restored for 7 days')
    .option('-n, --limit <number>', 'how many', whole(1, 1000), 20)
    .action(async (options) => (await load()).list(options));
  const one = (name: string) => remote(command(group, name).argument('<chat>', ID, identifier));
  one('show')
    .description('show a chat: its state, role, model, tokens and cost')
    .action(async (chat, options) => (await load()).show(chat, options));
  one('rename')
    .argument('<title>')
    .description('give a chat a title')
    .action(async (chat, title, options) => (await load()).rename(chat, title, options));
  for (const [name, about] of [
    ['archive', 'archive a chat: hide it from the list'],
    ['unarchive', 'put an archived chat back into the list'],
    ['remove', 'remove a chat and stop its runs; it can be restored for 7 days'],
    ['restore', 'restore a removed chat'],
  ] as const)
    one(name)
      .description(about)
      .action(async (chat, options) => (await load()).change(name, chat, options));
}

function workspaceCommands(group: Command): void {
  const load = () => import('./commands/workspaces.ts');
  const global = (usage: string, options?: { isDefault?: boolean }) =>
    command(group, usage, options).option(...URL_OPTION);
  global('list', { isDefault: true })
    .description('list the workspaces by name (the default)')
    .option('--removed', 'only removed workspaces, which can be restored for 7 days')
    .action(async (options) => (await load()).list(options));
  global('create <name>')
    .description('create a workspace: lower-case letters, digits, - and _')
    .action(async (name, options) => (await load()).create(name, options));
  global('rename <workspace> <name>')
    .description('rename a workspace and its folder on disk')
    .action(async (workspace, name, options) => (await load()).rename(workspace, name, options));
  global('remove <workspace>')
    .description('remove a workspace and stop its runs; it can be restored for 7 days')
    .action(async (workspace, options) => (await load()).remove(workspace, options));
  global('restore <workspace>')
    .description('restore a removed workspace, by its name or id')
    .action(async (workspace, options) => (await load()).restore(workspace, options));
}

function fileCommands(program: Command): void {
  const group = command(program, 'files')
    .description("the workspace's files and their versions")
    .allowExcessArguments()
    .hook('preSubcommand', (_, called) => {
      if (group.opts().json) group.error(optionsComeAfter(`files ${called.name()}`));
    })
    .action(({ json }, { args: [given] }: Command) => {
      if (given !== undefined) group.error(`error: unknown command '${given}'`);
      const names = group.commands.map((each) => each.name());
      if (json) group.error(`error: files needs a command: ${names.join(', ')}`);
      group.help({ error: true });
    });
  const load = () => import('./commands/files.ts');
  remote(command(group, 'ls [folder]'))
    .description('list a folder')
    .option('-r, --recursive', 'including all subfolders')
    .action(async (folder, options) => (await load()).ls(folder ?? '/', options));
  remote(command(group, 'cat <path>'))
    .description("a file's content on stdout")
    .option('-v, --version <number>', 'an older version', whole(1))
    .action(async (path, options) => (await load()).cat(path, options));
  remote(command(group, 'write <path> [file]'))
    .description('write a version from a local file or stdin')
    .option('--base <number>', 'only over this version; 0: only if the file does not exist', whole(0))
    .option('--merge', 'with --base: merge with the changes since that version')
    .action(async (path, file, options) => (await load()).write(path, file, options));
  remote(command(group, 'log <path>'))
    .description("a file's versions, newest first")
    .option('-n, --limit <number>', 'how many', whole(1, 1000), 20)
    .action(async (path, options) => (await load()).log(path, options));
  remote(command(group, 'diff <path> [from] [to]'))
    .description('the difference between two versions; the last change if none is named')
    .action(async (path, from, to, options) => (await load()).diff(path, from, to, options));
  remote(command(group, 'restore <path> [version]'))
    .description('restore an old version as a new version; without a version, a removed file or folder')
    .action(async (path, old, options) => (await load()).restore(path, old, options));
  remote(command(group, 'mv <from> <to>'))
    .description('move or rename a file or a folder; a target that ends with / is a folder')
    .option('--base <number>', 'only if the file is at this version', whole(1))
    .action(async (from, to, options) => (await load()).mv(from, to, options));
  remote(command(group, 'rm <path>'))
    .description('remove a file; it can be restored')
    .option('-r, --recursive', 'remove a folder with everything in it')
    .option('--base <number>', 'only if the file is at this version', whole(1))
    .action(async (path, options) => (await load()).rm(path, options));
  remote(command(group, 'trash'))
    .description('list the removed files, the latest first')
    .option('-n, --limit <number>', 'how many', whole(1, 1000), 20)
    .action(async (options) => (await load()).trash(options));
  const transfer = () => import('./commands/transfer.ts');
  remote(command(group, 'pull <folder> [local]'))
    .description('copy a folder of the workspace to a local one')
    .action(async (folder, local, options) => (await transfer()).pull(folder, local ?? '.', options));
  remote(command(group, 'push <local> [folder]'))
    .description('write the files of a local folder to the workspace; each change is a version')
    .action(async (local, folder, options) => (await transfer()).push(local, folder ?? '/', options));
}

function knowledgeCommands(program: Command): void {
  projectCommands(program.command('projects').description('projects, and projects as archives'));
  entityCommands(program.command('entities').description('tasks, goals, risks and entities of other kinds'));
  planCommands(program.command('plan').description('plans: their steps, approval and runs'));
  documentCommands(program.command('documents').description("a project's documents and their tree"));
  inProject(remote(command(program, 'search <words...>')))
    .description('search documents, entities, files and messages')
    .option('-k, --kind <kind...>', 'only these kinds; also file, chat and message')
    .option('-n, --limit <number>', 'how many', whole(1, 100), 20)
    .action(async (words, options) => (await import('./commands/search.ts')).search(words, options));
}

function scheduleCommands(group: Command): void {
  const load = () => import('./commands/schedule.ts');
  remote(command(group, 'list'))
    .description('list the schedules, with their next times and the outcomes of the last')
    .action(async (options) => (await load()).list(options));
  remote(command(group, 'add <name> <cron> [message]'))
    .description(
      'add a schedule: five fields such as "0 9 * * MON-FRI", and the message to the agent, or a plan',
    )
    .option('--plan <plan>', 'run this plan, by its name, path or id')
    .option('--time-zone <name>', 'such as Europe/Berlin; default: the time zone of this machine')
    .option('-c, --chat <id>', 'send the message to this chat instead of a new one each time', identifier)
    .option('--title <text>', 'the title of new chats')
    .option('--role <name>', 'the role that answers')
    .option('--model <provider/model>', 'the model that answers')
    .option('--cost <dollars>', 'the most that each run may cost', dollars)
    .option('--run-missed', 'if times were missed, start one run for all of them')
    .option('--queue', 'with --chat: if the last run is still open, queue the message')
    .action(async (name, cron, message, options) => (await load()).add(name, cron, message, options));
  remote(command(group, 'show <schedule>'))
    .description('a schedule with its next times and the outcomes of the last ones')
    .action(async (schedule, options) => (await load()).show(schedule, options));
  for (const [name, about] of Object.entries({
    pause: 'pause a schedule',
    resume: 'resume a schedule, with its next time after now',
    run: 'start a run of a schedule now',
    remove: 'remove a schedule; its chats stay',
  }))
    remote(command(group, `${name} <schedule>`))
      .description(about)
      .action(async (schedule, options) => (await load()).change(name, schedule, options));
}

function contentCommands(group: Command): void {
  const load = () => import('./commands/content.ts');
  const piece = (name: string) => remote(command(group, `${name} <type> <slug>`));
  remote(command(group, 'list [type]'))
    .description('list the pieces of a type, or of all, with what is live and what is scheduled')
    .action(async (type, options) => (await load()).list(type, options));
  piece('check')
    .description('whether a piece can be published, with everything that is wrong with it')
    .action(async (type, slug, options) => (await load()).check(type, slug, options));
  piece('publish')
    .description('publish a piece, now or at a time')
    .option('--version <number>', 'this version instead of the newest', whole(1, 1_000_000))
    .option('--at <time>', 'such as 2026-03-01T09:00, in the time zone of this machine')
    .action(async (type, slug, options) => (await load()).publish(type, slug, options));
  piece('cancel')
    .description('cancel the time at which a piece is published')
    .action(async (type, slug, options) => (await load()).cancel(type, slug, options));
  piece('unpublish')
    .description('unpublish a piece; its file stays')
    .action(async (type, slug, options) => (await load()).unpublish(type, slug, options));
  piece('history')
    .description('which version was live when')
    .action(async (type, slug, options) => (await load()).history(type, slug, options));
  piece('restore')
    .description('publish the version again that was live before')
    .option('--version <number>', 'this version instead; it must have been live', whole(1, 1_000_000))
    .action(async (type, slug, options) => (await load()).restore(type, slug, options));
  const loadKeys = () => import('./commands/read-keys.ts');
  remote(command(group, 'keys'))
    .description('list the read keys, which sites need to read what is published')
    .action(async (options) => (await loadKeys()).list(options));
  remote(command(group, 'add-key <name>'))
    .description('create a read key and print it; it is not shown again')
    .action(async (name, options) => (await loadKeys()).add(name, options));
  remote(command(group, 'remove-key <name>'))
    .description('remove a read key; it stops working')
    .action(async (name, options) => (await loadKeys()).remove(name, options));
}

function planCommands(group: Command): void {
  const load = () => import('./commands/plan.ts');
  remote(command(group, 'list'))
    .description('list the plans of the workspace')
    .action(async (options) => (await load()).list(options));
  remote(command(group, 'show <plan>'))
    .description('a plan (its id, path or name) with the status of each step')
    .action(async (plan, options) => (await load()).show(plan, options));
  remote(command(group, 'approve <plan>'))
    .description('approve a plan as it is now')
    .action(async (plan, options) => (await load()).approve(plan, options));
  remote(command(group, 'run <plan>'))
    .description('run an approved plan in a new chat')
    .option('--restart', 'from its beginning; otherwise from its first unfinished step')
    .action(async (plan, options) => (await load()).run(plan, options));
  for (const [action, what] of [
    ['pause', 'pause the run of a plan, and its steps'],
    ['resume', 'resume the run of a plan, and its steps'],
    ['stop', 'stop the run of a plan, and its steps'],
  ] as const)
    remote(command(group, `${action} <plan>`))
      .description(what)
      .action(async (plan, options) => (await load()).control(action, plan, options));
  remote(command(group, 'retry <plan> <step>'))
    .description('retry a step, with the steps that were blocked')
    .action(async (plan, step, options) => (await load()).retry(plan, step, options));
  remote(command(group, 'skip <plan> <step>'))
    .description('skip a step')
    .option('--reason <text>', 'why')
    .action(async (plan, step, options) => (await load()).skip(plan, step, options));
}

function projectCommands(group: Command): void {
  const load = () => import('./commands/projects.ts');
  remote(command(group, 'list'))
    .description('list the projects')
    .option('--state <state>', 'only projects in this state')
    .option('--removed', 'those that were removed and can be restored')
    .action(async (options) => (await load()).list(options));
  remote(command(group, 'create <name>'))
    .description('create a project with its context document, in one transaction')
    .option('--purpose <text>', 'what it is for, in your own words')
    .option('--goal <title...>', 'its goals')
    .option('--task <title...>', 'its first tasks')
    .action(async (name, options) => (await load()).create(name, options));
  remote(command(group, 'show <project>'))
    .description('a project, and how many entities it has in each state')
    .action(async (project, options) => (await load()).show(project, options));
  based(remote(command(group, 'remove <project>')))
    .description('remove a project with everything in it; it can be restored for 30 days')
    .action(async (project, options) => (await load()).remove(project, options));
  remote(command(group, 'restore').argument('<id>', ID, identifier))
    .description('restore a removed project with everything in it')
    .action(async (id, options) => (await load()).restore(id, options));
  remote(command(group, 'export <project> [file]'))
    .description('write a project to one zip')
    .option('--force', 'replace the file if it exists')
    .action(async (project, file, options) => (await load()).exportTo(project, file, options));
  remote(command(group, 'import <file>'))
    .description('create a project from such a zip')
    .action(async (file, options) => (await load()).importFrom(file, options));
}

function entityCommands(group: Command): void {
  const load = () => import('./commands/entities.ts');
  inProject(remote(command(group, 'list <kind>')))
    .description('list the entities of a kind')
    .option('--state <state>', 'only those in this state')
    .option('--removed', 'those that were removed and can be restored')
    .option('-n, --limit <number>', 'how many', whole(1, 100_000), 100)
    .action(async (kind, options) => (await load()).list(kind, options));
  inProject(remote(command(group, 'add <kind> <title> [field=value...]')))
    .description('add an entity to a project')
    .action(async (kind, title, values, options) => (await load()).add(kind, title, values, options));
  based(inProject(remote(command(group, 'set <kind> <entity> <field=value...>'))))
    .description('change fields; an empty value clears one')
    .action(async (kind, entity, values, options) => (await load()).set(kind, entity, values, options));
  based(inProject(remote(command(group, 'state <kind> <entity> <state>'))))
    .description('change the state')
    .action(async (kind, entity, state, options) => (await load()).state(kind, entity, state, options));
  inProject(remote(command(group, 'link <from> <relation> <to>')))
    .description('link two entities, each an id or <kind>:<title>')
    .action(async (from, relation, to, options) => (await load()).link(from, relation, to, options));
  inProject(remote(command(group, 'unlink <from> <relation> <to>')))
    .description('remove the link between two entities')
    .action(async (from, relation, to, options) => (await load()).unlink(from, relation, to, options));
  based(inProject(remote(command(group, 'remove <kind> <entity>'))))
    .description('remove an entity; it can be restored for 30 days')
    .action(async (kind, entity, options) => (await load()).remove(kind, entity, options));
  remote(command(group, 'restore <kind>').argument('<id>', ID, identifier))
    .description('restore a removed entity')
    .action(async (kind, id, options) => (await load()).restore(kind, id, options));
  inProject(remote(command(group, 'history <kind> <entity>')))
    .description("an entity's versions, newest first")
    .option('-n, --limit <number>', 'how many', whole(1, 1000), 20)
    .action(async (kind, entity, options) => (await load()).history(kind, entity, options));
}

function documentCommands(group: Command): void {
  const load = () => import('./commands/documents.ts');
  inProject(remote(command(group, 'tree')))
    .description("the tree of a project's documents")
    .action(async (options) => (await load()).tree(options));
  inProject(remote(command(group, 'read <document>')))
    .description("a document's content on stdout")
    .action(async (document, options) => (await load()).read(document, options));
  based(inProject(remote(command(group, 'write <document> [file]'))))
    .description('write a document from a local file or stdin; a new path makes a new document')
    .option('--description <text>', 'what it is about, in a sentence')
    .action(async (document, file, options) => (await load()).write(document, file, options));
  based(inProject(remote(command(group, 'move <document> <parent>'))))
    .description('move a document below another one, or to the root: /')
    .option('--order <number>', 'its position among its siblings, from 0', whole(0))
    .action(async (document, parent, options) => (await load()).move(document, parent, options));
}

function upkeepCommands(program: Command): void {
  const load = () => import('./commands/upkeep.ts');
  command(program, 'backup <file>')
    .description('back up the whole database into one file; servers may keep running')
    .option('--force', 'replace the file if it exists')
    .addOption(home())
    .action(async (file, options) => (await load()).backUp(file, options));
  command(program, 'restore <file>')
    .description('restore a backup into an empty database')
    .addOption(home())
    .action(async (file, options) => (await load()).restoreFrom(file, options));
  command(program, 'migrate')
    .description('bring the database schema up to date; starting the server does it, too')
    .addOption(home())
    .action(async (options) => (await load()).migrateSchema(options));
  command(program, 'replay')
    .description('replay the stored logs, and report where this version folds or shows them differently')
    .option('--check [file]', 'compare each log with its rows and with a recording of another version')
    .option('--record <file>', 'record the results of this version, for the next version to compare with')
    .option('-c, --chat <id>', 'only this chat', identifier)
    .option('-n, --limit <number>', 'only the newest chats', whole(1))
    .addOption(home())
    .action(async (options) => (await import('./commands/replay.ts')).replay(options));
  command(program, 'conformance [command...]')
    .description('check an executor against the protocol: its command comes after --; no server is needed')
    .option(
      '--executor <name>',
      'the name under which it claims, given to it as CONTINUO_EXECUTOR',
      'checked',
    )
    .option('--message <text>', 'what the person says', 'Hello')
    .option('--tool <name...>', 'the tools that it is offered beside ask_person', ['read', 'write'])
    .option('--patience <seconds>', 'how long an answer may take', whole(1, 3600), 60)
    .option('--port <number>', 'the port of the check; 0 for any free port', whole(0, 65_535), 0)
    .option('--only <check...>', 'only these checks')
    .action(async (words, options) =>
      (await import('./commands/conformance.ts')).conformance(words, options),
    );
  remote(command(program, 'doctor'))
    .description('check settings, disk, database, model, port and folders')
    .addOption(home())
    .action(async (options) => (await import('./commands/doctor.ts')).doctor(options));
}

function command(parent: Command, usage: string, options: { isDefault?: boolean } = {}): Command {
  const [name = '', ...args] = usage.split(' ');
  const made = parent.command(name, options).addOption(JSON_FLAG).exitOverride();
  return args.length > 0 ? made.arguments(args.join(' ')) : made;
}

function optionsComeAfter(name: string): string {
  return `error: options come after the command's name: continuo ${name} [options]`;
}

const URL_OPTION = ['--url <address>', 'the server; CONTINUO_URL, or http://127.0.0.1:4400'] as const;

/** Options of commands that talk to a server. */
function remote(made: Command): Command {
  return made.option(...URL_OPTION).option('-w, --workspace <name>', 'the workspace; default: `default`');
}

/** The option of commands that are about one project. */
function inProject(made: Command): Command {
  return made.option('-p, --project <project>', 'the project: its name or id; the only one if there is one');
}

/** The option of commands that change something. */
function based(made: Command): Command {
  return made.option('--base <number>', 'only if it is still at this version', whole(1));
}

/** The option of commands that use the database or the data folder. */
function home(): Option {
  return new Option('--home <folder>', 'the data folder; CONTINUO_HOME, or .continuo');
}

const ID = 'its id';
const ID_OR_LAST = 'its id, or `last` for the newest run';

function identifier(given: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given)) return given;
  throw new InvalidArgumentError('It must be an id, as `continuo runs` and `continuo approve` list them.');
}

function identifierOrLast(given: string): string {
  return given === 'last' ? given : identifier(given);
}

function dollars(given: string): number {
  const number = Number(given);
  if (given.trim() !== '' && Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError('It must be a number of US dollars, such as 0.50.');
}

function whole(min: number, max = 2_147_483_647): (given: string) => number {
  return (given) => {
    const number = Number(given);
    if (/^\d+$/.test(given) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

function version(): string {
  const text = readFileSync(new URL(MANIFEST, import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Relative to this file in the clone; the build provides one at the same place. */
const MANIFEST = '../package.json';
