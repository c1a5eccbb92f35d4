import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { settle } from '../shared/base/concurrency.ts'
import { messageOf } from '../shared/base/result.ts'
import { Fault } from '../shared/model/problem.ts'
import { ask, type ReaderAccess, read } from './ask.ts'
import { whyNotCluster } from './clusterName.ts'
import { faultLine } from './faultLine.ts'
import { type AskedApp, readerAccess } from './readerAccess.ts'

const HOW = `
  --cluster ID     resource id of the cluster; uses the login of azd or az
  --kubectl        the current cluster of kubectl, instead of --cluster
  --context NAME   the cluster of this context of kubectl, instead of --cluster
  --account NAME   namespace/name of the reader's service account; default: joiner/joiner-reader
  --run FOLDER     folder of a run of npm start; if you name no cluster, the latest run
  --app ADDRESS    https address of a function app that accepts tokens of the tenant; --cluster is then the name that the app has for the cluster
  --audience URI   ENTRA_AUDIENCE of the app; required with --app

The request has a token of a service account of the cluster. You need the right to create this token.
Exit codes: 0 answered, 1 no answer, 2 wrong arguments.`

const EXPLAIN = `npx joiner explain pods/NAMESPACE/NAME
npx joiner explain nodeclaims/NAME   NAME: of the NodeClaim, or of its node

Prints the reasons for the place of a pod, or for a machine.
${HOW}`
const STATUS = `npx joiner status

Prints the app's state of a cluster, and its latest decisions.
${HOW}`

/** Returns the exit code. */
export async function explainCommand(args: readonly string[]): Promise<number> {
  const given = readAsked(args)
  if (typeof given === 'string') return refuse(given, EXPLAIN)
  if (given.help) return help(EXPLAIN)
  const [about = '', ...more] = given.positionals
  if (more.length > 0 || !/^(pods\/[^/]+\/[^/]+|nodeclaims\/[^/]+)$/.test(about))
    return refuse(`${about} is neither pods/NAMESPACE/NAME nor nodeclaims/NAME`, EXPLAIN)
  return answer(given.app, (access) => ask({ ...access, url: `${access.url}/explain` }, about, { fetch, pause: (ms) => pause(ms) }))
}

/** Returns the exit code. */
export async function statusCommand(args: readonly string[]): Promise<number> {
  const given = readAsked(args)
  if (typeof given === 'string') return refuse(given, STATUS)
  if (given.help) return help(STATUS)
  if (given.positionals.length > 0) return refuse(`unexpected arguments: ${given.positionals.join(' ')}`, STATUS)
  return answer(given.app, async ({ url, headers }) => {
    const { ok, text } = await read(await fetch(`${url}/status`, { headers: { ...headers, accept: 'application/json' } }))
    return { ok, text: ok ? JSON.stringify(JSON.parse(text), undefined, 2) : text }
  })
}

type Given = { readonly app: AskedApp; readonly help: boolean; readonly positionals: readonly string[] }

function readAsked(args: readonly string[]): Given | string {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean' } as const
    const options = {
      cluster: text,
      kubectl: flag,
      context: text,
      account: text,
      run: text,
      app: text,
      audience: text,
      help: flag,
    } as const
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { help: wantsHelp = false, ...app } = values
    const why = whyNot(app)
    if (why !== undefined) return why
    return { app, help: wantsHelp, positionals }
  } catch (cause) {
    return messageOf(cause)
  }
}

function whyNot(asked: AskedApp): string | undefined {
  const { app, cluster, kubectl, context, account, run } = asked
  const ways = [app ?? cluster, kubectl === true ? '' : context, run].filter((way) => way !== undefined)
  if (ways.length > 1) return 'only one of --cluster, --kubectl or --context, and --run may be given'
  if (account !== undefined && !/^[^/]+\/[^/]+$/.test(account)) return `--account ${account} is not NAMESPACE/NAME`
  if (app !== undefined) return whyNotApp(asked)
  return cluster === undefined ? undefined : whyNotCluster(cluster)
}

function whyNotApp({ cluster, audience }: AskedApp): string | undefined {
  if (cluster === undefined) return '--cluster is missing: it names the cluster to ask about'
  return audience === undefined ? '--audience is missing: it is the audience of the token, ENTRA_AUDIENCE of the app' : undefined
}

async function answer(
  app: AskedApp,
  get: (access: ReaderAccess) => Promise<{ readonly ok: boolean; readonly text: string }>,
): Promise<number> {
  const said = await settle(async () => {
    const access = await readerAccess(app, process.env)
    return access.ok ? get(access.value) : { ok: false, text: access.error }
  })
  const { ok, text } = said.ok ? said.value : { ok: false, text: failureText(said.error) }
  console.log(text)
  return ok ? 0 : 1
}

function failureText(cause: unknown): string {
  if (cause instanceof Fault) return faultLine(cause)
  // `fetch` throws a TypeError if the app cannot be reached.
  if (cause instanceof TypeError) return `the app cannot be reached: ${cause.message}`
  throw cause
}

function help(usage: string): 0 {
  console.log(usage)
  return 0
}

function refuse(why: string, usage: string): 2 {
  console.error(`${why}\n\n${usage}`)
  return 2
}
