import { parseArgs } from 'node:util'
import { err, messageOf, ok, type Result } from '../../shared/base/result.ts'
import { defined } from '../../shared/base/values.ts'
import { whyNotCluster } from '../clusterName.ts'
import { isKind, KIND_NAMES, KINDS, type KindName, type MachineKind } from './kinds.ts'

const ABOUT = Object.entries(KINDS)
  .map(([name, { about }]: readonly [string, MachineKind]) => `    ${name.padEnd(13)} ${about}`)
  .join('\n')

export const USAGE = `npx joiner smoke --env NAME [--cluster RESOURCE_ID] [--kinds A,B] [--max-cost DOLLARS] [--out FILE] [--yes]
npx joiner smoke --env NAME --resume FILE [--only-remove]

Tries in your subscription what only Azure can show, with the login of azd or az. It says the cost and asks before it begins. Its steps:

  1 rights      each action of the app's roles, and each that the deployment needs
  2 image       a machine of each kind boots as the app would make it, spot if there is some: its node is ready, a pod runs, DNS answers
  3 eviction    Azure simulates the eviction of a spot machine: the notice comes, the node is closed, and another machine takes its place. Where the
                app of the environment answers, the app makes, closes and replaces the machine; otherwise this command does, and says why
  4 drain, end  everything is removed, and what is left is counted
  5 record      the fields of each answer of Azure are kept in the record, which is searched for secrets

Each step is noted in a file before it begins, with the fields of each answer of Azure, without secrets and ids. The chart of Joiner must be installed: its rules
let machines join. Everything that is made has the tag joiner.dev_smoke. A run that was killed is resumed with its file; any other run removes what it left, too.

  --env          name of an environment of azd
  --cluster      resource id of the cluster; default: the first of the environment
  --kinds        kinds of machines, one of each is made; without it, the kind default:
${ABOUT}
  --max-cost     the most that the machines may cost, in dollars: a dearer run does not start; default: 1
  --out          file of the record; default: smoke-DATE.json
  --resume       file of a run that ended early: steps that are done are not done again
  --only-remove  removes what smoke runs have left, and makes nothing
  --yes          begins without asking

Exit codes: 0 all steps are done and nothing is left, 1 a step failed or something is left, 2 wrong arguments.`

export type SmokeArguments = {
  readonly azdEnvironment: string
  readonly cluster?: string
  readonly kinds: readonly KindName[]
  readonly out?: string
  readonly resume?: string
  readonly onlyRemove: boolean
  readonly yes: boolean
  /** In dollars. */
  readonly maxCost: number
}

/** A run of one kind costs some cents. GPUs cost more. */
const DEFAULT_MAX_COST = '1'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const OPTIONS = {
  env: text,
  cluster: text,
  kinds: text,
  'max-cost': text,
  out: text,
  resume: text,
  'only-remove': flag,
  yes: flag,
  help: flag,
} as const

/** Returns the arguments, or a sentence that says what is wrong with them. */
export function readSmokeArguments(args: readonly string[], isTerminal: boolean): Result<SmokeArguments | 'help', string> {
  const parsed = parsedBy(args)
  if (!parsed.ok) return parsed
  const { env = '', cluster, kinds = 'default', out, resume, 'only-remove': onlyRemove = false, yes = false, help } = parsed.value
  const { 'max-cost': maxCost = DEFAULT_MAX_COST } = parsed.value
  if (help === true) return ok('help')
  const why = whyNot(parsed.value, isTerminal) ?? whyNotCost(maxCost)
  if (why !== undefined) return err(why)
  return ok({
    azdEnvironment: env,
    kinds: [...new Set(namesIn(kinds).filter(isKind))],
    onlyRemove,
    yes,
    maxCost: Number(maxCost),
    ...defined({ cluster, out, resume }),
  })
}

type Values = Extract<ReturnType<typeof parsedBy>, { readonly ok: true }>['value']

function whyNot({ env, cluster, kinds = 'default', out, resume, ...flags }: Values, isTerminal: boolean): string | undefined {
  if (env === undefined) return '--env is missing: it names an environment of azd'
  const strange = cluster === undefined ? undefined : whyNotCluster(cluster)
  if (strange !== undefined) return strange
  const wrong = namesIn(kinds).length === 0 ? kinds : namesIn(kinds).find((name) => !isKind(name))
  if (wrong !== undefined) return `--kinds ${wrong} is none of ${KIND_NAMES.join(', ')}`
  if (resume !== undefined && out !== undefined) return '--out is for a new run: a resumed run goes on with its own file'
  const isAsked = flags.yes !== true && flags['only-remove'] !== true
  return isAsked && !isTerminal ? 'the terminal is not interactive: add --yes to make machines without a question' : undefined
}

function whyNotCost(maxCost: string): string | undefined {
  return /^\d{1,5}(\.\d{1,2})?$/.test(maxCost) ? undefined : `--max-cost ${maxCost} is no number of dollars, such as 2 or 0.50`
}

const namesIn = (kinds: string): readonly string[] => kinds.split(',').filter((name) => name !== '')

function parsedBy(args: readonly string[]) {
  try {
    return ok(parseArgs({ args: [...args], options: OPTIONS }).values)
  } catch (cause) {
    return err(messageOf(cause))
  }
}
