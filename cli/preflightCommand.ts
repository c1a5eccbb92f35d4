import { parseArgs } from 'node:util'
import { readArguments, USAGE } from './arguments.ts'
import { openAccess } from './clusterAccess.ts'
import { runPreflight } from './preflight.ts'

/** Whether Joiner can be installed for a cluster. Reads and changes nothing. Gives the exit code. */
export async function preflightCommand(args: readonly string[]): Promise<number> {
  const given = readArguments(() =>
    parseArgs({
      args: [...args],
      options: {
        cluster: { type: 'string', multiple: true },
        network: { type: 'string' },
        subscription: { type: 'string' },
        help: { type: 'boolean' },
      },
    }),
  )
  if (!given.ok) {
    console.error(`${given.error}\n\n${USAGE}`)
    return 2
  }
  if (given.value === 'help') {
    console.log(USAGE)
    return 0
  }
  const { clusters, wishes } = given.value
  return runPreflight(clusters, wishes, { print: (line) => console.log(line), facts: openAccess(process.env).facts })
}
