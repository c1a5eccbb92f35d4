import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '../shared/base/result.ts'
import type { ReaderAccess } from './ask.ts'
import type { Access, Environment } from './clusterAccess.ts'

/** Which app is asked: the app of a cluster, an app at a URL, or the app of a run of the local stack. */
export type AskedApp = {
  /** Resource id of the cluster. With `app`: the id of the cluster in the app. */
  readonly cluster?: string | undefined
  /** True: the cluster of kubectl's current context, or of `context`. */
  readonly kubectl?: boolean | undefined
  readonly context?: string | undefined
  /** `NAMESPACE/NAME` of the reader's service account. */
  readonly account?: string | undefined
  /** URL of an app that accepts tokens of the tenant. */
  readonly app?: string | undefined
  readonly audience?: string | undefined
  readonly run?: string | undefined
}

const RUNS = join(import.meta.dirname, '..', '.local')
/** The file that the local stack writes into the folder of a run. */
const READER_FILE = 'reader.json'

/** Returns the URL for questions about a cluster, with the headers that identify the caller. The error says why no app can be asked. */
export async function readerAccess(asked: AskedApp, environment: Environment, runs = RUNS): Promise<Result<ReaderAccess, string>> {
  const { app, cluster, kubectl, context, run } = asked
  if (app !== undefined || cluster !== undefined || kubectl === true || context !== undefined) return ofCluster(asked, environment)
  const file = latestFile(run === undefined ? runFolders(runs) : [run])
  if (file === undefined) return err('no stack runs here; start one with npm start, or name a cluster with --cluster or --kubectl')
  const stack: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isReaderAccess(stack)) return err(`${file} does not say where the app is`)
  return ok({ ...stack, url: stack.url.replace(/\/explain$/, '') })
}

function isReaderAccess(json: unknown): json is ReaderAccess {
  return typeof json === 'object' && json !== null && 'url' in json && typeof json.url === 'string' && 'headers' in json
}

/** What is needed to reach a cluster takes longer to load than the app of a local stack takes to answer. */
async function ofCluster(asked: AskedApp, environment: Environment): Promise<Result<ReaderAccess, string>> {
  const { app, cluster, kubectl, context, account = 'joiner/joiner-reader', audience = '' } = asked
  const { accountAccess, readerAt, serverByAzure, serverByKubectl } = await import('./readerAccount.ts')
  if (app !== undefined) return ok(readerAt(app, cluster ?? '', await (await azure(environment)).token(audience)))
  if (kubectl === true || context !== undefined) {
    const { runProgram } = await import('./down/runProgram.ts')
    return accountAccess(serverByKubectl(runProgram, context), account)
  }
  const server = await serverByAzure(await azure(environment), cluster ?? '')
  return server.ok ? accountAccess(server.value, account) : server
}

/** The clients of Azure take half a second to load, and only some ways to an app need them. */
async function azure(environment: Environment): Promise<Access> {
  const { openAccess } = await import('./clusterAccess.ts')
  return openAccess(environment)
}

function latestFile(folders: readonly string[]): string | undefined {
  return folders
    .map((folder) => join(folder, READER_FILE))
    .filter((each) => existsSync(each))
    .sort((first, second) => statSync(second).mtimeMs - statSync(first).mtimeMs)[0]
}

function runFolders(runs: string): readonly string[] {
  if (!existsSync(runs)) return []
  return readdirSync(runs)
    .filter((name) => name.startsWith('run-'))
    .map((name) => join(runs, name))
}
