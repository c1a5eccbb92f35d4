import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { settle } from '../shared/base/bounded.ts'
import { Fault } from '../shared/model/problem.ts'
import { ask, type ReaderAccess } from './ask.ts'
import { type AskedApp, readerAccess } from './readerAccess.ts'

const HOW = `
  --run FOLDER     folder of a run of npm start; without, the one that was started last
  --app ADDRESS    https address of a function app: JOINER_APP_ENDPOINT of azd env get-values
  --cluster NAME   with --app: what the app calls the cluster
  --key KEY        with --app: a function key; without, JOINER_FUNCTION_KEY of the environment
  --audience URI   with --app: ENTRA_AUDIENCE of the app; api://joiner where nothing is said

It ends with 0 where there is an answer, with 1 where there is none, and with 2 where it did not understand what it was asked.`

const EXPLAIN = `npx joiner explain pods/NAMESPACE/NAME, or nodeclaims/NAME where NAME may be that of a node

Says why a pod goes where it goes, or why a machine is what it is.
${HOW}`
const STATUS = `npx joiner status

Says how the app looks at a cluster, and what it decided last.
${HOW}`

/** Gives the exit code. */
export async function explainCommand(args: readonly string[]): Promise<number> {
  const given = readAsked(args)
  if (typeof given === 'string') return refuse(given, EXPLAIN)
  if (given.help) return help(EXPLAIN)
  const [about = '', ...more] = given.positionals
  if (more.length > 0 || !/^(pods\/[^/]+\/[^/]+|nodeclaims\/[^/]+)$/.test(about))
    return refuse(`${about} is neither pods/NAMESPACE/NAME nor nodeclaims/NAME`, EXPLAIN)
  return answer(given.app, (access) => ask({ ...access, url: `${access.url}/explain` }, about, { fetch, pause: (ms) => pause(ms) }))
}

/** Gives the exit code. */
export async function statusCommand(args: readonly string[]): Promise<number> {
  const given = readAsked(args)
  if (typeof given === 'string') return refuse(given, STATUS)
  if (given.help) return help(STATUS)
  if (given.positionals.length > 0) return refuse(`${given.positionals.join(' ')} is too much`, STATUS)
  return answer(given.app, async ({ url, headers }) => {
    const response = await fetch(`${url}/status`, { headers: { ...headers, accept: 'application/json' } })
    const text = await response.text()
    return { ok: response.ok, text: response.ok ? JSON.stringify(JSON.parse(text), undefined, 2) : text }
  })
}

type Given = { readonly app: AskedApp; readonly help: boolean; readonly positionals: readonly string[] }

function readAsked(args: readonly string[]): Given | string {
  try {
    const text = { type: 'string' } as const
    const options = { run: text, app: text, cluster: text, key: text, audience: text, help: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { help: wantsHelp = false, ...app } = values
    if (app.app !== undefined && app.cluster === undefined)
      return '--cluster is missing: it says of which cluster the app at --app is asked'
    return { app, help: wantsHelp, positionals }
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

async function answer(
  app: AskedApp,
  get: (access: ReaderAccess) => Promise<{ readonly ok: boolean; readonly text: string }>,
): Promise<number> {
  const said = await settle(async () => {
    const access = await readerAccess(app, process.env)
    if (access === undefined) return { ok: false, text: 'no stack runs here; start one with npm start, or name an app with --app' }
    return get(access)
  })
  const { ok, text } = said.ok ? said.value : { ok: false, text: failureText(said.error) }
  console.log(text)
  return ok ? 0 : 1
}

function failureText(cause: unknown): string {
  if (cause instanceof Fault) return cause.message
  // fetch says so of an address where nobody answers.
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
