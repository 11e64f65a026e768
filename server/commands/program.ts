// The commands of bin/kontor, one block each. Each command imports its work when it runs: loading everything took a second, and a
// server keeps all that it has imported. server/cli.ts runs the program, docs/guides/commands.ts writes its page.
import { Command, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { readConfig } from '../config.ts'
import { answer, oneLine, open, printLine } from './say.ts'
import type { Json } from './say.ts'

const accounts = () => import('./account.ts')
const apiKeys = () => import('./api-keys.ts')
const channels = () => import('./channels.ts')
const deliveries = () => import('./deliveries.ts')
const followers = () => import('./followers.ts')
const integrations = () => import('./integrations.ts')
const people = () => import('./people.ts')
const users = () => import('./users.ts')
const webhooks = () => import('./webhooks.ts')

export const program = new Command('kontor')
  .description(
    'Kontor, a self-hosted CRM. Settings are environment variables; "kontor doctor" shows their values.',
  )
  .version(manifest.version)
  .configureOutput({
    outputError: (text, write) =>
      write(`${oneLine(text)}. Run "kontor --help" to list the commands.\n`),
  })

program
  .command('start')
  .description('start the server, and the embedded database unless DATABASE_URL is set')
  .action(async () => (await import('./start.ts')).start(readConfig(), printLine))

program
  .command('migrate')
  .description('migrate the database to this version; "kontor start" does so too')
  .action(() => open('kontor migrate', async () => printLine('The database is up to date.')))

program
  .command('demo')
  .description('create a demo account with sample data and an integration')
  .option('--json', 'print the result as JSON')
  .action(({ json }: Json) =>
    open('kontor demo', async (kontor) => {
      const { introduction, makeDemo } = await import('./demo.ts')
      const demo = await makeDemo(kontor)
      printLine(json ? JSON.stringify(demo) : introduction(kontor, demo))
    }),
  )

withUser(
  program
    .command('code')
    .description('issue an authorization code for the first integration of the account'),
).action((settings) =>
  answer('kontor code', settings, async (kontor) => (await people()).code(kontor, settings)),
)

withUser(program.command('token').description('issue and print a long-lived access token'))
  .option('--days <days>', 'how many days the token is valid, from 1 to 1826', '365')
  .action((settings) =>
    // The bare token, for TOKEN=$(bin/kontor token).
    open('kontor token', async (kontor) => {
      const made = await (await people()).token(kontor, settings)
      printLine(settings.json ? JSON.stringify(made) : made.access_token)
    }),
  )

const apiKey = program
  .command('api-key')
  .description('API keys of users, for programs that send login and api_key to version-2 methods')
withUser(apiKey.command('create').description('create an API key; the key is shown only once'))
  .option('--name <name>', 'the name of the program that uses the key')
  .action((settings) =>
    answer('kontor api-key', settings, async (kontor) =>
      (await apiKeys()).apiKeyCreate(kontor, settings),
    ),
  )
inAccount(apiKey.command('list').description('list the API keys and when each was last used'))
  .option('--user <e-mail>', 'list only the keys of this user')
  .action((settings) =>
    answer('kontor api-key', settings, async (kontor) =>
      (await apiKeys()).apiKeyList(kontor, settings),
    ),
  )
inAccount(
  apiKey
    .command('delete <id>')
    .description('delete an API key; programs that use it are refused at once'),
).action((id, settings) =>
  answer('kontor api-key', settings, async (kontor) =>
    (await apiKeys()).apiKeyDelete(kontor, id, settings),
  ),
)

const channel = program
  .command('channel')
  .description('chat channels, whose programs sign their requests')
inAccount(
  channel.command('create').description('register a chat channel; its secret is shown only once'),
)
  .requiredOption(
    '--name <name>',
    'the name of the channel: printable ASCII characters, the first one a letter',
  )
  .option(
    '--hook-v1 <address>',
    'the address for callbacks of version 1; :scope_id stands for the scope',
  )
  .option(
    '--hook-v2 <address>',
    'the address for callbacks of version 2; :scope_id stands for the scope',
  )
  .option(
    '--bot <name>',
    'the sender of messages that no user wrote (default: the name of the channel)',
  )
  .option(
    '--client-id <id>',
    'the integration of the channel; only accounts that enable it can be connected',
  )
  .option('--allow <list>', 'other accounts that can be connected: subdomains, separated by commas')
  .option('--no-avatar', 'accept senders without an avatar')
  .action((settings) =>
    answer('kontor channel', settings, async (kontor) =>
      (await channels()).channelCreate(kontor, settings),
    ),
  )
inAccount(channel.command('list').description('list the chat channels')).action((settings) =>
  answer('kontor channel', settings, async (kontor) =>
    (await channels()).channelListCommand(kontor, settings),
  ),
)
for (const [name, about, work] of [
  ['rotate', 'give a chat channel a new secret; the old one is refused at once', 'channelRotate'],
  ['delete', 'delete a chat channel and its connections in all accounts', 'channelDelete'],
] as const)
  inAccount(channel.command(`${name} <id>`).description(about)).action((id, settings) =>
    answer('kontor channel', settings, async (kontor) =>
      (await channels())[work](kontor, id, settings),
    ),
  )

inAccount(
  program
    .command('message')
    .description('chat messages')
    .command('send')
    .description('send a message to a chat, as the bot of its channel or as a user'),
)
  .requiredOption(
    '--chat <id>',
    'the chat: its UUID, as in talks and webhooks, or its number in the web application',
  )
  .option('--user <e-mail>', 'the user who sends it (default: the bot of the channel)')
  .requiredOption('--text <text>', 'the text of the message')
  .action((settings) =>
    answer('kontor message', settings, async (kontor) =>
      (await import('./messages.ts')).messageSend(kontor, settings),
    ),
  )

const account = program.command('account').description('accounts of this server')
account
  .command('create <subdomain>')
  .description('create an account')
  .option('--name <name>', 'the name of the account (default: the subdomain)')
  .option('--timezone <name>', 'its time zone, such as Europe/Berlin (default: UTC)')
  .option('--json', 'print the result as JSON')
  .action((subdomain, settings) =>
    answer('kontor account', settings, async (kontor) =>
      (await accounts()).accountCreate(kontor, subdomain, settings),
    ),
  )
account
  .command('set <subdomain>')
  .description('change an account')
  .option('--name <name>', 'a new name')
  .option('--timezone <name>', 'another time zone; days of custom fields stay the same days')
  .addOption(
    new Option(
      '--unpaid',
      'mark the account as unpaid: writes and the event log are answered 402',
    ).conflicts('paid'),
  )
  .option('--paid', 'mark the account as paid')
  .option('--json', 'print the result as JSON')
  .action((subdomain, settings) =>
    answer('kontor account', settings, async (kontor) =>
      (await accounts()).accountSet(kontor, subdomain, settings),
    ),
  )

const user = program.command('user').description('users of an account')
inAccount(user.command('list').description('list the users')).action((settings) =>
  answer('kontor user', settings, async (kontor) =>
    (await users()).listUsersCommand(kontor, settings),
  ),
)
inAccount(
  user
    .command('create <email>')
    .description('create a user; without --rights or --role, every action is allowed'),
)
  .option('--name <name>', 'the full name (default: the e-mail address)')
  .option('--password <password>', 'the password (default: a random one, which is printed)')
  .option('--admin', 'make the user an administrator')
  .option(
    '--rights <json>',
    'the rights of the user, such as {"leads":{"view":"M","edit":"M","add":"A"}}',
  )
  .option('--group <id>', 'the id of the group (default: 0, the built-in group)')
  .option('--role <id>', 'the id of the role, whose rights the user gets')
  .action((email, settings) =>
    answer('kontor user', settings, async (kontor) =>
      (await users()).userCreate(kontor, email, settings),
    ),
  )
inAccount(user.command('set <email>').description('change a user'))
  .option('--name <name>', 'a new full name')
  .option('--password <password>', 'a new password; all sessions of the user end')
  .option('--admin', 'make the user an administrator')
  .option('--no-admin', 'take the rights of an administrator away')
  .option('--rights <json>', 'new rights of the user; entity types that are left out keep theirs')
  .option('--group <id>', 'the id of the group; 0 is the built-in group')
  .option('--role <id>', 'the id of the role, whose rights the user gets, or "none"')
  .option('--active', 'activate the user')
  .option(
    '--no-active',
    'deactivate the user; all tokens, API keys and sessions end at once, for good',
  )
  .action((email, settings) =>
    answer('kontor user', settings, async (kontor) =>
      (await users()).userSet(kontor, email, settings),
    ),
  )

const role = program
  .command('role')
  .description('roles of an account: sets of rights that users share')
inAccount(role.command('list').description('list the roles')).action((settings) =>
  answer('kontor role', settings, async (kontor) =>
    (await users()).listRolesCommand(kontor, settings),
  ),
)
inAccount(
  role
    .command('create <name>')
    .description('create a role; actions that --rights leaves out are denied'),
)
  .option(
    '--rights <json>',
    'the rights of the role, such as {"leads":{"view":"M","edit":"M","add":"A"}}',
  )
  .action((name, settings) =>
    answer('kontor role', settings, async (kontor) =>
      (await users()).roleCreate(kontor, name, settings),
    ),
  )

const group = program.command('group').description('groups of users of an account')
inAccount(group.command('list').description('list the groups')).action((settings) =>
  answer('kontor group', settings, async (kontor) =>
    (await users()).listGroupsCommand(kontor, settings),
  ),
)
inAccount(group.command('create <name>').description('create a group')).action((name, settings) =>
  answer('kontor group', settings, async (kontor) =>
    (await users()).groupCreate(kontor, name, settings),
  ),
)

const integration = program.command('integration').description('integrations of an account')
withUser(
  integration
    .command('list')
    .description('list the integrations that the account created or installed'),
).action((settings) =>
  answer('kontor integration', settings, async (kontor) =>
    (await integrations()).listIntegrationsCommand(kontor, settings),
  ),
)
settable(
  integration
    .command('create <name>')
    .description('create an integration and install it in the account'),
)
  .requiredOption('--redirect-uri <address>', 'the address that receives authorization codes')
  .action((name, settings) =>
    answer('kontor integration', settings, async (kontor) =>
      (await integrations()).integrationCreate(kontor, name, settings),
    ),
  )
settable(
  integration
    .command('set <client_id>')
    .description('change an integration that the account created'),
)
  .option('--name <name>', 'a new name')
  .option('--redirect-uri <address>', 'the address that receives authorization codes')
  .option(
    '--duplicate-pipelines <ids>',
    'the pipelines in which complex creation looks for duplicates, separated by commas; "" for none',
  )
  .action((id, settings) =>
    answer('kontor integration', settings, async (kontor) =>
      (await integrations()).integrationSet(kontor, id, settings),
    ),
  )
for (const [name, about, work] of [
  [
    'rotate',
    'give an integration a new secret; the old one is refused at once',
    'integrationRotate',
  ],
  ['enable', 'install an integration in the account, or enable it again', 'integrationEnable'],
  ['disable', 'disable an integration in the account; all its tokens end', 'integrationDisable'],
  [
    'grants',
    'list the permissions that users of the account gave an integration',
    'integrationGrants',
  ],
] as const)
  withUser(integration.command(`${name} <client_id>`).description(about)).action((id, settings) =>
    answer('kontor integration', settings, async (kontor) =>
      (await integrations())[work](kontor, id, settings),
    ),
  )
withUser(
  integration
    .command('revoke <client_id> <grant>')
    .description('revoke a permission; all its tokens end'),
).action((id, grant, settings) =>
  answer('kontor integration', settings, async (kontor) =>
    (await integrations()).integrationRevoke(kontor, id, grant, settings),
  ),
)

const withJson = (command: Command) => command.option('--json', 'print the result as JSON')

const webhook = program.command('webhook').description('webhooks of an account')
const ofAccount = (command: Command) =>
  withJson(
    command.option(
      '--account <subdomain>',
      'the subdomain of the account (default: the first account)',
    ),
  )
ofAccount(
  webhook.command('list').description('list the webhooks with their states and events'),
).action((settings) =>
  answer('kontor webhook', settings, async (kontor) =>
    (await webhooks()).webhookListCommand(kontor, settings),
  ),
)
ofAccount(
  webhook
    .command('enable <id>')
    .description('enable a webhook that was disabled after too many failures'),
).action((id, settings) =>
  answer('kontor webhook', settings, async (kontor) =>
    (await webhooks()).webhookEnable(kontor, id, settings),
  ),
)

ofAccount(
  webhook
    .command('replay [id] [delivery]')
    .description('send one delivery again, or the deliveries of a webhook that never arrived'),
)
  .option('--since <time>', 'the earliest time, such as 2026-01-31T09:30Z or Unix seconds')
  .option('--until <time>', 'the latest time')
  .option(
    '--state <list>',
    'the states to send again, separated by commas: delivered, failed, ended, held',
  )
  .option('--unbuilt', 'build and send the messages of the account that could not be built')
  .action((id, delivery, settings) =>
    answer('kontor webhook', settings, async (kontor) =>
      (await deliveries()).webhookReplay(kontor, id, delivery, settings),
    ),
  )
ofAccount(
  webhook.command('test <id>').description('send a test message and print the response'),
).action((id, settings) =>
  answer('kontor webhook', settings, async (kontor) => {
    const outcome = await (await deliveries()).webhookTest(kontor, id, settings)
    if (outcome.state !== 'delivered') process.exitCode = 1
    return outcome
  }),
)
ofAccount(
  webhook
    .command('unbuilt')
    .description('list the latest changes whose messages could not be built'),
).action((settings) =>
  answer('kontor webhook', settings, async (kontor) =>
    (await deliveries()).webhookUnbuilt(kontor, settings),
  ),
)

const follower = program
  .command('follower')
  .description('processes that read the journal of changes')
withJson(
  follower.command('list').description('list the followers and how many changes each has not read'),
).action((settings) =>
  answer('kontor follower', settings, async (kontor) => (await followers()).followerList(kontor)),
)
withJson(
  follower
    .command('forget <name>')
    .description(
      'remove a follower that no longer runs, so that the journal can drop the changes it has not read',
    ),
).action((name, settings) =>
  answer('kontor follower', settings, async (kontor) =>
    (await followers()).followerForget(kontor, name),
  ),
)

program
  .command('doctor')
  .description(
    'check Node.js, memory, disk, database, webhooks, clock and port, and print how to fix problems',
  )
  .action(async () => {
    const { doctor } = await import('./doctor.ts')
    if (!(await doctor(readConfig(), printLine))) process.exitCode = 1
  })

function inAccount(command: Command): Command {
  return command
    .option('--account <subdomain>', 'the subdomain of the account (default: the first account)')
    .option('--json', 'print the result as JSON')
}

function withUser(command: Command): Command {
  return inAccount(command).option(
    '--user <e-mail>',
    'the user to act as (default: the first administrator)',
  )
}

function settable(command: Command): Command {
  return withUser(command)
    .option('--description <text>', 'the purpose of the integration')
    .option(
      '--scopes <list>',
      'the scopes of the integration, separated by commas: crm,notifications',
    )
    .option('--public', 'let other accounts install the integration')
    .option('--no-public', 'let only this account install the integration')
    .addOption(
      new Option('--empty-list <status>', 'the status of empty lists for this integration').choices(
        ['200', '204', 'server'],
      ),
    )
    .option(
      '--forgiving-refresh',
      'answer a repeated refresh within a minute with a new pair of tokens',
    )
    .option('--no-forgiving-refresh', 'refuse a repeated refresh')
    .option('--manage-people', 'let the integration manage people and roles')
    .option('--no-manage-people', 'let it no more')
    .option(
      '--uninstall-hook <address>',
      'the address to notify when an account disables the integration, or "none"',
    )
    .option(
      '--origins <list>',
      'the origins of its browser pages, separated by commas; "" for none',
    )
}
