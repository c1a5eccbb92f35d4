import { settle } from '../shared/base/concurrency.ts'
import { ownValue } from '../shared/base/values.ts'
import { Fault } from '../shared/model/problem.ts'
import { faultLine } from './faultLine.ts'

// npx joiner COMMAND: the terminal commands of Joiner. Each command loads only what it needs.

type Command = (args: readonly string[]) => Promise<number>

const COMMANDS: { readonly [name: string]: { readonly about: string; readonly load: () => Promise<Command> } } = {
  preflight: {
    about: 'says whether Joiner can be installed for a cluster',
    load: async () => (await import('./preflight/preflightCommand.ts')).preflightCommand,
  },
  explain: {
    about: 'prints the reasons for the place of a pod, or for a machine',
    load: async () => (await import('./askCommands.ts')).explainCommand,
  },
  status: {
    about: 'prints the state of a cluster in the app, and the latest decisions',
    load: async () => (await import('./askCommands.ts')).statusCommand,
  },
  convert: {
    about: 'prints NodePools, NodeClaims and AKSNodeClasses of older versions in the versions that Joiner has',
    load: async () => (await import('./convertCommand.ts')).convertCommand,
  },
  smoke: {
    about: 'makes a machine or two in Azure to try what only Azure can show, and removes them',
    load: async () => (await import('./smoke/smokeCommand.ts')).smokeCommand,
  },
  cleanup: {
    about: 'removes Joiner if its app no longer runs: drains and deletes its machines, removes its charts and its rights',
    load: async () => (await import('./cleanupCommand.ts')).cleanupCommand,
  },
}

const [name = '--help', ...args] = process.argv.slice(2)
const command = ownValue(COMMANDS, name)
if (command === undefined) {
  const lines = Object.entries(COMMANDS).map(([each, { about }]) => `  ${each.padEnd(10)} ${about}`)
  const usage = ['npx joiner COMMAND', '', ...lines, '', 'npx joiner COMMAND --help says more.'].join('\n')
  if (name === '--help') console.log(usage)
  else console.error(`there is no command ${name}\n\n${usage}`)
  process.exitCode = name === '--help' ? 0 : 2
} else process.exitCode = await endingWell(async () => (await command.load())(args))

/** A failure of the world around a command is one line with its code. Anything else is a bug, with its stack. */
async function endingWell(run: () => Promise<number>): Promise<number> {
  const ended = await settle(run)
  if (ended.ok) return ended.value
  if (!(ended.error instanceof Fault)) throw ended.error
  console.error(faultLine(ended.error))
  return 1
}
