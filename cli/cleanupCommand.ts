import { parseArgs } from 'node:util'
import { err, messageOf, ok, type Result } from '../shared/base/result.ts'
import { defined } from '../shared/base/values.ts'
import { type TakeDown, takeDown } from './cleanup.ts'
import { openAccess } from './clusterAccess.ts'
import { whyNotCluster } from './clusterName.ts'
import { type DownOptions, readDownOptions } from './down/downOptions.ts'
import { runProgram } from './down/runProgram.ts'

const USAGE = `npx joiner cleanup --cluster RESOURCE_ID [--cluster RESOURCE_ID]... --group RESOURCE_GROUP [--dry-run]

Removes Joiner if its app no longer runs. If the app runs, use azd down. Lists the machines and their cost per hour, asks, drains and deletes them, then removes
charts, role assignments, roles and event subscriptions. It can be interrupted and run again. The resource group of Joiner stays: azd down or az group delete
removes it.

  --cluster         resource id of a cluster: az aks show -g GROUP -n NAME --query id -o tsv
  --name            name of the cluster in Joiner; default: its name in lower case; only with one cluster
  --group           resource group of Joiner: rg-joiner-ENVIRONMENT; it may be gone
  --subscription    subscription of that group; default: that of the first cluster
  --token           the 13 letters in the names of Joiner's resources, required if the group is gone: the last word in the names of its roles
  --namespace       namespace of the chart; default: joiner
  --release         name of the chart's release; default: joiner
  --machine-prefix  how the names of the machines begin, if JOINER_CLUSTERS says so; default: joiner-
  --keep            leaves the machines as they are, and removes the rest
  --yes             begins without asking
  --timeout         how long the drain may take, such as 45m
  --dry-run         lists what would be removed, and changes nothing

Exit codes: 0 nothing is left, 1 something is left, 2 wrong arguments.`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const OPTIONS = {
  cluster: { type: 'string', multiple: true },
  name: text,
  group: text,
  subscription: text,
  token: text,
  namespace: text,
  release: text,
  'machine-prefix': text,
  keep: flag,
  yes: flag,
  timeout: text,
  'dry-run': flag,
  help: flag,
} as const

type Values = ReturnType<typeof parsed>
function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS }).values
}

/** Returns the exit code. */
export async function cleanupCommand(args: readonly string[], isTerminal = process.stdin.isTTY): Promise<number> {
  const read = readCleanup(args, isTerminal)
  if (!read.ok) {
    console.error(`${read.error}\n\n${USAGE}`)
    return 2
  }
  if (read.value === 'help') {
    console.log(USAGE)
    return 0
  }
  const deps = { access: openAccess(process.env), run: runProgram, environment: process.env, print: (line: string) => console.log(line) }
  return takeDown(read.value, deps, new AbortController().signal)
}

/** Returns the request, or a sentence that says what is wrong with the arguments. */
export function readCleanup(args: readonly string[], isTerminal: boolean): Result<TakeDown | 'help', string> {
  const values = valuesOf(args)
  if (!values.ok) return values
  if (values.value.help === true) return ok('help')
  const why = whyNot(values.value)
  if (why !== undefined) return err(why)
  const wish = readDownOptions(wishOf(values.value), isTerminal)
  if (wish.ok) return ok(requestOf(values.value, wish.value))
  return err(wish.error.startsWith('JOINER_DOWN_TIMEOUT') ? wish.error.replace('JOINER_DOWN_TIMEOUT', '--timeout') : NOBODY)
}

function whyNot({ cluster: clusters = [], name, group, token }: Values): string | undefined {
  if (clusters.length === 0) return '--cluster is missing: it names the resource id of a cluster'
  const strange = clusters.map(whyNotCluster).find((why) => why !== undefined)
  if (strange !== undefined) return strange
  if (name !== undefined && clusters.length > 1) return '--name is for one cluster: run it once for each'
  if (group === undefined) return '--group is missing: it names the resource group of Joiner, rg-joiner-ENVIRONMENT'
  if (token !== undefined && !/^[a-z0-9]{13}$/.test(token)) return `--token ${token} must be 13 lower-case letters and digits`
  return undefined
}

function requestOf(values: Values, wish: DownOptions): TakeDown {
  const { cluster: clusters = [], name, group: resourceGroup = '', subscription, token, namespace = 'joiner', release = 'joiner' } = values
  const overrides = defined({ machinePrefix: values['machine-prefix'] })
  const subscriptionId = subscription ?? clusters[0]?.split('/')[2] ?? ''
  return {
    clusters: clusters.map((resourceId) => defined({ resourceId, overrides, name })),
    installation: { subscriptionId, resourceGroup, token, principalIds: [], usedIds: [], zoneIds: [] },
    wish,
    release: { name: release, namespace },
    by: 'self',
    dryRun: values['dry-run'] ?? false,
  }
}

const NOBODY = 'the terminal is not interactive: add --yes to drain and delete the machines, or --keep to keep them'

function wishOf({ keep, yes, timeout, 'dry-run': dryRun }: Values) {
  return { JOINER_DOWN: keep ? 'keep' : yes || dryRun ? 'drain' : undefined, JOINER_DOWN_TIMEOUT: timeout }
}

function valuesOf(args: readonly string[]): Result<Values, string> {
  try {
    return ok(parsed(args))
  } catch (cause) {
    return err(messageOf(cause))
  }
}
